// The timeline: a track for each rank, time to the right. Where there is room for it, each message is an arrow; else
// cells show how much ranks send, of several ranks or steps together where there is no room for each.

const gutter = 64;  // left of the tracks, for the ranks
const axisHeight = 24;
const mostArrows = 700;
const mostCells = 1500;
const mostOverlaid = 300;
const mostKindsUnfolded = 512;  // in view; beyond, an overview that is made once is shown

/// Of a schedule, how much ranks send in steps: both in at most so many parts. O(messages of all kinds), once.
class Overview {
  constructor(messages) {
    this.across = Math.min(messages.steps, 512);
    this.down = Math.min(messages.ranks, 128);
    this.sums = new Float64Array(this.across * this.down);
    for (let step = 0; step < messages.steps; ++step) {
      const column = Math.floor((step * this.across) / messages.steps);
      const unfolded = messages.at(step);
      for (let row = 0; row < this.down; ++row) {
        const [first, end] = [row, row + 1].map((k) => Math.floor((k * messages.ranks) / this.down));
        this.sums[column * this.down + row] += unfolded.blocksOf(first, end - 1);
      }
    }
  }
}

class Timeline {
  constructor(player) {
    this.player = player;
    this.fit();
  }

  get messages() {
    return this.player.messages;
  }

  /// The ranks that have tracks, in order.
  get tracks() {
    return this.player.tracks;
  }

  // What is seen: steps from x0 to x1, tracks from y0 to y1.

  fit() {
    this.view = { x0: 0, x1: Math.max(this.messages.steps, 1), y0: 0, y1: this.tracks.length };
  }

  /// Shows this step and rank in the middle, if they aren't seen.
  reveal(step, rank) {
    const { view } = this;
    const shifted = (from, to, at) => (at >= from && at + 1 <= to ? 0 : at + 0.5 - (from + to) / 2);
    if (step !== null) this.shift(shifted(view.x0, view.x1, step), 0);
    const track = rank === null ? -1 : this.trackOf(rank);
    if (track >= 0) this.shift(0, shifted(view.y0, view.y1, track));
  }

  trackOf(rank) {
    return this.player.trackOf(rank);
  }

  shift(dx, dy) {
    const { view } = this;
    const clamped = (by, from, to, end) => Math.min(Math.max(by, -from), Math.max(end - to, -from));
    const x = clamped(dx, view.x0, view.x1, this.messages.steps);
    const y = clamped(dy, view.y0, view.y1, this.tracks.length);
    Object.assign(view, { x0: view.x0 + x, x1: view.x1 + x, y0: view.y0 + y, y1: view.y1 + y });
  }

  moveBy(dx, dy) {
    this.shift(-dx / this.wide, -dy / this.high);
    this.player.moved();
  }

  /// The direction with less room for a message grows first, so that ranks of many become tracks.
  zoom(factor, x = null, y = null) {
    const [tightX, tightY] = [90 / this.wide, 26 / this.high];
    const grows = factor > 1;
    const onlyY = grows ? tightY > 2 * tightX : tightY < tightX / 2;
    const onlyX = grows ? tightX > 2 * tightY : tightX < tightY / 2;
    const at = x === null ? this.centre() : [this.stepAt(x), this.trackAt(y)];
    if (!onlyY) this.zoomed("x", factor, at[0], this.messages.steps, 1);
    if (!onlyX) this.zoomed("y", factor, at[1], this.tracks.length, 2);
    this.player.moved();
  }

  /// Around what is selected, if it is seen; else around the middle.
  centre() {
    const { view, player } = this;
    const within = (at, from, to) => (at >= from && at < to ? at + 0.5 : (from + to) / 2);
    const track = player.rank === null ? -1 : this.trackOf(player.rank);
    return [within(player.step, view.x0, view.x1), within(track, view.y0, view.y1)];
  }

