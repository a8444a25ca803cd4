#!/usr/bin/env node
"use strict";
// `verify` in Node: the files that the command line names are copied into memory, and those that it writes out of it.

const { mkdirSync, readFileSync, statSync, writeFileSync } = require("node:fs");
const { dirname, resolve } = require("node:path");
const { run } = require("./index.js");

/// What may be a path in these words: each word, and what follows the first = of an option.
function paths(words) {
  return words.flatMap((word) => (word.startsWith("-") && word.includes("=") ? [word.slice(word.indexOf("=") + 1)] : [word]));
}

function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

async function main(words) {
  const named = paths(words).filter((path) => path !== "" && path !== "-");
  const { code, out, err, files } = await run(words, Object.fromEntries(named.filter(isFile).map((path) => [path, readFileSync(path)])));
  for (const path of new Set(named)) {
    const inside = resolve("/", path);
    for (const [made, content] of Object.entries(files)) {
      if (made !== inside && !made.startsWith(inside + "/")) continue;
      const place = resolve(path) + made.slice(inside.length);
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, content);
    }
  }
  process.stdout.write(out);
  process.stderr.write(err);
  process.exitCode = code;
}

main(process.argv.slice(2));
