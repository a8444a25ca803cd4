#!/usr/bin/env bash
# Coq accepts the obligations that `verify prove --emit-coq` writes, without axioms, and rejects one that is deliberately wrong.
# Usage: check_coq.sh VERIFY
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
command -v coqc >/dev/null || { echo "coqc is missing (Debian: coq)" >&2; exit 1; }

"$1" prove --all --emit-coq "$folder" >"$folder/report"
lemmas=$(grep -c '^Lemma' "$folder/Obligations.v")
[ "$(grep -c '^Proof\..* Qed\.$' "$folder/Obligations.v")" = "$lemmas" ]
grep -q "^proved   $lemmas obligations" "$folder/report"
sh "$folder/check.sh"
! grep -nE 'Admitted|Axiom|Hypothesis|admit\b' "$folder/Obligations.v" || exit 1

# A sign in an obligation
sed 's/(rho2 = (1 - (2 \* rho)))/(rho2 = (1 + (2 * rho)))/' "$folder/Obligations.v" >"$folder/WrongSign.v"
! cmp -s "$folder/Obligations.v" "$folder/WrongSign.v" || exit 1
if (cd "$folder" && coqc -q WrongSign.v) >"$folder/log" 2>&1; then
  echo "coqc accepts an obligation that is wrong" >&2
  exit 1
fi
grep -q Error "$folder/log"
