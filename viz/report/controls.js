// The player: one selection and one time, which all its pictures show, its controls change and the page's address keeps.

const part = (id) => document.getElementById(id);

function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/// [[0, 3], [7, 7]] as "0-3, 7".
function runsText(runs, most = Infinity) {
  const text = runs.slice(0, most).map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(", ");
  return runs.length > most ? `${text}, ..` : text;
}

function counted(count, unit) {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}

/// The first of these numbers and the last: "2", "1 to 4".
function spanText(numbers) {
  const [least, most] = numbers.reduce(([a, b], x) => [Math.min(a, x), Math.max(b, x)], [Infinity, -Infinity]);
  return least === most ? `${least}` : `${least} to ${most}`;
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
    if (steps.length > 0 && Number.isInteger(c.final_step)) steps.push(c.final_step);
    c.steps = [...new Set(steps)].sort((a, b) => a - b);
  }
  return found.filter((c) => c.steps.length > 0).sort((a, b) => b.required - a.required);
}

const mostPlayedTogether = 200;  // ranks that take part in what is selected
const mostStepsTold = 24;

class Player {
  constructor(data, run) {
    this.data = data;
    this.unitName = data.unit ?? "block";
    this.schedules = [data.schedule, data.beside?.schedule].filter(Boolean);
    this.ways = counterexamplesOf(run, data);
    [this.shown, this.step, this.rank, this.block, this.only, this.timer] = [0, 0, null, null, false, null];
    this.way = null;
    this.allNotes = {};
    this.useSchedule(0);
    this.network = new NetworkModel(data.network, this.messages.ranks, data.schedule.sides);
    this.makePictures();
    this.listen();
    this.openAtStart();
    this.show();
  }

  /// Of the two that may be side by side.
  useSchedule(which) {
    this.shown = which;
    this.read ??= [];
    this.messages = this.read[which] ??= new Messages(this.schedules[which]);
    this.schedule = this.schedules[which];
    [this.runs, this.mayRun] = [new Map(), this.data.unit === null && mayRun(this.messages)];
    this.setTracks();
  }

  makePictures() {
    this.timeline = new Timeline(this);
    this.picture = new NetworkPicture(this);
    this.holdings = new HoldingsPicture(this);
    this.stages = { timeline: new Stage(part("timeline"), "timeline", this.timeline), network: new Stage(part("network"), "network", this.picture) };
    part("holdings").hidden = !this.mayRun;
    this.active = this.timeline;  // the one that keys zoom
    for (const { canvas, picture } of Object.values(this.stages))
      for (const event of ["pointerdown", "focus"]) canvas.addEventListener(event, () => (this.active = picture));
    part("matrix").style.height = `${22 * Math.min(this.messages.ranks, 20) + 24}px`;
    if (this.mayRun) this.stages.matrix = new Stage(part("matrix"), "matrix", this.holdings);
  }

  /// At what the address says; else at the counterexample.
  openAtStart() {
    if (this.openLink()) return;
    if (this.ways.length === 0 || !this.ways[0].required) return;
    this.way = 0;
    this.step = this.ways[0].steps[0];
    if (Number.isInteger(this.ways[0].block) && this.data.unit === null) this.block = this.ways[0].block;
    this.only = this.messages.ranks > 32;
    this.setTracks();
    this.timeline.fit();
  }

  // What the user does.

