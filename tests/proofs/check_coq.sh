#!/usr/bin/env bash
# Coq accepts what `verify prove --emit-coq` writes, without axioms, and rejects what is deliberately wrong.
# Usage: check_coq.sh VERIFY
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
command -v coqc >/dev/null || { echo "coqc is missing (Debian: coq)" >&2; exit 1; }

"$1" prove --all --emit-coq "$folder" >"$folder/report"
out=$(sh "$folder/check.sh")
[ "$(grep -c 'Closed under the global context' <<<"$out")" = 11 ] || { echo "$out" >&2; exit 1; }
! grep -rnE 'Admitted|Axiom|admit\b' "$folder" --include='*.v' || exit 1

rejects() {
  if (cd "$folder" && coqc -q "$1") >"$folder/log" 2>&1; then
    echo "coqc accepts $1, which is wrong" >&2
    exit 1
  fi
  grep -q Error "$folder/log"
}
# A sign in an obligation, and a peer rule that goes to the other side.
sed 's/(rho2 = (1 - (2 \* rho)))/(rho2 = (1 + (2 * rho)))/' "$folder/Obligations.v" >"$folder/WrongSign.v"
! cmp -s "$folder/Obligations.v" "$folder/WrongSign.v"
rejects WrongSign.v
sed 's/S k => 1 - 2 \* rho k/S k => 1 + 2 * rho k/' "$folder/Swing.v" >"$folder/WrongSwing.v"
! cmp -s "$folder/Swing.v" "$folder/WrongSwing.v"
rejects WrongSwing.v
