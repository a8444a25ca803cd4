#!/usr/bin/env bash
# Compiles the proofs of the checker, extracts it, and builds the program around it: FOLDER/verify-kernel.
# Usage: build.sh FOLDER. Needs Debian's coq, make and ocaml-nox. JOBS files are compiled at once, 2 unless set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
"$here/../compile.sh" "$1" KernelExtract.vo
cp "$here"/*.ml "$1"
cd "$1"
ocamlopt -inline 200 unix.cmxa kernel.mli kernel.ml reader.ml verify_kernel.ml -o verify-kernel
