#!/usr/bin/env bash
# Builds build/portable/verify, one file that runs on any x86-64 Linux: scripts/build_portable.sh
# It holds the program, the libraries that it needs, and their loader; packaging/portable/launcher.c starts them.
set -eu
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/setup.sh"
folder=$root/build/portable
program=$root/build/default/verify-portable

stamp=$root/build/default/portable.stamp
if ! is_fresh "$stamp" "${sources[@]}" packaging; then
  tests=()
  is_configured default || tests=(-DONCEOVER_TESTS=OFF)
  install_packages build && build default "$stamp" verify-portable "${tests[@]}" || exit 5
fi

# The loader and the libraries by their paths here, each once.
loader=$(ldd "$program" | sed -nE 's/^\s*(\/\S*ld-linux\S*) .*/\1/p')
libraries=$(ldd "$program" | sed -nE 's/.* => (\/\S+) .*/\1/p' | sort -u)
mkdir -p "$folder"
{
  printf 'FILE(loader, "%s")\nFILE(program, "%s")\n' "$loader" "$program"
  number=0
  for library in $libraries; do
    printf 'FILE(library_%d, "%s")\n' $((number++)) "$library"
  done
} >"$folder/payload.h"
"${CC:-cc}" -O2 -Wall -Wextra -Werror -static -s -I "$folder" "$root/packaging/portable/launcher.c" -o "$folder/verify.new"
mv "$folder/verify.new" "$folder/verify"
echo "$folder/verify"
