#!/usr/bin/env python3
"""The module answers 500 command lines and more as the program does: exit code, output and messages.
compare.py PROGRAM ROOT"""

import base64
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
from cases import all_cases

LEAST = 500
QUICK = 0.1  # seconds, for an answer at p = 64
SLOWER = 5  # a busy machine may be that much slower


# The largest numbers of ranks and blocks, where indices have 64 bits and 32.
LIMITS = [("16777216", "4096"), ("268435456", "65536")]


def of_module(text):
    for large, small in LIMITS:
        text = text.replace(large, small)
    return text


def by_program(program, words, files):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (pathlib.Path(folder) / name).write_bytes(text)
        end = subprocess.run([program, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)
        return {"code": end.returncode, "out": end.stdout.decode(errors="replace"), "err": end.stderr.decode(errors="replace")}


def by_module(package, cases):
    asked = json.dumps([[words, {name: base64.b64encode(text).decode() for name, text in files.items()}] for words, files in cases])
    end = subprocess.run(["node", pathlib.Path(__file__).parent / "run_cases.js", package], input=asked, capture_output=True,
                         text=True)
    assert end.returncode == 0, end.stderr[-3000:]
    return json.loads(end.stdout)


def main(program, root):
    package = pathlib.Path(root) / "build/web/npm"
    if not shutil.which("em++") or not (package / "verify.wasm").exists():
        return 77
    names = [row["name"] for row in json.loads(by_program(program, ["list", "--json"], {})["out"])]
    cases = all_cases(root, names)
    assert len(cases) >= LEAST, len(cases)
    with ThreadPoolExecutor(2) as pool:
        expected = list(pool.map(lambda case: by_program(program, *case), cases))
    ends = by_module(package, cases)
    wrong = [(case, one, other) for case, one, other in zip(cases, expected, ends)
             if any(one[key] != other[key] for key in one) and of_module(json.dumps(one)) != json.dumps({k: other[k] for k in one})]
    for (words, files), one, other in wrong[:10]:
        print("verify", words, files)
        for key in one:
            if one[key] != other[key]:
                print(f"  {key}: program {one[key][:1500]!r}\n  {key}: module  {other[key][:1500]!r}")
    print(f"{len(cases)} command lines, {len(wrong)} answered otherwise; "
          f"exit codes {sorted({end['code'] for end in expected})}")
    assert {end["code"] for end in expected} >= {0, 1, 2, 3}
    quick = [end["milliseconds"] for (words, _), end in zip(cases, ends) if words[-1:] == ["64"] and end["code"] == 0]
    print(f"answers at p = 64: {max(quick):.0f} ms at most")
    assert max(quick) < 1000 * QUICK * SLOWER, quick
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
