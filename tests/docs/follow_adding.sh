#!/usr/bin/env bash
# Follows docs/adding-an-algorithm.md to the letter in a copy of the sources, builds, and judges the new algorithm.
# Usage: follow_adding.sh SOURCE_FOLDER
set -eu
source=$1
page=$1/docs/adding-an-algorithm.md
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r "$source"/{CMakeLists.txt,CMakePresets.json,cmake,schedules,verifier,proofs,network,viz,cli,gate,claims,app,check} "$copy"

# block N LANGUAGE: the N-th fenced block of the page in that language.
block() { awk -v want="$1" -v fence="\`\`\`$2" '$0 == fence { n++; on = (n == want); next } /^```$/ { on = 0 } on' "$page"; }

block 1 cpp >"$copy/schedules/algorithms/direct.cpp"
declaration=$(block 2 cpp) row=$(block 3 cpp) file=$(block 1 cmake)
grep -q direct_algorithm <<<"$declaration" && grep -q direct_algorithm <<<"$row" && grep -q direct.cpp <<<"$file"
sed -i "s|^extern const Algorithm bucket_algorithm;|$declaration\n&|" "$copy/schedules/algorithms/algorithms.h"
sed -i "s|^      bucket_algorithm,|$row\n&|" "$copy/schedules/catalogue.cpp"
sed -i "s|^  algorithms/bucket.cpp|$file\n&|" "$copy/schedules/CMakeLists.txt"

cmake -S "$copy" -B "$copy/build" -G Ninja -DONCEOVER_TESTS=OFF -DCMAKE_BUILD_TYPE=Debug >/dev/null
cmake --build "$copy/build" --target verify >/dev/null
"$copy/build/verify" --algo direct --p 1..64
"$copy/build/verify" --algo direct --p 1..64 --collective allgather
"$copy/build/verify" list direct | grep -q 'every block straight to its owner'
