"use strict";
// The playground: from what is written to a command line, which a worker runs, and back. The address holds the input.

const part = (id) => document.getElementById(id);
const fields = ["peer", "steps", "odd", "algo", "ranks", "more"];
const file_name = "input";  // of what is pasted
const most_of_file = 1 << 26;  // bytes of a file in a link

// The module.

function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

/// The bytes after the stream, at most so many.
async function through(stream, bytes, most = Infinity) {
  let count = 0;
  const counted = new TransformStream({
    transform(piece, next) {
      count += piece.length;
      if (count > most) throw new Error("too large");
      next.enqueue(piece);
    },
  });
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream).pipeThrough(counted)).arrayBuffer());
}

/// Z3 is loaded from beside the page, and shares memory with its threads: a browser gives that to isolated pages only.
async function loadZ3() {
  if (!globalThis.initZ3)
    await new Promise((settle, fail) => document.head.append(Object.assign(document.createElement("script"), {
      src: "z3/z3-built.js",
      onload: settle,
      onerror: () => fail(new Error("z3/z3-built.js isn't beside this page")),
    })));
  return initZ3({ locateFile: (name) => new URL(`z3/${name}`, location.href).href });
}

/// Runs command lines in a worker, one at a time. `stop` ends the worker, and what it was doing with it.
class Runner {
  constructor() {
    this.z3 = new Z3(loadZ3);
    this.script = URL.createObjectURL(new Blob([part("module").textContent], { type: "text/javascript" }));
    this.wasm = through(new DecompressionStream("gzip"), bytesOf(part("wasm").textContent));
    this.waiting = new Map();
    this.number = 0;
    this.begin();
  }

  begin() {
    this.worker = new Worker(this.script);
    const memory = globalThis.crossOriginIsolated ? answerMemory() : null;
    this.worker.onmessage = async ({ data }) => {
      if (data.question === undefined) return this.settle(data.id, data);
      putAnswer(memory, await this.z3.ask(data.question));
    };
    this.worker.onerror = (e) => this.settleAll({ code: 5, out: "", err: `verify: internal error: ${e.message}\n`, files: {} });
    const { worker } = this;
    this.ready = this.wasm.then((wasm) => worker.postMessage({ wasm, memory }));
  }

  async run(words, files = {}) {
    const id = ++this.number;
    await this.ready;
    return new Promise((settle) => {
      this.waiting.set(id, settle);
      this.worker.postMessage({ id, words, files });
    });
  }

  settle(id, result) {
    this.waiting.get(id)?.(result);
    this.waiting.delete(id);
  }

  settleAll(result) {
    for (const id of [...this.waiting.keys()]) this.settle(id, result);
  }

  stop() {
    this.worker.terminate();
    this.z3.end();
    this.begin();
    this.settleAll(null);
  }
}

// Words of command lines, as shells have them.

/// The words of a text: separated by blanks, with quotes around those that have blanks in them.
function wordsIn(text) {
  return [...text.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) => word.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
}

