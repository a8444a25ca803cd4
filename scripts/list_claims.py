#!/usr/bin/env python3
"""Prints docs/claims.csv, every claim of the papers, as `verify claims --json` has them.

Usage: scripts/list_claims.py [VERIFY, or a file of that JSON] >docs/claims.csv
"""

import csv
import json
import pathlib
import subprocess
import sys

verify = sys.argv[1] if len(sys.argv) > 1 else "build/default/verify"
if str(verify).endswith(".json"):
    printed = pathlib.Path(verify).read_text()
else:
    printed = subprocess.run([verify, "claims", "--json"], capture_output=True, text=True, check=True).stdout
claims = json.loads(printed)["claims"]
columns = {"id": "id", "verdict": "verdict", "level": "level", "paper": "paper", "place": "place", "claim": "statement",
           "evidence": "grounds", "what holds instead, or a note": "correct", "tried for": "correct_in", "reproduce": "command"}
table = csv.writer(sys.stdout, lineterminator="\n")
table.writerow(columns)
table.writerows([claim.get(key, "") for key in columns.values()] for claim in claims)
