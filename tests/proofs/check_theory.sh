#!/usr/bin/env bash
# Every theorem of the list of proofs/coq rests on no axiom, as Coq's second checker says, too; check.sh refuses what is assumed, of which
# each day half of the ways are tried.
# Each day every tenth theorem is asked for its axioms, and the second checker reads two modules of ours; with --all every theorem, every
# module and all that they need.
# Usage: check_theory.sh SOURCE_FOLDER FOLDER [--refusals] [--all]     FOLDER: where the build compiled the theory
set -euo pipefail
theory=$1/proofs/coq
compiled=$2
tries_all=no
if [ "${!#}" = --all ]; then tries_all=yes; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if [ "${3-}" != --refusals ]; then
  cp -r "$theory" "$folder/theory"
  if [ $tries_all = no ]; then grep -v '^#' "$theory/theorems.txt" | awk 'NR % 10 == 1' >"$folder/theory/theorems.txt"; fi
  "$folder/theory/check.sh" "$2" | tee "$folder/out"
  listed=$(grep -vc '^#' "$folder/theory/theorems.txt")
  [ "$(grep -c ': Closed under the global context$' "$folder/out")" = "$listed" ]
  [ "$listed" -ge 30 ]
  if [ $tries_all = yes ]; then
    mapfile -t modules < <(sed -n 's/^\(.*\)\.v$/Collectives.\1/p' "$theory/_CoqProject")
    coqchk -silent -o -Q "$2" Collectives "${modules[@]}" 2>&1 | tee "$folder/chk"
    [ "$(grep -c ': <none>$' "$folder/chk")" = 4 ]
    grep -qx '\* Axioms: <none>' "$folder/chk"
  else
    coqchk -silent -o -Q "$2" Collectives -norec Collectives.Semantics -norec Collectives.Checker 2>&1 |
      tee "$folder/chk"
    # Coq's library, which isn't read here, has parameters of modules, which count as axioms.
    [ "$(grep -c ': <none>$' "$folder/chk")" -ge 3 ]
    grep -q '^\* Axioms:' "$folder/chk"
    if grep -q '^ *Collectives' "$folder/chk"; then exit 1; fi
  fi
  exit
fi

# copy NAME: a theory of the first file alone, which is compiled already, with one theorem.
copy() {
  mkdir "$folder/$1" "$folder/$1/compiled"
  cp -p "$compiled"/Semantics.* "$folder/$1/compiled"
  cp "$theory/check.sh" "$theory/compile.sh" "$theory/Semantics.v" "$folder/$1"
  printf -- '-Q . Collectives\nSemantics.v\nMore.v\n' >"$folder/$1/_CoqProject"
  echo More.claim >"$folder/$1/theorems.txt"
  cat >"$folder/$1/More.v"
}
refuses() {
  if "$folder/$1/check.sh" "$folder/$1/compiled" >"$folder/out" 2>&1 || ! grep -q "$2" "$folder/out"; then
    cat "$folder/out" >&2
    echo "check.sh does not refuse '$1'" >&2
    exit 1
  fi
}
copy good <<'E2'
From Collectives Require Import Semantics.
Theorem claim p b s : exactly_once Allreduce p b s -> exactly_once Allreduce p b s.
Proof. auto. Qed.
E2
"$folder/good/check.sh" "$folder/good/compiled" | grep '^More.claim: Closed under the global context$' >/dev/null

copy admitted <<'E2'
From Collectives Require Import Semantics.
Theorem claim : exactly_once Allreduce 2 1 nil.
Proof. Admitted.
E2
refuses admitted 'More.v:3:Proof. Admitted.'

copy axiom <<'E2'
From Collectives Require Import Semantics.
Axiom given : exactly_once Allreduce 2 1 nil.
Theorem claim : exactly_once Allreduce 2 1 nil.
Proof. exact given. Qed.
E2
refuses axiom 'More.v:2:Axiom given'

# Axioms under other names, of the file and of the library: not one of these words stands in them.
copy variable <<'E2'
From Collectives Require Import Semantics.
Variable given : exactly_once Allreduce 2 1 nil.
Theorem claim : exactly_once Allreduce 2 1 nil.
Proof. exact given. Qed.
E2
refuses variable '^More.claim: Axioms:'

# refuses_if_all NAME WORDS
refuses_if_all() { [ "$tries_all" = no ] || refuses "$@"; }
copy library <<'E2'
Require Import FunctionalExtensionality.
Theorem claim (f g : nat -> nat) : (forall n, f n = g n) -> f = g.
Proof. apply functional_extensionality. Qed.
E2
refuses_if_all library '^More.claim: Axioms:'

copy wrong <<'E2'
From Collectives Require Import Semantics.
Theorem claim : exactly_once Allreduce 2 1 nil.
Proof. split; auto. Qed.
E2
refuses_if_all wrong 'coqc rejects a file'

copy missing </dev/null
refuses_if_all missing 'there is no theorem More.claim'

copy forgotten </dev/null
sed -i /More/d "$folder/forgotten/_CoqProject"
refuses forgotten "More.v isn't in _CoqProject"
