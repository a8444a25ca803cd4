"""What a notebook shows under a cell."""

import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

from onceover import Schedule, UsageError, catalogue, contention, cost, sweep, verify, views


def wrong():
    s = Schedule("allreduce", 3, 1)
    for phase in ("first", "second", "third"):
        with s.step(phase):
            for rank in range(3):
                s.send(rank, (rank + 1) % 3, 0, "reduce")
    return s


class Pictures(unittest.TestCase):
    def is_picture(self, svg):
        self.assertTrue(xml.etree.ElementTree.fromstring(svg).tag.endswith("svg"))

    def test_schedules_show_their_steps(self):
        # nbconvert reads a text, in which XML's declaration of an encoding is an error.
        for shown in (catalogue.ring(p=4)._repr_svg_(), catalogue.ring(p=4).draw()._repr_svg_()):
            self.assertTrue(shown.startswith("<svg"), shown[:80])
            self.is_picture(shown)
        self.assertIsNone(catalogue.ring(p=3000)._repr_svg_())  # too large to be read

    def test_each_view(self):
        for name, _ in views():
            subject = wrong() if name == "counterexample" else catalogue.ring(p=4)
            self.assertIn(b"graph", subject.draw(name).data("dot"))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            for format, begins in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG"), ("dot", b"//")):
                file = pathlib.Path(folder) / f"x.{format}"
                catalogue.swing(p=4).draw("matrix").save(file)
                self.assertTrue(file.read_bytes().startswith(begins), format)
            with self.assertRaisesRegex(UsageError, "format: expected one of svg"):
                catalogue.swing(p=4).draw().save(pathlib.Path(folder) / "x.jpg")

    def test_mistakes(self):
        with self.assertRaisesRegex(UsageError, "did you mean 'steps'"):
            catalogue.ring(p=4).draw("stps").svg
        with self.assertRaises(UsageError):
            catalogue.ring(p=4).draw(ranks=[9]).svg

    def test_reports(self):
        report = verify(wrong())
        page = report._repr_html_()
        self.assertIn("<svg", page)
        self.assertIn("exactly-once", page)
        self.assertIn("(third)", page)
        self.is_picture(report.draw().svg)
        self.assertIn("<svg", verify(catalogue.ring(p=4))._repr_html_())
        escaped = Schedule("allreduce", 2, 1, name="<b>")
        self.assertNotIn("<b> ", verify(escaped)._repr_html_())

    def test_measures(self):
        self.assertIn("<svg", contention(catalogue.ring(p=4))._repr_html_())
        self.assertIn("<td>1024</td>", cost(catalogue.ring(p=4), "1Ki")._repr_html_())
        self.assertIn("p = 2..4", sweep(catalogue.ring, range(2, 5))._repr_html_())


if __name__ == "__main__":
    unittest.main()
