"""Is the part about 16 ranks of docs/optimality.md what scripts/list_optimality.py finds? Usage: check_optimality.py VERIFY SOURCE"""

import pathlib
import subprocess
import sys

verify, source = sys.argv[1], pathlib.Path(sys.argv[2])
made = subprocess.run([sys.executable, "-B", source / "scripts" / "list_optimality.py", verify, "16"], capture_output=True, text=True,
                      check=True).stdout
page = (source / "docs" / "optimality.md").read_text()
assert made.count("\n| ") >= 9, made
assert page.startswith(made), f"run scripts/list_optimality.py again; now it begins:\n{made}"
