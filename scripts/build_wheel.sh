#!/usr/bin/env bash
# Builds the package for Python as a wheel, and prints where it is: scripts/build_wheel.sh [FOLDER]
# It shares the build of ./verify, and needs no network but for Debian's packages, where they are missing.
set -eu
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/setup.sh"
folder=$(realpath -m "${1:-$root/build/wheels}")

stamp=$root/build/default/python.stamp
if ! is_fresh "$stamp" "${sources[@]}" python; then
  tests=()
  is_configured default || tests=(-DONCEOVER_TESTS=OFF)
  install_packages build python && build default "$stamp" onceover_python_stubs -DONCEOVER_PYTHON_MODULE=ON "${tests[@]}" || exit 5
fi
/usr/bin/python3 -B "$root/python/build_backend.py" "$folder" "$root/build/default"