function quoted(word) {
  return /^[\w@%+=:,.\/-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

// The form.

function kind() {
  return document.querySelector("input[name=kind]:checked").value;
}

/// ["--peer", "r xor pow2(s)", "--odd", "apart"]
function formulaWords() {
  const words = ["--peer", part("peer").value];
  if (part("steps").value.trim() !== "") words.push("--peer-steps", part("steps").value);
  if (part("odd").value !== "") words.push("--odd", part("odd").value);
  return words;
}

/// What the form says, as options of the subject: ["--peer", "r xor pow2(s)", "--p", "7"].
function subjectWords() {
  if (kind() === "file") return [file_name];
  const ranks = part("ranks").value.trim();
  const subject = kind() === "algo" ? ["--algo", part("algo").value] : formulaWords();
  if (ranks !== "") subject.push(ranks.includes("x") ? "--torus" : "--p", ranks);
  return part("lanes").checked ? [...subject, "--lanes", "all"] : subject;
}

function showForm() {
  for (const row of document.querySelectorAll("[data-kind]")) row.hidden = !row.dataset.kind.split(" ").includes(kind());
  part("command").textContent = ["verify", ...subjectWords(), ...wordsIn(part("more").value)].map(quoted).join(" ");
}

function files() {
  return kind() === "file" ? { [file_name]: part("text").value } : {};
}

// Links: #kind=peer&peer=r+xor+pow2(s)&ranks=7; a file is compressed.

const toLink = (bytes) => btoa(bytes.reduce((text, byte) => text + String.fromCharCode(byte), "")).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
const fromLink = (text) => bytesOf(text.replace(/-/g, "+").replace(/_/g, "/"));

async function keepLink() {
  const shown = new URLSearchParams({ kind: kind() });
  const used = { peer: ["peer", "steps", "odd", "ranks", "more"], algo: ["algo", "ranks", "more"], file: ["more"] }[kind()];
  for (const id of used) if (part(id).value !== "") shown.set(id, part(id).value);
  if (part("lanes").checked && kind() !== "file") shown.set("lanes", "all");
  if (kind() === "file") shown.set("file", toLink(await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(part("text").value))));
  history.replaceState(null, "", `#${shown}`);
}

/// Fills in what the address says. False if it says nothing, or if its file is damaged.
async function openLink() {
  const asked = new URLSearchParams(location.hash.slice(1));
  const choice = document.querySelector(`input[name=kind][value="${CSS.escape(asked.get("kind") ?? "")}"]`);
  if (!choice) return false;
  choice.checked = true;
  for (const id of fields) if (asked.has(id)) part(id).value = asked.get(id);
  part("lanes").checked = asked.get("lanes") === "all";
  try {
    if (asked.has("file")) part("text").value = new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), fromLink(asked.get("file")), most_of_file));
  } catch {
    part("state").textContent = "The link is damaged: its file can't be read, or is too large.";
    return false;
  }
  return true;
}

// Results.

const runner = new Runner();

/// Runs a command while the page says so.
async function running(words, doing = "checking ..") {
  part("stop").disabled = false;
  part("state").textContent = doing;
  const began = performance.now();
  const result = await runner.run(words, files());
  part("stop").disabled = true;
  part("state").textContent = result === null ? "stopped" : `${Math.round(performance.now() - began)} ms`;
  return result;
}

/// The verdict in a line, from the JSON if there is one.
function showVerdict({ code }, json) {
  const banner = part("verdict");
  const verdict = json === null && code < 2 ? "" : ["pass", "fail", "", "", "unknown"][code] ?? "";
  banner.className = `banner ${verdict || "usage"}`;
  const words = json === null
    ? { 2: "This can't be asked", 3: "The file can't be read", 4: "unknown", 5: "internal error: please report this" }[code] ?? "no verdict"
    : verdict;
  const runs = json === null || json.runs.length === 1 ? "" : ` ${Object.entries(json.summary).filter(([, n]) => n > 0).map(([name, n]) => `${n} ${name}`).join(", ")}`;
  banner.replaceChildren(Object.assign(document.createElement("strong"), { textContent: words }), runs);
}

/// The picture of the counterexample; programs have none.
async function pictureOf(words) {
  const file = "/counterexample.svg";
  const took = part("state").textContent;
  const result = await running([...words, "--draw-counterexample", file], "drawing ..");
  if (result !== null) part("state").textContent = took;
  return result?.files[file];
}

function showPicture(svg) {
  part("picture").hidden = svg === undefined;
  if (svg === undefined) return part("picture").replaceChildren();
  const root = new DOMParser().parseFromString(new TextDecoder().decode(svg), "image/svg+xml").documentElement;
  const [, , width] = root.getAttribute("viewBox").split(" ").map(Number);
  root.setAttribute("width", Math.round(1.6 * width));
  root.removeAttribute("height");
  root.setAttribute("role", "img");
  root.setAttribute("aria-label", "The counterexample");
  part("picture").replaceChildren(root);
}

