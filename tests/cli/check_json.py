"""Runs verify with --json on many subjects and checks each document against docs/schema/run.schema.json.

Each day a third of the files and one preset are tried, with --all all.

Usage: check_json.py VERIFY SOURCE_FOLDER [--all]
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

verify, source = sys.argv[1], pathlib.Path(sys.argv[2])
schema = json.loads((source / "docs/schema/run.schema.json").read_text())
launches = json.loads((source / "docs/schema/gpu.schema.json").read_text())
beside = jsonschema.RefResolver("file:///run.schema.json", schema, {"file:///gpu.schema.json": launches})
validator = jsonschema.Draft7Validator(schema, resolver=beside)
validator.check_schema(schema)
tries_all = "--all" in sys.argv

subjects = [["--algo", a, "--p", "2^0..2^5"] for a in ("ring", "swing", "swing-latency")]
subjects += [["--algo", a, "--p", "2..20", "--collective", c] for a in ("ring", "swing") for c in ("allgather", "reduce-scatter")]
subjects += [["--algo", "swing", "--p", "6..9", "--budget", "100"]]
subjects += [["--algo", a, "--p", "2..9", "--ports", "1", "--staging", "0", "--require", "contiguous"] for a in ("swing", "ring")]
subjects += [["--algo", "ring", "--p", "4..6", "--limit", "steps <= 8", "--limit", f"{metric} <= 1"]
             for metric in ("congestion", "messages", "operations")]
subjects += [["--peer", "even(r) ? r + delta(s) : r - delta(s)", "--p", "2..9"]]
subjects += [["--exec", f"{source}/examples/chain.sh {{p}}", "--p", "2..5"]]
subjects += [["contention", "--algo", a, "--torus", t, "--topology", n]
             for a, t, n in (("swing", "4x4", "torus"), ("swing", "2x4", "hx2mesh"), ("bucket", "4x8", "fat-tree"), ("swing", "1x1", "torus"))]
subjects += [["contention", "--algo", "swing", "--torus", "64x64"], ["contention", "--algo", "binomial-tree", "--p", "2..9"]]
subjects += [["contention", f"{source}/examples/swing-latency-6.json"]]
subjects += [[f"{source}/tests/data/gpu/{name}.toml", "--p", "2"] for name in ("pass", "race", "unknown")]
made = len(subjects)
subjects += [[str(f)] for f in sorted((source / "tests/data").glob("*.json"))]
subjects += [[str(f)] for f in sorted((source / "examples").glob("*.json"))]
subjects += [[str(f), *more] for f in sorted((source / "tests/data/msccl").glob("*.xml"))
             for more in ([], ["--fifo", "0"], ["--require", "bitwise-reproducible", "--require", "contiguous"])]
subjects += [[str(f), "--profile", p] for f in sorted((source / "tests/data/msccl").glob("*.xml")) for p in ("msccl", "rccl")]
subjects += [[str(f)] for f in sorted((source / "tests/data/plans").glob("*.json"))]
subjects += [[str(f)] for f in sorted((source / "tests/data/goal").glob("*.goal"))]
subjects += [["contention", str(f)] for folder in ("goal", "msccl") for f in sorted((source / "tests/data" / folder).glob("*.*"))
             if f.suffix in (".goal", ".xml")]
if not tries_all:
    subjects[made:] = subjects[made::3]

checked = 0
verdicts = set()
for subject in subjects:
    ended = subprocess.run([verify, *subject, "--json"], capture_output=True, text=True)
    if ended.returncode in (2, 3) or (subject[0] == "contention" and ended.stdout == ""):  # no steps, no loads
        assert ended.stdout == "", (subject, ended.stdout)
        continue
    document = json.loads(ended.stdout)
    errors = list(validator.iter_errors(document))
    assert not errors, (subject, errors[0].message, list(errors[0].absolute_path))
    runs = [run["verdict"] for run in document["runs"]]
    assert document["summary"] == {v: runs.count(v) for v in ("pass", "fail", "unknown")}, subject
    unknown = 0 if subject[0] == "contention" else 4  # its loads are known all the same
    assert ended.returncode == (1 if "fail" in runs else unknown if "unknown" in runs else 0), subject
    verdicts |= set(runs)
    checked += 1

assert verdicts == {"pass", "fail", "unknown"}, verdicts
assert checked >= 12, checked

def printed(name, arguments, ends):
    """The JSON that a command prints, checked against the schema of that name, which must refuse what is more."""
    ended = subprocess.run([verify, *arguments, "--json"], capture_output=True, text=True)
    assert ended.returncode == ends, (arguments, ended.stderr)
    rules = json.loads((source / f"docs/schema/{name}.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(rules)
    document = json.loads(ended.stdout)
    jsonschema.Draft7Validator(rules).validate(document)
    broken = [{}] if isinstance(document, list) else [{}, {**document, "extra": 1}, {**document, "schema_version": 2}]
    for each in broken:
        assert not jsonschema.Draft7Validator(rules).is_valid(each), (name, each)
    return document, jsonschema.Draft7Validator(rules)


def check_cost(arguments, ends=0):
    document, cost = printed("cost", ["cost", *arguments], ends)
    assert not cost.is_valid({**document, "mode": "none"})


def check_unfinished(*arguments):
    """What --json-out gets if there is no result."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "out.json"
        ended = subprocess.run([verify, *arguments, "--json-out", path], capture_output=True, text=True)
        assert ended.returncode == 4, (arguments, ended.stderr)
        rules = jsonschema.Draft7Validator(json.loads((source / "docs/schema/unfinished.schema.json").read_text()))
        document = json.loads(path.read_text())
        rules.validate(document)
        assert document["reason"] in ended.stderr, (document, ended.stderr)
        assert not validator.is_valid(document) and not rules.is_valid({**document, "verdict": "pass"})


