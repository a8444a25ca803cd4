#!/usr/bin/env bash
# What verify certifies, verify-check confirms; what it shouldn't, it doesn't. Usage: two_programs.sh VERIFY CHECK SOURCE
set -eu
verify=$1
check=$2
source=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# ends CODE COMMAND..: the command must end so.
ends() {
  local expected=$1 code=0
  shift
  "$@" >out 2>err || code=$?
  [ "$code" = "$expected" ] || { echo "$* ended with $code rather than $expected" >&2; cat out err >&2; exit 1; }
}

# It is small, and it is alone.
# at_most LINES FILE..
at_most() {
  local most=$1 lines
  shift
  lines=$(cat "$@" | grep -vcE '^\s*(//.*)?$')
  [ "$lines" -le "$most" ] || { echo "$* have $lines lines of code" >&2; exit 1; }
}
cd "$source/check"
at_most 655 certificate.* main.cpp schedule.* cursor.h
at_most 1220 plan*.* json.h
at_most 1200 program*.* msccl.cpp goal.cpp
cd "$scratch"
! grep -hE '^#include' "$source"/check/* | grep -vE '^#include (<[a-z_]+>|"check/[a-z_]+\.h")$' || exit 1
! ldd "$check" | grep -E 'z3|boost|fmt|expat|tbb' || exit 1

for subject in '--algo swing --p 7' '--torus 3x4 --algo swing --lanes all' '--algo bruck --collective allgather --p 9'; do
  $verify export $subject --to json -o right.json
  ends 0 "$verify" $subject --certify right.cert
  ends 0 "$check" right.json right.cert
  grep -q '^pass: ' out
  ends 0 "$check" - right.cert <right.json
  ends 0 "$check" right.json - <right.cert
  # The certificate of the file is the same.
  ends 0 "$verify" right.json --certify again.cert
  cmp right.cert again.cert
done

for removed in 1 2 3; do
  $verify export --algo generalized --p 7 --set removed-steps=$removed --to json -o scratch.json
  ends 0 "$verify" --algo generalized --p 7 --set removed-steps=$removed --certify scratch.cert
  ends 0 "$check" scratch.json scratch.cert
  ends 0 "$verify" scratch.json --certify again.cert
  cmp scratch.cert again.cert
  ends 1 "$check" right.json scratch.cert
done

for name in lost replaced swing-latency-6 swing-6-keep-first conflict not-held into-nothing self-transfer; do
  wrong=$source/tests/data/$name.json
  ends 1 "$verify" "$wrong" --certify wrong.cert
  ends 0 "$check" "$wrong" wrong.cert
  grep -q '^fail: ' out
  ends 1 "$check" "$wrong" right.cert
  ends 1 "$check" right.json wrong.cert
done

ends 3 "$check" right.cert right.cert
grep -q '^right.cert:1:1: ' err
ends 3 "$check" right.json right.json
ends 2 "$check" right.json /dev/null
ends 2 "$check" right.json nowhere.cert
ends 3 "$check" right.json
limited() (ulimit -v 20000 && "$@")
seq 3000000 > long.cert
[ "$(ldd "$check" | grep -c asan)" != 0 ] || ends 2 limited "$check" right.json long.cert
ends 0 "$check" --help

# No verdict, no certificate; and what was there stays.
cp right.cert before.cert
ends 4 "$verify" --algo swing --p 8 --budget 10 --certify right.cert
cmp right.cert before.cert
ends 2 "$verify" --algo swing --p 7,8 --certify right.cert
ends 2 "$verify" --algo swing --p 8 --certify nowhere/right.cert
ends 1 "$verify" "$source/examples/circle.goal" --certify right.cert
ends 4 "$verify" "$source/tests/data/msccl/copies.xml" --certify right.cert
cmp right.cert before.cert

# Programs.
for file in goal/tree.goal goal/ring.goal msccl/ring-2.xml msccl/alltoall.xml; do
  ends 0 "$verify" "$source/tests/data/$file" --certify program.cert
  ends 0 "$check" "$source/tests/data/$file" program.cert
done
ends 1 "$check" "$source/tests/data/msccl/doubling.xml" program.cert
