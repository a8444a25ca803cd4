/// What the player shows, in the page's address.
class Address {
  constructor(player) {
    this.player = player;
    addEventListener("hashchange", () => this.open() && player.show());
  }

  /// Is there something of the player in the address?
  open() {
    const { player } = this;
    const asked = new URLSearchParams(location.hash.slice(1));
    if (!asked.has("step")) return false;
    const shown = player.schedules.length > 1 && asked.get("shown") === "1" ? 1 : 0;
    if (shown !== player.shown) player.useSchedule(shown);
    const number = (name, end) => {
      const value = asked.has(name) && asked.get(name) !== "" ? Number(asked.get(name)) : NaN;
      return Number.isInteger(value) && value >= 0 && value < end ? value : null;
    };
    player.step = number("step", player.messages.steps) ?? 0;
    player.rank = number("rank", player.messages.ranks);
    player.block = player.data.unit === null ? number("block", player.schedule.blocks) : null;
    const way = player.ways.findIndex(({ id }) => id === asked.get("counterexample"));
    player.way = way < 0 ? null : way;
    player.only = asked.get("only") === "1";
    player.messages.useLane(number("lane", player.schedule.lanes));
    player.setTracks();
    this.openView(asked);
    player.holdings.reveal(player.rank, player.block);
    part("player").scrollIntoView();
    return true;
  }

  openView(asked) {
    const { player } = this;
    const numbers = (name) => (asked.get(name) ?? "").split(",").map(Number);
    player.timeline.fit();
    player.picture.fit();
    const [x0, x1, y0, y1] = numbers("view");
    const fits = (from, to, end) => from >= 0 && from < to && to <= end;
    if (fits(x0, x1, player.messages.steps) && fits(y0, y1, player.tracks.length)) player.timeline.view = { x0, x1, y0, y1 };
    const [zoomedBy, left, top] = numbers("network");
    if (zoomedBy > 1 && Number.isFinite(left) && Number.isFinite(top)) Object.assign(player.picture, { zoomedBy, left, top });
  }

  /// Keeps what is shown in the page's address, but not more often than browsers allow.
  keep() {
    clearTimeout(this.linking);
    this.linking = setTimeout(() => history.replaceState(null, "", `#${this.link()}`), 200);
  }

  link() {
    const { player } = this;
    const shown = new URLSearchParams({ step: player.step });
    if (player.rank !== null) shown.set("rank", player.rank);
    if (player.block !== null) shown.set("block", player.block);
    if (player.way !== null) shown.set("counterexample", player.ways[player.way].id);
    if (player.only) shown.set("only", 1);
    if (player.messages.lane !== null) shown.set("lane", player.messages.lane);
    if (player.shown > 0) shown.set("shown", player.shown);
    const rounded = (...numbers) => numbers.map((x) => Number(x.toFixed(3))).join();
    const { x0, x1, y0, y1 } = player.timeline.view;
    if (x1 - x0 < player.messages.steps || y1 - y0 < player.tracks.length) shown.set("view", rounded(x0, x1, y0, y1));
    const { zoomedBy, left, top } = player.picture;
    if (zoomedBy > 1) shown.set("network", rounded(zoomedBy, left, top));
    return shown;
  }
}
