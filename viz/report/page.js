"use strict";
// The step player: shows one step at a time, and follows a rank, a block or the counterexample through them.

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const part = (id) => document.getElementById(id);

function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/// [[0, 3], [7, 7]] as "0-3, 7".
function runsText(runs) {
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
}

/// "11 (node 1, gpu 3)", or just the number.
function rankText(rank, data) {
  return data.places === null ? `${rank}` : `${rank} ${data.places[rank]}`;
}

function counted(count, unit) {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

function sizeOf(message) {
  return message.runs.reduce((sum, [first, last]) => sum + last - first + 1, 0);
}

/// What a message carries: its blocks or, where these stand for amounts, so many units.
function blocksText(message, data) {
  const count = sizeOf(message);
  if (data.unit !== null) return counted(count * (data.bytes || 1), data.unit);
  const text = runsText(message.runs.slice(0, 6)) + (message.runs.length > 6 ? ", .." : "");
  return count === 1 ? `block ${text}` : `${count} blocks (${text})`;
}

/// The counterexamples that have a place in the steps, those of required properties first. Of a schedule these are paths
/// or a step, of a program operations.
function counterexamplesOf(run, data) {
  const found = run.properties.filter((p) => p.counterexample)
    .map((p) => ({ id: p.id, required: p.required, ...p.counterexample, sites: data.faults?.[p.id] ?? [] }));
  for (const c of found) {
    if (data.faults !== null) Object.assign(c, { paths: [], step: null });
    const steps = [...c.paths.flat(), ...c.sites].map(({ step }) => step);
    if (steps.length === 0 && Number.isInteger(c.step)) steps.push(c.step);
    c.steps = [...new Set(steps)].sort((a, b) => a - b);
  }
  return found.filter((c) => c.steps.length > 0).sort((a, b) => b.required - a.required);
}

// Where two schedules are side by side, the parts of the second have a class.
const [ofFirst, ofSecond] = [":not(.beside)", ".beside"];

/// Messages by their steps.
function byStep(messages, count) {
  const steps = Array.from({ length: count }, () => []);
  for (const [step, src, dst, copies, lane, runs] of messages)
    steps[step].push({ step, src, dst, lane, runs, copies: copies === 1 });
  return steps;
}

/// The first of these numbers and the last: "2", "1 to 4".
function spanText(numbers) {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)];
  return least === most ? `${least}` : `${least} to ${most}`;
}

/// Makes the pictures larger inside their frame, in which they can be dragged and scrolled.
class Zoom {
  constructor(frame) {
    this.frame = frame;
    this.level = 0;  // each makes it half as large again
    this.wasDragged = false;
    part("larger").addEventListener("click", () => this.by(1));
    part("smaller").addEventListener("click", () => this.by(-1));
    frame.addEventListener("wheel", (e) => this.wheeled(e), { passive: false });
    frame.addEventListener("pointerdown", (e) => this.grab(e));
    frame.addEventListener("pointermove", (e) => this.drag(e));
    for (const end of ["pointerup", "pointercancel", "pointerleave"]) frame.addEventListener(end, () => (this.grabbed = null));
    this.by(0);
  }

  factor() {
    return 1.5 ** this.level;
  }

  /// The middle of what is seen stays where it is.
  by(change) {
    const { frame } = this;
    if (this.level === 0) [this.width, this.height] = [frame.querySelector("svg").clientWidth, frame.clientHeight];
    const before = this.factor();
    this.level = Math.min(Math.max(this.level + change, 0), 5);
    const grown = this.factor() / before;
    const [x, y] = [frame.scrollLeft + frame.clientWidth / 2, frame.scrollTop + frame.clientHeight / 2];
    frame.classList.toggle("zoomed", this.level > 0);
    frame.style.setProperty("--wide", `${this.width * this.factor()}px`);
    frame.style.setProperty("--high", `${this.height}px`);
    frame.scrollTo(x * grown - frame.clientWidth / 2, y * grown - frame.clientHeight / 2);
    part("size").textContent = `${Math.round(100 * this.factor())} %`;
    part("smaller").disabled = this.level === 0;
    part("larger").disabled = this.level === 5;
  }

  wheeled(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.by(event.deltaY < 0 ? 1 : -1);
  }

  grab(event) {
    this.wasDragged = false;
    if (this.level > 0) this.grabbed = { x: event.clientX + this.frame.scrollLeft, y: event.clientY + this.frame.scrollTop };
  }

