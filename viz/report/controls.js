// What the reader does.

class Controls {
  constructor(player) {
    [this.player, this.timer] = [player, null];
    this.listen();
  }

  listen() {
    const { player } = this;
    const on = (id, event, does) => part(id).addEventListener(event, does);
    on("step", "input", (e) => player.goTo(Number(e.target.value)));
    on("play", "click", () => this.toggle());
    on("back", "click", () => player.goTo(player.step - 1));
    on("forward", "click", () => player.goTo(player.step + 1));
    on("rank", "change", (e) => player.follow({ rank: numberFrom(e.target) }));
    on("block", "change", (e) => player.follow({ block: numberFrom(e.target) }));
    on("only", "change", (e) => player.showOnly(e.target.checked));
    on("search", "keydown", (e) => e.key === "Enter" && this.find(e.target.value));
    for (const [k, { id }] of player.ways.entries()) part("ways").add(new Option(id, k));
    on("ways", "change", (e) => player.chooseWay(e.target.value === "" ? null : Number(e.target.value)));
    on("way-on", "click", () => player.wayOn());
    part("ways-choice").hidden = player.ways.length === 0;
    on("lane", "change", (e) => player.showLane(e.target.value === "" ? null : Number(e.target.value)));
    for (let lane = 0; lane < player.schedule.lanes; ++lane) part("lane").add(new Option(lane, lane));
    part("lane-choice").hidden = player.schedule.lanes === 1;
    on("shown", "change", (e) => player.showOther(Number(e.target.value)));
    part("beside-choice").hidden = player.schedules.length === 1;
    on("clear", "click", () => player.follow({ rank: null, block: null, way: null }));
    on("larger", "click", () => player.active.zoom(1.5));
    on("smaller", "click", () => player.active.zoom(1 / 1.5));
    on("fit", "click", () => player.fit());
    on("keys", "click", () => part("help").showModal());
    document.addEventListener("keydown", (e) => this.pressed(e));
    addEventListener("onceover-theme", () => player.draw());
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
    const { player } = this;
    return {
      ArrowRight: () => player.goTo(player.step + 1),
      ArrowLeft: () => player.goTo(player.step - 1),
      ArrowDown: () => this.nextRank(1),
      ArrowUp: () => this.nextRank(-1),
      Home: () => player.goTo(0),
      End: () => player.goTo(player.messages.steps - 1),
      Escape: () => this.escape(),
      " ": () => this.toggle(),
      c: () => player.ways.length > 0 && player.wayOn(),
      o: () => player.showOnly(!player.only),
      "+": () => player.active.zoom(1.5),
      "=": () => player.active.zoom(1.5),
      "-": () => player.active.zoom(1 / 1.5),
      0: () => player.fit(),
      "/": () => part("search").focus(),
      "?": () => part("help").showModal(),
    };
  }

  escape() {
    if (document.activeElement !== document.body) document.activeElement.blur();
    this.player.follow({ rank: null, block: null });
  }

  nextRank(by) {
    const { player } = this;
    const track = player.rank === null ? (by > 0 ? 0 : player.tracks.length - 1) : player.trackOf(player.rank) + by;
    if (track >= 0 && track < player.tracks.length) player.follow({ rank: player.tracks[track] });
  }

  /// "rank 5", "block 7", "step 3", "5"; or what a place is called.
  find(text) {
    const { player } = this;
    const asked = text.trim().toLowerCase();
    if (asked === "") return;
    const [, word, digits] = asked.match(/^(r|rank|row|b|block|s|step|)\s*(\d+)$/) ?? [];
    const what = { r: "rank", row: "rank", b: "block", s: "step", "": "rank" }[word] ?? word;
    const ends = { rank: player.messages.ranks, block: player.data.unit === null ? player.schedule.blocks : 0, step: player.messages.steps };
    if (digits === undefined || (word === "rank" && player.data.rows !== null)) return this.findPlace(asked);
    if (Number(digits) >= ends[what]) return this.tellFound(`There is no ${what} ${digits}: ${ends[what] > 0 ? `they are 0 to ${ends[what] - 1}` : "here messages have amounts"}.`);
    this.tellFound("");
    if (what === "step") player.goTo(Number(digits));
    else player.follow({ [what]: Number(digits) });
  }

  findPlace(asked) {
    const places = this.player.data.rows?.map(([name]) => name) ?? this.player.schedule.places ?? [];
    const rank = places.findIndex((place) => place.toLowerCase().includes(asked));
    if (rank < 0) return this.tellFound(`Nothing is called "${asked}". Write rank 5, block 7 or step 3.`);
    this.tellFound("");
    this.player.follow({ rank });
  }

  tellFound(text) {
    part("found").textContent = text;
  }

  toggle() {
    const { player } = this;
    if (this.timer !== null) return this.stop();
    if (player.step === player.messages.steps - 1) player.goTo(0);
    this.timer = setInterval(() => this.tick(), 1000);
    part("play").textContent = "Pause";
  }

  tick() {
    const { player } = this;
    if (player.step < player.messages.steps - 1) player.goTo(player.step + 1);
    if (player.step === player.messages.steps - 1) this.stop();
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    part("play").textContent = "Play";
  }
}

function numberFrom(input) {
  return input.value !== "" && input.checkValidity() ? Number(input.value) : null;
}
