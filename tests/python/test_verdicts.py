"""The package and the program say the same about the same schedules."""

import json
import random
import unittest

import program
from onceover import Schedule, catalogue, from_file, from_text, prove, verify
from onceover.errors import UsageError


def small_schedules():
    """Schedules of each row and collective, for two numbers of ranks, where the row has some, and the words for the program."""
    for row in catalogue.algorithms.values():
        for collective in row.collectives:
            schedules = {}
            for p in (6, 8):
                try:
                    schedules[p] = row(p, collective=collective)
                except UsageError:
                    pass  # p is outside the row's domain
            if schedules:
                yield ["--algo", row.name, "--p", ",".join(map(str, schedules)), "--collective", collective], list(schedules.values())


def damaged(schedule, chance):
    """The same schedule with a transfer left out, doubled, turned around, moved to another step, or of the other op."""
    document = schedule.to_dict()
    steps = [step for step in document["steps"] if step]
    step = chance.choice(steps)
    transfer = step.pop(chance.randrange(len(step)))
    how = chance.randrange(5)
    if how == 1:
        step += [transfer, dict(transfer)]
    elif how == 2:
        step.append({**transfer, "src": transfer["dst"], "dst": transfer["src"]})
    elif how == 3:
        chance.choice(steps).append(transfer)
    elif how == 4:
        step.append({**transfer, "op": "copy" if transfer["op"] == "reduce" else "reduce"})
    return Schedule.from_dict(document)


