"""The notebooks of examples/ run to their end, and show what their text says."""

import unittest

import nbclient
import nbformat
import program


def shown(cell):
    """All that is below a cell, as text."""
    return "".join(str(content) for output in cell.outputs for content in output.get("data", {}).values()) + "".join(
        output.get("text", "") for output in cell.outputs)


class Notebooks(unittest.TestCase):
    def test_a_hierarchical_allreduce(self):
        notebook = nbformat.read(program.SOURCE / "examples" / "notebooks" / "hierarchical.ipynb", as_version=4)
        nbclient.NotebookClient(notebook, timeout=60, kernel_name="python3").execute()
        below = [shown(cell) for cell in notebook.cells if cell.cell_type == "code"]
        schedule, wrong, right, loads, planned = below[2], below[3], below[4], below[5], below[6]
        self.assertIn("<svg", schedule)
        self.assertIn("pass     argument = 2\n", wrong)
        self.assertIn("fail     argument = 3..8", wrong)
        self.assertIn("(exchange across nodes)", wrong)
        self.assertIn("<svg", wrong)
        self.assertIn("pass     argument = 2..8", right)
        self.assertNotIn("fail", right)
        self.assertIn("<svg", loads)
        self.assertIn("allreduce across node >> allgather within node pass", planned)


if __name__ == "__main__":
    unittest.main()
