#!/usr/bin/env bash
# no_mpi_test.sh VERIFY: where there is no MPI, `verify live` says what to install and ends with 2; what is wrong with
# the command line itself it says first.
set -u
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$1" "$folder/verify"

# says WORDS ARGUMENT..: does `verify live` refuse these, with those words?
says() {
  local words=$1 said code
  shift
  said=$(PATH=$folder "$folder/verify" live "$@" 2>&1 </dev/null)
  code=$?
  [ $code = 2 ] && [[ $said == *$words* ]] && return
  echo "live $*: exit code $code: $said"
  exit 1
}

says "an MPI isn't there" --p 2
says libopenmpi-dev --p 2
says libmpich-dev --p 2
says "expected numbers of elements" --p 2 --count x
says "did you mean 'allreduce'" --collective alreduce
says "--root: expected 0 to 1" --root 4
says "no property of running libraries" --require ports
says libsimgrid-dev --p 2
says libgloo-dev --p 2
says "simgrid isn't there" --mpi simgrid --p 2
says "expected openmpi, mpich, simgrid or gloo" --mpi opnmpi
says "expected openmpi, mpich, simgrid, gloo" --sweep opnmpi
says "can't be swept" --sweep openmpi --collective scan2
says "--json excludes --markdown" --sweep openmpi --json --markdown
says "no verify-mpi-openmpi" --sweep openmpi
says "no verify-mpi-simgrid" --sweep simgrid
says "no verify-mpi-gloo" --sweep gloo
says "--yes starts them" --p 1000 --collective allreduce --count 1
says "at most" --p 100000
