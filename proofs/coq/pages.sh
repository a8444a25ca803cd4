#!/usr/bin/env bash
# Writes the theory as pages that link each name to its definition: PAGES/index.html.
# Usage: pages.sh THEORY PAGES. THEORY is where the theory was compiled, by `check.sh THEORY` for example. Needs Debian's coq.
set -euo pipefail
mkdir -p "$2"
pages=$(cd "$2" && pwd)
cd "$1"
files=()
for compiled in *.glob; do
  name=${compiled%.glob}.v
  if grep -qx "$name" _CoqProject; then files+=("$name"); fi
done
coqdoc --html --utf8 --parse-comments --toc --no-externals -t "Onceover: a theory of collectives" -R . Collectives -d "$pages" "${files[@]}"
