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

function blocksText(message) {
  const count = message.runs.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  const text = runsText(message.runs.slice(0, 6)) + (message.runs.length > 6 ? ", .." : "");
  return count === 1 ? `block ${text}` : `${count} blocks (${text})`;
}

/// The ways of a required property's counterexample; none where there is no such thing.
function waysOf(run) {
  const failed = run.properties.find((p) => p.required && p.counterexample && p.counterexample.paths.length > 0);
  return failed ? { rank: failed.counterexample.rank, text: failed.counterexample.text, paths: failed.counterexample.paths } : null;
}

class Player {
  constructor(data, run) {
    this.data = data;
    this.figures = [...document.querySelectorAll("figure.step")];
    this.messages = this.figures.map(() => []);
    for (const [step, src, dst, copies, lane, runs] of data.messages)
      this.messages[step].push({ step, src, dst, lane, runs, copies: copies === 1 });
    this.ways = waysOf(run);
    this.step = 0;
    this.rank = null;
    this.block = null;
    this.showsWays = this.ways !== null;
    this.timer = null;
    this.listen();
    this.makeMatrix();
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
    part("ways").addEventListener("change", (e) => this.follow({ showsWays: e.target.checked }));
    part("ways-choice").hidden = this.ways === null;
    part("clear").addEventListener("click", () => this.follow({ rank: null, block: null, showsWays: false }));
    for (const figure of this.figures) figure.addEventListener("click", (e) => this.clickedIn(e));
    document.addEventListener("keydown", (e) => this.pressed(e));
    addEventListener("beforeprint", () => this.figures.forEach((_, step) => this.mark(step)));
  }

  blockFrom(input) {
    return input.value !== "" && input.checkValidity() ? Number(input.value) : null;
  }

  clickedIn(event) {
    const node = event.target.closest(".rank");
    if (!node) return;
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
    else return;
    event.preventDefault();
  }

  // What happens then.

  goTo(step) {
    this.step = Math.min(Math.max(step, 0), this.figures.length - 1);
    this.show();
  }

  follow(what) {
    Object.assign(this, what);
    this.show();
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
    part("ways").checked = this.showsWays;
    part("back").disabled = this.step === 0;
    part("forward").disabled = this.step === this.figures.length - 1;
    this.mark(this.step);
    this.fillMatrix();
    this.tell();
  }

  isFollowed(message) {
    if (this.rank === null && this.block === null) return false;
    if (this.rank !== null && message.src !== this.rank && message.dst !== this.rank) return false;
    return this.block === null || message.runs.some(([first, last]) => first <= this.block && this.block <= last);
  }

  lines(step, { src, dst, lane }) {
    const name = `.message.from-${src}-to-${dst}`;
    return this.figures[step].querySelectorAll(lane === undefined ? name : `${name}.lane-${lane}`);
  }

  circle(step, rank) {
    return this.figures[step].querySelectorAll(`.rank.rank-${rank}`);
  }

  /// Marks what is followed in the picture of a step.
  mark(step) {
    const figure = this.figures[step];
    for (const old of figure.querySelectorAll(".chosen, .way")) old.classList.remove("chosen", "way");
    for (const message of this.messages[step].filter((m) => this.isFollowed(m)))
      this.lines(step, message).forEach((line) => line.classList.add("chosen"));
    if (this.rank !== null) this.circle(step, this.rank).forEach((circle) => circle.classList.add("chosen"));
    this.shadeHolders(step);
    if (this.showsWays) this.markWays(step);
    figure.classList.toggle("followed", this.rank !== null || this.block !== null || this.showsWays);
  }

  /// Ranks are filled by how much of the block they hold before the step.
  shadeHolders(step) {
    for (const circle of this.figures[step].querySelectorAll(".rank")) {
      circle.classList.remove(...[...circle.classList].filter((c) => c.startsWith("level-")));
      if (this.block === null || this.data.holdings === null) continue;
      const rank = Number([...circle.classList].find((c) => c.startsWith("rank-")).slice(5));
      circle.classList.add(this.level(this.data.holdings[step][rank][this.block]));
    }
  }

  /// Where the contribution is before the step, and where it goes.
  markWays(step) {
    for (const path of this.ways.paths) {
      const begun = path.filter((leg) => leg.step < step);
      const at = begun.length > 0 ? begun[begun.length - 1].dst : path[0].src;
      this.circle(step, at).forEach((circle) => circle.classList.add("way"));
      for (const leg of path.filter((l) => l.step === step))
        this.lines(step, leg).forEach((line) => line.classList.add("way"));
    }
  }

  // The text beside the picture.

  tell() {
    const told = [];
    if (this.showsWays) told.push(...this.waysTold());
    if (this.rank !== null) told.push(...this.rankTold());
    if (this.block !== null) told.push(...this.blockTold());
    if (told.length === 0)
      told.push(element("p", "Click a rank to follow it, or choose a rank or a block above. Arrow keys step, space plays, escape follows nothing."));
    part("told").replaceChildren(...told);
    const current = part("told").querySelector("li.current");
    if (current) part("told").scrollTop = current.offsetTop - 60;
  }

  waysTold() {
    const told = [element("h3", "The counterexample"), element("p", this.ways.text[0])];
    this.ways.paths.forEach((path, k) => {
      const line = element("p", this.ways.paths.length > 1 ? `way ${k + 1}: ` : "", "told-way");
      line.append(`rank ${path[0].src}`);
      for (const leg of path) {
        line.append(" ");
        line.append(element(leg.step === this.step ? "strong" : "span", `→ ${leg.dst} at step ${leg.step}`));
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
        const text = m.src === this.rank ? `sends ${blocksText(m)} to ${m.dst}` : `receives ${blocksText(m)} from ${m.src}`;
        item.append(element("div", `${text}: ${m.copies ? "copy" : "reduce"}`));
      }
      if (item.childElementCount === 0) item.append(element("div", "idle"));
      list.append(item);
    });
    return [element("h3", `Rank ${this.rank}, step by step`), list];
  }

  blockTold() {
    const carried = this.messages[this.step].filter((m) => m.runs.some(([first, last]) => first <= this.block && this.block <= last));
    const told = [element("h3", `Block ${this.block} at step ${this.step}`)];
    const shown = carried.slice(0, 24).map((m) => `${m.src} → ${m.dst}`).join(", ") + (carried.length > 24 ? ", .." : "");
    told.push(element("p", carried.length === 0 ? "Nobody sends it." : `${carried.length === 1 ? "1 message carries" : `${carried.length} messages carry`} it: ${shown}`));
    if (this.data.holdings !== null) {
      const held = this.data.holdings[this.step + 1].filter((row) => row[this.block] === this.data.contributors).length;
      told.push(element("p", `After the step ${held} of ${this.data.ranks} ranks hold all of it.`));
    }
    return told;
  }

  // The table of who holds what.

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
    const before = this.data.holdings[this.step];
    const after = this.data.holdings[this.step + 1];
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
        cell.title = `rank ${rank}, block ${block}: ${part}`;
      });
    });
  }
}

document.documentElement.classList.add("has-script");
const report = read("run-data");
if (report !== null && part("run-json")) part("run-json").textContent = JSON.stringify(report, null, 2);
const playerData = read("player-data");
if (playerData !== null && part("player")) new Player(playerData, report.runs[0]);
