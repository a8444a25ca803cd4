"use strict";
// The verifier for programs in JavaScript: see index.d.ts.

const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const start = require("./verify.js");
const { runVerify } = require("./run.js");

let compiled = null;

async function run(words, files = {}) {
  compiled ??= WebAssembly.compile(readFileSync(join(__dirname, "verify.wasm")));
  return runVerify(start, await compiled, words, files);
}

async function verify(text, options = []) {
  const { code, out, err } = await run(["input", "--json", ...options], { input: text });
  return { code, report: out === "" ? null : JSON.parse(out), message: err };
}

module.exports = { run, verify };
