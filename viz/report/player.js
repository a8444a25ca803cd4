// The player: one selection and one time, which all its pictures show, its controls change and the page's address keeps.

const mostPlayedTogether = 200;  // ranks that take part in what is selected

class Player {
  constructor(data, run) {
    this.data = data;
    this.words = new Words(this);
    this.schedules = [data.schedule, data.beside?.schedule].filter(Boolean);
    this.ways = counterexamplesOf(run, data);
    [this.shown, this.step, this.rank, this.block, this.only] = [0, 0, null, null, false];
    this.way = null;
    this.allNotes = {};
    this.useSchedule(0);
    this.network = new NetworkModel(data.network, this.messages.ranks, data.schedule.sides);
    this.makePictures();
    this.controls = new Controls(this);
    this.address = new Address(this);
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
    if (this.address.open()) return;
    if (this.ways.length === 0 || !this.ways[0].required) return;
    this.way = 0;
    this.step = this.ways[0].steps[0];
    if (Number.isInteger(this.ways[0].block) && this.data.unit === null) this.block = this.ways[0].block;
    this.only = this.messages.ranks > 32;
    this.setTracks();
    this.timeline.fit();
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
    this.address.keep();
  }

  changed() {
    this.show();
    this.address.keep();
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
    const { legs, marks, ends } = this.chosenWay();
    for (const { src, dst } of legs) add(src, dst);
    for (const { rank } of [...marks, ...ends]) add(rank);
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

  chosenWay() {
    return this.way === null || this.shown > 0 ? noCounterexample : this.ways[this.way];
  }

  // What is shown.

  show() {
    const where = this.words.stepName(this.step);
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
    part("does").textContent = this.words.does();
    part("load").textContent = this.shown === 0 ? this.network.textAt(this.step) : "";
    this.words.tell();
    this.draw();
  }

  draw() {
    for (const stage of Object.values(this.stages)) stage.draw();
    const about = `${this.schedule.title}, ${this.words.stepName(this.step)}`;
    part("timeline").setAttribute("aria-label", `messages of each rank over time; ${about}`);
    part("network").setAttribute("aria-label", `loads of links; ${about}`);
    part("matrix").setAttribute("aria-label", `contributions held by ranks; ${about}`);
  }

  noted(picture, notes) {
    this.allNotes[picture] = notes;
    part("notes").textContent = Object.values(this.allNotes).flat().join(" ");
  }
}
