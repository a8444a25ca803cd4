"""Loads and times are those of the program, as arrays."""

import unittest
from fractions import Fraction

import numpy
import program
from onceover import Schedule, UsageError, IllFormedError, catalogue, contention, cost


class Loads(unittest.TestCase):
    def test_they_are_the_programs(self):
        for name, arguments, call, network in (
                ("swing", ["--p", 16], {"p": 16}, {}),
                ("swing", ["--torus", "4x4", "--lanes", "all"], {"torus": (4, 4), "lanes": "all"}, {}),
                ("ring", ["--p", 16], {"p": 16}, {"topology": "fat-tree:radix=4", "routing": "ecmp"}),
                ("recursive-doubling", ["--p", 8], {"p": 8}, {"topology": "mesh"})):
            flags = [word for key, value in network.items() for word in ("--" + key, value)]
            expected = program.json_of("contention", "--algo", name, *arguments, *flags)["runs"][0]
            found = contention(catalogue.algorithms[name](**call), **network)
            self.assertEqual(found.network, expected["contention"]["network"])
            self.assertEqual(round(found.congestion, 6), expected["metrics"]["congestion_deficiency"])
            self.assertEqual(round(found.bandwidth, 6), expected["metrics"]["bandwidth_deficiency"])
            self.assertEqual(len(found.steps), len(expected["contention"]["steps"]))
            for step, other in zip(found.steps, expected["contention"]["steps"]):
                self.assertEqual((step.step, step.times, step.messages), (other["step"], other["times"], other["messages"]))
                self.assertEqual(step.load, Fraction(other["hottest"]["blocks_exact"]))
                self.assertEqual(list(step.hottest_link), [other["hottest"]["from"], other["hottest"]["to"]])
            self.assertEqual(numpy.count_nonzero(found.loads), expected["contention"]["links_used"])
            self.assertEqual(found.vectors, Fraction(expected["contention"]["time"]["vectors"]))

    def test_arrays(self):
        found = contention(catalogue.ring(p=4))
        self.assertEqual(found.links.shape, (len(found.loads), 2))
        steps = sum(found.loads_of_step(step) for step in range(6))
        numpy.testing.assert_array_equal(steps, found.loads)
        self.assertEqual(found.loads.sum(), 6 * 4)
        self.assertEqual(found.messages.sum(), 6 * 4)
        with self.assertRaisesRegex(UsageError, "step: expected a number from 0 to 5, found 6"):
            found.loads_of_step(6)
        with self.assertRaisesRegex(UsageError, "node: the network has no node 4"):
            found.node_name(4)

    def test_mistakes(self):
        ring = catalogue.ring(p=4)
        with self.assertRaisesRegex(UsageError, "'toplogy' of a network; did you mean 'topology'"):
            contention(ring, toplogy="mesh")
        with self.assertRaisesRegex(UsageError, "topology: .*did you mean 'mesh'"):
            contention(ring, topology="mseh")
        with self.assertRaisesRegex(UsageError, "routing: no routing"):
            contention(ring, routing="best")
        with self.assertRaisesRegex(UsageError, "bandwidth: expected a number"):
            contention(ring, bandwidth=0)
        wrong = Schedule("allreduce", 2, 1)
        with wrong.step():
            wrong.send(0, 0, 0, "reduce")
        with self.assertRaises(IllFormedError):
            contention(wrong)


class Times(unittest.TestCase):
    def test_they_are_the_programs(self):
        for mode in ("synchronous", "asynchronous"):
            expected = program.json_of("cost", "--algo", "swing", "--p", 16, "--bytes", "1Ki,1Mi", "--mode", mode,
                                       "--latency", 500)
            found = cost(catalogue.swing(p=16), ["1Ki", "1Mi"], mode=mode, latency=500)
            numpy.testing.assert_array_equal(found.sizes, [1024, 1 << 20])
            numpy.testing.assert_allclose(found.times, [size["algorithms"][0]["time_ns"] for size in expected["sizes"]],
                                          rtol=1e-12)
        numpy.testing.assert_allclose(found.goodput, found.sizes * 8 / found.times)

    def test_sizes(self):
        ring = catalogue.ring(p=4)
        self.assertEqual(list(cost(ring, 2048).sizes), [2048])
        self.assertEqual(list(cost(ring, "32..512").sizes), [32, 128, 512])
        with self.assertRaisesRegex(UsageError, "bytes: expected sizes"):
            cost(ring, "many")


if __name__ == "__main__":
    unittest.main()