  drag(event) {
    if (!this.grabbed || event.buttons === 0) return;
    const [x, y] = [this.grabbed.x - event.clientX, this.grabbed.y - event.clientY];
    this.wasDragged ||= Math.hypot(x - this.frame.scrollLeft, y - this.frame.scrollTop) > 4;
    this.frame.scrollTo(x, y);
  }
}

class Player {
  constructor(data, run) {
    this.data = data;
    this.figures = [...document.querySelectorAll("figure.step")];
    this.messages = byStep(data.messages, this.figures.length);
    this.others = data.beside === null ? null : byStep(data.beside.messages, this.figures.length);
    this.ways = counterexamplesOf(run, data);
    this.step = 0;
    this.rank = null;
    this.block = null;
    this.way = this.ways.length > 0 && this.ways[0].required ? 0 : null;
    this.timer = null;
    this.zoom = new Zoom(document.querySelector(".figures"));
    this.listen();
    this.makeMatrix();
    this.openLink();
    this.show();
  }

  // What the user does.

  listen() {
    part("step").addEventListener("input", (e) => this.goTo(Number(e.target.value)));
    part("play").addEventListener("click", () => this.toggle());
    part("back").addEventListener("click", () => this.goTo(this.step - 1));
    part("forward").addEventListener("click", () => this.goTo(this.step + 1));
    part("rank").addEventListener("change", (e) => this.follow({ rank: e.target.value === "" ? null : Number(e.target.value) }));
    part("block").addEventListener("change", (e) => this.follow({ block: this.blockFrom(e.target) }));
    for (const [k, { id }] of this.ways.entries()) part("ways").add(new Option(id, k));
    part("ways").addEventListener("change", (e) => this.chooseWay(e.target.value === "" ? null : Number(e.target.value)));
    part("way-on").addEventListener("click", () => this.wayOn());
    part("ways-choice").hidden = this.ways.length === 0;
    part("clear").addEventListener("click", () => this.follow({ rank: null, block: null, way: null }));
    for (const figure of this.figures) figure.addEventListener("click", (e) => this.clickedIn(e));
    document.addEventListener("keydown", (e) => this.pressed(e));
    addEventListener("hashchange", () => this.openLink() && this.show());
    addEventListener("beforeprint", () => this.figures.forEach((_, step) => this.mark(step)));
  }

  blockFrom(input) {
    return input.value !== "" && input.checkValidity() ? Number(input.value) : null;
  }

  clickedIn(event) {
    const node = event.target.closest(".rank");
    if (!node || this.zoom.wasDragged) return;
    const rank = Number([...node.classList].find((c) => c.startsWith("rank-")).slice(5));
    this.follow({ rank: rank === this.rank ? null : rank });
  }

  pressed(event) {
    const writes = event.target.matches("select, input");
    const presses = event.target.matches("button, a, summary");
    if (event.altKey || event.ctrlKey || event.metaKey || (writes && event.key !== "Escape")) return;
    if (event.key === "ArrowRight") this.goTo(this.step + 1);
    else if (event.key === "ArrowLeft") this.goTo(this.step - 1);
    else if (event.key === "Escape") this.follow({ rank: null, block: null });
    else if (event.key === " " && !presses) this.toggle();
    else if (event.key === "c" && this.ways.length > 0) this.wayOn();
    else if (event.key === "+" || event.key === "=") this.zoom.by(1);
    else if (event.key === "-") this.zoom.by(-1);
    else return;
    event.preventDefault();
  }

  // What happens then.

  goTo(step) {
    this.step = Math.min(Math.max(step, 0), this.figures.length - 1);
    this.show();
    this.keepLink();
  }

  chooseWay(way) {
    this.way = way;
    this.goTo(way === null ? this.step : this.ways[way].steps[0]);
  }

  /// To the next step of the counterexample, after the last one to the first of the next counterexample.
  wayOn() {
    if (this.way === null) return this.chooseWay(0);
    const next = this.ways[this.way].steps.find((step) => step > this.step);
    if (next === undefined) return this.chooseWay((this.way + 1) % this.ways.length);
    this.goTo(next);
  }

  follow(what) {
    Object.assign(this, what);
    this.show();
    this.keepLink();
  }

  // Links: #step=3&rank=5&block=20&counterexample=exactly-once.

