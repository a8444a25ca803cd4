"""Prints docs/algorithms.md again and compares.

Usage: check_algorithms.py VERIFY SOURCE_FOLDER
"""

import pathlib
import subprocess
import sys

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
printed = subprocess.run([sys.executable, source / "scripts" / "list_algorithms.py", verify], capture_output=True, text=True,
                         check=True).stdout
assert printed == (source / "docs" / "algorithms.md").read_text(), \
    "docs/algorithms.md is not what scripts/list_algorithms.py prints; run it and read the difference"
assert printed.count("](theorems.md#") >= 5 and "-as-printed`" in printed
print("docs/algorithms.md is what its script prints")
