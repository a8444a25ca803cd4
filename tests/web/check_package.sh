#!/usr/bin/env bash
# The package for npm, packed and installed offline, verifies a text, proves, and runs as a command:
# check_package.sh PROGRAM ROOT
# With ONCEOVER_Z3_SOLVER, the folder of npm's z3-solver, it also proves by Z3.
set -eu
program=$1 package=$2/build/web/npm tests=$2/tests/web z3=${ONCEOVER_Z3_SOLVER:-}
command -v em++ >/dev/null && command -v npm >/dev/null && [ -e "$package/verify.wasm" ] || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export npm_config_cache=$folder/cache npm_config_offline=true npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false
tarball=$(npm pack --silent "$package")
echo '{"name": "user", "version": "1.0.0"}' >package.json
npm install --silent "./$tarball"
"$program" export --algo swing --p 6 --to json -o s.json
node -e '
  const { verify } = require("onceover");
  const { readFileSync } = require("fs");
  (async () => {
    const right = await verify(readFileSync("s.json", "utf8"));
    const wrong = await verify("{");
    if (right.code !== 0 || right.report.runs[0].verdict !== "pass") throw new Error(JSON.stringify(right));
    if (wrong.code !== 3 || wrong.report !== null || !wrong.message.includes("input:1:")) throw new Error(JSON.stringify(wrong));
  })();'
"$program" s.json --json >expected.json
npx --no-install onceover s.json --json --json-out out.json >printed.json
cmp expected.json printed.json
cmp expected.json out.json
code=0
npx --no-install onceover --peer 'r + 1' --p 5 >printed.txt 2>&1 || code=$?
expected=0
"$program" --peer 'r + 1' --p 5 >expected.txt 2>&1 || expected=$?
[ "$code" = "$expected" ]
cmp expected.txt printed.txt
# Files are at their places, standard input is read, and a long word is no path.
mkdir sub pictures
"$program" export --algo ring --p 6 --to json -o sub/s.json
(cd sub && npx --no-install onceover contention ../s.json --beside s.json) >printed.txt
(cd sub && "$program" contention ../s.json --beside s.json) >expected.txt
cmp expected.txt printed.txt
npx --no-install onceover - <s.json >printed.txt
"$program" - <s.json >expected.txt
cmp expected.txt printed.txt
npx --no-install onceover draw --view matrix s.json -o pictures/s.svg
[ -s pictures/s.svg ]
code=0
npx --no-install onceover --peer "$(printf 'r+%.0s' {1..300})1" --p 7 >printed.txt 2>&1 || code=$?
[ "$code" -le 3 ]
if grep 'at .*\.js' printed.txt; then exit 1; fi
code=0
npx --no-install onceover optimum 2>printed.txt || code=$?
[ "$code" = 2 ]
grep -q "isn't in the playground" printed.txt
node "$tests/check_prove.js" "$program" onceover
[ -z "$z3" ] || ln -s "$z3" node_modules/
[ -z "$z3" ] || node "$tests/check_prove.js" "$program" onceover
