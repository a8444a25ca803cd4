"""Schedules as they are written, read and written again; what is refused, and where."""

import inspect
import pathlib
import tempfile
import unittest

import program
from onceover import (Error, IllFormedError, ParseError, Program, Schedule, UsageError, catalogue, from_file, from_msccl,
                      from_text, verify)


class Writing(unittest.TestCase):
    def setUp(self):
        self.s = Schedule("allreduce", 4, 4)

    def refused(self, words, call, *arguments, **named):
        with self.assertRaises(UsageError) as caught:
            call(*arguments, **named)
        self.assertEqual(str(caught.exception), words)

    def test_mistakes_are_refused_where_they_are_made(self):
        self.refused("send: write it inside a step, `with s.step():`", self.s.send, 0, 1, 0, "reduce")
        with self.s.step():
            self.refused("dst: expected a number from 0 to 3, found 4", self.s.send, 0, 4, 0, "reduce")
            self.refused("src: expected a whole number, found 0.5", self.s.send, 0.5, 1, 0, "reduce")
            self.refused("blocks: expected a number from 0 to 3, found 7", self.s.send, 0, 1, [0, 7], "reduce")
            self.refused("blocks: block 2 is in this list twice", self.s.send, 0, 1, [2, 1, 2], "reduce")
            self.refused("blocks: expected one block or several, found none", self.s.send, 0, 1, [], "reduce")
            self.refused("op: expected \"reduce\" or \"copy\", found 'sum'", self.s.send, 0, 1, 0, "sum")
            self.refused("into: this needs scratch=, a number of scratch blocks", self.s.send, 0, 1, 0, "copy", into=1)
            self.refused("this schedule is not complete: end its last step first", self.s.to_json)
        self.refused("collective: expected one of allreduce, reduce-scatter, allgather, broadcast, reduce, scatter, gather, "
                     "alltoall, found 'allreduc'", Schedule, "allreduc", 4)
        self.refused("ranks: expected a number from 1, found 0", Schedule, "allreduce", 0)
        with self.assertRaisesRegex(UsageError, "root"):
            Schedule("allreduce", 4, 4, root=1)  # an allreduce has none

    def test_a_step_that_fails_is_none(self):
        with self.assertRaises(UsageError):
            with self.s.step():
                self.s.send(0, 1, 0, "reduce")
                self.s.send(0, 9, 0, "reduce")
        self.assertEqual(self.s.steps, 0)

    def test_numpy_numbers_and_ranges(self):
        import numpy
        with self.s.step():
            self.s.send(numpy.int64(0), 1, numpy.arange(2), "reduce")
            self.s.send(1, 2, range(1, 4), "copy")
        self.assertEqual(self.s.transfers(0), [(0, 1, (0, 1), "reduce", None), (1, 2, (1, 2, 3), "copy", None)])

    def test_scratch(self):
        s = Schedule("allreduce", 2, 1, scratch=1)
        with s.step():
            s.send(0, 1, 0, "copy", into=1)
            s.send(1, 0, 0, "copy", into=1)
        with s.step():
            s.send(0, 0, 1, "reduce", into=0)
            s.send(1, 1, 1, "reduce", into=0)
        self.assertTrue(verify(s))
        self.assertEqual(s.transfers(0)[0].into, (1,))
        self.assertEqual(program.run_of_text(s.to_json())["verdict"], "pass")

    def test_a_complete_schedule_is_copied_to_be_changed(self):
        ring = catalogue.ring(p=3)
        with self.assertRaisesRegex(UsageError, "complete"):
            with ring.step():
                pass
        changed = ring.copy()
        with changed.step("once more"):
            changed.send(0, 1, 0, "reduce")
        self.assertEqual((ring.steps, changed.steps), (4, 5))
        self.assertEqual(changed.phases[-1], "once more")
        self.assertFalse(verify(changed))

    def test_names_of_ranks_and_steps_are_in_the_file(self):
        s = Schedule("allreduce", 6, 1, grid={"node": 3, "gpu": 2})
        for phase in ("up", "up", "", "down"):
            with s.step(phase):
                s.send(1, 0, 0, "reduce")
        self.assertEqual(s.to_dict()["grid"], [["node", 3], ["gpu", 2]])
        self.assertEqual(s.to_dict()["phases"], [["up", 0], ["", 2], ["down", 3]])
        read = from_text(s.to_json())
        changed = read.copy()
        for each in (s, read, changed):
            self.assertEqual(each.phases, ["up", "up", "", "down"])
            self.assertEqual([each.name_of(rank) for rank in (0, 3, 5)], ["(node 0, gpu 0)", "(node 1, gpu 1)", "(node 2, gpu 1)"])
            self.assertEqual(each.to_json(), s.to_json())
        report = verify(read)
        subject = program.run_of_text(s.to_json())["subject"]
        self.assertEqual((subject["grid"], subject["phases"]), (report.facts["subject"]["grid"], report.facts["subject"]["phases"]))
        self.assertIn(f"rank {report.counterexample.rank} {s.name_of(report.counterexample.rank)}", str(report))
        self.assertEqual(Schedule("allreduce", 2).name_of(1), "1")
        self.assertEqual(catalogue.ring(p=3).phases, 4 * [""])

    def test_names_that_are_none(self):
        self.refused("grid: expected sizes by name, such as {\"node\": 2, \"gpu\": 4}, found 5", Schedule, "allreduce", 4, grid=5)
        self.refused("grid, gpu: expected a number from 1, found 0", Schedule, "allreduce", 4, grid={"gpu": 0})
        self.refused("the axes multiply to 3, but there are 4 ranks", Schedule, "allreduce", 4, grid={"gpu": 3})
        self.refused("phase: expected a text, found 5", self.s.step(5).__enter__)

    def test_it_may_grow_after_a_verdict(self):
        s = Schedule("allreduce", 2, 1)
        self.assertFalse(verify(s))
        with s.step():
            s.send(0, 1, 0, "reduce")
            s.send(1, 0, 0, "reduce")
        self.assertTrue(verify(s))


