"use strict";
// Runs command lines one after the other, beside the page.

let compiled = null;
onmessage = async ({ data: { wasm, id, words, files } }) => {
  if (wasm) compiled = WebAssembly.compile(wasm);
  if (words) postMessage({ id, ...(await runVerify(verifyModule, await compiled, words, files)) });
};
