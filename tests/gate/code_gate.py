"""`verify gate` judges C over MPI: the example passes, and a slip of one character turns it red at its line of C.

The examples of some checks are judged each day, with --all all. Ends with 77, which CTest takes as skipped, where SimGrid isn't there.

Usage: code_gate.py VERIFY SOURCE [--all]
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

import jsonschema

verify, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()

FILTER = "*/p=3" if "--all" in sys.argv else "*/hierarchical.c/p=3"
RING = """[[check]]
name = "rings"
code = ["src/ring*.c"]
function = "my_allreduce"
p = "2,3"
count = "p"
limit = ["steps <= 2*(p-1)"]
"""


def run(folder, gate, *arguments, **environment):
    """A gate file in the folder ci/, seen from outside; its exit code, text, JSON, SARIF and JUnit."""
    (folder / "ci/gate.toml").write_text(gate)
    done = subprocess.run([verify, "gate", "ci/gate.toml", "--json-out", "o.json", "--sarif-out", "o.sarif", "--junit-out", "o.xml",
                           *arguments], cwd=folder, capture_output=True, text=True, env={**os.environ, **environment})
    done.json = json.loads((folder / "o.json").read_text()) if done.returncode in (0, 1, 3, 4) else {}
    return done


def line_of(path, text):
    lines = path.read_text().splitlines()
    (found,) = [k for k, line in enumerate(lines, 1) if text in line]
    return found


def check_slip(folder):
    """The ring sends the wrong block in its allgather: `+ 1 -` becomes `+ 0 -`."""
    slipped = folder / "ci/src/ring_slipped.c"
    right = (folder / "ci/src/ring.c").read_text()
    assert right.count("(rank + 1 - sent + p)") == 1
    slipped.write_text(right.replace("(rank + 1 - sent + p)", "(rank + 0 - sent + p)"))
    send = line_of(slipped, "MPI_Sendrecv(at(v, out), size_of(v, out), v->type, next")
    done = run(folder, RING)
    assert done.returncode == 1, done
    jsonschema.validate(done.json, json.loads((source / "docs/schema/gate.schema.json").read_text()))
    assert all("other counts" in unit["not_tried"] for unit in done.json["units"]), done.json
    assert (folder / "o.xml").read_text().count("<system-out>not tried: other counts; ") == 2
    assert len(json.loads((folder / "o.sarif").read_text())["runs"][0]["properties"]["not_tried"]) == 2
    verdicts = {u["id"]: u["verdict"] for u in done.json["units"]}
    assert verdicts == {f"rings/src/{file}/p={p}": "pass" if file == "ring.c" else "fail"
                        for file in ("ring.c", "ring_slipped.c") for p in (2, 3)}, verdicts
    place = {"file": "ci/src/ring_slipped.c", "line": send}
    for unit in done.json["units"][2:]:
        wrong = [c for c in unit["causes"] if c["verdict"] == "fail"]
        assert wrong and all(c["place"] == place for c in wrong) and "exactly-once" in [c["rule"] for c in wrong], (place, wrong)
    assert f"{place['file']}:{send}: (cd ci/ && verify code src/ring_slipped.c" in done.stdout, done.stdout
    results = json.loads((folder / "o.sarif").read_text())["runs"][0]["results"]
    of_c = [r for r in results if r["level"] == "error"]
    assert len(of_c) >= 2, results
    for result in of_c:
        where = result["locations"][0]["physicalLocation"]
        assert (where["artifactLocation"]["uri"], where["region"]["startLine"]) == (place["file"], send), where
    cases = ET.parse(folder / "o.xml").getroot().findall(".//testcase")
    assert [(c.get("file"), c.get("line")) for c in cases] == [(None, None)] * 2 + [(place["file"], str(send))] * 2
    tried = subprocess.run(f"verify() {{ '{verify}' \"$@\"; }}; {done.json['units'][2]['command']}", shell=True, cwd=folder,
                           capture_output=True, text=True, executable="/bin/bash")
    assert tried.returncode == 1 and "src/ring_slipped.c:%d" % send in tried.stdout, tried
    slipped.unlink()


def check_limits(folder):
    done = run(folder, RING.replace("2,3", "3") + "both-operators = true")
    assert done.returncode == 1 and "order-preserving" in done.stdout, "the ring doesn't keep the order"
    done = run(folder, RING.replace("steps <= 2*(p-1)", "steps <= 2") + "communicators = 'world,backwards'\norders = 1\nbuild = 'touch built'")
    assert done.returncode == 1, done
    assert (folder / "ci/built").exists(), "the command runs in the folder of the gate"
    assert [u["verdict"] for u in done.json["units"]] == ["pass", "fail"], done.json["units"]
    assert [u["metrics"]["steps"] for u in done.json["units"]] == [2, 4]
    tried = subprocess.run(f"verify() {{ '{verify}' \"$@\"; }}; {done.json['units'][1]['command'].replace('verify code', f'{verify} code')}",
                           shell=True, cwd=folder, capture_output=True, text=True, executable="/bin/bash")
    assert tried.returncode == 1 and "limit fails" in tried.stdout, tried


def check_others(folder):
    """Code that waits for ever, code that doesn't compile, and a machine without the simulator."""
    (folder / "ci/src/waits.c").write_text(
        "#include <mpi.h>\nint my_allreduce(const void* a, void* b, int n, MPI_Datatype t, MPI_Op op, MPI_Comm comm) {\n"
        "  MPI_Recv(b, n, t, MPI_ANY_SOURCE, 7, comm, MPI_STATUS_IGNORE);\n  return MPI_SUCCESS;\n}\n")
    (folder / "ci/src/broken.c").write_text("#include <mpi.h>\nint other(int x) { return y; }\n")
    (folder / "ci/src/other.c").write_text("#include <mpi.h>\nint my_allreduce(int x) { return x; }\n")
    gate = RING.replace("src/ring*.c", "src/waits.c").replace("2,3", "2")
    done = run(folder, gate)
    cause, of_limit = done.json["units"][0]["causes"]
    assert done.returncode == 1 and cause["rule"] == "fault" and cause["headline"].startswith("deadlock: "), done
    assert cause["place"] == {"file": "ci/src/waits.c", "line": 3}, cause
    assert cause["verdict"] == "fail" and of_limit["verdict"] == "unknown", "without a schedule no limit holds"
    done = run(folder, gate.replace("waits", "broken"))
    (cause,) = done.json["units"][0]["causes"]
    assert done.returncode == 3 and cause["verdict"] == "unknown" and "doesn't compile" in cause["headline"], done
    assert cause["place"] == {"file": "ci/src/broken.c", "line": 2}, cause
    done = run(folder, gate.replace("waits", "other"))
    (cause,) = done.json["units"][0]["causes"]
    assert done.returncode == 3 and "another signature than MPI's allreduce" in cause["headline"], done
    assert cause["place"] == {"file": "ci/src/other.c", "line": 2}, cause
    done = run(folder, gate.replace("waits", "ring"), PATH=str(folder))
    assert done.returncode == 2 and "SimGrid's SMPI runs the code, and isn't there; install it:" in done.stdout, done