  zoomed(axis, factor, at, end, least) {
    const { view } = this;
    const [from, to] = [view[`${axis}0`], view[`${axis}1`]];
    const size = Math.min(Math.max((to - from) / factor, Math.min(least, end)), end);
    const first = Math.min(Math.max(at - ((at - from) / (to - from)) * size, 0), end - size);
    [view[`${axis}0`], view[`${axis}1`]] = [first, first + size];
  }

  // Places, in pixels.

  measure(pen) {
    [this.width, this.height] = [pen.width - gutter, pen.height - axisHeight];
    this.wide = this.width / (this.view.x1 - this.view.x0);
    this.high = this.height / (this.view.y1 - this.view.y0);
    const last = (end, most) => Math.min(Math.ceil(end), most) - 1;
    this.steps = [Math.floor(this.view.x0), last(this.view.x1, this.messages.steps)];
    this.rows = [Math.floor(this.view.y0), last(this.view.y1, this.tracks.length)];
  }

  x(step) {
    return gutter + (step - this.view.x0) * this.wide;
  }

  y(track) {
    return axisHeight + (track - this.view.y0) * this.high;
  }

  stepAt(x) {
    return this.view.x0 + (x - gutter) / this.wide;
  }

  trackAt(y) {
    return this.view.y0 + (y - axisHeight) / this.high;
  }

  middleOf(rank) {
    return this.y(this.trackOf(rank) + 0.5);
  }

  // Drawing.

  draw(pen) {
    this.measure(pen);
    this.notes = [];
    pen.clip(gutter, 0, this.width, pen.height);
    this.drawStep(pen);
    const drawsArrows = this.messagesInView(mostArrows) <= mostArrows && this.wide >= 14 && this.high >= 4;
    if (drawsArrows) this.drawMessages(pen);
    else this.drawCells(pen);
    this.drawRankTrack(pen);
    if (!drawsArrows) this.drawFollowed(pen);
    this.drawWay(pen);
    this.drawAxis(pen);
    pen.unclip();
    this.drawRanks(pen);
    this.player.noted("timeline", this.notes);
  }

  /// How many messages the tracks in view send or receive in the steps in view, counted up to a limit.
  messagesInView(limit) {
    const [first, last] = this.steps;
    if (last - first > 200) return limit + 1;
    let count = 0;
    for (let step = first; step <= last && count <= limit; ++step)
      for (const [from, to] of this.rankRuns()) {
        const unfolded = this.messages.at(step);
        count += Math.max(unfolded.sentBy(from, to), unfolded.receivedBy(from, to));
      }
    return count;
  }

  /// The ranks of the tracks in view as runs.
  rankRuns() {
    const [first, last] = this.rows;
    if (this.player.hasAllTracks) return [[first, last]];
    return joined(Array.from(this.tracks.slice(first, last + 1)));
  }

  drawStep(pen) {
    pen.rectangle(this.x(this.player.step), 0, this.wide, pen.height, colours.panel);
  }

  drawMessages(pen) {
    this.drawTracks(pen);
    const followed = this.player.follows();
    const labelled = [];
    for (let step = this.steps[0]; step <= this.steps[1]; ++step) this.eachInView(pen, step, (message) => {
      const isChosen = followed && this.player.isFollowed(message);
      this.drawMessage(pen, message, isChosen ? this.colourOfFollowed() : followed ? colours.line : this.colourOf(message), isChosen ? 2 : 1.2);
      if (!followed || isChosen) labelled.push(message);
    });
    this.drawLabels(pen, labelled);
  }

  /// What messages carry, at their beginnings; the number alone if there is no room for more. One a place.
  drawLabels(pen, messages) {
    if (this.wide < 50 || this.high < 18) return;
    const taken = new Set();
    for (const message of messages) {
      const place = `${message.step},${message.src}`;
      if (taken.has(place) || this.trackOf(message.src) < 0 || !this.isNear(message.src)) continue;
      taken.add(place);
      const texts = [this.player.words.blocksText(message, 3), this.player.words.amountText(message.size)];
      const text = texts.find((each) => pen.textWidth(each, 10) < 0.8 * this.wide);
      const [x, y] = this.ends(message);
      if (text) pen.text(text, x + 2, y - 7, colours.ink, { size: 10, halo: true });
    }
  }

