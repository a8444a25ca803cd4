"""Copies, pickles, waived properties, and lists that don't end."""

import copy
import itertools
import pickle
import unittest

from onceover import Schedule, Sweep, catalogue, contention, cost, from_text, sweep, verify
from onceover.errors import UsageError

GOAL = "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0\n}\nrank 1 {\nl1: recv 8b from 0 tag 0\n}\n"


def written():
    s = Schedule("allreduce", 2, 1)
    with s.step():
        s.send(0, 1, 0, "reduce")
        s.send(1, 0, 0, "reduce")
    return s


def copies(value):
    return [copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))]


class Copies(unittest.TestCase):
    def test_schedules(self):
        judged = written()
        verify(judged)
        for schedule in (written(), judged, judged.copy(), catalogue.swing(p=6), catalogue.bucket(torus=(2, 4)),
                         Schedule.from_peer("r xor pow2(s)", 4), from_text(judged.to_json(), "mine.json")):
            for each in copies(schedule):
                self.assertEqual(each, schedule)
                self.assertEqual(verify(each).facts, verify(schedule).facts)

    def test_a_copy_can_be_changed_alone(self):
        schedule = written()
        verify(schedule)
        for each in copies(schedule)[1:]:
            with each.step():
                each.send(0, 1, 0, "copy")
            self.assertEqual((each.steps, schedule.steps), (2, 1))

    def test_reports_and_sweeps(self):
        wrong = Schedule("allreduce", 2, 1)
        with wrong.step():
            wrong.send(0, 1, 0, "reduce")
        for report in (verify(wrong), verify(catalogue.swing(p=4), "order-preserving"), verify(from_text(GOAL, "g.goal"))):
            for each in copies(report):
                self.assertEqual((str(each), each.facts), (str(report), report.facts))
                self.assertEqual(each.repaired(), report.repaired())
        found = sweep(catalogue.swing, range(2, 6))
        for each in copies(found):
            self.assertEqual(str(each), str(found))

    def test_rows_and_measures(self):
        self.assertTrue(all(each is catalogue.swing for each in copies(catalogue.swing)))
        for each in copies(contention(catalogue.ring(p=4))):
            self.assertEqual(each.loads.tolist(), contention(catalogue.ring(p=4)).loads.tolist())


class Waived(unittest.TestCase):
    def test_the_verdict_says_so(self):
        lost = Schedule("allreduce", 2, 1)
        with lost.step():
            lost.send(0, 1, 0, "reduce")
        report = verify(lost, waive="exactly-once")
        self.assertEqual((report.verdict, report.waived), ("pass", ["exactly-once"]))
        self.assertIn("exactly-once waived", str(report))
        self.assertIn("not required: exactly-once", str(report))

    def test_mistakes(self):
        for waive, says in (("exactly", "did you mean 'exactly-once'?"), ("order-preserving", "isn't required"),
                            (["well-formed", "exactly-once"], "nothing would be required")):
            with self.assertRaisesRegex(UsageError, says.replace("?", "[?]")):
                verify(written(), waive=waive)
        with self.assertRaisesRegex(UsageError, "not both"):
            verify(written(), "exactly-once", waive="exactly-once")


class Lists(unittest.TestCase):
    def test_an_empty_sweep_is_not_true(self):
        for empty in (sweep(catalogue.ring, []), Sweep({})):
            self.assertEqual((bool(empty), empty.verdict), (False, "unknown"))
            self.assertIn("nothing was judged", str(empty))

    def test_a_list_that_does_not_end_is_refused(self):
        for call in (lambda: cost(catalogue.ring(p=2), range(10**9)), lambda: cost(catalogue.ring(p=2), itertools.count(1)),
                     lambda: sweep(catalogue.ring, itertools.count(2)),
                     lambda: verify(catalogue.ring(p=2), itertools.repeat("ports"))):
            with self.assertRaisesRegex(UsageError, "at most"):
                call()


if __name__ == "__main__":
    unittest.main()