  listen() {
    const on = (id, event, does) => part(id).addEventListener(event, does);
    on("step", "input", (e) => this.goTo(Number(e.target.value)));
    on("play", "click", () => this.toggle());
    on("back", "click", () => this.goTo(this.step - 1));
    on("forward", "click", () => this.goTo(this.step + 1));
    on("rank", "change", (e) => this.follow({ rank: numberFrom(e.target) }));
    on("block", "change", (e) => this.follow({ block: numberFrom(e.target) }));
    on("only", "change", (e) => this.showOnly(e.target.checked));
    on("search", "keydown", (e) => e.key === "Enter" && this.find(e.target.value));
    on("search", "search", (e) => this.find(e.target.value));
    for (const [k, { id }] of this.ways.entries()) part("ways").add(new Option(id, k));
    on("ways", "change", (e) => this.chooseWay(e.target.value === "" ? null : Number(e.target.value)));
    on("way-on", "click", () => this.wayOn());
    part("ways-choice").hidden = this.ways.length === 0;
    on("lane", "change", (e) => this.showLane(e.target.value === "" ? null : Number(e.target.value)));
    for (let lane = 0; lane < this.schedule.lanes; ++lane) part("lane").add(new Option(lane, lane));
    part("lane-choice").hidden = this.schedule.lanes === 1;
    on("shown", "change", (e) => this.showOther(Number(e.target.value)));
    part("beside-choice").hidden = this.schedules.length === 1;
    on("clear", "click", () => this.follow({ rank: null, block: null, way: null }));
    on("larger", "click", () => this.active.zoom(1.5));
    on("smaller", "click", () => this.active.zoom(1 / 1.5));
    on("fit", "click", () => this.fit());
    on("keys", "click", () => part("help").showModal());
    document.addEventListener("keydown", (e) => this.pressed(e));
    addEventListener("hashchange", () => this.openLink() && this.show());
    addEventListener("onceover-theme", () => this.draw());
  }

