#!/usr/bin/env bash
# Builds build/portable/verify, one file that runs on any x86-64 Linux: scripts/build_portable.sh
set -eu
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/setup.sh"
program=$root/build/default/verify-portable

stamp=$root/build/default/portable.stamp
if ! is_fresh "$stamp" "${sources[@]}" packaging; then
  tests=()
  is_configured default || tests=(-DONCEOVER_TESTS=OFF)
  install_packages build && build default "$stamp" verify-portable "${tests[@]}" || exit 5
fi

"$root/packaging/portable/pack.sh" "$program" "$root/build/portable"
