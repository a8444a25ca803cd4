#!/usr/bin/env bash
# Makes FOLDER/verify, one file, of a program, the libraries that it needs, and their loader; launcher.c starts them.
# Prints the file's path. Usage: pack.sh PROGRAM FOLDER
set -eu
program=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

needed=$(ldd "$program")
loader=$(sed -nE 's/^\s*(\/\S*ld-linux\S*) .*/\1/p' <<<"$needed")
libraries=$(sed -nE 's/.* => (\/\S+) .*/\1/p' <<<"$needed" | sort -u)
{
  printf 'FILE(loader, "%s")\nFILE(program, "%s")\n' "$loader" "$program"
  number=0
  for library in $libraries; do
    printf 'FILE(library_%d, "%s")\n' $((number++)) "$library"
  done
} >"$folder/payload.h"
"${CC:-cc}" -O2 -Wall -Wextra -Werror -static -s -I "$folder" "$here/launcher.c" -o "$folder/verify.new"
mv "$folder/verify.new" "$folder/verify"
echo "$folder/verify"
