#!/usr/bin/env bash
# Follows docs/adding-an-algorithm.md to the letter in a copy of the sources, builds, and judges the new algorithm.
# Of the copy only what changed is compiled, without optimisation; the rest is this build's.
# With --all also that a gate notices a slip in it.
# Usage: follow_adding.sh SOURCE_FOLDER BUILD_FOLDER [--all]
set -eu
source=$1
build=$2
page=$1/docs/adding-an-algorithm.md
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$source/schedules" "$copy"

# block N LANGUAGE: the N-th fenced block of the page in that language.
block() { awk -v want="$1" -v fence="\`\`\`$2" '$0 == fence { n++; on = (n == want); next } /^```$/ { on = 0 } on' "$page"; }

block 1 cpp >"$copy/schedules/algorithms/direct.cpp"
declaration=$(block 2 cpp) row=$(block 3 cpp)
grep -q direct_algorithm <<<"$declaration"
grep -q direct_algorithm <<<"$row"
sed -i "s|^extern const Algorithm bucket_algorithm;|$declaration\n&|" "$copy/schedules/algorithms/algorithms.h"
sed -i "s|^    &bucket_algorithm,|${row/&/\\&}\n&|" "$copy/schedules/algorithms/algorithms.h"

# What changed is compiled as the build compiles the catalogue, and linked before the build's own libraries, of which it takes the
# place.
object=$(ninja -C "$build" -t targets all | grep -o '^schedules/CMakeFiles/onceover_schedules.dir/[^:]*[.]o' | head -n 1)
compiled=$(ninja -C "$build" -t commands "$object" | tail -n 1)
link=$(ninja -C "$build" -t commands verify | tail -n 1)
link=${link//-o verify /-Wl,--allow-multiple-definition "$copy"/*.o -o "$copy/verify" }
# compile FILE
compile() {
  local line=${compiled/-I"$source"/-I"$copy" -I"$source"}
  line=$(sed -E "s| -c [^ ]+| -c $copy/schedules/$1|; s| -o [^ ]+| -o $copy/$(basename "$1").o -O0|" <<<"$line")
  (cd "$build" && eval "$line")
}
build_copy() {
  for file in "$@"; do compile "$file"; done
  (cd "$build" && eval "$link")
}

build_copy algorithms/direct.cpp catalogue.cpp
"$copy/verify" --algo direct --p 1..64
"$copy/verify" --algo direct --p 1..64 --collective allgather
"$copy/verify" list direct | grep -q 'every block straight to its owner'

[ "${3-}" = --all ] || exit 0

# A slip of one character in an algorithm turns a gate red, in all outputs, though the cache holds its good days.
export XDG_CACHE_HOME=$copy/cache
printf '[[check]]\nname = "all"\nalgo = "all"\np = "2..6"\n' >"$copy/gate.toml"
run_gate() {
  "$copy/verify" gate "$copy/gate.toml" --json-out "$copy/out.json" --junit-out "$copy/out.xml" \
    --sarif-out "$copy/out.sarif" --markdown-out "$copy/out.md" >"$copy/out.txt"
}
run_gate
sed -i 's/s < p - 1; ++s/s < p - 2; ++s/' "$copy/schedules/algorithms/ring.cpp"
build_copy algorithms/ring.cpp
if run_gate; then
  echo "the slip passed the gate" >&2
  exit 1
fi
for output in txt json xml sarif md; do
  grep -q exactly-once "$copy/out.$output" && grep -q 'ring allreduce, p = 2' "$copy/out.$output" || { echo "out.$output does not tell the slip" >&2; exit 1; }
done
