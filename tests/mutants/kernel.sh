#!/usr/bin/env bash
# verify-kernel judges mutants of schedules as the verifier, the reference engine and verify-check do.
# Usage: kernel.sh MUTANTS VERIFY_KERNEL SCHEDULES     SCHEDULES: how many of them
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A quarter of the mutants are programs.
"$1" --count $((($3 * 4 + 2) / 3)) --seed 7 --write "$folder" >"$folder/table"
find "$folder" -name '*.json' -printf '%f\n' | sort >"$folder/names"
count=$(wc -l <"$folder/names")
[ "$count" -ge "$3" ] || { echo "$count mutants are schedules, fewer than $3" >&2; exit 1; }
cd "$folder"
status=0
xargs "$2" <names >answers || status=$?
[ $status = 0 ] || [ $status = 123 ] || { echo "xargs ends with $status; the last answers:" >&2; tail -n 3 answers >&2; exit 1; }
sed -nE 's/^((pass|fail)-[0-9]+\.json): (pass|fail): .*/\1 \2 \3/p' answers >verdicts
[ "$(wc -l <verdicts)" = "$(wc -l <names)" ] ||
  { echo "not all are answered; without a verdict:" >&2; cut -d ' ' -f 1 verdicts | sort | comm -23 names - >&2; exit 1; }
awk '$2 != $3 { print; wrong = 1 } { ++seen[$3] } END { print seen["pass"] " pass, " seen["fail"] " fail"; exit wrong || !seen["pass"] || !seen["fail"] }' verdicts
