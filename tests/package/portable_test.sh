#!/usr/bin/env bash
# Makes the file for any Linux and runs it where there is nothing else: in a root that holds only it, without /proc, /tmp and
# libraries; in one that can't be written, with /proc; and in one with neither.
# Usage: portable_test.sh VERIFY VERIFY_PORTABLE SOURCE. Exit code 77 (skipped) unless it runs as root and may mount.
set -eu
verify=$1
source=$3
[ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null || exit 77
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
portable=$("$source/packaging/portable/pack.sh" "$2" "$scratch/packed")
root=$scratch/root
mkdir "$root"
cp "$portable" "$root/verify"

fail() { echo "$*" >&2; exit 1; }

# same ARGUMENT..: does the file print what the program prints, and leave nothing behind?
same() {
  local expected=0 code=0
  "$verify" "$@" >"$scratch/expected" 2>&1 || expected=$?
  chroot "$root" /verify "$@" >"$scratch/found" 2>&1 || code=$?
  [ $code = $expected ] || { cat "$scratch/found"; fail "$* ended with $code, not $expected"; }
  diff "$scratch/expected" "$scratch/found" || fail "$* prints something else"
  [ "$(ls -A "$root")" = verify ] || fail "$* left something behind: $(ls -A "$root")"
}

[ "$(stat -c %s "$portable")" -lt 60000000 ] || fail "it is larger than 60 MB"
! readelf -l "$portable" | grep -q INTERP || fail "it needs a loader"
same --algo swing --p 7
same --algo swing-keep-second --p 6
same --peer 'r xor pow2(s)' --p 2..8
same claims swing-least-bytes
same prove --all
same list
same --algo swng

# in_root OPTIONS COMMAND: runs a command in a mount namespace whose root can't be written.
in_root() { unshare -m bash -c 'mount --bind -o ro "$1" "$1" && shift && eval "$*"' _ "$root" "$1"; }
in_root "chroot $root /verify --algo ring --p 3" >"$scratch/found" 2>&1 && fail "no place is a place"
grep -q 'TMPDIR names one' "$scratch/found" || fail "$(cat "$scratch/found")"

mkdir "$root/proc"
in_root "mount -t proc proc $root/proc; chroot $root /verify --algo ring --p 3" | grep -q '^pass' ||
  fail "it doesn't run from memory"

# The user's variables of the loader are the user's programs', not its own.
printf '#!/bin/sh\necho "$LD_LIBRARY_PATH" "$ONCEOVER_PORTABLE" >%s\nls -l /proc/$$/fd >>%s\nexit 1\n' "$scratch/seen" "$scratch/seen" >"$scratch/generator"
chmod +x "$scratch/generator"
LD_LIBRARY_PATH=/nowhere LD_PRELOAD=/nowhere/none.so "$portable" --exec "$scratch/generator {p}" --p 2 >/dev/null 2>&1 || true
[ "$(head -n 1 "$scratch/seen")" = '/nowhere ' ] || fail "a program sees $(cat "$scratch/seen")"
! grep -q onceover "$scratch/seen" || fail "a program has the file's descriptors: $(cat "$scratch/seen")"
"$portable" --algo ring --p 3 <&- | grep -q '^pass'
mkdir "$scratch/tmp"
unshare -m bash -c "mount -t tmpfs none /proc; TMPDIR=$scratch/tmp $portable --algo ring --p 3" | grep -q '^pass'
[ -z "$(ls -A "$scratch/tmp")" ] || fail "files stay in TMPDIR"
echo "the file runs where there is nothing else"
