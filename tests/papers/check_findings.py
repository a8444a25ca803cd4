"""Holds the page of findings, the table of claims and the pages of the papers against `verify claims`, which runs once.

`verify claims --markdown` prints docs/findings.md, scripts/list_claims.py docs/claims.csv, of which scripts/list_papers.py
makes docs/papers*.md. Every claim that doesn't hold has a row on the page. Every claim is settled, the JSON follows its
schema, and the commands that claims name end as they should: of those one in eight each day, with --all every one.

Usage: check_findings.py VERIFY SOURCE_FOLDER [--all]
"""

import difflib
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

import jsonschema

verify, source = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments):
    return subprocess.run([verify, *arguments], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as folder:
    written = pathlib.Path(folder) / "claims.json"
    page = run("claims", "--markdown", "--json-out", written)
    table = subprocess.run([sys.executable, source / "scripts/list_claims.py", written], capture_output=True, text=True)
    papers = subprocess.run([sys.executable, source / "scripts/list_papers.py", folder], capture_output=True, text=True)
    document = json.loads(written.read_text())
    made = {"docs/findings.md": page.stdout, "docs/claims.csv": table.stdout,
            **{f"docs/{file.name}": file.read_text() for file in pathlib.Path(folder).glob("papers*.md")}}
for file, text in made.items():
    expected = (source / file).read_text()
    if text != expected:
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), text.splitlines(True), file, "printed"))
        sys.exit(f"{file} is not what is printed")
if [ended.returncode for ended in (page, table, papers)] != [0, 0, 0] or len(made) != 8:
    sys.exit(f"not all of {sorted(made)} were made: {page.stderr}{table.stderr}{papers.stderr}")

jsonschema.Draft7Validator(json.loads((source / "docs/schema/claims.schema.json").read_text())).validate(document)
rows = [row for row in page.stdout.splitlines() if re.match(r"\|.*`[a-z0-9-]+`\|$", row)]
listed = [claim for claim in document["claims"] if claim["verdict"] not in ("proved", "checked")]
if not 0 < len(rows) == len(listed) < len(document["claims"]):
    sys.exit(f"the page has {len(rows)} rows, not {len(listed)}")
for number, claim in enumerate(document["claims"]):
    if sum(row.endswith(f"|`{claim['id']}`|") for row in rows) != (claim in listed):
        sys.exit(f"{claim['id']} is not on one row of the page, or should be on none")
    for name in claim.get("coq", []):
        if name not in (source / "proofs/coq/theorems.txt").read_text().splitlines():
            sys.exit(f"{claim['id']}: Coq has no {name}")
    if claim["verdict"] in ("unknown", "unsettled"):
        sys.exit(f"{claim['id']} is {claim['verdict']}: {claim['grounds']}")
    if claim["verdict"] in ("imprecise", "refuted", "differs") and not claim.get("correct_in"):
        sys.exit(f"{claim['id']} does not say what holds instead, with evidence")
    command = shlex.split(claim["command"])[1:]
    if command[0] == "claims" or (number % 8 and "--all" not in sys.argv):
        continue
    # A property that is required fails; what an order of calls costs is told by a run that ends well.
    ended = run(*command).returncode
    if ended != (1 if "--require" in command else 0):
        sys.exit(f"{claim['command']} ends with {ended}")
print(len(document["claims"]), "claims, all settled")
