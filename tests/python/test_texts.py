"""What docstrings and docs/python.md say is what happens."""

import doctest
import importlib
import pathlib
import pkgutil
import re
import tempfile
import unittest
from contextlib import chdir

import onceover
import program

MODULES = [f"onceover.{module.name}" for module in pkgutil.iter_modules(onceover.__path__) if module.name != "_onceover"]


class Docstrings(unittest.TestCase):
    def test_examples(self):
        tried = 0
        for name in ["onceover", *MODULES]:
            module = importlib.import_module(name)
            outcome = doctest.testmod(module, extraglobs=dict(vars(onceover.catalogue)["_by_python_name"])
                                      if name == "onceover.catalogue" else None,
                                      optionflags=doctest.IGNORE_EXCEPTION_DETAIL if name == "onceover.schedule" else 0)
            self.assertEqual(outcome.failed, 0, name)
            tried += outcome.attempted
        self.assertGreater(tried, 20)

    def test_what_is_public_has_one(self):
        for name in onceover.__all__:
            self.assertTrue(getattr(onceover, name).__doc__, name)


class Page(unittest.TestCase):
    def test_each_block_of_code(self):
        """The blocks run one after the other, as in one notebook; those with prompts print what they show."""
        page = (program.SOURCE / "docs" / "python.md").read_text()
        blocks = re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)
        self.assertGreater(len(blocks), 5)
        names = {}
        runner = doctest.DocTestRunner()
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            pathlib.Path("examples").symlink_to(program.SOURCE / "examples")
            for number, block in enumerate(blocks):
                if not block.startswith(">>>"):
                    exec(compile(block, f"python.md, block {number}", "exec"), names)
                    continue
                test = doctest.DocTestParser().get_doctest(block, names, f"block {number}", "python.md", 0)
                runner.run(test, clear_globs=False)
                names |= test.globs
        self.assertEqual(runner.failures, 0)


if __name__ == "__main__":
    unittest.main()