  drawTracks(pen) {
    if (this.high < 6) return;
    for (let track = this.rows[0]; track <= this.rows[1]; ++track)
      pen.line(gutter, this.y(track + 0.5), pen.width, this.y(track + 0.5), colours.line, 1);
  }

  colourOf({ lane }) {
    return this.messages.schedule.lanes > 1 ? colours[`line-${lane % 5}`] : colours["line-0"];
  }

  colourOfFollowed() {
    return this.player.block === null ? colours.chosen : colours.block;
  }

  /// Each message that a track in view sends or receives, once.
  eachInView(pen, step, visit) {
    const unfolded = this.messages.at(step);
    const isSeen = (rank) => {
      const track = this.trackOf(rank);
      return track >= this.rows[0] && track <= this.rows[1];
    };
    for (const [from, to] of this.rankRuns()) {
      for (let k = unfolded.sent.at[from]; k < unfolded.sent.at[to + 1]; ++k) {
        ++pen.messages;
        visit(this.messages.message(step, unfolded.sent.list[k]));
      }
      for (let k = unfolded.received.at[from]; k < unfolded.received.at[to + 1]; ++k) {
        ++pen.messages;
        const m = unfolded.received.list[k];
        if (!isSeen(unfolded.src[m])) visit(this.messages.message(step, m));
      }
    }
  }

  /// The ends of a message's arrow. An end without a track is above or below all tracks.
  ends({ step, src, dst }) {
    const height = (rank) => (this.trackOf(rank) >= 0 ? this.middleOf(rank) : rank < this.tracks[0] ? axisHeight - 20 : this.y(this.tracks.length) + 20);
    return [this.x(step) + 0.08 * this.wide, height(src), this.x(step) + 0.92 * this.wide, height(dst)];
  }

  drawMessage(pen, message, colour, thick) {
    const [x1, y1, x2, y2] = this.ends(message);
    pen.arrow(x1, y1, x2, y2, colour, thick, { isOpen: message.copies, dash: dashOf(message.lane), size: Math.min(7, 0.15 * this.wide) });
  }

  // Cells.

  drawCells(pen) {
    const [steps, tracks] = [this.steps[1] - this.steps[0] + 1, this.rows[1] - this.rows[0] + 1];
    let down = Math.min(tracks, Math.max(1, Math.floor(this.height / 5)));
    const across = Math.min(steps, Math.max(1, Math.floor(this.width / 8)), Math.floor(mostCells / Math.min(down, 40)));
    down = Math.min(down, Math.floor(mostCells / across));
    const cells = this.cells(across, down);
    const most = cells.reduce((largest, cell) => Math.max(largest, cell.mean), 0);
    for (const { step, track, steps: wide, tracks: high, mean } of cells)
      pen.rectangle(this.x(step) + 0.5, this.y(track) + 0.5, Math.max(wide * this.wide - 1, 1), Math.max(high * this.high - 1, 1), colours.level(most === 0 ? 0 : Math.log2(1 + mean) / Math.log2(1 + most)));
    const size = cells.length > 0 ? this.sizeText(cells) : "";
    this.notes.push(`${size}: the darker, the more ${this.player.words.unitName}s a rank sends in a step, up to ${shortNumber(most)}; the scale is logarithmic. Zoom in for messages.`);
  }

  sizeText(cells) {
    const [steps, tracks] = [Math.max(...cells.map((c) => c.steps)), Math.max(...cells.map((c) => c.tracks))];
    const parts = [tracks > 1 ? `${tracks} ranks` : "a rank", steps > 1 ? `${steps} steps` : "a step"];
    return `A cell is ${parts.join(" and ")}`;
  }

