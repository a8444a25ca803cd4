#!/usr/bin/env bash
# Draws docs/figures/ again: every command that docs/gallery.md and docs/drawing*.md show in a block of `sh`, and what
# bench/scale.sh measured.
#   scripts/draw_figures.sh [FOLDER]   into another folder, with the program that VERIFY names
set -eu
cd "$(dirname "${BASH_SOURCE[0]}")/.."
folder=$(readlink -f "${1:-docs/figures}")
verify=${VERIFY:-./verify}
cat docs/gallery.md docs/drawing*.md | awk '$0 == "```sh" { on = 1; next } /^```$/ { on = 0 } on && /^\.\/verify draw / || on && /--draw-counterexample/ || on && /--plot /' |
  while read -r line; do
    line=${line//docs\/figures/$folder}
    bash -c "${line/#.\/verify/$verify}" </dev/null >/dev/null || { echo "failed: $line" >&2; exit 1; }
  done
gnuplot -e "data = 'bench/scale.csv'" bench/scale.gp >"$folder/scale.svg"
