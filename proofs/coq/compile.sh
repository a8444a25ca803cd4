#!/usr/bin/env bash
# Compiles the theory in FOLDER, or the named files of it. What is there and hasn't changed isn't compiled again.
# Usage: compile.sh FOLDER [FILE.vo ..]. Needs Debian's coq and make. JOBS files are compiled at once, 2 unless set.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
shift
# What was compiled of another text, or of a file that isn't ours, would still be found, whatever its time.
for compiled in *.vo; do
  [ -e "$here/${compiled%o}" ] || rm -f "$compiled"
done
for file in "$here"/*.v "$here/_CoqProject"; do
  cmp -s "$file" "${file##*/}" || { rm -f "${file##*/}o" && cp "$file" .; }
done
coq_makefile -f _CoqProject -o Makefile.coq >/dev/null
make -f Makefile.coq -j "${JOBS:-2}" "$@" >log 2>&1 || {
  tail -n 40 log >&2
  exit 1
}