  /// Parts of the steps and tracks in view, with the blocks that a rank sends in a step there.
  cells(across, down) {
    const columns = parts(this.steps[0], this.steps[1] + 1, across);
    const rows = parts(this.rows[0], this.rows[1] + 1, down);
    const sum = this.summing();
    const cells = [];
    for (const [step, stepEnd] of columns)
      for (const [track, trackEnd] of rows) {
        const [steps, tracks] = [stepEnd - step, trackEnd - track];
        cells.push({ step, track, steps, tracks, mean: sum(step, stepEnd, track, trackEnd) / (steps * tracks) });
      }
    return cells;
  }

  /// A function: the blocks that tracks send in steps.
  summing() {
    const kinds = new Set();
    for (let step = this.steps[0]; step <= this.steps[1]; ++step) kinds.add(this.messages.kinds[step]);
    if (kinds.size > mostKindsUnfolded && this.player.hasAllTracks) return this.fromOverview();
    return (step, stepEnd, track, trackEnd) => {
      let sum = 0;
      for (let s = step; s < stepEnd; ++s) sum += this.sentBy(s, track, trackEnd);
      return sum;
    };
  }

  sentBy(step, track, trackEnd) {
    const unfolded = this.messages.at(step);
    if (this.player.hasAllTracks) return unfolded.blocksOf(track, trackEnd - 1);
    let sum = 0;
    for (let t = track; t < trackEnd; ++t) sum += unfolded.blocksOf(this.tracks[t], this.tracks[t]);
    return sum;
  }

  /// The same, as the mean of the overview's parts there.
  fromOverview() {
    const overview = (this.messages.overview ??= new Overview(this.messages));
    const [wide, high] = [this.messages.steps / overview.across, this.messages.ranks / overview.down];
    const span = (from, to, size) => [Math.floor(from / size), Math.max(Math.floor(from / size) + 1, Math.floor(to / size))];
    this.notes.push(`Parts of ${Math.ceil(high)} ranks and ${Math.ceil(wide)} steps are added up.`);
    return (step, stepEnd, track, trackEnd) => {
      const [left, right] = span(step, stepEnd, wide);
      const [top, bottom] = span(track, trackEnd, high);
      let sum = 0;
      for (let x = left; x < right; ++x) for (let y = top; y < bottom; ++y) sum += overview.sums[x * overview.down + y];
      return (sum * (stepEnd - step) * (trackEnd - track)) / ((right - left) * wide * (bottom - top) * high);
    };
  }

  // What is selected.

  drawRankTrack(pen) {
    const { rank } = this.player;
    if (rank === null || this.trackOf(rank) < 0) return;
    const high = Math.max(this.high, 3);
    pen.frame(gutter - 1, this.middleOf(rank) - high / 2, this.width + 2, high, colours.chosen, 1.5);
  }

  /// The messages of the rank, else of the block, over cells.
  drawFollowed(pen) {
    const { player } = this;
    if (!player.follows()) return;
    let count = 0;
    for (let step = this.steps[0]; step <= this.steps[1]; ++step) count += player.countFollowed(step);
    if (count > mostOverlaid || this.wide < 6) return void this.notes.push("What is selected is drawn as arrows once fewer messages are in view.");
    for (let step = this.steps[0]; step <= this.steps[1]; ++step)
      for (const message of player.followedAt(step, mostOverlaid, false)) {
        ++pen.messages;
        this.drawMessage(pen, { step, lane: 0, ...message }, this.colourOfFollowed(), 1.8);
      }
  }

  /// Is one of the tracks in view?
  isNear(...ranks) {
    return ranks.some((rank) => this.trackOf(rank) >= this.rows[0] && this.trackOf(rank) <= this.rows[1]);
  }

