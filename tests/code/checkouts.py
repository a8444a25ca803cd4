"""The libraries that verify brings, with checkouts of them: what is listed, what passes, and what is known to be wrong.

ONCEOVER_CHECKOUTS names a folder with the checkouts mpich, openmpi and nccl, or some of them. Ends with 77, which CTest takes
as skipped, where there is none, or no SimGrid.

Usage: checkouts.py VERIFY
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

verify = pathlib.Path(sys.argv[1]).resolve()
folder = os.environ.get("ONCEOVER_CHECKOUTS")
if not folder or not shutil.which("smpicc"):
    print("skipped: ONCEOVER_CHECKOUTS names no folder" if not folder else "skipped: apt-get install libsimgrid-dev")
    sys.exit(77)
checkouts = pathlib.Path(folder)


def run(library, *arguments):
    return subprocess.run([verify, "code", "--library", library, "--checkout", checkouts / library, *arguments],
                          capture_output=True, text=True, timeout=600)


def judged(library):
    done = run(library, "--list")
    assert done.returncode == 0, done.stderr
    names, is_judged = [], False
    for line in done.stdout.splitlines():
        if not line.startswith(" "):
            is_judged = line.startswith("judged")
        elif is_judged:
            names.append(line.split()[0])
    return names


def check(library, algo, ranks, code, *arguments, told=""):
    done = run(library, "--algo", algo, "--p", ranks, "--quick", *arguments)
    assert done.returncode == code and told in done.stdout, f"{library} {algo} {ranks}: {done.stdout}{done.stderr}"


def check_mpich():
    names = judged("mpich")
    assert len(names) >= 80, names
    for collective in ("bcast", "reduce", "allgather"):
        check("mpich", f"{collective}/circ_graph", "32,34", 0)
        check("mpich", f"{collective}/circ_graph", "33", 1, told="elements are wrong")
    for name in names[::8]:
        if name not in ("allreduce/tree",):
            check("mpich", name, "3..5" if "smp" in name else "2,4", 0)


def check_openmpi():
    names = judged("openmpi")
    assert len(names) >= 40, names
    for name in names[::8]:
        check("openmpi", name, "2,4", 0)


def check_nccl():
    names = judged("nccl")
    assert len(names) >= 7, names
    for name in names:
        check("nccl", name, "2..5", 0)
    # A chunk takes four steps, and a rank sends one before it takes one.
    check("nccl", "allreduce/ring", "3", 1, "--set", "steps=4", told="deadlock")


done = []
for library, its_check in [("mpich", check_mpich), ("openmpi", check_openmpi), ("nccl", check_nccl)]:
    if (checkouts / library).is_dir():
        its_check()
        done.append(library)
if not done:
    print(f"skipped: {folder} has no checkout")
    sys.exit(77)
print(f"judged: {', '.join(done)}")
