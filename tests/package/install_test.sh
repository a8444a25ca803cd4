#!/usr/bin/env bash
# Installs the build into a folder, builds the example that uses the library from there, and runs it.
# With --all also that the example notices a slip. Usage: install_test.sh BUILD SOURCE [--all]
set -eu
build=$1
source=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
cp -r "$source/examples/library" "$scratch/consumer"
cmake -S "$scratch/consumer" -B "$scratch/consumer/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-Wall\ -Wextra\ -Werror \
  -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
cmake --build "$scratch/consumer/build" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
"$scratch/consumer/build/check_my_allreduce" | tee "$scratch/out"
grep -qx 'my allreduce is right for every p from 2 to 64' "$scratch/out"

! grep -rl "$source" "$scratch/prefix/lib" --include='*.cmake' || { echo "a path of the build is installed" >&2; exit 1; }
[ "${3-}" = --all ] || exit 0

# A slip must be seen: blocks that start one rank too late.
sed -i 's/send_to_the_next(-1, Op::reduce)/send_to_the_next(0, Op::reduce)/' "$scratch/consumer/check_my_allreduce.cpp"
cmake --build "$scratch/consumer/build" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
if "$scratch/consumer/build/check_my_allreduce" >"$scratch/out"; then
  echo "the slip passed" >&2
  exit 1
fi
grep -q exactly-once "$scratch/out"