def check_lint(arguments, ends):
    document, lint = printed("lint", ["lint", *arguments], ends)
    assert not lint.is_valid({**document, "verdict": "fail" if ends == 0 else "pass"})


def check_blocking(arguments, ends):
    document, blocking = printed("blocking", arguments, ends)
    flipped = [{**run, "verdict": "fail" if run["verdict"] == "pass" else "pass"} for run in document["runs"]]
    assert not blocking.is_valid({**document, "runs": flipped})
    assert ("fail" in [run["verdict"] for run in document["runs"]]) == (ends == 1)


def check_prove(arguments, ends=0):
    document, prove = printed("prove", ["prove", *arguments], ends)
    for theorem in document["theorems"]:
        verdict = {"proved": "fails", "fails": "proved", "unknown": "proved"}[theorem["verdict"]]
        assert not prove.is_valid({**document, "theorems": [{**theorem, "verdict": verdict}]}), theorem["id"]
        assert not prove.is_valid({**document, "theorems": [{**theorem, "levels": {"words": "all"}}]}), theorem["id"]


def check_list(arguments):
    rows, listed = printed("list", ["list", *arguments], 0)
    for row in rows:
        assert not listed.is_valid([{k: v for k, v in row.items() if k != "proved"}]), row["name"]
        assert not (row["as_printed"] and row["proved"]), row["name"]
        by_kernel = {c for t in row["proved"] if t["level"] == "kernel" for c in t["collectives"]}
        assert by_kernel <= set(row["collectives"]), row["name"]
        assert row["as_printed"] or row["not_by_kernel"] or by_kernel == set(row["collectives"]), row["name"]
    return [row["name"] for row in rows if row["proved"]]


check_cost(["--algo", "swing+swing-latency,bucket", "--torus", "4x4", "--lanes", "all", "--bytes", "1,1Ki,1Mi"])
check_cost(["--algo", "binomial-tree", "--p", "8", "--mode", "asynchronous", "--bytes", "32..2Ki"])
check_cost(["--algo", "swing", "--p", "1"])
check_cost([f"{source}/examples/swing-latency-6.json"], ends=1)
check_cost([f"{source}/tests/data/goal/tree.goal", "--torus", "2x2"])
check_cost([f"{source}/tests/data/goal/exchange-race.goal"], ends=1)
check_cost([f"{source}/tests/data/msccl/ring-2.xml"])
check_unfinished("contention", "--algo", "ring", "--p", "4..6", "--budget", "1")
presets, schema = printed("cost", ["cost", "--preset", "all" if tries_all else "swing-eq3"], 0)
assert len(presets["presets"]) >= (16 if tries_all else 1) and not schema.is_valid({**presets, "presets": []})
assert all(set(row) == set(preset["rows"][0]) for preset in presets["presets"] for row in preset["rows"])
for topology in ("torus", "mesh", "full", "fat-tree:radix=4,taper=4")[:4 if tries_all else 2]:
    for collective in ("allreduce", "allgather", "reduce-scatter", "broadcast", "reduce"):
        bound, schema = printed("bound", ["bound", "--p", "8", "--topology", topology, "--collective", collective], 0)
        assert not schema.is_valid({**bound, "time": {**bound["time"], "proof": {"kind": "none"}}})
        assert not schema.is_valid({**bound, "time": {**bound["time"], "vectors": 0.5}})
check_unfinished("bound", "--p", "4", "--budget", "1")
for arguments, ends in ((["--p", "3"], 0), (["--p", "3", "--steps", "2"], 1), (["--p", "7", "--steps", "3", "--budget", "9"], 4),
                        (["--torus", "2x2", "--collective", "reduce", "--volume", "4"], 0), (["--group", "pairs", "--p", "8"], 0)):
    optimum, schema = printed("optimum", ["optimum", *arguments], ends)
    assert not schema.is_valid({**optimum, "schedule": {"verdict": "fail"}})
check_unfinished("optimum", "--p", "8", "--group", "pairs", "--budget", "1")
for name, ends in (("pass", 0), ("race", 1), ("deadlock", 1), ("wrong", 1), ("unknown", 4)):
    printed("gpu", ["gpu", f"{source}/tests/data/gpu/{name}.toml"], ends)
check_unfinished("cost", "--algo", "ring", "--p", "4", "--budget", "1")
for profile, ends in (("msccl", 0), ("rccl", 1), ("azure", 1)):
    check_lint([f"{source}/examples/ring-2.xml", "--profile", profile], ends)
check_blocking(["--algo", "ring", "--p", "2..6", "--blocking", "all"], 1)
check_blocking(["--algo", "swing", "--torus", "2x4", "--blocking", "sendrecv"], 0)
for arguments in (["--all"], ["--algo", "chain"], *([["--algo", "pat"], ["ring", "--solver", "z3,cvc5"]] if tries_all else [])):
    check_prove(arguments)
check_prove(["--all", "--time-limit", "1ms"], ends=4)
assert {"swing", "ring", "bruck"} <= set(check_list(["--as-printed"])) and check_list(["swing-delta"]) == []

# The schema must be able to say no.
for broken in ({}, {**document, "extra": 1}, {**document, "schema_version": 2}):
    assert not validator.is_valid(broken), broken
print(f"{checked} documents follow the schema")
