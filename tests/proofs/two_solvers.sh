#!/usr/bin/env bash
# cvc5 agrees with Z3 on every obligation; where cvc5 is missing that is said, and Z3's verdict stands.
# Each day that is tried with one algorithm. Usage: two_solvers.sh VERIFY [--all]
set -eu
"$1" prove "${2-ring}" --solver z3,cvc5 | tee /dev/stderr | tail -n 1 | grep -q 'trusted: Z3 [0-9.]* and cvc5'

tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
ln -s "$(command -v sh)" "$tools/sh"
PATH=$tools "$1" prove ring --solver z3,cvc5 >"$tools/out" 2>"$tools/err"
grep -q 'cvc5 is not installed (Debian: cvc5), so the verdict rests on Z3 alone' "$tools/err"
grep -q '^proved' "$tools/out"
