"""Judges files that others published, and compares what is said of them with verdicts.tsv beside this script.

The files aren't part of the project. They are looked for in $ONCEOVER_CORPUS, else in the folder that CMake was told
(-D ONCEOVER_CORPUS=..). Where that isn't there, the test is skipped: exit code 77. Files that the table names and the
folder hasn't got are listed; at least one must be there.

Usage: check_corpus.py VERIFY SOURCE_FOLDER CORPUS_FOLDER
"""

import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import jsonschema

verify, source = sys.argv[1], pathlib.Path(sys.argv[2])
corpus = pathlib.Path(os.environ.get("ONCEOVER_CORPUS") or sys.argv[3])
if not corpus.is_dir():
    print(f"SKIPPED: there is no {corpus}; ONCEOVER_CORPUS names the folder of published files")
    sys.exit(77)
validator = jsonschema.Draft7Validator(json.loads((source / "docs/schema/run.schema.json").read_text()))


def judged(file, *options):
    """The exit code, and of a verdict the properties that fail and the FIFOs needed."""
    ended = subprocess.run([verify, str(file), *options, "--json"], capture_output=True, text=True)
    if ended.returncode == 3:
        return 3, "", ""
    document = json.loads(ended.stdout)
    validator.validate(document)
    run = document["runs"][0]
    fails = " ".join(p["id"] for p in run["properties"] if p["verdict"] == "fail")
    return ended.returncode, fails, str(run["program"].get("fifo_depth", ""))


def repairs_without_nops(file):
    """Drops each nop of the first GPUs' first blocks in turn. How many such plans fail; each must get its nop back."""
    plans = []
    for gpu, block in ((g, b) for g in range(2) for b in range(2)):
        try:
            names = [o["name"] for o in json.loads(file.read_text())["gpus"][gpu]["threadblocks"][block]["ops"]]
        except IndexError:
            continue
        for k in [k for k, name in enumerate(names) if name == "nop"]:
            plan = json.loads(file.read_text())
            del plan["gpus"][gpu]["threadblocks"][block]["ops"][k]
            plans.append(plan)
    if not plans:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        changed = [pathlib.Path(folder) / f"{k}.json" for k in range(len(plans))]
        for path, plan in zip(changed, plans):
            path.write_text(json.dumps(plan))
        document = json.loads(subprocess.run([verify, *changed, "--json"], capture_output=True, text=True).stdout)
    validator.validate(document)
    failing = [run for run in document["runs"] if run["verdict"] == "fail"]
    for run in failing:
        repairs = [p["counterexample"].get("repair") for p in run["properties"] if p["verdict"] == "fail"]
        assert len(repairs) == 1 and repairs[0] and repairs[0]["passes"], (file, run["subject"], repairs)
    return len(failing)


missing, checked, repaired = [], 0, 0
with open(pathlib.Path(__file__).with_name("verdicts.tsv")) as table:
    for row in csv.DictReader(table, delimiter="\t"):
        file = corpus / row["file"]
        if not file.exists():
            missing.append(row["file"])
            continue
        options = ["--profile", row["profile"]] if row["profile"] else []
        expected = int(row["exit"]), row["fails"] or "", row["fifo"] or ""
        assert judged(file, *options) == expected, (row["file"], options, judged(file, *options), expected)
        checked += 1
        if file.suffix == ".json" and expected[0] == 0:
            repaired += repairs_without_nops(file)
        # On a network it has loads, or it is said why not.
        ended = subprocess.run([verify, "contention", str(file), "--json"], capture_output=True, text=True)
        if ended.stdout:
            validator.validate(json.loads(ended.stdout))
for file in missing:
    print(f"not there: {file}")
assert checked > 0, f"{corpus} has none of the files in verdicts.tsv"
print(f"{checked} files of {corpus} are judged as expected, {len(missing)} aren't there")
print(f"{repaired} plans that lack a nop get it back")
