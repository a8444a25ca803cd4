"""Prints docs/theorems.md again and compares; docs/proofs.md says how many obligations there are.

Usage: check_theorems.py VERIFY SOURCE_FOLDER
"""

import pathlib
import re
import subprocess
import sys

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
printed = subprocess.run([sys.executable, source / "scripts" / "list_theorems.py", verify], capture_output=True, text=True,
                         check=True).stdout
page = (source / "docs" / "theorems.md").read_text()
assert page == printed, "docs/theorems.md is not what scripts/list_theorems.py prints; run it and read the difference"
rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in printed.splitlines() if line.startswith('| <a id="')]
assert len(rows) >= 12 and all(len(row) == 5 and row[4].strip() for row in rows), "each theorem has a part argued in words"
obligations = sum(map(int, re.findall(r"\((\d+) obligations?\)", printed)))
assert f"all {obligations} obligations" in (source / "docs" / "proofs.md").read_text(), obligations
print("docs/theorems.md is what its script prints")
