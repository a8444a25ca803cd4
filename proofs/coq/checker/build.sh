#!/usr/bin/env bash
# Compiles the theory, extracts the functions that the theorems are about, and builds the program around them: FOLDER/check.
# Usage: build.sh FOLDER. Needs Debian's coq, make and ocaml-nox. JOBS files are compiled at once, 2 unless set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
"$here/../compile.sh" "$1"
cp "$here"/*.ml "$1"
cd "$1"
ocamlopt -inline 100 collectives.mli collectives.ml rows.ml circulant_tables.ml main.ml -o check
