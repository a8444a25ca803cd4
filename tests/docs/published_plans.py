"""Does verify print what docs/mscclpp-published.md says of published plans? Skipped where they aren't.

Usage: published_plans.py VERIFY SOURCE CORPUS
"""

import os
import pathlib
import re
import subprocess
import sys

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
plans = pathlib.Path(os.environ.get("ONCEOVER_CORPUS") or sys.argv[3]) / "mscclpp"
if not plans.is_dir():
    print("the published plans aren't here")
    sys.exit(77)


def lines(text):
    return "".join(f"{line.strip()}\n" for line in text.splitlines())


page = (source / "docs" / "mscclpp-published.md").read_text()
parts = re.findall(r"^## (\S+\.json)\n\n```text\n(.*?)^```$", page, flags=re.M | re.S)
assert len(parts) >= 10, len(parts)
for name, message in parts:
    ended = subprocess.run([verify, name], cwd=plans, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert lines(message) in lines(ended.stdout), f"{name}\n--- the page says\n{message}\n--- verify prints\n{ended.stdout}"
print(f"{len(parts)} messages are those of the page")
