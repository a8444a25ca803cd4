"""Collectives built of phases."""

import unittest

from onceover import Schedule, UsageError, catalogue, ranks, verify


class Plans(unittest.TestCase):
    def setUp(self):
        self.machine = ranks.grid(node=3, gpu=4)
        self.node, self.gpu = self.machine

    def test_coordinates(self):
        self.assertEqual(self.machine.rank(1, 2), 6)
        self.assertEqual(self.machine.rank(node=1, gpu=2), 6)
        self.assertEqual(self.machine.coordinates(6), (1, 2))
        self.assertEqual(self.machine.name(6), "(node 1, gpu 2)")
        self.assertEqual(self.machine.groups([self.gpu]), [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]])
        for call in (lambda: self.machine.rank(3, 0), lambda: self.machine.rank(1), lambda: self.machine.rank(node=1),
                     lambda: self.machine.rank(node=1, cpu=0), lambda: self.machine.coordinates(12), lambda: ranks.grid(rank=2)):
            with self.assertRaises(UsageError):
                call()

    def test_plans_that_are_right(self):
        hierarchical = (ranks.reduce_scatter(within=self.node) >> ranks.allreduce(across=self.node)
                        >> ranks.allgather(within=self.node))
        for plan, collective, steps in (
                (hierarchical, "allreduce", 3 + 4 + 3),
                (ranks.allreduce(within=self.node) >> ranks.allreduce(across=self.node), "allreduce", 6 + 4),
                (ranks.reduce_scatter(within=self.node) >> ranks.reduce_scatter(across=self.node), "reduce-scatter", 5),
                (ranks.allgather(across=self.node) >> ranks.allgather(within=self.node), "allgather", 5),
                (ranks.allreduce(within=self.node, by=catalogue.recursive_doubling)
                 >> ranks.allreduce(across=self.node, by=catalogue.swing), "allreduce", None)):
            s = plan.schedule()
            self.assertEqual(s.header["collective"], collective)
            self.assertTrue(verify(s), str(plan))
            if steps is not None:
                self.assertEqual(s.steps, steps)

    def test_pipelines(self):
        plan = (ranks.reduce_scatter(within=self.node) >> ranks.allreduce(across=self.node)
                >> ranks.allgather(within=self.node))
        s = plan.schedule(chunks=4)
        self.assertEqual((s.steps, s.header["blocks"]), (10 + 3, 4 * 12))
        self.assertEqual(s.phases[3], "allreduce across node and reduce-scatter within node")
        self.assertTrue(verify(s))
        scattered = (ranks.reduce_scatter(within=self.node) >> ranks.reduce_scatter(across=self.node)).schedule(chunks=2)
        self.assertTrue(verify(scattered))

    def test_groups_run_any_schedule_of_theirs(self):
        def own(p, collective):
            s = Schedule(collective, p, 1)
            for rank in range(p):
                with s.step():
                    for other in range(p):
                        if other != rank:
                            s.send(other, rank, 0, "reduce")
            return s

        wrong = ranks.allreduce(within=self.node, by=own) >> ranks.allreduce(across=self.node)
        self.assertEqual(verify(wrong.schedule()).counterexample.kind, "duplicate")
        with self.assertRaisesRegex(UsageError, "expected its schedule for 4 ranks"):
            ranks.allreduce(within=self.node, by=lambda p, collective: catalogue.ring(p + 1)).schedule()

    def test_three_levels(self):
        machine = ranks.grid(rack=2, node=2, gpu=2)
        plan = (ranks.reduce_scatter(within=machine.rack) >> ranks.allreduce(across=machine.rack)
                >> ranks.allgather(within=machine.rack))
        self.assertTrue(verify(plan.schedule()))

    def test_plans_that_are_wrong(self):
        forgotten = ranks.reduce_scatter(within=self.node) >> ranks.allreduce(across=self.node)
        self.assertEqual(forgotten.schedule().header["collective"], "reduce-scatter")
        report = verify(forgotten.schedule("allreduce"))
        self.assertFalse(report)
        self.assertIn("(node 0, gpu", str(report))
        within_only = ranks.allreduce(within=self.node).schedule()
        shown = verify(within_only)
        self.assertFalse(shown)
        self.assertEqual(shown.counterexample.kind, "missing")

    def test_a_phase_that_is_missing(self):
        half = ranks.reduce_scatter(within=self.node) >> ranks.allreduce(across=self.node)
        self.assertTrue(verify(half.schedule()))
        report = verify(half.schedule("allreduce"))
        self.assertEqual(report.counterexample.kind, "missing")
        self.assertEqual(report.counterexample.paths[0][-1].phase, "allreduce across node")

    def test_plans_that_mean_nothing(self):
        with self.assertRaisesRegex(UsageError, "hold different blocks"):
            (ranks.reduce_scatter(within=self.node) >> ranks.allreduce(within=self.node)).schedule()
        with self.assertRaisesRegex(UsageError, "on one grid"):
            ranks.allreduce(within=self.node) >> ranks.allreduce(within=ranks.grid(node=3, gpu=4).node)
        with self.assertRaisesRegex(UsageError, "say within= or across="):
            ranks.allreduce()
        with self.assertRaisesRegex(UsageError, "each axis needs a name, as in grid"):
            ranks.grid(3, 4)
        with self.assertRaisesRegex(AttributeError, "no axis 'nodes'; it has node, gpu"):
            self.machine.nodes
        with self.assertRaisesRegex(UsageError, r"its schedule\(\) makes one"):
            verify(ranks.allreduce(within=self.node))
        with self.assertRaisesRegex(UsageError, r"from_file\(path\) reads one"):
            verify("plan.json")
        with self.assertRaisesRegex(UsageError, "nothing is to gather"):
            (ranks.allreduce(within=self.node) >> ranks.allgather(within=self.node)).schedule()

    def test_phases_are_named(self):
        s = (ranks.allreduce(within=self.node) >> ranks.allreduce(across=self.node)).schedule()
        self.assertEqual(s.phases, ["allreduce within node"] * 6 + ["allreduce across node"] * 4)
        self.assertIsInstance(s, Schedule)


if __name__ == "__main__":
    unittest.main()
