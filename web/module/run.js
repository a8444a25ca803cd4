"use strict";
// Runs command lines in the module. Shared by the page's worker and the package for npm.

/// Runs a command line of `verify` on files in memory: `words` as a shell passes them, `files` by their paths, as texts or
/// bytes. `start` is the module's factory, `wasm` its compiled code. Resolves to the exit code, what was printed, and the
/// files that were written. Each run begins anew; nothing is kept. `ask` gives the answers of a solver, at once; see questions.js.
/// It runs in `folder`. Of the files, "-" is standard input, and a path that ends with / is a folder.
async function runVerify(start, wasm, words, files = {}, ask = null, folder = "/") {
  const out = [], err = [];
  const input = bytesOfText(files["-"] ?? "").values();
  const module = await start({
    ask,
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(wasm, imports).then((instance) => done(instance));
      return {};
    },
    preRun: [({ FS }) => FS.init(() => input.next().value ?? null, (byte) => out.push(byte), (byte) => err.push(byte))],
    quit(_, why) { throw why; },
  });
  const { FS } = module;
  for (const [path, content] of Object.entries(files)) {
    const parent = path.slice(0, path.lastIndexOf("/") + 1);
    if (parent) FS.createPath("/", parent);
    if (path !== parent && path !== "-") FS.writeFile(path, content);
  }
  FS.createPath("/", folder);
  FS.chdir(folder);
  const before = contents(FS);
  const text = (bytes) => new TextDecoder().decode(new Uint8Array(bytes));
  let code;
  try {
    code = module.callMain(words);
  } catch (error) {
    code = 5;
    err.push(...new TextEncoder().encode(`verify: internal error: ${error.message ?? error}\n`));
  }
  const made = [...contents(FS)].filter(([path, content]) => !isSame(content, before.get(path)));
  return { code, out: text(out), err: text(err), files: Object.fromEntries(made) };
}

function bytesOfText(text) {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}

function contents(FS) {
  return new Map(allFiles(FS).map((path) => [path, FS.readFile(path)]));
}

function isSame(content, other) {
  return other !== undefined && content.length === other.length && content.every((byte, k) => byte === other[k]);
}

/// The paths of the files in memory, without those of the system.
function allFiles(FS, folder = "/") {
  return FS.readdir(folder).filter((name) => name !== "." && name !== "..").flatMap((name) => {
    const path = folder + name;
    if (folder === "/" && ["dev", "proc"].includes(name)) return [];
    const { mode } = FS.stat(path);
    return FS.isDir(mode) ? allFiles(FS, `${path}/`) : FS.isFile(mode) ? [path] : [];
  });
}

if (typeof exports === "object") exports.runVerify = runVerify;
