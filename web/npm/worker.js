"use strict";
// One command line in a thread of its own, for it may have to wait for a solver.

const { parentPort, workerData } = require("node:worker_threads");
const start = require("./verify.js");
const { asker } = require("./questions.js");
const { runVerify } = require("./run.js");

const { wasm, words, files, memory, folder } = workerData;
const ask = asker(memory, (question) => parentPort.postMessage({ question }));
runVerify(start, wasm, words, files, ask, folder).then((end) => parentPort.postMessage({ end }));
