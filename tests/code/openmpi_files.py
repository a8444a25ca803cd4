"""Open MPI's own collective files, through the library openmpi and a checkout of Open MPI.

ONCEOVER_OMPI names the checkout. Ends with 77, which CTest takes as skipped, where there is none, or no SimGrid.

Usage: openmpi_files.py VERIFY
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

verify = pathlib.Path(sys.argv[1]).resolve()
checkout = os.environ.get("ONCEOVER_OMPI")
if not checkout or not shutil.which("smpicc"):
    print("skipped: ONCEOVER_OMPI names no checkout of Open MPI" if not checkout else "skipped: apt-get install libsimgrid-dev")
    sys.exit(77)
COUNTS = ["--count", "1,p-1,p,p+1,1000"]


def run(*arguments, where=checkout):
    return subprocess.run([verify, "code", "--library", "openmpi", "--checkout", where, *arguments], capture_output=True, text=True)


def judge(name, *arguments, where=checkout):
    return run("--algo", name, "--p", "2..6", "--quick", *COUNTS, *arguments, where=where)


listed = run("--list").stdout
names = re.findall(r"^  (\w+/\w+)", listed[listed.index("judged:") : listed.index("not judged:")], flags=re.M)
assert len(names) >= 60, names
for name in names:
    done = judge(name)
    assert done.returncode == 0 and "\npass" in done.stdout, f"{name}\n{done.stdout}{done.stderr}"

# An algorithm that adds up in the wrong order is found, at a line of Open MPI's.
done = judge("allreduce/ring", "--non-commutative")
assert done.returncode == 1 and re.search(r"sums are made at \S*/coll_base_allreduce.c:\d+", done.stdout), done.stdout
# So is one whose sums are lost.
with tempfile.TemporaryDirectory() as folder:
    base = pathlib.Path(folder) / "ompi/mca/coll/base"
    shutil.copytree(pathlib.Path(checkout) / "ompi/mca/coll/base", base)
    text = (base / "coll_base_allreduce.c").read_text()
    losing = text.replace("ompi_op_reduce(", "if (ompi_comm_rank(comm) > 0) ompi_op_reduce(")
    assert losing != text
    (base / "coll_base_allreduce.c").write_text(losing)
    done = judge("allreduce/ring", where=folder)
    assert done.returncode == 1 and "contribution is missing" in done.stdout, done.stdout + done.stderr
print(f"{len(names)} algorithms of Open MPI pass")
