#!/bin/sh
# Runs a gate as CI does: all outputs in one folder, the summary where GitHub shows it, the gate's exit code at the end.
#
# Usage: run-gate.sh [GATE_FILE [OPTIONS OF verify gate..]]
#   VERIFY               the program [verify]
#   OUT                  the folder of the outputs [gate-results]
#   GITHUB_STEP_SUMMARY  a file that the summary is added to, if it is set
set -u
gate=${1:-gate.toml}
[ $# -gt 0 ] && shift
out=${OUT:-gate-results}
mkdir -p "$out" || exit 2
# What an earlier run left must not pass for this one's.
rm -f "$out/gate.json" "$out/gate.junit.xml" "$out/gate.sarif" "$out/gate.md"

"${VERIFY:-verify}" gate "$gate" --json-out "$out/gate.json" --junit-out "$out/gate.junit.xml" \
  --sarif-out "$out/gate.sarif" --markdown-out "$out/gate.md" "$@"
code=$?
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f "$out/gate.md" ]; then
  cat "$out/gate.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