def check_mistakes(folder):
    for new, message in {"root = 7": "ci/gate.toml:8:8: root: expected 0 to 1, found 7", "hosts = 'x'": "8:9: hosts: expected one, each",
                         "counts = 2": "8:1: no key 'counts' in a check; did you mean 'count'?",
                         "require = 'contiguous'": "8:11: require: 'contiguous' is no property of running libraries",
                         "orders = -1": "8:10: orders: expected 0 to 1000, found '-1'",
                         "communicators = 'self'": "8:17: communicators: expected some of world, copy, backwards",
                         "number-type = 'int'": "8:15: number-type: 'int' is more than the elements",
                         "digits = 'dobule'": "8:10: digits: no 'dobule'; did you mean 'double'?",
                         "digits = 'int'\nboth-operators = true": "8:10: digits: MPI_SUM commutes",
                         "digits = 'int'\nnon-commutative = true": "8:10: digits: MPI_SUM commutes",
                         "in-place = 1": "8:12: in-place: expected true or false", "lanes = 1": "8:9: lanes does not go with code",
                         "collective = 'bcst'": "8:14: collective: no collective of MPI 'bcst'; did you mean 'bcast'?"}.items():
        done = run(folder, RING + new)
        assert done.returncode == 2 and message in done.stderr, done
    done = run(folder, RING.replace('count = "p"', "count = 0"))
    assert done.returncode == 2 and "6:9: count: a call with 0 elements has no result to judge" in done.stderr, done
    for old, new, message in (("src/ring*.c", "src/no*.c", "3:8: code: no file matches 'src/no*.c'"),
                              ("src/ring*.c", "src/no.c", "3:8: src/no.c: "),
                              ("my_allreduce", "my-allreduce", "4:12: function: expected a name in C")):
        done = run(folder, RING.replace(old, new))
        assert done.returncode == 2 and message in done.stderr, done


if not shutil.which("smpicc"):
    print("skipped: apt-get install libsimgrid-dev")
    sys.exit(77)
example = subprocess.run([verify, "gate", source / "examples/code/gate.toml", "--filter", FILTER], capture_output=True, text=True)
assert example.returncode == 0, example
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "ci/src").mkdir(parents=True)
    shutil.copy(source / "examples/code/ring.c", folder / "ci/src")
    for check in (check_slip, check_limits, check_others, check_mistakes):
        check(folder)
