#!/usr/bin/env bash
# no_mpi_test.sh VERIFY: where there is no MPI, `verify live` says what to install and ends with 2.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$1" "$folder/verify"
said=$(PATH=$folder "$folder/verify" live --p 2 2>&1)
code=$?
[ $code = 2 ] && grep -q "an MPI isn't there" <<<"$said" && grep -q "libopenmpi-dev" <<<"$said" && grep -q "libmpich-dev" <<<"$said" && exit 0
echo "exit code $code: $said"
exit 1
