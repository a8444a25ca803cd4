#!/usr/bin/env bash
# Makes a tarball, unpacks it, and uses what is there; with --all makes the Debian packages, too, and installs them into a root of
# their own.
# Usage: deb_test.sh BUILD [--all]
set -eu
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

unpack_tarball() {
  (cd "$build" && cpack -G TGZ -B "$scratch/tarball") >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
  mkdir "$root"
  tar -C "$root" --strip-components=1 -xf "$scratch"/tarball/onceover-*.tar.gz
}

install_packages() {
  (cd "$build" && cpack -B "$scratch/debs") >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
  mkdir -p "$root/var/lib/dpkg/"{info,updates,triggers} && touch "$root/var/lib/dpkg/status" "$root/var/lib/dpkg/available"

  # What the packages depend on is on this machine; the new root has none of it.
  for package in onceover libonceover-dev; do
    deb=$(echo "$scratch"/debs/"${package}"_*.deb)
    dpkg-deb --field "$deb" Depends | tr ',' '\n' | sed -E 's/ *\(.*//; s/ //g' | while read -r needed; do
      dpkg-query -W -f='${Status}' "$needed" | grep -q 'install ok installed' || { echo "$needed is not there" >&2; exit 1; }
    done
    dpkg --root="$root" --force-depends --force-not-root --force-script-chrootless --log=/dev/null -i "$deb" >"$scratch/log" 2>&1 || { cat "$scratch/log"; exit 1; }
  done
  dpkg-deb --field "$scratch"/debs/onceover_*.deb Depends | grep -q 'libnettle8.*libz3-4'
}

use_what_is_there() {
  test -e "$root/usr/lib/"*"/cmake/onceover/onceover-config.cmake" || test -e "$root/usr/lib/cmake/onceover/onceover-config.cmake"

  "$root/usr/bin/verify" --algo swing --p 7 | tee "$scratch/out"
  grep -q '^pass' "$scratch/out"

  "$root/usr/bin/verify" export --algo swing --p 7 --to json -o "$scratch/s.json"
  "$root/usr/bin/verify" "$scratch/s.json" --certify "$scratch/s.cert" >/dev/null
  "$root/usr/bin/verify-check" "$scratch/s.json" "$scratch/s.cert" | grep -q '^pass'
  "$root/usr/bin/verify-kernel" "$scratch/s.json" | grep -qx 'pass: each contribution once, in each of 7 blocks'

  # The manual page reads without a warning and has every command; each shell takes its completion.
  page=$root/usr/share/man/man1/verify.1
  groff -man -Tutf8 -ww "$page" >"$scratch/page" 2>"$scratch/warnings"
  test ! -s "$scratch/warnings" || { cat "$scratch/warnings"; exit 1; }
  for command in list explain export draw report prove contention cost bound optimum lint live code gate watch claims completion; do
    grep -qE "^\.SS verify $command( |$)" "$page" || { echo "the manual page lacks $command" >&2; exit 1; }
  done

  # Each shell asks the program.
  local PATH=$root/usr/bin:$PATH
  complete_in_bash verify --algo swin | grep -qx 'swing swing-latency'
  complete_in_bash verify dr | grep -q '^draw'
  complete_in_bash verify draw --vi | grep -qx -- '--view'
  complete_in_bash verify draw --view cont | grep -qx contention
  zsh -n "$root/usr/share/zsh/vendor-completions/_verify"
  fish -c "source $root/usr/share/fish/vendor_completions.d/verify.fish; complete -C 'verify --algo swin'" | grep -q '^swing-latency'
  fish -c "source $root/usr/share/fish/vendor_completions.d/verify.fish; complete -C 'verify dr'" | grep -q '^draw'
}

complete_in_bash() {
  bash -c 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _verify; echo "${COMPREPLY[@]}"' \
    "$root/usr/share/bash-completion/completions/verify" "$@"
}

root=$scratch/unpacked
unpack_tarball
use_what_is_there
if [ "${2-}" = --all ]; then
  root=$scratch/installed
  install_packages
  use_what_is_there
fi
