"""Prints the theorems of docs/proofs.md again and compares.

Usage: check_theorems.py VERIFY SOURCE_FOLDER
"""

import pathlib
import subprocess
import sys

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
printed = subprocess.run([sys.executable, source / "scripts" / "list_theorems.py", verify], capture_output=True, text=True,
                         check=True).stdout
page = (source / "docs" / "proofs.md").read_text()
assert page.count("## The theorems\n") == 1
assert page[page.index("## The theorems\n"):] == printed, \
    "the theorems of docs/proofs.md are not what scripts/list_theorems.py prints; run it and read the difference"
assert printed.count("\n### ") >= 12 and printed.count("\n- In words alone: ") >= 12
print("the theorems of docs/proofs.md are what the script prints")
