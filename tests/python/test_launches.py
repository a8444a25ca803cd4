"""Launches of GPU kernels: the package and the program say the same."""

import pickle
import unittest

import program
from onceover import catalogue, from_file, gpu, verify
from onceover.errors import ParseError, UsageError

FOLDER = program.SOURCE / "tests/data/gpu"


class Launches(unittest.TestCase):
    def test_verdicts_are_those_of_the_program(self):
        for name, verdict in (("pass", "pass"), ("race", "fail"), ("wrong", "fail"), ("unknown", "unknown")):
            path = FOLDER / f"{name}.toml"
            report = gpu(path)
            self.assertEqual(report.verdict, verdict)
            self.assertEqual(bool(report), verdict == "pass")
            self.assertEqual(report.facts, program.json_of(path)["runs"][0])
            self.assertEqual(report.launches, program.json_of("gpu", path)["runs"])
            self.assertEqual(report.text(), program.run("gpu", path)[1])
            self.assertEqual(verify(from_file(path)).facts, report.facts)

    def test_other_ranks_sizes_and_seeds(self):
        report = gpu(FOLDER / "pass.toml", p=[3, 2], n=5, seed=9, waive="race-free")
        self.assertEqual([(run["ranks"], run["size"]) for run in report.launches], [(2, 5), (3, 5)])
        self.assertEqual(report.waived, ["race-free"])
        self.assertIn("race-free waived", str(report))

    def test_counterexamples_have_both_accesses(self):
        report = gpu(FOLDER / "race.toml")
        self.assertEqual(report.counterexample.kind, "unsafe")
        self.assertEqual(len([line for line in report.counterexample.lines if line.startswith("call ")]), 2)
        self.assertEqual(len(report.launches[0]["findings"][0]["accesses"]), 2)
        self.assertEqual(pickle.loads(pickle.dumps(report)).text(), report.text())

    def test_mistakes(self):
        with self.assertRaisesRegex(UsageError, "expected a launch of GPU kernels"):
            gpu(program.SOURCE / "tests/data/chain-reduce.json")
        with self.assertRaisesRegex(UsageError, "p: expected a number from 1 to 64"):
            gpu(FOLDER / "pass.toml", p=65)
        with self.assertRaisesRegex(UsageError, "found none"):
            gpu(FOLDER / "pass.toml", p=[])
        with self.assertRaisesRegex(UsageError, "aren't judged by this"):
            gpu(FOLDER / "pass.toml", require="contiguous")
        with self.assertRaisesRegex(ParseError, "argument 4"):
            gpu(FOLDER / "malformed.toml")


if __name__ == "__main__":
    unittest.main()
