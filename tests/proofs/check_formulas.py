#!/usr/bin/env python3
"""Coq accepts what `verify prove --peer FORMULA --emit-coq` writes, rejects changes of it, and its schedules are those that
`verify export` writes.

Each day one formula, one with --odd, one with arithmetic of Z3, and one change of each kind, by the theory that the build compiled; with --all
the rest, too, by the theory that is written beside a formula.

Usage: check_formulas.py VERIFY THEORY [--all]     THEORY: where the build compiled the theory
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

verify = sys.argv[1]
tries_all = "--all" in sys.argv
closed = "Closed under the global context"

SWING = "even(r) ? r + rho(s) : r - rho(s)"
MOVED = "even(r) ? r + (rho(s) + 2) : r - (rho(s) + 2)"
MIXED = "even(r) ? r + pow2(s) : r - pow2(s)"
COMPLETE = [
    (SWING, ""),
    (MOVED, ""),
    (MIXED, ""),
    ("odd(r) ? r - rho(s) : r + rho(s)", ""),
    ("even(r) ? r + (pow2(1 + s) - 1) : r - (pow2(1 + s) - 1)", ""),
    ("r mod 2 == 0 ? r - (even(s) ? delta(s) : -delta(s)) : r + (even(s) ? delta(s) : -delta(s))", ""),
    ("r + pow2(s)", ""),
    ("r - (1 << s)", ""),
    ("r + 1", "p - 1"),
    ("r - (s >= 0)", "p > 100 ? p : max(p, 3)"),
    ("r xor pow2(s)", ""),
    ("(2*pow2(s) - 1) xor r", ""),
    ("r xor (pow2(s) + (odd(s) and s > 2))", ""),
]
# With --odd: the formula, HOW, and the p for which it is proved then
ODD = [
    ("r + pow2(s)", "apart", [1, 2, 3, 4, 5, 6, 7]),
    (SWING, "as-written", [2, 4, 6]),
    (SWING, "apart", [1, 2, 3, 4, 5, 6, 7]),
    ("r - (1 << s)", "as-written", [1, 2, 3, 4, 5, 6, 7]),
]
# Products of unknowns: hypotheses of the theorem.
ASSUMED = [
    ("r + 1", "p * p", ["covers", "steps-defined"]),
    ("r xor (pow2(s)*pow2(s) - pow2(s)*pow2(s) + pow2(s))", "", ["highest-bit"]),
]
WRONG = [
    ("even(r) ? r + delta(s) : r - delta(s)", ""),
    ("even(r) ? r + rho(s) : r - rho(s)", "p - p"),
    ("r + pow2(s)", "p - 2"),
    ("r + 3", ""),
    ("r xor 1", ""),
    ("(r * 3 + s) mod p", ""),
]
# (formula, what is changed, to what): a peer, the number of steps, the interval, a lemma
CHANGES = [
    (SWING, "(r + (rho s))", "(r - (rho s))"),
    (SWING, "then (r + (rho s))", "then (r + (rho (s + 1)))"),
    (SWING, "(r mod 2) =? 0", "(r mod 2) =? 1"),
    (SWING, "Z.log2_up p", "Z.log2 p"),
    (SWING, ":= rho.", ":= (- rho)."),
    (SWING, "hi3 (s parity pw : Z) : Z := (if (parity =? 0) then ((1", "hi3 (s parity pw : Z) : Z := (if (parity =? 0) then ((2"),
    (SWING, "  (pw2 = (2 * pw)) ->\n", ""),
    (SWING, "(0 < p)%nat ->", ""),
    (MOVED, "(fun _ => 2)", "(fun _ => 4)"),
    (MIXED, "Nat.Even p ->", ""),
    ("r + pow2(s)", "(2 ^ s)", "(3 ^ s)"),
    ("r + 1", "Definition steps (p : Z) : Z := (p - 1).", "Definition steps (p : Z) : Z := (p - 2)."),
    ("r xor pow2(s)", "(2 ^ s)", "(2 ^ (s + 1))"),
    ("r xor pow2(s)", "(2 ^ a)%nat", "(3 ^ a)%nat"),
]
# Lemmas that Coq proves, but that say less than the theorem needs
WEAKER = [
    (SWING, "  ((f mod 2) = 1).", "  ((f mod 2) <= 1)."),
    (SWING, "  (p <= pw) ->", "  (2 * p <= pw) ->"),
    (SWING, "  (1 <= pw) ->", "  (2 <= pw) ->"),
    (SWING, "  ((0 <= t) /\\ (t < p)) ->", "  ((0 <= t) /\\ (t < p - 1)) ->"),
    ("r + pow2(s)", "  (p <= pw) ->", "  (2 * p <= pw) ->"),
    ("r + pow2(s)", "((~ (f = 0)) /\\ (", "((0 <= (f * f)) /\\ ("),
    ("r + 1", "  (1 <= p) ->\n", "  (2 <= p) ->\n"),
    ("r xor pow2(s)", "(pw < (2 * pw))).", "(pw <= (2 * pw)))."),
]


if not tries_all:
    COMPLETE = COMPLETE[:1]
    ODD, ASSUMED, WRONG = ODD[:1], ASSUMED[:1], WRONG[:2]
    CHANGES, WEAKER = CHANGES[:1], [WEAKER[1]]


def words_of(peer, steps, odd):
    return ["--peer", peer, *(["--peer-steps", steps] if steps else []), *(["--odd", odd] if odd else [])]


def prove(peer, steps, folder, odd=""):
    return subprocess.run([verify, "prove", *words_of(peer, steps, odd), "--emit-coq", folder], capture_output=True, text=True)


def fail(*what):
    sys.exit(" ".join(str(each) for each in what))


class Theory:
    """The theory that the build compiled, or with --all the folder in which the first formula's check.sh compiled it."""

    def __init__(self, folder):
        self.folder, self.compiled = pathlib.Path(folder) / "theory", "."
        if not tries_all:
            self.folder.mkdir()
            self.compiled = pathlib.Path(sys.argv[2]).resolve()
            return
        proved = prove(SWING, "", self.folder)
        checked = subprocess.run(["sh", self.folder / "check.sh"], capture_output=True, text=True)
        if proved.returncode != 0 or checked.stdout.count(closed) != 1:
            fail("check.sh:", proved.stdout, proved.stderr, checked.stdout, checked.stderr)

    def coqc(self, text):
        (self.folder / "Formula.v").write_text(text)
        ended = subprocess.run(["coqc", "-q", "-Q", self.compiled, "Collectives", "Formula.v"], cwd=self.folder, capture_output=True, text=True)
        return ended.returncode == 0, ended.stdout + ended.stderr


