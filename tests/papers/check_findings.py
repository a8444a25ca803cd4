"""Holds the pages of findings against `verify claims`.

`verify claims --markdown` prints docs/findings.md and docs/findings-hold.md, one after the other. Every claim has a row on one of them. Every claim is settled, the JSON follows its schema, and the commands that
claims name end as they should.

Usage: check_findings.py VERIFY SOURCE_FOLDER
"""

import difflib
import json
import pathlib
import re
import shlex
import subprocess
import sys

import jsonschema

verify, source = sys.argv[1], pathlib.Path(sys.argv[2])


def run(*arguments):
    return subprocess.run([verify, *arguments], capture_output=True, text=True)


PAGES = [f"docs/{name}.md" for name in ("findings", "findings-hold")]
printed = run("claims", "--markdown")
texts = re.split(r"\n(?=# )", printed.stdout)
if printed.returncode != 0 or len(texts) != len(PAGES):
    sys.exit(f"'verify claims --markdown' prints {len(texts)} pages, not {len(PAGES)}; {printed.stderr}")
for page, text in zip(PAGES, texts):
    expected = (source / page).read_text()
    if text != expected:
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), text.splitlines(True), page, "printed"))
        sys.exit(f"{page} is not what 'verify claims --markdown' prints")

document = json.loads(run("claims", "--json").stdout)
jsonschema.Draft7Validator(json.loads((source / "docs/schema/claims.schema.json").read_text())).validate(document)
rows = [row for row in printed.stdout.splitlines() if re.match(r"\|.*`[a-z0-9-]+`\|$", row)]
if len(rows) != len(document["claims"]):
    sys.exit(f"the pages have {len(rows)} rows, not {len(document['claims'])}")
for claim in document["claims"]:
    if sum(row.endswith(f" `{claim['id']}`|") for row in rows) != 1:
        sys.exit(f"{claim['id']} is not on one row of the pages")
    for name in claim.get("coq", []):
        file, theorem = name.split(".")
        if not re.search(rf"^(Theorem|Lemma|Corollary) {theorem}\b", (source / f"proofs/coq/emitted/{file}.v").read_text(), re.M):
            sys.exit(f"{claim['id']}: Coq has no {name}")
    if claim["verdict"] in ("unknown", "unsettled"):
        sys.exit(f"{claim['id']} is {claim['verdict']}: {claim['grounds']}")
    if claim["verdict"] in ("imprecise", "refuted", "differs") and not claim.get("correct_in"):
        sys.exit(f"{claim['id']} does not say what holds instead, with evidence")
    command = shlex.split(claim["command"])[1:]
    if command[0] == "claims":
        continue
    # A property that is required fails; what an order of calls costs is told by a run that ends well.
    ended = run(*command).returncode
    if ended != (1 if "--require" in command else 0):
        sys.exit(f"{claim['command']} ends with {ended}")
print(len(document["claims"]), "claims, all settled")
