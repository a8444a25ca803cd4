#!/usr/bin/env node
"use strict";
// `verify` in Node: the files that the command line names are copied into memory at their places, and those that it writes
// out of it.

const { mkdirSync, readFileSync, statSync, writeFileSync } = require("node:fs");
const { dirname, resolve } = require("node:path");
const { run } = require("./index.js");

/// What may be a path in these words: each word, and what follows the first = of an option.
function paths(words) {
  return words.flatMap((word) => (word.startsWith("-") && word.includes("=") ? [word.slice(word.indexOf("=") + 1)] : [word]));
}

/// Nothing if there is none, or if the word is no path.
function entry(path) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/// What is there at these paths: files, and folders in which files may be written.
function copies(places) {
  const files = {};
  for (const place of places) {
    if (entry(place)?.isFile()) files[place] = readFileSync(place);
    if (entry(dirname(place))?.isDirectory()) files[`${dirname(place)}/`] = "";
  }
  return files;
}

async function main(words) {
  const named = paths(words).filter((path) => path !== "" && path !== "-");
  const places = [...new Set(named.map((path) => resolve(path)))];
  const input = words.includes("-") ? { "-": readFileSync(0) } : {};
  const { code, out, err, files } = await run(words, { ...copies(places), ...input }, null, process.cwd());
  for (const [made, content] of Object.entries(files)) {
    if (!places.some((place) => made === place || made.startsWith(`${place}/`))) continue;
    mkdirSync(dirname(made), { recursive: true });
    writeFileSync(made, content);
  }
  process.stdout.write(out);
  process.stderr.write(err);
  process.exitCode = code;
}

main(process.argv.slice(2));
