"""The notebooks of examples/ run to their end, and show what their text says."""

import unittest

import nbclient
import nbformat
import program


def shown(cell):
    """All that is below a cell, as text."""
    return "".join(str(content) for output in cell.outputs for content in output.get("data", {}).values()) + "".join(
        output.get("text", "") for output in cell.outputs)


def run(name):
    """What is below each cell of code, once all have run."""
    notebook = nbformat.read(program.SOURCE / "examples" / "notebooks" / name, as_version=4)
    nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
    return [shown(cell) for cell in notebook.cells if cell.cell_type == "code"]


class Notebooks(unittest.TestCase):
    def test_a_hierarchical_allreduce(self):
        below = run("hierarchical.ipynb")
        schedule, wrong, right, loads, planned = below[2], below[3], below[4], below[5], below[6]
        self.assertIn("<svg", schedule)
        self.assertIn("pass     argument = 2\n", wrong)
        self.assertIn("fail     argument = 3..8", wrong)
        self.assertIn("rank 0 (node 0, gpu 0) ends with the contribution of rank 0 (node 0, gpu 0) to block 0 twice", wrong)
        self.assertIn("2 (node 1, gpu 0) at step 1 (exchange across nodes)", wrong)
        self.assertIn("<svg", wrong)
        self.assertIn("pass     argument = 2..8", right)
        self.assertNotIn("fail", right)
        self.assertIn("<svg", loads)
        self.assertIn("allreduce across node >> allgather within node pass", planned)

    def test_the_tutorial(self):
        below = run("tutorial.ipynb")
        for k, words in ((1, "fail     p = 8"), (2, "f should be 7 or -1"), (3, "pass     p = 2..64"), (4, "proved for every p"),
                         (5, "pass     p = 2, 4, 8, 16, 32, 64"), (6, "0 at step 2 (exchange)"), (7, "pass     p = 2..16"),
                         (8, "bitwise-reproducible fails"), (9, "also bitwise-reproducible"), (10, "fat-tree   45.7 us"),
                         (11, "<svg"), (12, "<svg")):
            self.assertIn(words, below[k], k)

    def test_figures_of_a_paper(self):
        """What it shows is what the program finds about the paper."""
        below = run("swing.ipynb")
        for k in (1, 2, 6):
            self.assertIn("<svg", below[k])
        self.assertIn("Swing                step 0: 1 step 1: 1 step 2: 2 step 3: 3", below[3])
        for line in below[4].splitlines():
            torus, found, _, _ = line.split()
            metrics = program.json_of("contention", "--algo", "swing", "--torus", torus, "--lanes", "all")["runs"][0]["metrics"]
            self.assertEqual(float(found), round(metrics["congestion_deficiency"], 5))
        fastest = [line.split()[-1] for line in below[5].splitlines()]
        self.assertEqual(fastest, 9 * ["Swing"] + 4 * ["bucket"])
        report = program.run("cost", "--preset", "swing-fig12")[1]
        self.assertIn("swing from 32 B to 2 MiB, bucket from 8 MiB", report)


if __name__ == "__main__":
    unittest.main()
