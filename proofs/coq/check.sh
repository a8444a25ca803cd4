#!/usr/bin/env bash
# Compiles the theory, then prints its theorems, each with what it rests on: no axiom.
# Usage: check.sh [FOLDER]
# FOLDER is where to compile, and is kept: what it has compiled before and hasn't changed isn't compiled again. Without it all is compiled
# in a temporary one. JOBS files are compiled at once, 2 unless set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fail() {
  printf 'check.sh: %s\n' "$*" >&2
  exit 1
}
command -v coqc >/dev/null || fail "coqc is missing (Debian: coq)"
command -v make >/dev/null || fail "make is missing (Debian: make)"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=$(realpath -m "${1:-$scratch/theory}")
cd "$here"

for file in *.v; do
  grep -qx "$file" _CoqProject || fail "$file isn't in _CoqProject, so nobody compiles it"
done
unproved='Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|Primitive|bypass_check|(Guard|Positivity|Universe) Checking'
if grep -nwE "$unproved" ./*.v >&2; then fail "these lines assume what isn't proved"; fi

"$here/compile.sh" "$folder" || fail "coqc rejects a file"

# The listed theorems as one tuple: asking for each by itself takes ten times as long.
closed="Closed under the global context"
theorems=$(grep -v '^#' theorems.txt)
declared=$(grep -oE "^(Theorem|Corollary|Lemma) [A-Za-z0-9_']+" ./*.v | sed -E 's#^\./(.*)\.v:.* #\1.#')
missing=$(grep -vxFf - <(printf '%s\n' "$theorems") <<<"$declared" | head -n 1) || true
[ -z "$missing" ] || fail "there is no theorem $missing"
asks() {
  printf 'From Collectives Require %s.\n' "$(sed -n 's/\.v$//p' _CoqProject | paste -sd ' ')"
  printf 'Definition listed := (tt'
  printf ', @%s' "$@"
  printf ').\nPrint Assumptions listed.\n'
}
rests_on() {
  asks "$@" >"$scratch/Listed.v"
  coqc -q -Q "$folder" Collectives "$scratch/Listed.v" 2>&1
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
printf '%s theorems in %s files, no axioms\n' "$(wc -w <<<"$theorems")" "$(ls ./*.v | wc -l)"
