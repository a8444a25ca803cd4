"""Draws docs/figures/ again into another folder and compares the files.

Every figure of a page must come out; its bytes are compared, unless another Gnuplot drew it than the one that is installed here.

Usage: check_figures.py VERIFY SOURCE_FOLDER
"""

import base64
import os
import pathlib
import re
import subprocess
import sys
import tempfile

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
committed = source / "docs" / "figures"

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([source / "scripts" / "draw_figures.sh", folder], env=dict(os.environ, VERIFY=str(verify)), check=True)
    drawn = {f.name: f.read_text() for f in pathlib.Path(folder).iterdir()}

files = {f.name: f.read_text() for f in committed.iterdir()}
assert drawn.keys() == files.keys(), f"differ in files: {sorted(drawn.keys() ^ files.keys())}"
by_gnuplot = re.compile(r"Produced by GNUPLOT [^-]*")


def is_comparable(name, text):
    made = by_gnuplot.search(text)
    return made is None or made[0] in drawn[name]


changed = [name for name, text in files.items() if is_comparable(name, text) and text != drawn[name]]
assert not changed, f"run scripts/draw_figures.sh, look at the figures, and commit them: {sorted(changed)}"

shown = set()
for page in [source / "README.md", *(source / "docs").glob("*.md")]:
    shown |= {pathlib.Path(f).name for f in re.findall(r"figures/[\w-]+\.svg", page.read_text())}
assert shown == files.keys(), f"shown on no page, or not there: {sorted(shown ^ files.keys())}"

page = subprocess.run([sys.executable, source / "scripts" / "gallery_page.py"], stdout=subprocess.PIPE, check=True).stdout
in_pages = {f for name in ("gallery.md", "drawing.md", "drawing-programs.md") for f in re.findall(r"figures/[\w-]+\.svg", (source / "docs" / name).read_text())}
missing = [f for f in in_pages if base64.b64encode((source / "docs" / f).read_bytes()) not in page]
assert not missing, f"not on the page of figures: {missing}"
print(f"{len(files)} figures come out of their commands")
