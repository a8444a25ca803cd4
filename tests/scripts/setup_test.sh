#!/usr/bin/env bash
# Where there is no apt-get and no build tool, set-up must name the packages and fail. Usage: setup_test.sh SOURCE
set -eu
source=$1
tools=$(mktemp -d)
trap 'rm -rf "$tools"' EXIT
for tool in bash dirname awk sed cat id grep; do ln -s "$(command -v "$tool")" "$tools/$tool"; done

if PATH=$tools bash -c 'source "$0/scripts/setup.sh"; install_packages build draw kernel python web test' "$source" 2>"$tools/err"; then
  echo "set-up succeeded without any tool" >&2
  exit 1
fi
for package in $(awk '!/^#/ { print $1 }' "$source/scripts/packages.txt"); do
  grep -q -- "$package" "$tools/err" || { echo "$package is not named" >&2; exit 1; }
done
grep -q 'no apt-get' "$tools/err"

# Every library that the sources include comes from a package of the list.
declare -A package_of=([CLI]=libcli11-dev [fmt]=libfmt-dev [tl]=libexpected-dev [nlohmann]=nlohmann-json3-dev
                       [catch2]=catch2 [boost]=libboost-graph-dev [benchmark]=libbenchmark-dev [nettle]=nettle-dev [gloo]=libgloo-dev [simgrid]=libsimgrid-dev [sys]=g++ [pybind11]=pybind11-dev [toml++]=libtomlplusplus-dev)
[[ -z $(grep -rlE '#include <z3' "$source/proofs") ]] || grep -q '^libz3-dev ' "$source/scripts/packages.txt"
[[ -z $(grep -rl '#include <expat' "$source/base") ]] || grep -q '^libexpat1-dev ' "$source/scripts/packages.txt"
includes=$(cd "$source" && grep -rhoE '^#include <[a-zA-Z0-9_+]+/' $(sed -n 's/^foreach(folder \(.*\))$/\1/p' CMakeLists.txt) python tests bench | sed -E 's/.*<//; s#/##' | sort -u)
for library in $includes; do
  package=${package_of[$library]:?no package is known for <$library/..>}
  grep -q -- "^$package " "$source/scripts/packages.txt" || { echo "$package is not in the list" >&2; exit 1; }
done
