#!/usr/bin/env bash
# How far it scales: medians of wall time and processor time, and peak memory of commands, as Markdown tables.
#
#   bench/scale.sh [-n TIMES] [-b BUILD] [-s] [PART..]
#
# Parts, all without any:
#   torus      every block of allreduces on 128x128, no symmetry
#   symmetry   allreduces of 2^20 and 2^24 ranks
#   sweep      swing at p = 2..4096
#   catalogue  all that the catalogue offers at p = 2..256
#   rate       block transfers a second on one core
#   graph      time and memory against p on one core: bench/scale.csv and docs/figures/scale.svg
# -n  runs of each command [5]
# -b  a build with ONCEOVER_BENCH=ON; without it the preset `bench` is built
# -s  small sizes, to try this script; the figure and its data go to the folder of the build
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

times=5 build='' small=no
while getopts n:b:s option; do
  case $option in
    n) times=$OPTARG ;;
    b) build=$OPTARG ;;
    s) small=yes ;;
    *) sed -n '/^#   bench/,/^# -s/s/^# //p' "$0" >&2; exit 2 ;;
  esac
done
shift $((OPTIND - 1))
parts=("$@")
[ $# -gt 0 ] || parts=(torus symmetry sweep catalogue rate graph)

if [ -z "$build" ]; then
  build=build/bench
  cmake --preset bench >&2
  cmake --build --preset bench --target verify measure onceover_bench >&2
fi
verify=$build/verify
if [ $small = yes ]; then
  torus=8x8 many=(1024 4096) most=64 catalogue_most=8 rate_ranks=1024 graph_bits=(6 7 8) data=$build figures=$build
else
  torus=128x128 many=(1048576 16777216) most=4096 catalogue_most=256 rate_ranks=4096 graph_bits=(6 7 8 9 10 11 12 13 14)
  data=bench figures=docs/figures
fi

# header TITLE: begins a table of commands.
header() {
  printf '\n%s\n\n| command | seconds | processor seconds | peak MiB |\n|---|---|---|---|\n' "$1"
}

# row ARGUMENTS..: one of `verify` with these.
row() {
  local measured
  measured=$("$build/bench/measure" "$times" "$verify" "$@")
  printf '| `verify %s` | %.3f | %.3f | %.0f |\n' "$*" $measured
}

# bench FILTER COLUMN: the names and the medians of that column, as onceover_bench reports them.
bench() {
  "$build/bench/onceover_bench" --benchmark_filter="$1" --benchmark_repetitions="$times" --benchmark_format=csv \
    --benchmark_report_aggregates_only=true 2>/dev/null |
    awk -F, -v column="$2" '
      /^name,/ { for (i = 1; i <= NF; ++i) { gsub(/"/, "", $i); if ($i == column) at = i } }
      /_median"/ { gsub(/"/, "", $1); sub(/_median$/, "", $1); printf "%s %.0f\n", $1, $at }'
}

torus() {
  header "Every block, all cores."
  row --no-symmetry --algo swing --torus $torus --lanes all
  row --no-symmetry --algo bucket --torus $torus --lanes all
  row --no-symmetry --algo rabenseifner --torus $torus
}

symmetry() {
  header "By symmetry."
  local ranks
  for ranks in "${many[@]}"; do row --algo swing --p "$ranks"; done
}

sweep() {
  header "A sweep, all cores."
  row --algo swing --p 2..$most
}

catalogue() {
  header "Every algorithm of the catalogue with every collective that it offers, all cores, nothing from a cache."
  local gate=$build/catalogue.toml
  printf '[[check]]\nname = "catalogue"\nalgo = "all"\ncollective = "all"\np = "2..%s"\n' $catalogue_most >"$gate"
  row gate --no-cache "$gate"
  "$verify" gate --no-cache "$gate"
}

rate() {
  printf '\nEvery block, one thread.\n\n| benchmark | million block transfers a second |\n|---|---|\n'
  bench "verify_allreduce/(swing|ring)/ranks:$rate_ranks/threads:1/" block_transfers |
    awk '{ printf "| `%s` | %.1f |\n", $1, $2 / 1e6 }'
}

# The limit is one pass over a list of the block transfers, 8 bytes each, from memory.
graph() {
  local bandwidth algorithm mode bits p transfers measured
  bandwidth=$(bench memory_pass bytes_per_second | cut -d ' ' -f 2)
  awk -v b="$bandwidth" 'BEGIN { printf "\nOne core. One pass over memory: %.1f GB/s.\n", b / 1e9 }'
  echo algorithm,mode,ranks,block_transfers,seconds,processor_seconds,peak_mib,limit_seconds >"$data/scale.csv"
  for mode in no-symmetry symmetry; do
    for algorithm in swing ring; do
      for bits in "${graph_bits[@]}"; do
        p=$((1 << bits))
        transfers=$((2 * p * (p - 1)))
        measured=$(taskset -c 0 "$build/bench/measure" "$times" "$verify" --$mode --algo $algorithm --p $p)
        awk -v head="$algorithm,$mode,$p,$transfers" -v limit="$((8 * transfers)) $bandwidth" \
          '{ split(limit, l, " "); printf "%s,%s,%s,%s,%.9f\n", head, $1, $2, $3, l[1] / l[2] }' <<<"$measured" >>"$data/scale.csv"
      done
    done
  done
  awk -F, 'NR == 1 { print "\n| algorithm | mode | ranks | block transfers | seconds | processor seconds | peak MiB | limit, seconds |\n|---|---|---|---|---|---|---|---|" }
           NR > 1 { printf "| %s | %s | %d | %d | %.3f | %.3f | %.0f | %.6f |\n", $1, $2, $3, $4, $5, $6, $7, $8 }' "$data/scale.csv"
  gnuplot -e "data = '$data/scale.csv'" bench/scale.gp >"$figures/scale.svg"
}

LC_ALL=C lscpu | awk -F ': +' '/^Model name/ { model = $2 } /^CPU\(s\)/ { cores = $2 } END { printf "%s, %d cores; medians of '"$times"' runs\n", model, cores }'
for part in "${parts[@]}"; do
  case $part in
    torus | symmetry | sweep | catalogue | rate | graph) $part ;;
    *) echo "bench/scale.sh: no part '$part'" >&2; exit 2 ;;
  esac
done
