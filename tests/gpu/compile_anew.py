"""Compiles GPU examples anew and compares what verify says of them with what it says of the PTX that is kept.

Without --all that is one example and two of its bugs. PTX that comes out as it is kept needs no verdict. What no
compiler here can make is named.

Usage: compile_anew.py VERIFY SOURCE_FOLDER [--all]    exit code 77: neither nvcc nor clang is here
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

verify, source = sys.argv[1], pathlib.Path(sys.argv[2])
examples = source / "examples" / "gpu"
SAMPLE = ["one_shot-0", "one_shot-7", "one_shot-10"]

os.environ["PATH"] += os.pathsep + "/usr/local/cuda/bin"
if not any(shutil.which(compiler) for compiler in ("nvcc", "clang")):
    print("skipped: neither nvcc nor clang is here")
    sys.exit(77)


def code(path):
    """The PTX without comments, which name the compiler."""
    return re.sub(r"//[^\n]*", "", path.read_text())


def verdict(ptx, example, awaited):
    """The verdict, and whether the property that a bug must fail does."""
    run = subprocess.run([verify, "gpu", ptx, "--launch", examples / f"{example}.toml", "--p", "4", "--json"],
                         capture_output=True, text=True)
    if run.returncode not in (0, 1, 4):
        return f"exit code {run.returncode}: {run.stderr}"
    runs = json.loads(run.stdout)["runs"]
    failing = {p["id"] for each in runs for p in each["properties"] if p["verdict"] == "fail"}
    return sorted({each["verdict"] for each in runs}), awaited in failing


bugs = {row["name"]: row["property"] for row in tomllib.loads((examples / "bugs.toml").read_text())["bug"]}
faults = compared = judged = 0
with tempfile.TemporaryDirectory() as folder:
    names = [] if "--all" in sys.argv else SAMPLE
    script = source / "scripts" / "compile_gpu_examples.sh"
    made = subprocess.run([script, folder, *names], capture_output=True, text=True)
    print(made.stdout, end="")
    if made.returncode != 0:
        sys.exit(f"an example doesn't compile:\n{made.stderr}")
    for new in sorted(pathlib.Path(folder).rglob("*.ptx")):
        kept = examples / "ptx" / new.relative_to(folder)
        compared += 1
        if kept.exists() and code(new) == code(kept):
            continue
        judged += 1
        example = re.sub(r"-\d+$", "", new.name.split(".")[0])
        awaited = bugs.get(new.stem)
        before, now = verdict(kept, example, awaited), verdict(new, example, awaited)
        if before != now:
            faults += 1
            print(f"{new.relative_to(folder)}: {before} of what is kept, {now} compiled anew")
print(f"{compared} compiled, {judged} differ from what is kept and were judged, {faults} judged otherwise")
sys.exit(1 if faults or compared == 0 else 0)
