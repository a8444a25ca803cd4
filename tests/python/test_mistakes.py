"""Whatever is given for an argument, what is wrong is an exception of the package's, with words."""

import inspect
import pathlib
import tempfile
import unittest

import numpy
import onceover
from onceover import Contention, Cost, Error, Picture, Report, Schedule, catalogue, contention, cost, ranks, verify


ODD = (None, True, 5, -1, 2**70, 0.5, float("nan"), float("inf"), "x", "", "\ud800", "a\0b", b"x", b"\xff", [], ["x"], [5, None],
       (1, 2, 3), {}, {"x": 1}, {1: "x"}, {"node": 0}, {"node": "x"}, object(), numpy.arange(3), lambda *_, **__: 5)


def open_schedule():
    s = Schedule("allreduce", 4, 4)
    with s.step("first"):
        for rank in range(4):
            s.send(rank, (rank + 1) % 4, rank, "reduce")
    return s


def stepped(**named):
    with open_schedule().step(**named):
        pass


def sent(**named):
    s = Schedule("allreduce", 4, 4, scratch=1)
    with s.step():
        s.send(**named)


def calls():
    """Functions, each with arguments that are right."""
    s, machine = open_schedule(), ranks.grid(node=2, gpu=2)
    picture, report, loads = s.draw(), verify(s), contention(catalogue.ring(p=4))
    phase = ranks.allreduce(within=machine.node)
    return [
        (Schedule, {"collective": "allreduce", "ranks": 4, "blocks": 4, "scratch": 0, "owners": None, "root": None, "shape": None,
                    "name": "", "grid": {"node": 2, "gpu": 2}}),
        (Schedule.from_peer, {"peer": "r xor 1", "ranks": 2, "steps": None, "collective": "allreduce", "odd": None}),
        (Schedule.from_dict, {"document": s.to_dict(), "name": "x"}),
        (onceover.from_text, {"text": s.to_json(), "name": "x"}),
        (stepped, {"phase": "x"}),
        (sent, {"src": 0, "dst": 1, "blocks": 0, "op": "copy", "into": None}),
        (s.transfers, {"step": 0}),
        (s.name_of, {"rank": 0}),
        (s.to_json, {"path": None}),
        (s.to_msccl, {"path": None, "protocol": "LL", "in_place": False, "channels": 1}),
        (s.to_mscclpp, {"path": None, "packets": False, "in_place": False}),
        (s.to_goal, {"path": None, "bytes": 8, "in_place": False}),
        (lambda **named: s.draw(**named).data("dot"),
         {"view": "steps", "ranks": [0], "steps": 0, "blocks": [0], "counts": False, "width": 4, "topology": "mesh"}),
        (picture.data, {"format": "dot"}),
        (picture.save, {"path": "x.dot"}),
        (onceover.from_file, {"path": "x.json"}),
        (onceover.from_msccl, {"path": "x.xml"}),
        (verify, {"subject": s, "require": (), "ports": 1, "staging": 1, "budget": 10**6, "threads": 1, "fifo": None}),
        (report.text, {"full": False}),
        (onceover.prove, {"peer": "r xor 1", "steps": "1"}),
        (lambda **named: onceover.sweep(progress=False, **named), {"make": catalogue.ring, "p": [2], "workers": 1}),
        (contention, {"schedule": s, "topology": "torus", "routing": "minimal", "ports": None, "map": None, "ways": None, "bandwidth": 400,
                      "latency": 100, "hop_latency": 300, "overhead": 0, "reduction": None}),
        (loads.loads_of_step, {"step": 0}),
        (loads.node_name, {"node": 0}),
        (cost, {"schedule": s, "bytes": "1Ki", "mode": "synchronous", "topology": "torus"}),
        (catalogue.ring, {"p": 4, "torus": None, "collective": "allreduce", "lanes": 1, "root": 0}),
        (lambda torus: catalogue.bucket(torus=torus), {"torus": (2, 2)}),
        (catalogue.rabenseifner, {"p": 4, "remainder": "fold", "order": "near"}),
        (ranks.grid, {"node": 2}),
        (lambda rank: machine.rank(rank, 0), {"rank": 0}),
        (lambda **named: machine.rank(**named), {"node": 0, "gpu": 0}),
        (machine.coordinates, {"rank": 0}),
        (machine.name, {"rank": 0}),
        (machine.groups, {"axes": [machine.node]}),
        (ranks.allreduce, {"within": machine.node, "across": None, "by": None}),
        (lambda after: phase >> after, {"after": phase}),
        (phase.schedule, {"collective": "allreduce", "name": "", "chunks": 1}),
        (lambda by: ranks.allreduce(within=machine.node, by=by).schedule(), {"by": catalogue.ring}),
    ]


class Mistakes(unittest.TestCase):
    def test_every_argument_of_every_function(self):
        refused = 0
        with tempfile.TemporaryDirectory() as folder:
            for function, right in calls():
                for argument in right:
                    for odd in ODD:
                        if argument == "path" and isinstance(odd, str) and "\0" not in odd:
                            odd = str(pathlib.Path(folder) / odd.encode(errors="ignore").decode())
                        try:
                            function(**{**right, argument: odd})
                        except Error as error:
                            refused += 1
                            self.assertGreater(len(str(error)), 15, (argument, odd))
                            self.assertNotIn("incompatible", str(error))  # pybind11's word for arguments
                        except OSError as error:  # of a file that isn't there
                            self.assertIn(argument, ("path", "map", "ways"), error)
                        except Exception as error:
                            self.fail(f"{function} with {argument} = {odd!r}: {error!r}")
        self.assertGreater(refused, 1000)

    def test_what_is_right_is_taken(self):
        with tempfile.TemporaryDirectory() as folder:
            for function, right in calls():
                if "path" in right and right["path"]:
                    continue
                function(**right)
            verify(open_schedule()).draw().save(pathlib.Path(folder) / "x.dot")

    def test_no_public_function_is_forgotten(self):
        tried = {getattr(function, "__qualname__", "") for function, _ in calls()} | {"Schedule.step", "Schedule.send", "Schedule.draw"}
        for owner in (Schedule, Picture, Report, Contention, Cost, ranks.Grid, ranks.Phase):
            for name, function in vars(owner).items():
                if inspect.isfunction(function) and not name.startswith("_") and len(inspect.signature(function).parameters) > 1:
                    self.assertTrue({f"{owner.__name__}.{name}"} & tried or name in ("rank", "draw"), name)

    def test_unknown_options(self):
        ring = catalogue.ring(p=4)
        for call in (lambda: ring.draw(viev="steps"), lambda: cost(ring, "1Ki", modes="x"), lambda: catalogue.ring(p=4, colour=1)):
            with self.assertRaises(Error):
                call()


if __name__ == "__main__":
    unittest.main()
