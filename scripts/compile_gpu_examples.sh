#!/bin/bash
# Compiles examples/gpu/*.cu to PTX, for people who have no CUDA, and names what could not be compiled.
#   scripts/compile_gpu_examples.sh [FOLDER [NAME..]]     default: examples/gpu/ptx, and all examples
# NAME stands for an example and its bugs, NAME-0 for the example alone, and NAME-3 for its bug 3.
# nvcc makes NAME.sm_80.ptx and NAME.sm_90.ptx, clang NAME.clang.ptx, and bugs/NAME-N.ptx with the seeded bugs of
# examples/gpu/bugs.toml. What the machine has no compiler for is left as it is.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(realpath -m "${1:-examples/gpu/ptx}")
mkdir -p "$folder/bugs"
cd examples/gpu
wanted=" ${*:2} "

is_wanted() { [ "$wanted" = "  " ] || [[ "$wanted" = *" $1 "* ]]; }

left_out=()

# Paths of sources relative to examples/gpu, those of a compiler's own headers without their folder.
relative_paths() {
  sed -E -i -e "s#(\.file[^\"]*\")$PWD/(\./)?#\1#" -e 's#(\.file[^"]*")/[^"]*/#\1#' \
    -e 's#^(\s*\.file\s+[0-9]+\s+"[^"]*"), [0-9]+, [0-9]+#\1#' "$1"
}

by_nvcc() {  # SOURCE TARGET OUT OPTIONS..
  nvcc -ptx -std=c++17 -lineinfo -arch="$2" "${@:4}" "$1" -o "$3"
  relative_paths "$3"
}

by_clang() {  # SOURCE OUT OPTIONS..
  clang -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 -Xclang -target-feature -Xclang +ptx75 \
    -Wno-unknown-cuda-version -std=c++17 -O2 -gline-directives-only "${@:3}" -S "$1" -o "$2"
  relative_paths "$2"
}

has() { command -v "$1" > /dev/null; }

# multimem needs sm_90, which Debian's clang does not know.
needs_nvcc() { [ "$1" = multimem ]; }

compile() {  # NAME
  if has nvcc; then
    needs_nvcc "$1" || by_nvcc "$1.cu" sm_80 "$folder/$1.sm_80.ptx"
    by_nvcc "$1.cu" sm_90 "$folder/$1.sm_90.ptx"
  else
    left_out+=("$1 for sm_80 and sm_90: no nvcc")
  fi
  if needs_nvcc "$1"; then
    left_out+=("$1 by clang: needs sm_90")
  elif has clang; then
    by_clang "$1.cu" "$folder/$1.clang.ptx"
  else
    left_out+=("$1 by clang: no clang")
  fi
}

compile_bug() {  # NAME NUMBER
  local out="$folder/bugs/$1-$2.ptx"
  if needs_nvcc "$1" && has nvcc; then
    by_nvcc "$1.cu" sm_90 "$out" "-DBUG=$2"
  elif ! needs_nvcc "$1" && has clang; then
    by_clang "$1.cu" "$out" "-DBUG=$2"
  else
    left_out+=("bug $2 of $1: no compiler")
  fi
}

for source in *.cu; do
  if is_wanted "${source%.cu}" || is_wanted "${source%.cu}-0"; then compile "${source%.cu}"; fi
done
while read -r name number; do
  if is_wanted "$name" || is_wanted "$name-$number"; then compile_bug "$name" "$number"; fi
done \
  < <(sed -n -E 's/^name = "([a-z_]+)-([0-9]+)"$/\1 \2/p' bugs.toml)
[ ${#left_out[@]} -eq 0 ] || printf 'not compiled: %s\n' "${left_out[@]}"
