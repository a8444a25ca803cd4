"""`verify code --library` by a library that exists for this: what a checkout has, what is right and wrong in it, and what
it and the stand-in lack, by name. Each day some of the calls are made, with --all all. Ends with 77, which CTest takes as skipped, where SimGrid isn't there.

Usage: libraries.py VERIFY SOURCE [--all]
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
tiny = source / "tests/code/tiny"
tries_all = "--all" in sys.argv
if not shutil.which("smpicc"):
    print("skipped: apt-get install libsimgrid-dev")
    sys.exit(77)


def run(*arguments, library=tiny / "library", checkout=tiny / "checkout"):
    return subprocess.run([verify, "code", "--library", library, "--checkout", checkout, *arguments],
                          capture_output=True, text=True, timeout=300)


def judge(algo, ranks, *arguments, **where):
    return run("--algo", algo, "--p", ranks, "--quick", "--count", "1,p", *arguments, **where)


def expect(done, code, *texts):
    said = done.stdout + done.stderr
    assert done.returncode == code, said
    for text in texts:
        assert text in said, f"{text!r} isn't in\n{said}"


LIST = f"""library in {tiny}/checkout: two calls over MPI_Send and MPI_Recv; made for version 1
judged: 4
  allreduce/chain  piece = 2, 1000 (1..1000)
  allreduce/two    p power of two
  bcast/flat
  bcast/helped
judged, though not in the table: 3
  bcast/new       coll/bcast_new.c
  bcast/renamed   coll/bcast_renamed.c
  bcast/unlinked  coll/bcast_unlinked.c
not judged: 1
  barrier/flat  a barrier has no result
not in this checkout: 1
  bcast/gone
"""


def check_list():
    done = run("--list")
    expect(done, 0)
    assert done.stdout == LIST, done.stdout


def check_pattern():
    """What a pattern says of each algorithm that it finds."""
    with tempfile.TemporaryDirectory() as folder:
        library = pathlib.Path(folder) / "library"
        shutil.copytree(tiny / "library", library)
        table = library / "library.toml"
        said = 'settings = { depth = { from = 1, to = 4, try = "1,3" } }\n'
        table.write_text(table.read_text().replace('name = "{collective}/{name}"\n', 'name = "{collective}/{name}"\n' + said))
        expect(run("--list", library=f"{library}/"), 0, "bcast/flat       depth = 1, 3 (1..4)",
               "allreduce/chain  piece = 2, 1000 (1..1000); depth = 1, 3 (1..4)")
        expect(judge("bcast/new", "2", "--set", "depth=5", library=f"{library}/"), 2, "depth is 1 to 4, found 5")
        table.write_text(table.read_text().replace(said, 'collective = "reduce"\n'))
        expect(judge("bcast/flat", "2", library=f"{library}/"), 3, "isn't judged")


def check_verdicts():
    expect(judge("allreduce/chain", "2..4"), 0, "allreduce/chain of library in", "piece = 2, 1000", "\npass")
    if tries_all:
        expect(judge("allreduce/chain", "3", "--set", "piece=1..3,7"), 0, "piece = 1, 2, 3, 7")
        expect(judge("bcast/helped", "2,3"), 0, "\npass")
    wrong = judge("bcast/flat", "4..6")
    expect(wrong, 1, "fail    p = 5", "pass    p = 4, 6", "coll/bcast_flat.c:8")
    # In the domain that the table gives, and nowhere else.
    expect(judge("allreduce/two", "2..5"), 0, "pass    p = 2, 4", "p = 3, 5 (it is meant for p power of two)")
    expect(judge("allreduce/two", "3,5"), 2, "allreduce/two is meant for p power of two")


def check_hollow():
    """Calls without elements have no result: they don't pass, in a library or out of it."""
    why = "calls with 0 elements have no result to judge"
    expect(run("--algo", "bcast/helped", "--p", "2", "--count", "0"), 4, "count 0: unknown", why)
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "none.c").write_text("int none() { return 0; }\n")
        command = [verify, "code", folder + "/none.c", "--function", "none", "--p", "1,2", "--quick", "--count"]
        if tries_all:
            expect(subprocess.run([*command, "0"], capture_output=True, text=True), 4, why)
        # For one of the numbers of ranks there is none.
        expect(subprocess.run([*command, "p-1", "--collective", "bcast"], capture_output=True, text=True), 1, "unknown p = 1")


def check_hosts():
    """An algorithm that does its work within hosts has ranks that share one."""
    for table in (source / "libraries").glob("*/library.toml"):
        for name, row in tomllib.loads(table.read_text()).get("algorithm", {}).items():
            if "smp" in name and "why" not in row:
                assert row.get("hosts") == "2", f"{table}: {name}"


def check_what_lacks():
    expect(judge("bcast/gone", "2"), 3, "lacks bcast/gone, which version 1 has")
    expect(judge("bcast/new", "2"), 3, "this checkout uses what the stand-in, made for version 1, lacks: tiny_unheard_of")
    if tries_all:
        expect(judge("bcast/unlinked", "2"), 3, "made for version 1, lacks: tiny_elsewhere")
        expect(judge("bcast/renamed", "2"), 3, "coll/bcast_renamed.c of", "has no function tiny_bcast_renamed")
    expect(judge("barrier/flat", "2"), 2, "barrier/flat isn't judged: a barrier has no result")
    expect(judge("bcast/flit", "2"), 2, "has no 'bcast/flit'; did you mean 'bcast/flat'?")
    with tempfile.TemporaryDirectory() as folder:
        expect(run("--list", checkout=folder), 3, "is no checkout of library (made for version 1): it has no coll/VERSION")
        older = pathlib.Path(folder) / "older"
        shutil.copytree(tiny / "checkout", older)
        (older / "coll/helper.c").unlink()
        expect(judge("bcast/helped", "2", checkout=older), 3, "lacks coll/helper.c, which bcast/helped needs")