class Files(unittest.TestCase):
    def test_errors_have_their_place(self):
        text = '{"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":2,"blocks":1,\n"steps":[[\n' \
               '{"src":0,"dst":5,"blocks":[0],"op":"reduce"}]]}'
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "bad.json"
            file.write_text(text)
            with self.assertRaises(ParseError) as caught:
                from_file(file)
            error = caught.exception
            self.assertEqual((error.file, error.line, error.column), (str(file), 3, 16))
            self.assertEqual(error.reason, "expected a rank from 0 to 1, found 5")
            self.assertIn(str(error), program.run(file)[2])
        with self.assertRaises(ParseError) as caught:
            from_text("neither of these", "x")
        self.assertEqual(caught.exception.line, None if caught.exception.line is None else 1)
        with self.assertRaises(UsageError):
            from_msccl(program.SOURCE / "LICENSE")
        with self.assertRaises(FileNotFoundError):
            from_file("no such file")
        with self.assertRaises(ParseError) as caught:
            Schedule.from_peer("r xor", 8)
        self.assertEqual((caught.exception.file, caught.exception.line, caught.exception.column), ("peer", 1, 6))
        self.assertTrue(str(caught.exception).startswith("peer:1:6: "))

    def test_what_is_exported_is_what_the_program_exports(self):
        s = catalogue.ring(p=4)
        with tempfile.TemporaryDirectory() as folder:
            for format, make, flags in (("json", s.to_json, []), ("goal", s.to_goal, []), ("msccl-xml", s.to_msccl, []),
                                        ("msccl-xml", lambda path: s.to_msccl(path, protocol="LL"), ["--proto", "LL"]),
                                        ("mscclpp", s.to_mscclpp, [])):
                file = pathlib.Path(folder) / format
                text = make(file)
                self.assertEqual(file.read_text(), text)
                self.assertEqual(text, program.run("export", "--algo", "ring", "--p", 4, "--to", format, *flags)[1])
                if format != "json":
                    self.assertIsInstance(from_file(file), Program)
                    self.assertTrue(verify(from_file(file)))

    def test_numbers_out_of_range(self):
        s = catalogue.ring(p=4)
        for call, words in ((lambda: s.to_msccl(channels=0), "channels: expected a number from 1 to "),
                            (lambda: s.to_msccl(channels=99), "channels: expected a number from 1 to "),
                            (lambda: s.to_goal(bytes=0), "bytes: expected a number from 1 to "),
                            (lambda: s.draw(width=0), "width: "), (lambda: s.draw(width=float("nan")), "width: "),
                            (lambda: s.draw(steps=(5, 2)), "steps: "), (lambda: s.draw(steps=-1), "steps: "),
                            (lambda: s.draw(steps=99).svg, "steps: there is no step 99"),
                            (lambda: verify(s, threads=-1), "threads: "), (lambda: verify(s, budget=-1), "budget: "),
                            (lambda: verify(s, ports=-1), "ports: "), (lambda: verify(s, "ports"), "require ports: "),
                            (lambda: catalogue.ring(p=2**40), "p: "), (lambda: catalogue.swing(torus=()), "torus: "),
                            (lambda: catalogue.swing(torus=(4,)), "torus: (4,) is one side"),
                            (lambda: Schedule.from_peer("r + 1", 3, odd="even"), "odd: expected apart"),
                            (lambda: catalogue.swing(torus=(0, 4)), "torus: "), (lambda: catalogue.ring(4, root=-1), "root: "),
                            (lambda: Schedule.from_peer("r + 1", -3), "ranks: ")):
            with self.assertRaises(UsageError) as caught:
                call()
            self.assertTrue(str(caught.exception).startswith(words), str(caught.exception))

    def test_what_cannot_be_exported(self):
        with self.assertRaises(UsageError):
            catalogue.pairwise(p=4, collective="alltoall").to_msccl()
        s = Schedule("allreduce", 2, 1)
        with s.step():
            s.send(0, 0, 0, "reduce")
        with self.assertRaises(IllFormedError):
            s.to_goal()


