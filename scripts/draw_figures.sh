#!/usr/bin/env bash
# Draws docs/figures/ again: every command that docs/gallery.md and docs/drawing.md show in a block of `sh`, those like the
# one for goodput, and what bench/scale.sh measured.
#   scripts/draw_figures.sh [FOLDER]   into another folder, with the program that VERIFY names
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(readlink -f "${1:-docs/figures}")
verify=${VERIFY:-./verify}
cat docs/gallery.md docs/drawing.md | awk '$0 == "```sh" { on = 1; next } /^```$/ { on = 0 } on && /^\.\/verify draw / || on && /--draw-counterexample/ || on && /--plot /' |
  while read -r line; do
    line=${line//docs\/figures/$folder}
    bash -c "${line/#.\/verify/$verify}" </dev/null >/dev/null || { echo "failed: $line" >&2; exit 1; }
  done
# goodput NAME TORUS [OPTION..]: a figure of the Swing paper; the gallery shows the command of figure 7.
goodput() {
  local rings=,hamiltonian-ring
  if [[ $2 == *x*x* ]]; then rings=; fi # it has no such rings
  "$verify" cost --algo "swing+swing-latency,recursive-doubling+rabenseifner,bucket$rings" --torus "$2" --lanes all \
    "${@:3}" --plot "$folder/swing-$1.svg" </dev/null >/dev/null
}
for torus in 64x16 32x8 256x4; do goodput "11-$torus" "$torus"; done
for torus in 8x8 8x8x8 8x8x8x8; do goodput "12-$torus" "$torus"; done
goodput 13 64x64 --topology hx2mesh
goodput 14 64x64 --topology hx4mesh
goodput 15 64x64 --topology hyperx
gnuplot -e "data = 'bench/scale.csv'" bench/scale.gp >"$folder/scale.svg"