  drawWay(pen) {
    for (const leg of this.player.chosenWay().legs) {
      const [x1, y1, x2, y2] = this.ends(leg);
      pen.line(x1, y1, x2, y2, colours.paper, 7);
      pen.arrow(x1, y1, x2, y2, colours.way, 3.5, { size: 9 });
    }
    for (const { step, rank } of this.player.chosenWay().marks) {
      const y = this.trackOf(rank) >= 0 ? this.middleOf(rank) : -20;
      pen.circle(this.x(step + 0.08), y, Math.max(4, Math.min(7, this.high / 3)), colours.paper, colours.way, 3);
    }
    for (const { step, rank } of this.player.chosenWay().ends) {
      const y = this.trackOf(rank) >= 0 ? this.middleOf(rank) : -20;
      pen.rectangle(this.x(step + 0.92) - 6, y - 6, 12, 12, colours.paper);
      pen.frame(this.x(step + 0.92) - 6, y - 6, 12, 12, colours.way, 3);
    }
  }

  // Scales.

  drawAxis(pen) {
    pen.rectangle(gutter, 0, this.width, axisHeight - 2, colours.paper);
    const every = niceStride(34 / this.wide);
    for (let step = Math.ceil(this.steps[0] / every) * every; step <= this.steps[1]; step += every)
      pen.text(String(step), this.x(step + 0.5), 11, step === this.player.step ? colours.ink : colours.soft, { align: "center", bold: step === this.player.step });
    pen.frame(this.x(this.player.step), 1, this.wide, pen.height - 2, colours.ink, 1.5);
  }

  drawRanks(pen) {
    pen.text(this.player.data.rows === null ? "rank" : "row", 8, 11, colours.soft);
    const every = niceStride(15 / this.high);
    for (let track = Math.ceil(this.rows[0] / every) * every; track <= this.rows[1]; track += every)
      this.drawRankName(pen, this.tracks[track]);
    if (this.player.rank !== null && this.isNear(this.player.rank)) this.drawRankName(pen, this.player.rank);
  }

  drawRankName(pen, rank) {
    const isChosen = rank === this.player.rank;
    const y = this.middleOf(rank);
    if (y < axisHeight || y > pen.height) return;
    if (isChosen) pen.rectangle(0, y - 8, gutter - 4, 16, colours.paper);
    pen.text(this.player.words.brief(rank), gutter - 8, y, isChosen ? colours.ink : colours.soft, { align: "right", bold: isChosen });
  }

  // What the reader points at.

  at(x, y) {
    const step = Math.floor(this.stepAt(Math.max(x, gutter)));
    const track = Math.floor(this.trackAt(y));
    const isTrack = y >= axisHeight && track >= 0 && track < this.tracks.length;
    return { step: Math.min(Math.max(step, 0), this.messages.steps - 1), rank: isTrack ? this.tracks[track] : null, isRank: isTrack };
  }

  clicked(x, y) {
    const { step, rank, isRank } = this.at(x, y);
    if (x >= gutter) this.player.goTo(step);
    if (isRank) this.player.follow({ rank: x < gutter && rank === this.player.rank ? null : rank });
  }

  hovered(x, y) {
    if (x === null) return this.player.words.pointedAt(null, null);
    const { step, rank } = this.at(x, y);
    this.player.words.pointedAt(rank, x < gutter ? null : step);
  }
}

/// Whole numbers from `first` to before `end` in so many parts, as even as can be.
function parts(first, end, count) {
  const at = (k) => first + Math.floor(((end - first) * k) / count);
  return Array.from({ length: count }, (_, k) => [at(k), at(k + 1)]);
}

/// The next larger of 1, 2, 5, 10, 20, ..
function niceStride(least) {
  for (let power = 1; ; power *= 10) for (const factor of [1, 2, 5]) if (power * factor >= least) return power * factor;
}

/// Lanes differ in dashes, too.
function dashOf(lane) {
  return [[], [6, 3], [2, 2], [8, 2, 2, 2], [4, 4]][lane % 5];
}
