#!/usr/bin/env bash
# Builds the package for Python as a wheel, and prints where it is: scripts/build_wheel.sh [FOLDER]
# It needs no network but for Debian's packages, where they are missing. The module is for /usr/bin/python3.
set -eu
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/setup.sh"
folder=$(realpath -m "${1:-$root/build/wheels}")
install_packages build python
mkdir -p "$root/build/python"
cd "$root/python"
/usr/bin/python3 -B -c 'import build_backend, sys; build_backend.configure_and_build()' >"$root/build/python.log" 2>&1 || {
  tail -n 60 "$root/build/python.log" >&2
  exit 1
}
/usr/bin/python3 -B build_backend.py "$folder" "$root/build/python"
