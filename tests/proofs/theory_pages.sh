#!/usr/bin/env bash
# What docs/your-own-theorem.md shows of a row of one's own is accepted by Coq; a wrong one isn't. With --all also: the theory's pages have its
# theorems. Usage: theory_pages.sh SOURCE_FOLDER CHECK [--all]     CHECK lies beside the compiled theory
set -eu
source=$(cd "$1" && pwd)
theory=$(cd "$(dirname "$2")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The row of one's own: the page's Coq, and its output.
sed -n '/^```coq$/,/^```$/p' "$source/docs/your-own-theorem.md" | grep -v '^```' >"$folder/Heap.v"
cd "$folder"
coqc -q -Q "$theory" Collectives Heap.v >out
diff - "$folder/out" <<'E2'
Closed under the global context
     = true
     : bool
E2
refused() {
  sed "s/$1/$2/" "$folder/Heap.v" >"$folder/Wrong.v"
  ! cmp -s "$folder/Heap.v" "$folder/Wrong.v" || exit 1
  if coqc -q -Q "$theory" Collectives Wrong.v >"$folder/why" 2>&1; then
    echo "Coq accepts a wrong row: $2" >&2
    exit 1
  fi
  grep -q Error "$folder/why"
}
refused 'fun d => p - 1 - d' 'fun d => d - 1'
[ "${3-}" = --all ] || exit 0
refused '(d - 1) \/ 2' '(d + 1) \/ 2'

"$source/proofs/coq/pages.sh" "$theory" "$folder/pages" >"$folder/log" 2>&1
grep -q 'exactly_once' "$folder/pages/Collectives.Semantics.html"
grep -q 'href="Collectives.Semantics.html#exactly_once"' "$folder/pages/Collectives.SwingAll.html"
python3 - "$folder/pages" "$source/proofs/coq/theorems.txt" <<'E2'
import pathlib
import re
import sys

pages = {path.name: path.read_text() for path in pathlib.Path(sys.argv[1]).glob("*.html")}
theorems = [line.split(".") for line in pathlib.Path(sys.argv[2]).read_text().splitlines() if not line.startswith("#")]
shown = [name for file, name in theorems if f'id="{name}"' in pages.get(f"Collectives.{file}.html", "")]
missing = {name for file, name in theorems if f"Collectives.{file}.html" in pages} - set(shown)
lost = {target for text in pages.values() for target in re.findall(r'href="([^"#:]+)["#]', text)} - {*pages, "coqdoc.css"}
assert not missing and not lost and len(shown) > 80, (missing, lost, len(shown))
print(len(shown), "theorems on", len(pages), "pages")
E2
