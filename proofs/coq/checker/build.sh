#!/usr/bin/env bash
# Extracts the functions that the theorems are about, and builds the program around them: FOLDER/check. Compiles also what else tests of the theory need.
# Usage: build.sh FOLDER. Needs Debian's coq, make and ocaml-nox. JOBS files are compiled at once, 2 unless set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cp "$here"/../*.v "$here"/../_CoqProject "$here"/*.ml "$1"
cd "$1"
coq_makefile -f _CoqProject -o Makefile.coq >/dev/null
make -f Makefile.coq -j "${JOBS:-2}" Extract.vo CellsChecker.vo RemovedVolume.vo SumsChecked.vo Offsets.vo >log 2>&1 || {
  tail -n 40 log >&2
  exit 1
}
ocamlopt -inline 100 collectives.mli collectives.ml rows.ml main.ml -o check
