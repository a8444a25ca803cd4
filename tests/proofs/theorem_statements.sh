#!/usr/bin/env bash
# Coq takes the statements that `verify prove` prints for those of its theorems, and takes no other.
# Usage: theorem_statements.sh PRINT_THEOREM_SCHEDULE CHECK, the latter beside the compiled theory
set -eu
theory=$(dirname "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
imports='From Coq Require Import Arith List. From Collectives Require Import Semantics Factors Tori Relabelled SwingAll SwingTrees Catalogue Folded Carried Rooted Cells RemovedOnce'
# Each statement is of some lines, the first of which begins with "File.name : ".
"$1" --statements >"$folder/statements"
goals() {
  awk -v imports="$imports" '
    function finish() { if (name) printf "Goal %s.\nProof. exact (@%s). Qed.\n", statement, name }
    /^[A-Z][A-Za-z]*\.[a-z_0-9]+ : / {
      finish(); name = $1; statement = substr($0, length($1) + 4); split(name, part, ".")
      printf "%s.\nFrom Collectives Require Import %s.\n", imports, part[1]; next
    }
    { statement = statement "\n" $0 }
    END { finish() }'
}
count=$(grep -c '^Goal' <(goals <"$folder/statements"))
[ "$count" -ge 18 ]
goals <"$folder/statements" >"$folder/Statements.v"
coqc -q -Q "$theory" Collectives "$folder/Statements.v"
# A statement that says more is refused.
sed 's/^Catalogue.ring_once : forall p, 0 < p ->/Catalogue.ring_once : forall p,/' "$folder/statements" | goals >"$folder/Wrong.v"
! cmp -s "$folder/Statements.v" "$folder/Wrong.v" || exit 1
if coqc -q -Q "$theory" Collectives "$folder/Wrong.v" 2>"$folder/why"; then
  echo "a wrong statement was accepted" >&2
  exit 1
fi
grep -q 'ring_once' "$folder/why"
echo "$count statements"
