"use strict";
// `prove` in the package, with good solvers, bad ones, and none: check_prove.js PROGRAM PACKAGE
// It must say what the program says, and never that something is proved without the answers that this takes.

const assert = require("node:assert");
const { execFileSync, spawnSync } = require("node:child_process");
const { mkdtempSync, readFileSync, readdirSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

const [program, name] = process.argv.slice(2);
const { run } = require(require.resolve(name, { paths: [process.cwd()] }));

const formulas = ["r xor pow2(s)", "even(r) ? r + rho(s) : r - rho(s)", "r + pow2(s)", "r xor 1", "r + 1"];

/// The program's answer, with what differs between solvers and runs made alike.
const alike = (text) => text.replace(/Z3 [\d.]+/g, "Z3").replace(/ +\d+ ms/g, " ms").replace(/^verify: cvc5.*\n/m, "");

function byProgram(words) {
  const { status, stdout } = spawnSync(program, words, { encoding: "utf8" });
  return { code: status, out: alike(stdout) };
}

async function isAsProgram(words, ask = null) {
  const { code, out, err } = await run(words, {}, ask);
  assert.deepStrictEqual({ code, out: alike(out) }, byProgram(words), `${words.join(" ")}: ${err}`);
}

/// Knows the answers that the program states in the files that it writes for solvers; its values are no model.
function informed() {
  const folder = mkdtempSync(join(tmpdir(), "smt2-"));
  execFileSync(program, ["prove", "--all", "--emit-smt2", folder]);
  const answers = new Map(readdirSync(folder).map((file) => {
    const text = readFileSync(join(folder, file), "utf8");
    return [text.replace(/^\(set-info :status .*\n/m, ""), /:status (\w+)/.exec(text)[1]];
  }));
  return (script) => {
    if (script.includes(":version")) return '(:version "4.8.12")\n';
    const query = script.split("\n").slice(2).join("\n").replace(/\(get-info[^]*/, "");
    const answer = answers.get(query);
    const variables = /\(get-value \((.*)\)\)/.exec(script)[1].split(" ");
    const values = answer === "sat" ? `(${variables.map((each) => `(${each} 0)`).join(" ")})` : '(error "line 1")';
    return `${answer}\n(:reason-unknown "")\n${values}\n`;
  };
}

const unsat = 'unsat\n(:reason-unknown "")\n(error "line 1")\n';
const bad = {
  nothing: () => "",
  undefined: () => undefined,
  "a number": () => 0,
  "an error": () => '(error "line 1 column 1: unknown constant")\n',
  "an error, then an answer": () => '(error "line 1")\n' + unsat,
  "half an answer": () => "unsat",
  "an answer without its end": () => "unsat\n(:reason-unknown",
  "always yes": () => unsat,
  "sat without values": () => 'sat\n(:reason-unknown "")\n',
  unknown: () => 'unknown\n(:reason-unknown "canceled")\n(error "line 1")\n',
  "too much": () => unsat + " ".repeat(1 << 20),
  "the last answer is missing": ((informed) => (script) => (script.includes(".hypotheses") ? "" : informed(script))),
  throws: () => { throw new Error("broken"); },
  rejects: () => Promise.reject(new Error("broken")),
  "rejects with nothing": () => Promise.reject(),
};

async function provesNothing(what, ask) {
  const all = what === "the last answer is missing" ? [["prove", "--all"]] : [];
  for (const words of [["prove", "--peer", formulas[0]], ["prove", "--peer", formulas[1], "--p", "8"], ...all]) {
    if (words.includes("--p") && all.length + (what === "always yes") > 0) continue;  // there these are answers, or none is known
    const { code, out } = await run(words, {}, ask);
    assert.ok(code === 4 || code === 1, `${what}: ${words.join(" ")} ends with ${code}`);
    if (!words.includes("--all")) assert.ok(!/^proved/m.test(out), `${what}: ${out}`);
    assert.ok(!/^proved +(for|\d+ obligations)/m.test(out), `${what}: ${out}`);
  }
}

function hasZ3() {
  try {
    return Boolean(require.resolve("z3-solver", { paths: [process.cwd()] }));
  } catch {
    return false;
  }
}

async function main() {
  await isAsProgram(["prove"]);
  await isAsProgram(["prove", "--algo", "binomial-tree"]);  // Coq's theorems need no solver
  const knows = informed();
  await isAsProgram(["prove", "--all"], knows);
  bad["the last answer is missing"] = bad["the last answer is missing"](knows);
  for (const [what, ask] of Object.entries(bad)) await provesNothing(what, ask);
  if (!hasZ3()) {
    const { code, out } = await run(["prove", "--peer", formulas[0]]);
    assert.ok(code === 4 && out.includes("npm install z3-solver"), out);
    return;
  }
  for (const formula of formulas) await isAsProgram(["prove", "--peer", formula]);
  await isAsProgram(["prove", "--peer", formulas[1], "--p", "4..9"]);
  await isAsProgram(["prove", "--all"]);
  await isAsProgram(["prove", "--peer", formulas[0], "--full"]);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
