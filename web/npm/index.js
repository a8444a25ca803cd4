"use strict";
// The verifier for programs in JavaScript: see index.d.ts.

const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { Worker } = require("node:worker_threads");
const start = require("./verify.js");
const { Z3, answerMemory, putAnswer } = require("./questions.js");
const { runVerify } = require("./run.js");

let compiled = null;

async function run(words, files = {}, ask = null, folder = "/") {
  compiled ??= WebAssembly.compile(readFileSync(join(__dirname, "verify.wasm")));
  const wasm = await compiled;
  if (words[0] !== "prove") return runVerify(start, wasm, words, files, null, folder);
  if (ask !== null) return runAsking(wasm, words, files, ask, folder);
  const z3 = new Z3(loadZ3);
  try {
    return await runAsking(wasm, words, files, (script) => z3.ask(script), folder);
  } finally {
    z3.end();  // its threads would keep Node from ending
  }
}

/// Runs it in a thread that waits for the answers to what it asks.
function runAsking(wasm, words, files, ask, folder) {
  const memory = answerMemory();
  const worker = new Worker(join(__dirname, "worker.js"), { workerData: { wasm, words, files, memory, folder } });
  return new Promise((settle, fail) => {
    worker.on("error", fail);
    worker.on("exit", () => fail(new Error("the module ended without a result")));
    worker.on("message", async ({ end, question }) => {
      if (end) return settle(end);
      putAnswer(memory, await Promise.resolve(question).then(ask).catch((error) => `no answer: ${error?.message ?? error}`));
    });
  });
}

async function loadZ3() {
  let solver;
  try {
    solver = require("z3-solver");
  } catch (error) {
    throw error.code === "MODULE_NOT_FOUND" ? new Error("Z3 isn't installed: npm install z3-solver") : error;
  }
  return (await solver.init()).em;
}

async function verify(text, options = []) {
  const { code, out, err } = await run(["input", "--json", ...options], { input: text });
  return { code, report: out === "" ? null : JSON.parse(out), message: err };
}

module.exports = { run, verify };
