#!/usr/bin/env bash
# Compiles the theory from nothing, then prints its theorems, each with what it rests on: no axiom.
# Usage: check.sh [FOLDER]
# FOLDER is where to compile, and is kept; without it a temporary one is removed at the end. JOBS files are compiled at once, 2 unless set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fail() {
  printf 'check.sh: %s\n' "$*" >&2
  exit 1
}
command -v coqc >/dev/null || fail "coqc is missing (Debian: coq)"
command -v make >/dev/null || fail "make is missing (Debian: make)"

if [ $# -gt 0 ]; then
  mkdir -p "$1"
  folder=$(cd "$1" && pwd)
  [ -z "$(ls -A "$folder")" ] || fail "$1 isn't empty"
else
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
fi
cp "$here"/*.v "$here/_CoqProject" "$here/theorems.txt" "$folder"
cd "$folder"

for file in *.v; do
  grep -qx "$file" _CoqProject || fail "$file isn't in _CoqProject, so nobody compiles it"
done
unproved='Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|Primitive|bypass_check|(Guard|Positivity|Universe) Checking'
if grep -nwE "$unproved" ./*.v >&2; then fail "these lines assume what isn't proved"; fi

coq_makefile -f _CoqProject -o Makefile.coq >/dev/null
make -f Makefile.coq -j "${JOBS:-2}" >log 2>&1 || {
  tail -n 40 log >&2
  fail "coqc rejects a file"
}

# The listed theorems as one tuple: asking for each by itself takes ten times as long.
closed="Closed under the global context"
theorems=$(grep -v '^#' theorems.txt)
for theorem in $theorems; do
  grep -qE "^(Theorem|Corollary|Lemma) ${theorem#*.}\b" "${theorem%.*}.v" 2>/dev/null || fail "there is no theorem $theorem"
done
asks() {
  printf 'From Collectives Require %s.\n' "$(sed -n 's/\.v$//p' _CoqProject | paste -sd ' ')"
  printf 'Definition listed := (tt'
  printf ', @%s' "$@"
  printf ').\nPrint Assumptions listed.\n'
}
rests_on() {
  asks "$@" >Listed.v
  coqc -q -Q . Collectives Listed.v 2>&1
}
# shellcheck disable=SC2086
if [ "$(rests_on $theorems)" != "$closed" ]; then
  for theorem in $theorems; do
    found=$(rests_on "$theorem") || true
    [ "$found" = "$closed" ] || printf '%s: %s\n' "$theorem" "$found" >&2
  done
  fail "a theorem isn't closed under the global context"
fi
for theorem in $theorems; do printf '%s: %s\n' "$theorem" "$closed"; done
printf '%s theorems in %s files, no axioms\n' "$(wc -w <<<"$theorems")" "$(ls ./*.v | grep -vc Listed)"
