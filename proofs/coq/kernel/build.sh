#!/usr/bin/env bash
# Compiles the proofs of the checker, extracts it, and builds the program around it: FOLDER/verify-kernel.
# Usage: build.sh FOLDER. Needs Debian's coq, make and ocaml-nox. JOBS files are compiled at once, 2 unless set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cp "$here"/../*.v "$here"/../_CoqProject "$here"/*.ml "$1"
cd "$1"
coq_makefile -f _CoqProject -o Makefile.coq >/dev/null
make -f Makefile.coq -j "${JOBS:-2}" KernelExtract.vo >log 2>&1 || {
  tail -n 40 log >&2
  exit 1
}
ocamlopt -inline 200 unix.cmxa kernel.mli kernel.ml reader.ml verify_kernel.ml -o verify-kernel
