#!/usr/bin/env bash
# not_built_test.sh VERIFY: without verify-distributed, `verify --distributed` says what to do and ends with 2.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$1" "$folder/verify"
said=$(PATH=$folder "$folder/verify" --distributed --algo swing --p 7 2>&1)
code=$?
[ $code = 2 ] && [[ $said == *"verify-distributed isn't there"*libopenmpi-dev* ]] && exit 0
echo "exit code $code: $said"
exit 1