let commands = {};  // of the parts below the result, by their ids: about what was checked last

let checks = 0;  // that were begun: only the last one shows what it finds

async function check() {
  const number = ++checks;
  showForm();
  await keepLink();
  const words = [...subjectWords(), ...wordsIn(part("more").value)];
  const json_file = "/out.json";
  const result = await running([...words, "--json-out", json_file]);
  if (number !== checks) return;
  part("result").hidden = result === null;
  if (result === null) return;
  const json = result.files[json_file] ? JSON.parse(new TextDecoder().decode(result.files[json_file])) : null;
  commands = json === null ? {} : commandsAbout(words, json.runs.length);
  showVerdict(result, json);
  part("printed").textContent = result.out + result.err;
  const picture = result.code === 1 ? await pictureOf(words) : undefined;
  if (number !== checks) return;
  showPicture(picture);
  part("json").querySelector(".answer").textContent = json === null ? "" : JSON.stringify(json, null, 1);
  for (const id of opened) {
    part(id).hidden = !(id in commands);
    part(id).querySelector(".answer").replaceChildren();
  }
  part("json").hidden = json === null;
  for (const id of opened) if (part(id).open) await open(id);
}

const opened = ["report", "contention", "cost", "proof"];  // parts that are filled in when they are opened

/// A proof is for every number of ranks; the others are about one run.
function commandsAbout(words, runs) {
  const proof = {
    peer: ["prove", ...formulaWords()],
    algo: ["prove", "--algo", part("algo").value],
  }[kind()];
  return {
    ...(proof && { proof }),
    ...(runs === 1 && { report: ["report", ...words, "-o", "-"], contention: ["contention", ...words], cost: ["cost", ...words] }),
  };
}

/// Fills in what a part shows when it is opened.
async function open(id) {
  const place = part(id).querySelector(".answer");
  if (!part(id).open || !(id in commands) || place.childElementCount > 0) return;
  const result = await running(commands[id]);
  if (result === null) return;
  if (id === "report" && result.out !== "") return showReport(place, result.out);
  const text = Object.assign(document.createElement("pre"), { textContent: result.out + result.err });
  place.replaceChildren(text);
}

function showReport(place, html) {
  const frame = document.createElement("iframe");
  frame.title = "Report";
  frame.src = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  place.replaceChildren(frame);
}

// What the user does.

async function take(file) {
  part("text").value = await file.text();
  document.querySelector("input[name=kind][value=file]").checked = true;
  await check();
}

part("form").addEventListener("input", showForm);
part("form").addEventListener("submit", (e) => { e.preventDefault(); check(); });
part("stop").addEventListener("click", () => runner.stop());
part("file").addEventListener("change", (e) => e.target.files.length > 0 && take(e.target.files[0]));
part("link").addEventListener("click", async () => {
  await keepLink();
  const copied = await navigator.clipboard?.writeText(location.href).then(() => true, () => false);
  part("state").textContent = copied ? "copied" : "the link is this page's address";
});
for (const id of opened) part(id).addEventListener("toggle", () => open(id));
addEventListener("dragover", (e) => { e.preventDefault(); document.body.classList.add("dropping"); });
addEventListener("dragleave", () => document.body.classList.remove("dropping"));
addEventListener("drop", (e) => {
  e.preventDefault();
  document.body.classList.remove("dropping");
  if (e.dataTransfer.files.length > 0) take(e.dataTransfer.files[0]);
});
addEventListener("hashchange", async () => (await openLink()) && check());

async function begin() {
  const list = await runner.run(["list", "--json"]);
  for (const { name, summary } of JSON.parse(list.out)) part("algo").add(new Option(`${name}: ${summary}`, name));
  const has_link = await openLink();
  showForm();
  if (has_link) await check();
}
begin();