def written(peer, steps, base, odd=""):
    folder = pathlib.Path(tempfile.mkdtemp(dir=base)) / "proof"
    proved = prove(peer, steps, folder, odd)
    if proved.returncode != 0:
        fail(peer, "is not proved:", proved.stdout, proved.stderr)
    return (folder / "Formula.v").read_text(), proved.stdout


def accepted(theory, peer, text):
    ok, said = theory.coqc(text)
    if not ok or said.strip() != closed:
        fail("Coq rejects the proof of", peer, said)


def schedules_in_coq(theory, text, sizes):
    ask = "Eval vm_compute in map (fun p => map (map (fun t => (src t, dst t, what t))) (reduce_scatter_of (factor_by peer steps last_apart p)))"
    ask += f" [{'; '.join(map(str, sizes))}]%nat.\n"
    ok, said = theory.coqc(text + "Require Import List.\nImport ListNotations.\n" + ask)
    if not ok or closed not in said:
        fail("Coq rejects the proof, or makes no schedule:", said)
    said = " ".join(said[said.index("= ") + 2:said.rindex(": list")].split()).replace("%nat", "").replace(";", ",")
    return [[set(step) for step in steps] for steps in eval(said, {"__builtins__": {}})]


def schedule_of_verify(peer, steps, p, odd=""):
    command = [verify, "export", *words_of(peer, steps, odd), "--p", str(p), "--collective", "reduce-scatter", "--to", "json"]
    steps = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["steps"]

    def ids(blocks):
        for b in blocks:
            yield from [b] if isinstance(b, int) else range(b[0], b[1] + 1)

    return [{(t["src"], t["dst"], b) for t in step for b in ids(t["blocks"])} for step in steps]


with tempfile.TemporaryDirectory() as base:
    theory = Theory(base)
    texts = {}
    cases = [(peer, steps, "", [1, 2, 4, 8] if "xor" in peer else [1, 2, 3, 4, 5, 6, 7]) for peer, steps in COMPLETE]
    for peer, steps, odd, sizes in [*cases, *((peer, "", odd, sizes) for peer, odd, sizes in ODD)]:
        text, said = written(peer, steps, base, odd)
        if "Hypothesis" in text or "leaves nothing to Z3" not in said:
            fail(peer, odd, "is not proved by Coq alone:", said)
        texts.setdefault(peer, text)
        for p, made in zip(sizes, schedules_in_coq(theory, text, sizes), strict=True):
            if made != schedule_of_verify(peer, steps, p, odd):
                fail(peer, steps, odd, "p =", p, "other transfers in Coq than in verify:", made)
    for peer, steps, assumed in ASSUMED:
        text, said = written(peer, steps, base)
        if "assumes " + ", ".join(assumed) + ": the arithmetic is Z3's, the rest is Coq's" not in said:
            fail(peer, steps, "does not say what it assumes:", said)
        if re.findall(r"^Hypothesis (\w+)", text, re.M) != [name.replace("-", "_") for name in assumed]:
            fail(peer, steps, "assumes something else:", text)
        accepted(theory, peer, text)
        if tries_all and theory.coqc(re.sub(r"(Hypothesis \w+ : forall [^:]* : Z,\n)(.*\n)*?  \(.*\)\.\n", r"\1  True.\n", text, count=1))[0]:
            fail(peer, "needs no arithmetic")
    for peer, steps in WRONG:
        folder = pathlib.Path(base) / "wrong"
        ended = prove(peer, steps, folder)
        if ended.returncode not in (1, 4) or folder.exists() or "no file is written" not in ended.stderr:
            fail(peer, "has a file for Coq:", ended.stdout, ended.stderr)
    for peer, before, after in CHANGES + WEAKER:
        if before not in texts[peer]:
            fail(peer, "has no", before)
        text = texts[peer].replace(before, after, 1)
        ok, said = theory.coqc(text)
        if ok or "Error" not in said or "Syntax" in said:
            fail("Coq accepts", peer, "with", after, "for", before, said)
        line = int(re.search(r"line (\d+)", said)[1])
        if (peer, before, after) in WEAKER and line <= text[:text.index("Theorem formula_once")].count("\n"):
            fail("Coq rejects more than the theorem of", peer, "with", after, said)
    print(len(COMPLETE), "formulas by Coq alone,", len(ODD), "more with --odd,", len(ASSUMED), "with Z3's arithmetic,", len(WRONG), "refused,",
          len(CHANGES + WEAKER), "changes rejected")
