#!/usr/bin/env python3
"""Prints the section "The theorems" of docs/proofs.md, as `verify prove --all --json` has them.

Usage: scripts/list_theorems.py [VERIFY]
"""

import json
import re
import subprocess
import sys

verify = sys.argv[1] if len(sys.argv) > 1 else "./verify"
document = json.loads(subprocess.run([verify, "prove", "--all", "--json"], capture_output=True, text=True, check=True).stdout)
levels = {"solver": "Z3 shows", "kernel": "Coq accepts, too", "words": "In words alone"}


def escaped(text):
    return re.sub(r"([*_<])", r"\\\1", text)


print("## The theorems")
for theorem in document["theorems"]:
    print(f"\n### {theorem['id']}\n\n**{escaped(theorem['title'])}** ({escaped(theorem['domain'])})\n")
    print(f"Assumes: {escaped(theorem['assumes'])}.\n\nConcludes: {escaped(theorem['concludes'])}.\n")
    for level, what in theorem["levels"].items():
        print(f"- {levels[level]}: {escaped(what)}.")
    print("\n| obligation | in words |\n|---|---|")
    for obligation in theorem["obligations"]:
        print(f"| `{obligation['name']}` | {obligation['statement']} |")
