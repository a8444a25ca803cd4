"""The PAT that NCCL ships against that of its paper, by the example's adapter and a checkout of NCCL.

ONCEOVER_CHECKOUTS names a folder with the checkout nccl. Ends with 77, which CTest takes as skipped, where there is none.

Usage: nccl_pat.py VERIFY SOURCE
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
example = source / "examples/code/nccl"
checkout = pathlib.Path(os.environ.get("ONCEOVER_CHECKOUTS", "/nowhere")).resolve() / "nccl"
# The catalogue's order of each; the ranks of NCCL's are numbered backwards.
ORDERS = {"allgather": "far", "reduce-scatter": "near"}
if not checkout.is_dir():
    print("skipped: ONCEOVER_CHECKOUTS names no folder with a checkout of NCCL")
    sys.exit(77)


def compile_adapter(text, name):
    (here / f"{name}.cpp").write_text(text)
    subprocess.run(["g++", "-std=c++17", "-O1", "-I", example / "shim", "-I", f"{checkout}/src/include", here / f"{name}.cpp",
                    "-o", here / name], check=True)


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=here)


def passes(command, ranks):
    done = run(verify, "--exec", command, "--p", ranks)
    assert done.returncode == 0 and "\npass" in done.stdout, done.stdout + done.stderr


def transfers(text, mirrored):
    """Each block's transfers, with their steps; schedules that we print have runs of blocks, too."""
    schedule, found = json.loads(text), []
    p = schedule["ranks"]
    for step, messages in enumerate(schedule["steps"]):
        for message in messages:
            for run_of in message["blocks"]:
                first, last = run_of if isinstance(run_of, list) else (run_of, run_of)
                for block in range(first, last + 1):
                    place = (message["src"], message["dst"], block)
                    found.append((step, *(tuple(-x % p for x in place) if mirrored else place)))
    return sorted(found)


def planned(p, fits, depth):
    """How many trees NCCL goes through at a time: doubled until it is half of p or more, or all slots are full."""
    trees = 1
    while 2 * trees <= fits * depth and trees < p // 2:
        trees *= 2
    return trees


with tempfile.TemporaryDirectory() as folder:
    here = pathlib.Path(folder)
    adapter = (example / "pat.cpp").read_text()
    compile_adapter(adapter, "pat")
    compared = 0
    for collective, order in ORDERS.items():
        for fits in (1, 4, 64):
            for depth in (1, 8):
                passes(f"./pat {{p}} {collective} {fits} {depth}", "2..130")
        for p in (2, 3, 5, 8, 13, 16, 33, 64, 130):
            for fits in (1, 4, 64):
                ours = run(verify, "export", "--algo", "pat", "--collective", collective, "--p", p, "--set", f"order={order}",
                           "--set", f"aggregation={planned(p, fits, 1)}", "--to", "json")
                theirs = run("./pat", p, collective, fits, 1)
                assert transfers(theirs.stdout, True) == transfers(ours.stdout, False), (collective, p, fits)
                compared += 1
        # All slots that NCCL plans for are needed, and with them nobody waits for ever.
        short = run("./pat", 64, collective, 1, 8, 7)
        assert short.returncode == 1 and "waits for ever" in short.stderr, short
        assert run("./pat", 64, collective, 1, 8, 8).returncode == 0
    for what, instead in (("reduces ? 1 : -1", "1"), ("reduces ? 0 : step.stepOffset", "0")):
        assert what in adapter
        compile_adapter(adapter.replace(what, instead), "wrong")
        assert run(verify, "--exec", "./wrong {p} allgather", "--p", 16).returncode == 3, what
    print(f"{compared} schedules are those of the catalogue")
