#!/bin/sh
# What action.yml runs: gets the program, then runs the gate as on every machine. Inputs are in GATE, OPTIONS, VERIFY, URL, DIGEST
# and OUT; a downloaded program is kept in RUNNER_TEMP. Exit code 2 if there is no such program.
set -eu
here=$(dirname "$0")

fail() { echo "onceover: $*" >&2; exit 2; }

if [ -n "${URL:-}" ]; then
  [ -n "${DIGEST:-}" ] || fail "url needs sha256: without it, anyone who can change the file can change the verdict"
  VERIFY=$(mktemp -d "${RUNNER_TEMP:-/tmp}/onceover-XXXXXX")/verify
  curl --fail --silent --show-error --location --output "$VERIFY" "$URL" || fail "cannot download $URL"
  echo "$DIGEST  $VERIFY" | sha256sum --check --status || fail "$URL is another file than sha256 says: $(sha256sum <"$VERIFY" | cut -d' ' -f1)"
  chmod +x "$VERIFY"
fi
command -v "${VERIFY:-verify}" >/dev/null || fail "no program '${VERIFY:-verify}'; the input verify names one, url downloads one"
export VERIFY
# Options are words, and patterns in them are the gate's, not the shell's.
set -f
exec sh "$here/../examples/ci/run-gate.sh" "${GATE:-gate.toml}" ${OPTIONS:-}
