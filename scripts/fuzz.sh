#!/bin/sh
# Runs every fuzz target by libFuzzer, one after the other, each for a time on its seeds and on what it makes of them;
# says how many inputs each ran and what was found. The findings stay in build/fuzz/findings.
# Usage: scripts/fuzz.sh [SECONDS per target, 60]
# Exit code 1 if anything was found.
set -eu
seconds=${1:-60}
case $seconds in
  '' | *[!0-9]*) sed -n '2,/^# Exit/s/^# //p' "$0"; [ "$seconds" = --help ] && exit 0 || exit 2 ;;
esac
cd "$(dirname "$0")/.."
targets=$(sed -n 's/^fuzz_target(\([a-z_]*\) \([a-z/]*\).*/\1:\2/p' tests/CMakeLists.txt)

cmake --preset fuzz > build-fuzz.log 2>&1 || { cat build-fuzz.log; rm build-fuzz.log; exit 2; }
rm build-fuzz.log
for target in $targets; do
  cmake --build --preset fuzz --target "fuzz_${target%%:*}"
done

found=0
for target in $targets; do
  name=${target%%:*} seeds=tests/${target#*:}
  findings=build/fuzz/findings/$name
  corpus=build/fuzz/corpus/$name
  mkdir -p "$findings" "$corpus"
  log=build/fuzz/findings/$name.log
  # What takes 10 s or 2 GiB for one input counts as found, too.
  "build/fuzz/tests/fuzz_$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 -print_final_stats=1 \
    -artifact_prefix="$findings/" "$corpus" "$seeds" > "$log" 2>&1 && ended=0 || ended=1
  runs=$(sed -n 's/^stat::number_of_executed_units: //p' "$log")
  cover=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  finds=$(find "$findings" -type f | wc -l)
  printf '%-16s %10s runs in %s s, %6s edges covered, %s found\n' "$name" "${runs:-?}" "$seconds" "${cover:-?}" "$finds"
  if [ "$ended" -ne 0 ] || [ "$finds" -ne 0 ]; then found=1; tail -n 20 "$log"; fi
done
exit $found
