#!/usr/bin/env bash
# A checkout that was moved or copied builds again, and `live --help` needs no MPI built. The program is a script here,
# which CMake puts into its place. Usage: moved_test.sh SOURCE
set -eu
source=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

mkdir "$folder/first"
cp -r "$source/verify" "$source/run-tests" "$source/scripts" "$source/CMakePresets.json" "$folder/first"
cat >"$folder/first/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES NONE)
enable_testing()
add_test(NAME nothing COMMAND true)
add_custom_target(verify ALL COMMAND cp ${CMAKE_SOURCE_DIR}/program ${CMAKE_BINARY_DIR}/verify)
add_custom_target(verify-mpi COMMAND false)
END
printf '#!/bin/sh\necho "ran $0 $*"\n' >"$folder/first/program"
chmod +x "$folder/first/program"

fail() {
  echo "$1" >&2
  cat "$folder/err" >&2
  exit 1
}

# runs FOLDER ARGUMENT..: does ./verify there run its own program?
runs() {
  local at=$folder/$1 out
  shift
  out=$("$at/verify" "$@" 2>"$folder/err") || fail "$at: verify $* ends with $?"
  [ "$out" = "ran $at/build/default/verify $*" ] || fail "$at: verify $*: $out"
}

runs first --version
runs first live --help
runs first live -h --p 4
if PATH=$PATH command -v mpicc >/dev/null && "$folder/first/verify" live --p 4 2>/dev/null; then
  fail "verify-mpi is no longer built for live"
fi

cp -r "$folder/first" "$folder/copy"
touch "$folder/copy/CMakeLists.txt"
runs copy --version
grep -q "build/default is another folder's" "$folder/err" || fail "the copy doesn't say why it configures"
if grep -q "CMake Error" "$folder/err"; then fail "the copy shows CMake's errors"; fi
runs copy --version
if grep -q building "$folder/err"; then fail "the copy is built each time"; fi

mv "$folder/first" "$folder/moved"
touch "$folder/moved/CMakeLists.txt"
runs moved --version
cp -r "$folder/moved" "$folder/other"
"$folder/other/run-tests" >"$folder/out" 2>"$folder/err" || fail "run-tests of the copy ends with $?"
grep -q "100% tests passed" "$folder/out" || fail "run-tests of the copy: $(cat "$folder/out")"

# By another name of the same place nothing is built anew.
ln -s "$folder/moved" "$folder/link"
touch "$folder/moved/CMakeLists.txt"
"$folder/link/verify" --version >/dev/null 2>"$folder/err"
if grep -q "another folder's" "$folder/err"; then fail "a link is taken for another place"; fi
