"""Open MPI's own collective files, through the example's shim and a checkout of Open MPI.

ONCEOVER_OMPI names the checkout. Ends with 77, which CTest takes as skipped, where there is none, or no SimGrid.

Usage: openmpi_files.py VERIFY SOURCE
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
example = source / "examples/code/openmpi"
checkout = os.environ.get("ONCEOVER_OMPI")
if not checkout or not shutil.which("smpicc"):
    print("skipped: ONCEOVER_OMPI names no checkout of Open MPI" if not checkout else "skipped: apt-get install libsimgrid-dev")
    sys.exit(77)
base = pathlib.Path(checkout) / "ompi/mca/coll/base"
COUNTS = ["--count", "1,p-1,p,p+1,1000"]


def judge(file, function, *arguments, base=base):
    return subprocess.run([verify, "code", example / f"{file}.c", "--include", example / "shim", "--include", base, "--function",
                           f"adapter_{function}", "--collective", file, "--p", "2..6", *COUNTS, *arguments],
                          capture_output=True, text=True)


ran = 0
for file in ("allreduce", "reduce", "bcast", "allgather"):
    for function in re.findall(r"^ADAPTER\((\w+)", (example / f"{file}.c").read_text(), flags=re.M):
        done = judge(file, function)
        assert done.returncode == 0 and done.stdout.endswith("\npass\n"), f"{file} {function}\n{done.stdout}{done.stderr}"
        ran += 1
assert ran >= 25, ran

# An algorithm that adds up in the wrong order is found, at a line of Open MPI's.
done = judge("allreduce", "ring", "--non-commutative")
assert done.returncode == 1 and re.search(r"sums are made at \S*/coll_base_allreduce.c:\d+", done.stdout), done.stdout
# So is one whose sums are lost.
with tempfile.TemporaryDirectory() as folder:
    broken = pathlib.Path(folder) / "base"
    shutil.copytree(base, broken)
    text = (broken / "coll_base_allreduce.c").read_text()
    losing = text.replace("ompi_op_reduce(", "if (ompi_comm_rank(comm) > 0) ompi_op_reduce(")
    assert losing != text
    (broken / "coll_base_allreduce.c").write_text(losing)
    done = judge("allreduce", "ring", base=broken)
    assert done.returncode == 1 and "contribution is missing" in done.stdout, done.stdout + done.stderr
print(f"{ran} algorithms of Open MPI pass")