class Verdicts(unittest.TestCase):
    def same(self, schedules, *require):
        reports = [verify(schedule, require) for schedule in schedules]
        flags = [word for each in require for word in ("--require", each)]
        expected = program.runs_of_texts([schedule.to_json() for schedule in schedules], *flags)
        self.assertEqual([program.without_subject(report.facts) for report in reports], list(map(program.without_subject, expected)))
        return [report.verdict for report in reports]

    def test_rows_of_the_catalogue(self):
        texts, reports = [], []
        for arguments, schedules in small_schedules():
            of_row = [verify(schedule) for schedule in schedules]
            self.assertEqual([report.facts for report in of_row], program.json_of(*arguments)["runs"])
            texts += [schedule.to_json() for schedule in schedules]
            reports += of_row
        for report, of_file in zip(reports, program.runs_of_texts(texts), strict=True):
            self.assertEqual([each.verdict for each in report.properties.values()], [each["verdict"] for each in of_file["properties"]])
        verdicts = [report.verdict for report in reports]
        self.assertGreater(len(verdicts), 80)
        self.assertIn("fail", verdicts)  # those that are wrong as printed

    def test_damaged_schedules(self):
        chance = random.Random(7)
        rows = [schedule for _, schedules in small_schedules() for schedule in schedules if any(schedule.to_dict()["steps"])]
        verdicts = self.same([damaged(chance.choice(rows), chance) for _ in range(80)])
        self.assertGreater(verdicts.count("fail"), 40)
        self.assertIn("pass", verdicts)

    def test_required_properties(self):
        self.same([catalogue.ring(p=5), catalogue.recursive_doubling(p=8)], "order-preserving", "bitwise-reproducible")
        report = verify(catalogue.ring(p=5), ports=0)
        expected = program.json_of("--algo", "ring", "--p", 5, "--ports", 0)["runs"][0]
        self.assertEqual(report.facts["properties"], expected["properties"])
        self.assertFalse(report)

    def test_what_is_written_by_hand_is_the_file(self):
        written = Schedule("allreduce", 3, 3, name="mine")
        for first in range(2):
            with written.step():
                for rank in range(3):
                    written.send(rank, (rank + 1) % 3, (rank - first) % 3, "reduce")
        self.assertEqual(self.same([written]), ["fail"])
        again = from_text(written.to_json())
        self.assertEqual(again.to_json(), written.to_json())
        self.assertEqual(again, written)

    def test_a_name_is_no_theorem(self):
        # A schedule that is called swing isn't the catalogue's.
        mine = Schedule.from_dict(catalogue.swing(p=7).to_dict())
        self.assertEqual(mine.header["name"], "swing")
        self.assertIsNone(verify(mine).theorem)
        self.assertEqual(verify(catalogue.swing(p=7)).theorem,
                         program.json_of("--algo", "swing", "--p", 7)["runs"][0]["theorem"])

    def test_formulas(self):
        for peer, p in (("r xor pow2(s)", 8), ("even(r) ? r + rho(s) : r - rho(s)", 7), ("r + 1", 5)):
            report = verify(Schedule.from_peer(peer, p))
            expected = program.json_of("--peer", peer, "--p", p)["runs"][0]
            self.assertEqual(report.facts, expected)

    def test_programs(self):
        for file in sorted((program.SOURCE / "examples").glob("*.xml")) + sorted((program.SOURCE / "examples").glob("*.goal")):
            report = verify(from_file(file))
            self.assertEqual(report.facts, program.json_of(file)["runs"][0], file)

    def test_repairs(self):
        broken = catalogue.ring(p=4).to_dict()
        del broken["steps"][1][2]
        report = verify(Schedule.from_dict(broken))
        self.assertFalse(report)
        self.assertTrue(report.repair)
        self.assertTrue(verify(report.repaired()))

    def test_a_repair_keeps_names(self):
        broken = catalogue.ring(p=4).to_dict() | {"grid": [["node", 2], ["gpu", 2]], "phases": [["scatter", 0], ["gather", 3]]}
        del broken["steps"][1][2]
        report = verify(Schedule.from_dict(broken))
        self.assertIn("at step 1 (scatter), rank 2 (node 1, gpu 0) also sends", report.repair[0])
        self.assertEqual(report.repaired().phases, 3 * ["scatter"] + 3 * ["gather"])
        self.assertEqual(report.repaired().name_of(2), "(node 1, gpu 0)")

    def test_text(self):
        self.assertEqual(str(verify(catalogue.swing(p=6))) + "\n", program.run("--algo", "swing", "--p", 6)[1])

    def test_budget(self):
        self.assertEqual(verify(catalogue.ring(p=64), budget=10).verdict, "unknown")

    def test_proofs(self):
        proof = prove("even(r) ? r + rho(s) : r - rho(s)")
        self.assertTrue(proof)
        self.assertEqual(proof.domain, "every p")
        self.assertTrue(all(holds for _, _, holds in proof.obligations))
        wrong = prove("r xor 1")
        self.assertEqual((wrong.verdict, wrong.wrong_ranks), ("fail", 4))
        self.assertIn(f"for p = {wrong.wrong_ranks} ", program.run("prove", "--peer", "r xor 1")[1])
        self.assertIn(wrong.explanation[0], program.run("prove", "--peer", "r xor 1")[1])


class Counterexamples(unittest.TestCase):
    def test_paths_are_data(self):
        s = Schedule("allreduce", 3, 1, grid={"host": 3})
        with s.step("gather"):
            s.send(1, 0, 0, "reduce")
            s.send(2, 1, 0, "reduce")
        with s.step("again"):
            s.send(0, 1, 0, "copy")
            s.send(0, 2, 0, "copy")
        shown = verify(s).counterexample
        facts = program.run_of_text(s.to_json())
        self.assertEqual(shown.facts, next(each["counterexample"] for each in facts["properties"] if "counterexample" in each))
        twice = [each for each in verify(s).properties.values() if each.verdict == "fail"]
        self.assertTrue(twice)
        for path in shown.paths:
            for leg in path:
                self.assertEqual(leg.phase, ["gather", "again"][leg.step])
        self.assertIn(f"rank {shown.rank} (host {shown.rank}) ends with", str(shown))
        self.assertIn("at step 0 (gather)", str(shown))


if __name__ == "__main__":
    unittest.main()