  pressed(event) {
    const writes = event.target.matches("select, input:not([type=checkbox])");
    const presses = event.target.matches("button, a, summary, input");
    if (event.altKey || event.ctrlKey || event.metaKey || part("help").open || (writes && event.key !== "Escape")) return;
    if (event.key === " " && presses) return;
    const does = this.keys()[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  }

  keys() {
    return {
      ArrowRight: () => this.goTo(this.step + 1),
      ArrowLeft: () => this.goTo(this.step - 1),
      ArrowDown: () => this.nextRank(1),
      ArrowUp: () => this.nextRank(-1),
      Home: () => this.goTo(0),
      End: () => this.goTo(this.messages.steps - 1),
      Escape: () => this.escape(),
      " ": () => this.toggle(),
      c: () => this.ways.length > 0 && this.wayOn(),
      o: () => this.showOnly(!this.only),
      "+": () => this.active.zoom(1.5),
      "=": () => this.active.zoom(1.5),
      "-": () => this.active.zoom(1 / 1.5),
      0: () => this.fit(),
      "/": () => part("search").focus(),
      "?": () => part("help").showModal(),
    };
  }

  escape() {
    if (document.activeElement !== document.body) document.activeElement.blur();
    this.follow({ rank: null, block: null });
  }

  nextRank(by) {
    const track = this.rank === null ? (by > 0 ? 0 : this.tracks.length - 1) : this.trackOf(this.rank) + by;
    if (track >= 0 && track < this.tracks.length) this.follow({ rank: this.tracks[track] });
  }

  /// "rank 5", "block 7", "step 3", "5"; or what a place is called.
  find(text) {
    const asked = text.trim().toLowerCase();
    if (asked === "") return;
    const [, word, digits] = asked.match(/^(r|rank|b|block|s|step|)\s*(\d+)$/) ?? [];
    const what = { r: "rank", b: "block", s: "step", "": "rank" }[word] ?? word;
    const ends = { rank: this.messages.ranks, block: this.data.unit === null ? this.schedule.blocks : 0, step: this.messages.steps };
    if (digits === undefined) return this.findPlace(asked);
    if (Number(digits) >= ends[what]) return this.tellFound(`There is no ${what} ${digits}: ${ends[what] > 0 ? `they are 0 to ${ends[what] - 1}` : "here messages have amounts"}.`);
    this.tellFound("");
    if (what === "step") this.goTo(Number(digits));
    else this.follow({ [what]: Number(digits) });
  }

  findPlace(asked) {
    const rank = (this.schedule.places ?? []).findIndex((place) => place.toLowerCase().includes(asked));
    if (rank < 0) return this.tellFound(`Nothing is called "${asked}". Write rank 5, block 7 or step 3.`);
    this.tellFound("");
    this.follow({ rank });
  }

  tellFound(text) {
    part("found").textContent = text;
  }

  // What happens then.

  goTo(step) {
    this.step = Math.min(Math.max(step, 0), this.messages.steps - 1);
    this.timeline.reveal(this.step, null);
    this.changed();
  }

  follow(what) {
    Object.assign(this, what);
    if (this.only) this.setTracks();
    this.timeline.reveal(null, this.rank);
    this.picture.reveal(this.rank);
    this.holdings.reveal(this.rank, this.block);
    this.changed();
  }

  chooseWay(way) {
    this.way = way;
    if (this.only) this.setTracks();
    this.goTo(way === null ? this.step : this.ways[way].steps[0]);
  }

  /// To the next step of the counterexample, after the last one to the first of the next counterexample.
  wayOn() {
    if (this.way === null) return this.chooseWay(0);
    const next = this.ways[this.way].steps.find((step) => step > this.step);
    if (next === undefined) this.chooseWay((this.way + 1) % this.ways.length);
    else this.goTo(next);
  }

  showOnly(only) {
    this.only = only;
    this.setTracks();
    this.timeline.fit();
    this.changed();
  }

  showLane(lane) {
    this.messages.useLane(lane);
    this.changed();
  }

  showOther(which) {
    this.useSchedule(which);
    this.step = Math.min(this.step, this.messages.steps - 1);
    this.timeline.fit();
    this.changed();
  }

  fit() {
    this.active.fit?.();
    this.changed();
  }

  /// A picture was moved.
  moved() {
    this.draw();
    this.keepLink();
  }

  changed() {
    this.show();
    this.keepLink();
  }

  toggle() {
    if (this.timer !== null) return this.stop();
    if (this.step === this.messages.steps - 1) this.goTo(0);
    this.timer = setInterval(() => this.tick(), 1000);
    part("play").textContent = "Pause";
  }

  tick() {
    if (this.step < this.messages.steps - 1) this.goTo(this.step + 1);
    if (this.step === this.messages.steps - 1) this.stop();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    part("play").textContent = "Play";
  }

  // The address.

  /// Is there something of the player in the address?
  openLink() {
    const asked = new URLSearchParams(location.hash.slice(1));
    if (!asked.has("step")) return false;
    if (this.schedules.length > 1 && Number(asked.get("shown") ?? 0) !== this.shown) this.useSchedule(asked.get("shown") === "1" ? 1 : 0);
    const number = (name, end) => {
      const value = asked.has(name) && asked.get(name) !== "" ? Number(asked.get(name)) : NaN;
      return Number.isInteger(value) && value >= 0 && value < end ? value : null;
    };
    this.step = number("step", this.messages.steps) ?? 0;
    this.rank = number("rank", this.messages.ranks);
    this.block = this.data.unit === null ? number("block", this.schedule.blocks) : null;
    const way = this.ways.findIndex(({ id }) => id === asked.get("counterexample"));
    this.way = way < 0 ? null : way;
    this.only = asked.get("only") === "1";
    this.messages.useLane(number("lane", this.schedule.lanes));
    this.setTracks();
    this.openView(asked);
    this.holdings.reveal(this.rank, this.block);
    part("player").scrollIntoView();
    return true;
  }

  openView(asked) {
    const numbers = (name) => (asked.get(name) ?? "").split(",").map(Number);
    this.timeline.fit();
    this.picture.fit();
    const [x0, x1, y0, y1] = numbers("view");
    const fits = (from, to, end) => from >= 0 && from < to && to <= end;
    if (fits(x0, x1, this.messages.steps) && fits(y0, y1, this.tracks.length)) this.timeline.view = { x0, x1, y0, y1 };
    const [zoomedBy, left, top] = numbers("network");
    if (zoomedBy > 1 && Number.isFinite(left) && Number.isFinite(top)) Object.assign(this.picture, { zoomedBy, left, top });
  }

  /// Keeps what is shown in the page's address, but not more often than browsers allow.
  keepLink() {
    clearTimeout(this.linking);
    this.linking = setTimeout(() => history.replaceState(null, "", `#${this.link()}`), 200);
  }

  link() {
    const shown = new URLSearchParams({ step: this.step });
    if (this.rank !== null) shown.set("rank", this.rank);
    if (this.block !== null) shown.set("block", this.block);
    if (this.way !== null) shown.set("counterexample", this.ways[this.way].id);
    if (this.only) shown.set("only", 1);
    if (this.messages.lane !== null) shown.set("lane", this.messages.lane);
    if (this.shown > 0) shown.set("shown", this.shown);
    const rounded = (...numbers) => numbers.map((x) => Number(x.toFixed(3))).join();
    const { x0, x1, y0, y1 } = this.timeline.view;
    if (x1 - x0 < this.messages.steps || y1 - y0 < this.tracks.length) shown.set("view", rounded(x0, x1, y0, y1));
    const { zoomedBy, left, top } = this.picture;
    if (zoomedBy > 1) shown.set("network", rounded(zoomedBy, left, top));
    return shown;
  }

  // Tracks.

  setTracks() {
    const some = this.only ? this.takingPart() : null;
    this.hasAllTracks = some === null;
    this.tracks = some ?? Int32Array.from({ length: this.messages.ranks }, (_, rank) => rank);
    this.track = some === null ? null : new Map(Array.from(some, (rank, k) => [rank, k]));
    if (this.timeline) this.timeline.shift(0, 0);
    if (this.timeline && this.timeline.view.y1 > this.tracks.length) this.timeline.fit();
  }

  trackOf(rank) {
    return this.track === null ? rank : (this.track.get(rank) ?? -1);
  }

  /// The ranks that the selection is about; null if that is nothing. Not more than can be told apart.
  takingPart() {
    const ranks = new Set();
    const add = (...some) => some.forEach((rank) => ranks.size < mostPlayedTogether && ranks.add(rank));
    for (const { src, dst } of this.legs()) add(src, dst);
    for (const { rank } of [...this.marks(), ...this.endMarks()]) add(rank);
    if (this.rank !== null) {
      add(this.rank);
      for (let step = 0; step < this.messages.steps && ranks.size < mostPlayedTogether; ++step)
        for (const message of this.messagesOf(this.rank, step)) if (this.isFollowed(message)) add(message.src, message.dst);
    } else if (ranks.size === 0 && this.blockRun() !== null)
      for (const moves of this.blockRun().moves) for (const [, , , src, dst] of moves) add(src, dst);
    return ranks.size === 0 ? null : Int32Array.from(ranks).sort();
  }

  // What the pictures ask.

  follows() {
    return this.rank !== null || this.block !== null;
  }

  isFollowed(message) {
    if (!this.follows()) return false;
    if (this.rank !== null && message.src !== this.rank && message.dst !== this.rank) return false;
    return this.block === null || this.carries(message, this.block);
  }

  carries({ step, row, src }, block) {
    return row >= 0 && this.messages.carries(this.messages.setOf(step, row), src, block);
  }

  /// The messages that a rank sends and receives at a step.
  messagesOf(rank, step) {
    const { sent, received } = this.messages.at(step);
    const list = ({ at, list }) => Array.from(list.subarray(at[rank], at[rank + 1]), (m) => this.messages.message(step, m));
    return [...list(sent), ...list(received)];
  }

  /// The messages of a step that the selection is about, or nearly so, without looking at them.
  countFollowed(step) {
    if (this.rank !== null) {
      const unfolded = this.messages.at(step);
      return unfolded.sentBy(this.rank, this.rank) + unfolded.receivedBy(this.rank, this.rank);
    }
    return this.blockRun()?.moves[step].length ?? 0;
  }

  /// These messages; null if there are more than `most`. Without a selection all of the step's, or none.
  followedAt(step, most, allIfNothing) {
    const { count } = this.messages.at(step);
    if (!this.follows()) {
      if (!allIfNothing) return [];
      return count > most ? null : Array.from({ length: count }, (_, m) => this.messages.message(step, m));
    }
    if (this.countFollowed(step) > most) return null;
    if (this.rank !== null) return this.messagesOf(this.rank, step).filter((m) => this.isFollowed(m));
    return (this.blockRun()?.moves[step] ?? []).filter(([, , , src, dst]) => src !== dst).map(([, , copies, src, dst]) => ({ src, dst, copies }));
  }

  /// The chosen block's way; null if there is none, or it isn't known.
  blockRun() {
    return this.block === null || !this.mayRun ? null : this.runOf(this.block);
  }

  /// The ways of the 48 blocks used last are kept.
  runOf(block) {
    const run = this.runs.get(block) ?? new BlockRun(this.messages, block);
    this.runs.delete(block);
    this.runs.set(block, run);
    if (this.runs.size > 48) this.runs.delete(this.runs.keys().next().value);
    return run;
  }

  /// How much of the chosen block a rank holds before the step, from 0 to 1; negative if something twice, null if no
  /// block is chosen.
  partHeld(rank) {
    const run = this.blockRun();
    return run === null || !run.isKnown(this.step) ? null : this.levelOf(run.heldBefore(this.step)[rank]);
  }

  levelOf(held) {
    return held < 0 ? -1 : Math.log2(1 + held) / Math.log2(1 + this.schedule.contributors);
  }

  /// Whose contributions the chosen rank holds of the chosen block after the step.
  contributors() {
    const run = this.rank === null ? null : this.blockRun();
    const ranks = new Set();
    if (run !== null)
      for (const [first, last] of run.goTo(this.step + 1).contributors(this.rank)) for (let rank = first; rank <= last; ++rank) ranks.add(rank);
    return ranks;
  }

  rankOn(node) {
    if (this.network.seats === null) return node;
    this.rankOfSeat ??= new Map(this.network.seats.map((seat, rank) => [seat, rank]));
    return this.rankOfSeat.get(node);
  }

  // The counterexample.

  chosenWay() {
    return this.way === null || this.shown > 0 ? null : this.ways[this.way];
  }

  /// The messages of its paths; of a program those of its operations.
  legs() {
    const way = this.chosenWay();
    if (way === null) return [];
    const legs = way.paths.flat();
    for (const { step, message } of way.sites) if (message) legs.push({ step, src: message[0], dst: message[1] });
    if (way.paths.length === 0 && Number.isInteger(way.other_rank) && Number.isInteger(way.step))
      legs.push({ step: way.step, src: way.other_rank, dst: way.rank });
    return legs;
  }

  /// The ranks at which its paths begin, or at which something is wrong, with the step.
  marks() {
    const way = this.chosenWay();
    if (way === null) return [];
    const marks = way.sites.map(({ step, rank }) => ({ step, rank }));
    for (const path of way.paths) marks.push({ step: path[0]?.step ?? 0, rank: path[0]?.src ?? way.rank });
    if (way.paths.length === 0 && Number.isInteger(way.step) && Number.isInteger(way.rank)) marks.push({ step: way.step, rank: way.rank });
    return marks;
  }

  /// The rank at which it shows, when its result is there.
  endMarks() {
    const way = this.chosenWay();
    return way === null || !Number.isInteger(way.final_step) || !Number.isInteger(way.rank) ? [] : [{ step: way.final_step, rank: way.rank }];
  }

  /// Where its contributions are before the step; else what is wrong at the step.
  marksNow() {
    const way = this.chosenWay();
    if (way === null) return [];
    const marks = this.marks().filter(({ step }) => step === this.step && way.paths.length === 0);
    for (const path of way.paths) {
      const begun = path.filter((leg) => leg.step < this.step);
      marks.push({ rank: begun.length > 0 ? begun[begun.length - 1].dst : (path[0]?.src ?? way.rank) });
    }
    return marks;
  }

  // What is shown.

  show() {
    const where = this.stepName(this.step);
    part("where").textContent = `${where}, ${this.step + 1} of ${this.messages.steps}`;
    part("step").max = this.messages.steps - 1;
    part("step").value = this.step;
    part("step").setAttribute("aria-valuetext", where);
    for (const what of ["rank", "block", "way"]) part(what === "way" ? "ways" : what).value = this[what] === null ? "" : String(this[what]);
    part("only").checked = this.only;
    part("lane").value = this.messages.lane === null ? "" : String(this.messages.lane);
    part("shown").value = String(this.shown);
    part("back").disabled = this.step === 0;
    part("forward").disabled = this.step === this.messages.steps - 1;
    part("after").textContent = `after step ${this.step}`;
    part("does").textContent = this.does();
    part("load").textContent = this.shown === 0 ? this.network.textAt(this.step) : "";
    this.tell();
    this.draw();
  }

  draw() {
    for (const stage of Object.values(this.stages)) stage.draw();
    const about = `${this.schedule.title}, ${this.stepName(this.step)}`;
    part("timeline").setAttribute("aria-label", `messages of each rank over time; ${about}`);
    part("network").setAttribute("aria-label", `loads of links; ${about}`);
    part("matrix").setAttribute("aria-label", `contributions held by ranks; ${about}`);
  }

  noted(picture, notes) {
    this.allNotes[picture] = notes;
    part("notes").textContent = Object.values(this.allNotes).flat().join(" ");
  }

  stepName(step) {
    const phase = this.schedule.phases.filter(([, first]) => first <= step).pop();
    return phase && phase[0] ? `step ${step} (${phase[0]})` : `step ${step}`;
  }

  rankText(rank) {
    return this.schedule.places === null ? `${rank}` : `${rank} ${this.schedule.places[rank]}`;
  }

  amountText(blocks) {
    const amount = shortNumber(blocks * (this.data.bytes || 1));
    return `${amount} ${this.unitName}${amount === "1" ? "" : "s"}`;
  }

  /// What a message carries: its blocks or, where these stand for amounts, so many units. Of many blocks the number.
  blocksText(message, most) {
    if (this.data.unit !== null || message.row < 0 || message.size > 64 * most) return this.amountText(message.size);
    const runs = this.messages.blocksOf(message.step, message.row, message.src);
    return message.size === 1 ? `block ${runsText(runs)}` : `${message.size} blocks (${runsText(runs, most)})`;
  }

  /// What the step does, in a sentence or two.
  does() {
    const { count, sent, received } = this.messages.at(this.step);
    const lane = this.messages.lane === null ? "" : `, lane ${this.messages.lane}`;
    const place = this.stepName(this.step).replace(/^s/, "S") + lane;
    if (count === 0) return `${place}: nobody sends anything.${this.differs()}`;
    const ends = ({ at }) => at.subarray(1).reduce((ranks, end, k) => ranks + (end > at[k] ? 1 : 0), 0);
    const [senders, receivers] = [ends(sent), ends(received)];
    const sizes = spanText(this.rowsNow().map((row) => this.messages.sizeOf(row) * (this.data.bytes || 1)));
    const each = `${sizes} ${this.unitName}${sizes === "1" ? "" : "s"}${count > 1 ? " each" : ""}`;
    return `${place}${this.operation()}: ${counted(senders, "rank")} send${senders === 1 ? "s" : ""} to ${receivers}: ${counted(count, "message")} of ${each}.${this.differs()}`;
  }

  /// The rows of the step's messages.
  rowsNow() {
    const kind = this.messages.kinds[this.step];
    const rows = [];
    for (let row = this.messages.rowsAt[kind]; row < this.messages.rowsAt[kind + 1]; ++row) if (this.messages.isShown(row)) rows.push(row);
    return rows;
  }

  operation() {
    const copies = new Set(this.rowsNow().map((row) => this.messages.copies(row)));
    return copies.size > 1 ? "" : copies.has(true) ? ", copy" : ", reduce";
  }

  /// How the step differs from that of the other schedule.
  differs() {
    const differs = this.data.beside?.differs?.[this.step];
    if (!differs || this.shown > 0) return "";
    const [same, changed, here, there] = differs;
    return ` Beside ${this.data.beside.name}: ${same} the same, ${changed} with other blocks or operation, ${here} only here, ${there} only there.`;
  }

  // The text about what is selected.

  tell() {
    const told = [];
    if (this.chosenWay() !== null) told.push(...this.waysTold(this.chosenWay()));
    if (this.rank !== null && this.block !== null) told.push(...this.sumTold());
    if (this.rank !== null) told.push(...this.rankTold());
    if (this.block !== null) told.push(...this.blockTold());
    if (told.length === 0) told.push(element("p", "Click a rank, or find one above. Arrow keys step, space plays, ? lists the keys. The page's address keeps what you see."));
    part("told").replaceChildren(...told);
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
      line.append(path.length > 0 ? `rank ${this.rankText(path[0].src)}` : "its own, held from the start");
      for (const leg of path) {
        line.append(" ");
        line.append(element(leg.step === this.step ? "strong" : "span", `→ ${this.rankText(leg.dst)} at step ${leg.step}`));
      }
      told.push(line);
    });
    return told;
  }

  /// What the rank has of the block: the sum of a chosen element.
  sumTold() {
    return [element("h3", `Block ${this.block} on rank ${this.rank}`), element("p", this.heldText(this.rank, this.block, this.step + 1))];
  }

  heldText(rank, block, step) {
    if (!this.mayRun) return "What ranks hold isn't computed for so many of them.";
    const run = this.runOf(block).goTo(step);
    if (!run.isKnown(step)) return `What ranks hold of block ${block} has no meaning from step ${run.fault.step} on: see what rank ${run.fault.src} sends rank ${run.fault.dst}.`;
    const [held, of] = [run.held(rank), this.schedule.contributors];
    const after = `After step ${step - 1}, rank ${this.rankText(rank)} holds`;
    if (held === 0) return `${after} nothing of block ${block}.`;
    const whose = runsText(run.contributors(rank), 12);
    if (held < 0) return `${after} a contribution to block ${block} twice. It has those of: ${whose}.`;
    return `${after} ${held} of ${counted(of, "contribution")} to block ${block}: ${run.sums ? `${held === 1 ? "that of rank" : "the sum of those of ranks"} ${whose}` : `what rank ${whose} had`}.`;
  }

  rankTold() {
    const list = element("ol", "", "told-steps");
    const first = Math.max(0, Math.min(this.step - mostStepsTold / 2, this.messages.steps - mostStepsTold));
    const last = Math.min(first + mostStepsTold, this.messages.steps) - 1;
    list.start = first;
    for (let step = first; step <= last; ++step) list.append(this.stepTold(step));
    const about = last - first + 1 < this.messages.steps ? `, steps ${first} to ${last}` : ", step by step";
    return [element("h3", `Rank ${this.rankText(this.rank)}${about}`), list];
  }

  stepTold(step) {
    const most = 12;
    const item = element("li", "", step === this.step ? "current" : "");
    const messages = this.messagesOf(this.rank, step);
    for (const m of messages.slice(0, most)) {
      const [does, other] = m.src === this.rank ? ["sends", `to ${this.rankText(m.dst)}`] : ["receives", `from ${this.rankText(m.src)}`];
      item.append(element("div", `${does} ${this.blocksText(m, 6)} ${other}: ${m.copies ? "copy" : "reduce"}`));
    }
    if (messages.length > most) item.append(element("div", `and ${messages.length - most} more messages`));
    if (messages.length === 0) item.append(element("div", "idle"));
    return item;
  }

  blockTold() {
    const told = [element("h3", `Block ${this.block} at step ${this.step}`)];
    const run = this.blockRun();
    if (run === null) return [...told, element("p", "Who sends it isn't computed for so many ranks.")];
    const carried = run.moves[this.step].filter(([, , , src, dst]) => src !== dst);
    const shown = carried.slice(0, 24).map(([, , , src, dst]) => `${src} → ${dst}`).join(", ") + (carried.length > 24 ? ", .." : "");
    told.push(element("p", carried.length === 0 ? "Nobody sends it." : `${carried.length === 1 ? "1 message carries" : `${carried.length} messages carry`} it: ${shown}`));
    const all = run.heldBefore(this.step + 1).reduce((count, held) => count + (held === this.schedule.contributors ? 1 : 0), 0);
    told.push(element("p", !run.isKnown(this.step + 1) ? this.heldText(0, this.block, this.step + 1) : `After the step ${all} of ${this.messages.ranks} ranks hold all of it.`));
    return told;
  }

  /// What is under the pointer.
  pointedAt(rank, step) {
    if (rank === null) return this.says("");
    if (step === null) return this.says(`rank ${this.rankText(rank)}`);
    const messages = this.messagesOf(rank, step);
    const texts = messages.slice(0, 4).map((m) => (m.src === rank ? `sends ${this.blocksText(m, 4)} to ${m.dst}` : `receives ${this.blocksText(m, 4)} from ${m.src}`));
    if (messages.length > 4) texts.push(`and ${messages.length - 4} more`);
    this.says(`${this.stepName(step)}, rank ${this.rankText(rank)}: ${texts.length > 0 ? texts.join("; ") : "idle"}`);
  }

  says(text) {
    part("hover").textContent = text || "\u00a0";
  }
}

function numberFrom(input) {
  return input.value !== "" && input.checkValidity() ? Number(input.value) : null;
}
