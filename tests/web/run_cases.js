"use strict";
// Runs command lines through the package for npm: run_cases.js PACKAGE < [[words, files], ..] > [end, ..], as JSON.

const { readFileSync } = require("node:fs");
const { run } = require(process.argv[2]);

async function main() {
  const ends = [];
  for (const [words, files] of JSON.parse(readFileSync(0, "utf8"))) {
    const began = performance.now();
    const { code, out, err } = await run(words, Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, "base64")])));
    ends.push({ code, out, err, milliseconds: performance.now() - began });
  }
  process.stdout.write(JSON.stringify(ends));  // a pipe may be full
}

main();