  /// Shows what the page's address asks for, if it asks for a step. Numbers that don't exist are left out.
  openLink() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (!asked.has("step")) return false;
    const number = (key, end) => (/^\d{1,9}$/.test(asked.get(key)) && Number(asked.get(key)) < end ? Number(asked.get(key)) : null);
    this.step = number("step", this.figures.length) ?? 0;
    this.rank = number("rank", this.data.ranks);
    this.block = this.data.unit === null ? number("block", this.data.blocks) : null;
    const way = this.ways.findIndex(({ id }) => id === asked.get("counterexample"));
    this.way = way < 0 ? null : way;
    part("player").scrollIntoView();
    return true;
  }

  /// Keeps what is shown in the page's address, but not more often than browsers allow.
  keepLink() {
    clearTimeout(this.linking);
    this.linking = setTimeout(() => {
      const shown = new URLSearchParams({ step: this.step });
      if (this.rank !== null) shown.set("rank", this.rank);
      if (this.block !== null) shown.set("block", this.block);
      if (this.way !== null) shown.set("counterexample", this.ways[this.way].id);
      history.replaceState(null, "", `#${shown}`);
    }, 200);
  }

  toggle() {
    if (this.timer !== null) return this.stop();
    if (this.step === this.figures.length - 1) this.goTo(0);
    this.timer = setInterval(() => this.tick(), 1000);
    part("play").textContent = "Pause";
  }

  tick() {
    if (this.step < this.figures.length - 1) this.goTo(this.step + 1);
    if (this.step === this.figures.length - 1) this.stop();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    part("play").textContent = "Play";
  }

  // What is shown.

  show() {
    this.figures.forEach((figure, step) => figure.classList.toggle("current", step === this.step));
    const where = `${this.figures[this.step].getAttribute("aria-label")}, ${this.step + 1} of ${this.figures.length}`;
    part("where").textContent = where;
    part("step").value = this.step;
    part("step").setAttribute("aria-valuetext", where);
    part("rank").value = this.rank === null ? "" : String(this.rank);
    part("block").value = this.block === null ? "" : String(this.block);
    part("ways").value = this.way === null ? "" : String(this.way);
    part("back").disabled = this.step === 0;
    part("forward").disabled = this.step === this.figures.length - 1;
    this.mark(this.step);
    this.fillMatrix();
    part("does").textContent = this.does();
    part("load").textContent = this.data.loads === null ? "" : (this.data.loads[this.step] ?? "");
    this.tell();
  }

  /// What the step does, in a sentence or two.
  does() {
    const messages = this.messages[this.step];
    const name = this.figures[this.step].getAttribute("aria-label");
    const place = `${name}.`.replace(/^s/, "S");
    if (messages.length === 0) return `${place} Nobody sends anything.${this.differs()}`;
    const unit = this.data.unit ?? "block";
    const sizes = spanText(messages.map((m) => sizeOf(m) * (this.data.bytes || 1)));
    const ranks = (end) => new Set(messages.map((m) => m[end])).size;
    const senders = `${counted(ranks("src"), "rank")} send${ranks("src") === 1 ? "s" : ""}`;
    const each = `${sizes} ${unit}${sizes === "1" ? "" : "s"}${messages.length > 1 ? " each" : ""}`;
    return `${place} ${senders} to ${ranks("dst")}: ${counted(messages.length, "message")} of ${each}.${this.differs()}`;
  }

  /// How the step differs from that of the other schedule.
  differs() {
    if (this.others === null) return "";
    const [same, changed, here, there] = this.data.beside.differs[this.step];
    return ` Beside ${this.data.beside.name}: ${same} the same, ${changed} with other blocks or operation, ` +
      `${here} only here, ${there} only there.`;
  }

  isFollowed(message) {
    if (this.rank === null && this.block === null) return false;
    if (this.rank !== null && message.src !== this.rank && message.dst !== this.rank) return false;
    return this.block === null || message.runs.some(([first, last]) => first <= this.block && this.block <= last);
  }

  lines(step, { src, dst, lane }, which = "") {
    const name = `.message.from-${src}-to-${dst}${which}`;
    return this.figures[step].querySelectorAll(lane === undefined ? name : `${name}.lane-${lane}`);
  }

  circle(step, rank, which = "") {
    return this.figures[step].querySelectorAll(`.rank.rank-${rank}${which}`);
  }

  /// Marks a message's lines. A line may be an exchange: then the head of the other direction stays pale. Its first
  /// direction has the last head of the line; the second, if it has one there, the first.
  markLines(step, message, how, which = "") {
    for (const line of this.lines(step, message, which)) {
      line.classList.add(how);
      const directions = [...line.classList].filter((c) => c.startsWith("from-"));
      if (directions.length < 2) continue;
      line.classList.add("exchange");
      const heads = [...line.querySelectorAll("polygon")];
      const head = directions[0] === `from-${message.src}-to-${message.dst}` ? heads.at(-1) : heads.length > 1 ? heads[0] : null;
      if (head) head.classList.add("head");
    }
  }

  /// Marks what is followed in the picture of a step.
  mark(step) {
    const figure = this.figures[step];
    for (const old of figure.querySelectorAll(".chosen, .way, .head")) old.classList.remove("chosen", "way", "head");
    for (const message of this.messages[step].filter((m) => this.isFollowed(m))) this.markLines(step, message, "chosen", ofFirst);
    for (const message of (this.others?.[step] ?? []).filter((m) => this.isFollowed(m))) this.markLines(step, message, "chosen", ofSecond);
    if (this.rank !== null) this.circle(step, this.rank).forEach((circle) => circle.classList.add("chosen"));
    this.shadeHolders(step);
    if (this.way !== null) this.markWays(step, this.ways[this.way]);
    figure.classList.toggle("followed", this.rank !== null || this.block !== null || this.way !== null);
  }

  /// Ranks are filled by how much of the block they hold before the step.
  shadeHolders(step) {
    for (const circle of this.figures[step].querySelectorAll(`.rank${ofFirst}`)) {
      circle.classList.remove(...[...circle.classList].filter((c) => c.startsWith("level-")));
      if (this.block === null || this.data.holdings === null) continue;
      const rank = Number([...circle.classList].find((c) => c.startsWith("rank-")).slice(5));
      circle.classList.add(this.level(this.held(step)[rank][this.block]));
    }
  }

  /// Where the contribution is before the step, and where it goes; else what is wrong at the step.
  markWays(step, way) {
    const mark = (rank) => this.circle(step, rank, ofFirst).forEach((circle) => circle.classList.add("way"));
    if (way.paths.length === 0 && way.step === step) {
      mark(way.rank);
      if (Number.isInteger(way.other_rank)) this.markLines(step, { src: way.other_rank, dst: way.rank }, "way", ofFirst);
    }
    for (const { rank, message } of way.sites.filter((site) => site.step === step)) {
      mark(rank);
      if (message) this.markLines(step, { src: message[0], dst: message[1] }, "way", ofFirst);
    }
    for (const path of way.paths) {
      const begun = path.filter((leg) => leg.step < step);
      const at = begun.length > 0 ? begun[begun.length - 1].dst : path[0]?.src ?? way.rank;
      mark(at);
      for (const leg of path.filter((l) => l.step === step))
        this.markLines(step, leg, "way", ofFirst);
    }
  }

  // The text beside the picture.

  tell() {
    const told = [];
    if (this.way !== null) told.push(...this.waysTold(this.ways[this.way]));
    if (this.rank !== null) told.push(...this.rankTold());
    if (this.block !== null) told.push(...this.blockTold());
    if (told.length === 0)
      told.push(element("p", "Click a rank to select it, or choose above. Arrow keys step, space plays, escape clears the selection. The page's address keeps what you see."));
    part("told").replaceChildren(...told);
    const current = part("told").querySelector("li.current");
    if (current) part("told").scrollTop = current.offsetTop - 60;
  }

  waysTold(way) {
    const told = [element("h3", `Why ${way.id} fails`), element("p", way.text[0])];
    for (const { step, text } of way.sites) {
      const line = element("p", "", "told-way");
      line.append(element(step === this.step ? "strong" : "span", `${text}: see step ${step}`));
      told.push(line);
    }
    way.paths.forEach((path, k) => {
      const line = element("p", way.paths.length > 1 ? `way ${k + 1}: ` : "", "told-way");
      line.append(path.length > 0 ? `rank ${rankText(path[0].src, this.data)}` : "its own, held from the start");
      for (const leg of path) {
        line.append(" ");
        line.append(element(leg.step === this.step ? "strong" : "span", `→ ${rankText(leg.dst, this.data)} at step ${leg.step}`));
      }
      told.push(line);
    });
    return told;
  }

  rankTold() {
    const list = element("ol", "", "told-steps");
    list.start = 0;
    this.messages.forEach((messages, step) => {
      const item = element("li", "", step === this.step ? "current" : "");
      for (const m of messages.filter((each) => each.src === this.rank || each.dst === this.rank)) {
        const [does, other] = m.src === this.rank ? ["sends", `to ${rankText(m.dst, this.data)}`] : ["receives", `from ${rankText(m.src, this.data)}`];
        item.append(element("div", `${does} ${blocksText(m, this.data)} ${other}: ${m.copies ? "copy" : "reduce"}`));
      }
      if (item.childElementCount === 0) item.append(element("div", "idle"));
      list.append(item);
    });
    return [element("h3", `Rank ${rankText(this.rank, this.data)}, step by step`), list];
  }

  blockTold() {
    const carried = this.messages[this.step].filter((m) => m.runs.some(([first, last]) => first <= this.block && this.block <= last));
    const told = [element("h3", `Block ${this.block} at step ${this.step}`)];
    const shown = carried.slice(0, 24).map((m) => `${m.src} → ${m.dst}`).join(", ") + (carried.length > 24 ? ", .." : "");
    told.push(element("p", carried.length === 0 ? "Nobody sends it." : `${carried.length === 1 ? "1 message carries" : `${carried.length} messages carry`} it: ${shown}`));
    if (this.data.holdings !== null) {
      const held = this.held(this.step + 1).filter((row) => row[this.block] === this.data.contributors).length;
      told.push(element("p", `After the step ${held} of ${this.data.ranks} ranks hold all of it.`));
    }
    return told;
  }

  // The table of who holds what.

  /// The holdings before a step; after the last one they stay.
  held(step) {
    return this.data.holdings[Math.min(step, this.data.holdings.length - 1)];
  }

  level(held) {
    if (held < 0) return "level-twice";
    const part = Math.log2(1 + held) / Math.log2(1 + this.data.contributors);
    return `level-${Math.round(6 * Math.min(part, 1))}`;
  }

  makeMatrix() {
    if (this.data.holdings === null) return;
    part("holdings").hidden = false;
    const table = part("matrix");
    table.classList.toggle("fine", this.data.blocks > 40);
    const head = table.createTHead().insertRow();
    head.append(element("td"));
    const every = Math.ceil(this.data.blocks / 64);
    for (let block = 0; block < this.data.blocks; ++block) {
      const cell = element("th", block % every === 0 ? String(block) : "");
      cell.dataset.block = block;
      head.append(cell);
    }
    const body = table.createTBody();
    for (let rank = 0; rank < this.data.ranks; ++rank) this.addRow(body.insertRow(), rank);
    table.addEventListener("click", (e) => this.clickedInMatrix(e));
  }

  addRow(row, rank) {
    const name = element("th", String(rank));
    name.dataset.rank = rank;
    row.append(name);
    for (let block = 0; block < this.data.blocks; ++block) {
      const cell = row.insertCell();
      cell.dataset.block = block;
    }
  }

  clickedInMatrix(event) {
    const { rank, block } = event.target.dataset;
    if (rank !== undefined) this.follow({ rank: Number(rank) === this.rank ? null : Number(rank) });
    if (block !== undefined) this.follow({ block: Number(block) === this.block ? null : Number(block) });
  }

  fillMatrix() {
    if (this.data.holdings === null) return;
    part("after").textContent = `after step ${this.step}`;
    const before = this.held(this.step);
    const after = this.held(this.step + 1);
    [...part("matrix").tBodies[0].rows].forEach((row, rank) => {
      row.cells[0].className = rank === this.rank ? "chosen" : "";
      after[rank].forEach((held, block) => {
        const cell = row.cells[block + 1];
        const classes = [this.level(held)];
        if (held !== before[rank][block]) classes.push("changed");
        if (rank === this.rank || block === this.block) classes.push("chosen");
        cell.className = classes.join(" ");
        cell.textContent = held === 0 || this.data.blocks > 40 ? "" : held < 0 ? `${-held}!` : held;
        const part = held < 0 ? "one contribution twice" : `${held} of ${this.data.contributors} contributions`;
        cell.title = `rank ${rankText(rank, this.data)}, block ${block}: ${part}`;
      });
    });
  }
}

document.documentElement.classList.add("has-script");
const report = read("run-data");
if (report !== null && part("run-json")) part("run-json").textContent = JSON.stringify(report, null, 2);
const playerData = read("player-data");
if (playerData !== null && part("player")) new Player(playerData, report.runs[0]);