def check_mistakes():
    expect(judge("bcast/flat", "2", "--collective", "reduce"), 2, "--collective: bcast/flat is for bcast; leave this option out")
    for alone in [("--algo", "bcast/flat"), ("--p", "2"), ("--count", "1"), ("--json",), ("--collective", "bcast")]:
        expect(run("--list", *alone), 2, "--list judges nothing; it goes with --library and --checkout alone")
    for ignored in [("--quick",), ("--hosts", "2"), ("--orders", "3"), ("--family",), ("--flags", "-O2"), ("--root", "1")]:
        expect(run("--select", str(tiny / "checkout/coll/VERSION"), *ignored), 2, "--select runs no algorithm; it goes with")
    expect(run("--select", str(tiny / "checkout/coll/VERSION")), 2, "has no files that pick algorithms")
    expect(judge("bcast/flat", "2", "--set", "piece=2"), 2, "bcast/flat has no setting 'piece'; it has none")
    expect(judge("allreduce/chain", "2", "--set", "pieces=2"), 2, "has no setting 'pieces'; did you mean 'piece'?")
    expect(judge("allreduce/chain", "2", "--set", "piece=0"), 2, "piece is 1 to 1000, found 0")
    expect(judge("allreduce/chain", "2", "--set", "piece=x"), 2, "expected whole numbers and ranges such as 1..4,8, found 'x'")
    expect(judge("allreduce/chain", "2", "--set", "piece=1", "--set", "piece=2"), 2, "piece is given twice")
    expect(run("--list", library="mpjch"), 2, "--library: no 'mpjch'; did you mean 'mpich'?")
    expect(run("--list", checkout="/nowhere"), 2, "there is no folder /nowhere")
    expect(subprocess.run([verify, "code", "--list"], capture_output=True, text=True), 2, "go with --library")
    expect(subprocess.run([verify, "code"], capture_output=True, text=True), 2, "FILES is required")
    with tempfile.TemporaryDirectory() as folder:
        table = (tiny / "library/library.toml").read_text()
        for old, new in [('p = "power of two"', 'p = "powers of two"'), ("settings =", "setings ="),
                         ('"2,1000"', '"two"'), ('"2,1000"', '"0,2"'), ("}_{name}", "}"), ("needs", "need"),
                         ("[[pattern]]", '[headers]\n"tiny.h" = ["../tiny.h"]\n\n[[pattern]]')]:
            assert old in table
            (pathlib.Path(folder) / "library.toml").write_text(table.replace(old, new))
            done = run("--list", library=folder + "/")
            expect(done, 3)
            assert re.search(r"library.toml:\d+:\d+: ", done.stderr), done.stderr


GATE = f"""[[check]]
name = "tiny"
code = ["allreduce/two", "bcast/flat"]
library = "{tiny}/library"
checkout = "{tiny}/checkout"
p = "4,5"
quick = true
count = "1,p"
"""


def check_gate():
    with tempfile.TemporaryDirectory() as folder:
        gate, json_out = pathlib.Path(folder) / "gate.toml", pathlib.Path(folder) / "gate.json"

        def judged(text):
            gate.write_text(text)
            return subprocess.run([verify, "gate", gate, "--json-out", json_out], capture_output=True, text=True, timeout=300)

        expect(judged(GATE), 1, "bcast/flat of", "p = 5: exactly-once", "2 of 3 pass", "--algo bcast/flat",
               "note: tiny: allreduce/two: not tried: p = 5 (it is meant for p power of two)")
        # The values that were tried are told, as by verify code.
        if tries_all:
            done = judged(GATE.replace('"allreduce/two", "bcast/flat"', '"allreduce/chain"').replace("4,5", "2"))
            expect(done, 0)
            (unit,) = json.loads(json_out.read_text())["units"]
            assert unit["scope"].endswith("; piece = 2, 1000") and "other settings (--set)" in unit["not_tried"], unit
        expect(judged(GATE.replace('"1,p"', '"0"')), 2, "a call with 0 elements has no result to judge")
        expect(judged(GATE.replace("4,5", "3,5")), 2, "allreduce/two is meant for p power of two")
        expect(judged(GATE.replace("flat", "flit")), 2, "has no 'bcast/flit'; did you mean 'bcast/flat'?")
        expect(judged(GATE + 'values = "piece=2"\n'), 2, "allreduce/two has no setting 'piece'")
        expect(judged(GATE + 'function = "f"\n'), 2, "library has its own functions")
        expect(judged(GATE + 'link = "f.c"\n'), 2, "link: a library has its own files")
        expect(judged(GATE + 'build = "false"\n'), 3)  # the command is run, and fails
        expect(judged(GATE.replace("checkout", "# checkout")), 2, "library and checkout go together")


check_list()
check_pattern()
check_gate()
check_verdicts()
check_hollow()
check_hosts()
check_what_lacks()
check_mistakes()
print("the tiny library is judged")
