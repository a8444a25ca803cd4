"""docs/findings.md is what `verify claims --markdown` prints, every claim is settled, the JSON follows its schema, and
the commands that claims name end as they should.

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


page = run("claims", "--markdown")
expected = (source / "docs/findings.md").read_text()
if page.returncode != 0 or page.stdout != expected:
    sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), page.stdout.splitlines(True), "docs/findings.md", "printed"))
    sys.exit(f"docs/findings.md is not what 'verify claims --markdown' prints; {page.stderr}")

document = json.loads(run("claims", "--json").stdout)
jsonschema.Draft7Validator(json.loads((source / "docs/schema/claims.schema.json").read_text())).validate(document)
for claim in document["claims"]:
    for name in claim.get("coq", []):
        file, theorem = name.split(".")
        if not re.search(rf"^(Theorem|Lemma|Corollary) {theorem}\b", (source / f"proofs/coq/{file}.v").read_text(), re.M):
            sys.exit(f"{claim['id']}: Coq has no {name}")
    if claim["verdict"] in ("unknown", "unsettled"):
        sys.exit(f"{claim['id']} is {claim['verdict']}: {claim['grounds']}")
    if claim["verdict"] in ("imprecise", "refuted", "differs") and not claim.get("correct_in"):
        sys.exit(f"{claim['id']} does not say what is so, with evidence")
    command = shlex.split(claim["command"])[1:]
    if command[0] == "claims":
        continue
    # A property that is required fails; what an order of calls costs is told by a run that ends well.
    ended = run(*command).returncode
    if ended != (1 if "--require" in command else 0):
        sys.exit(f"{claim['command']} ends with {ended}")
print(len(document["claims"]), "claims, all settled")
