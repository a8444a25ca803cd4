"use strict";
// Runs command lines one after the other, beside the page.

let compiled = null;
let ask = () => "no answer: this page has no Z3; see docs/playground.md for how to serve it with one";
onmessage = async ({ data: { wasm, memory, id, words, files } }) => {
  if (wasm) compiled = WebAssembly.compile(wasm);
  if (memory) ask = asker(memory, (question) => postMessage({ question }));
  if (!words) return;
  try {
    postMessage({ id, ...(await runVerify(verifyModule, await compiled, words, files, ask)) });
  } catch (error) {  // there is no memory for the module, or no way to compile it
    postMessage({ id, code: 5, out: "", err: `verify: internal error: ${error.message ?? error}\n`, files: {} });
  }
};