class Catalogue(unittest.TestCase):
    def test_each_row_is_a_function(self):
        names = [row["name"] for row in program.json_of("list", "--as-printed")]
        self.assertEqual(sorted(catalogue.algorithms), sorted(names))
        for name, row in catalogue.algorithms.items():
            function = getattr(catalogue, name.replace("-", "_"))
            self.assertIs(function, row)
            self.assertIn(row.summary, inspect.getdoc(function))
            self.assertLessEqual(set(row.parameters), set(inspect.signature(function).parameters))
            self.assertIn(function.__name__, dir(catalogue))

    def test_arguments_are_checked(self):
        for call, words in ((lambda: catalogue.swing(), "swing: give either p"),
                            (lambda: catalogue.swing(7, torus=(7,)), "swing: give either p"),
                            (lambda: catalogue.swing(p=0), "p: "),
                            (lambda: catalogue.ring(p=4, colour=3), "ring has no parameter"),
                            (lambda: catalogue.swing(p=4, collective="allredduce"), "did you mean 'allreduce'"),
                            (lambda: catalogue.swing(p=4, lanes=2), "lanes: "),
                            (lambda: catalogue.generalized(p=8, removed_steps=99), "removed-steps")):
            with self.assertRaises(Error) as caught:
                call()
            self.assertIn(words, str(caught.exception))
        with self.assertRaisesRegex(AttributeError, "did you mean 'swing'"):
            catalogue.swin

    def test_the_stub_has_each_row(self):
        import ast
        import onceover
        stub = ast.parse((pathlib.Path(onceover.__file__).parent / "catalogue.pyi").read_text())
        functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
        self.assertEqual(functions, {row.__name__ for row in catalogue.algorithms.values()})


if __name__ == "__main__":
    unittest.main()
