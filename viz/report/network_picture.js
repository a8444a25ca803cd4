// The network at a step: links as wide and dark as what they carry, ranks filled by what they hold of the chosen block.
// What doesn't fit is drawn together: the darkest link of several ranks.

const mostNetworkShapes = 1900;

class NetworkPicture {
  constructor(player) {
    this.player = player;
    this.fit();
  }

  get network() {
    return this.player.network;
  }

  fit() {
    this.zoomedBy = 1;
    [this.left, this.top] = [0, 0];  // of the view, as parts of the whole picture
  }

  // What is seen.

  measure(pen) {
    const { places } = this.network;
    this.box ??= boxOf(places, this.network.layout === "grid" ? 0.7 : 0);
    const [x0, y0, x1, y1] = this.box;
    const room = 26;
    const scale = Math.min((pen.width - 2 * room) / Math.max(x1 - x0, 0.01), (pen.height - 2 * room) / Math.max(y1 - y0, 0.01), 130);
    this.scale = scale * this.zoomedBy;
    [this.width, this.height] = [pen.width, pen.height];
    // Without zoom the picture is in the middle.
    this.originX = pen.width / 2 - this.scale * ((x0 + x1) / 2 + this.left);
    this.originY = pen.height / 2 - this.scale * ((y0 + y1) / 2 + this.top);
    this.radius = Math.min(Math.max(0.28 * this.scale, 1.5), 15);
  }

  at(node) {
    const { places } = this.network;
    return [this.originX + this.scale * places[2 * node], this.originY + this.scale * places[2 * node + 1]];
  }

  isSeen(x, y, around = 20) {
    return x > -around && y > -around && x < this.width + around && y < this.height + around;
  }

  moveBy(dx, dy) {
    this.left -= dx / this.scale;
    this.top -= dy / this.scale;
    this.player.moved();
  }

  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const grown = Math.min(Math.max(this.zoomedBy * factor, 1), Math.max(1, 240 / (this.scale / this.zoomedBy)));
    if (grown === 1) return this.fit(), this.player.moved();
    const [px, py] = [(x - this.width / 2) / this.scale, (y - this.height / 2) / this.scale];
    const ratio = grown / this.zoomedBy;
    this.left += px * (1 - 1 / ratio);
    this.top += py * (1 - 1 / ratio);
    this.zoomedBy = grown;
    this.player.moved();
  }

  reveal(rank) {
    if (rank === null || !this.scale || this.zoomedBy === 1) return;
    const [x, y] = this.at(this.network.seatOf(rank));
    if (this.isSeen(x, y, -10)) return;
    this.left += (x - this.width / 2) / this.scale;
    this.top += (y - this.height / 2) / this.scale;
  }

  // Drawing.

  draw(pen) {
    this.measure(pen);
    this.notes = [];
    this.contributors = this.player.contributors();
    const seen = this.nodesInView();
    const links = this.linksInView(seen);
    this.isTogether = seen.length + links.length > mostNetworkShapes;
    if (this.isTogether) this.drawTogether(pen, seen);
    else {
      for (const link of links) this.drawLink(pen, link);
      for (const node of seen) this.drawNode(pen, node);
    }
    this.drawSelected(pen);
    this.drawWay(pen);
    if (this.network.runs !== null && !(this.isTogether && this.showsHeld)) this.drawKey(pen);
    else if (this.network.linkCount === 0) this.notes.push(`${this.network.name === "" ? "Lines" : `The links of ${this.network.name} are not drawn: lines`} are messages.`);
    this.player.noted("network", this.notes);
  }

  nodesInView() {
    const seen = [];
    for (let node = 0; node < this.network.nodes; ++node) if (this.isSeen(...this.at(node))) seen.push(node);
    return seen;
  }

  /// Links that begin or end at a node in view; none if no link is known.
  linksInView(seen) {
    const { links, linkCount, nodes } = this.network;
    if (links === null || linkCount + nodes > 10 * mostNetworkShapes && seen.length > mostNetworkShapes / 2) return [];
    const isSeen = new Uint8Array(nodes);
    for (const node of seen) isSeen[node] = 1;
    const found = [];
    for (let link = 0; link < linkCount; ++link) if (isSeen[links[2 * link]] || isSeen[links[2 * link + 1]]) found.push(link);
    return found;
  }

  /// Nodes in squares: how much ranks hold of the chosen block, the least of them; else the most loaded link.
  drawTogether(pen, seen) {
    const size = this.squareFor(seen);
    const [value, choose] = this.valueOfNodes();
    const squares = new Map();
    for (const node of seen) {
      const key = this.at(node).map((place) => Math.floor(place / size)).join();
      const here = value(node);
      squares.set(key, squares.has(key) ? choose(squares.get(key), here) : here);
    }
    for (const [key, part] of squares) {
      const [column, row] = key.split(",").map(Number);
      pen.rectangle(column * size + 0.5, row * size + 0.5, size - 1, size - 1, part < 0 ? colours.twice : colours.level(part));
    }
  }

  /// What a square shows of a node, and of two nodes.
  valueOfNodes() {
    const { player, network } = this;
    const ranks = (node) => (node < network.ranks ? player.rankOn(node) : -1);
    this.showsHeld = player.block !== null && player.partHeld(0) !== null;
    if (this.showsHeld) {
      this.notes.push(`Ranks are drawn together: the darker, the more all of a square hold of block ${player.block} before the step.`);
      return [(node) => (ranks(node) < 0 ? 1 : player.partHeld(ranks(node))), Math.min];
    }
    const loads = network.loadsAt(player.step);
    this.notes.push(loads === null ? "Ranks are drawn together." : "Ranks are drawn together: a square is as dark as the link from them that carries most.");
    const heaviest = loads === null ? null : this.heaviestFrom(loads);
    return [(node) => (heaviest === null || network.most === 0 ? 0 : heaviest[node] / network.most), Math.max];
  }

  /// Squares so large that there are few enough, and a whole number of ranks of a grid in each.
  squareFor(seen) {
    let size = Math.max(this.network.layout === "grid" ? this.scale : 6, 4);
    const squares = () => new Set(seen.map((node) => this.at(node).map((x) => Math.floor(x / size)).join())).size;
    while (squares() > mostNetworkShapes) size *= 2;
    return size;
  }

  heaviestFrom(loads) {
    const { links, nodes } = this.network;
    const heaviest = new Float64Array(nodes);
    loads.forEach((load, link) => (heaviest[links[2 * link]] = Math.max(heaviest[links[2 * link]], load)));
    return heaviest;
  }

  /// The line of a link, to the right of its middle; one around a side of the grid is a stub.
  lineOf(from, to) {
    const [a, b] = [this.at(from), this.at(to)];
    let [dx, dy] = [b[0] - a[0], b[1] - a[1]];
    const length = Math.hypot(dx, dy) || 1;
    const isFar = this.network.layout === "grid" && length > 1.6 * this.scale;
    [dx, dy] = [dx / length, dy / length];
    const aside = 0.36 * this.radius;
    const [ox, oy] = [-dy * aside, dx * aside];
    if (isFar) return [a[0] - dx * this.radius + ox, a[1] - dy * this.radius + oy, a[0] - dx * 0.72 * this.scale + ox, a[1] - dy * 0.72 * this.scale + oy];
    const out = this.radius + 1;
    return [a[0] + dx * out + ox, a[1] + dy * out + oy, b[0] - dx * out + ox, b[1] - dy * out + oy];
  }

  drawLink(pen, link) {
    const { links, most } = this.network;
    const loads = this.network.loadsAt(this.player.step);
    const part = loads === null || most === 0 ? 0 : loads[link] / most;
    const line = this.lineOf(links[2 * link], links[2 * link + 1]);
    const widest = this.widest();
    if (part > 0) pen.line(...line, colours.link, 0.8 + part * (widest - 0.8));
    else pen.line(...line, colours.line, 0.7, [2, 2]);
  }

  /// The width of a link that carries most; less where many cross.
  widest() {
    return Math.max(1.5, (this.network.linkCount > 6 * this.network.nodes || this.network.layout === "levels" ? 0.3 : 0.55) * this.radius);
  }

  drawNode(pen, node) {
    const [x, y] = this.at(node);
    const { player, network } = this;
    if (node >= network.ranks) return pen.rectangle(x - this.radius, y - 0.7 * this.radius, 2 * this.radius, 1.4 * this.radius, colours.line);
    const rank = player.rankOn(node);
    const part = player.partHeld(rank);
    const isChosen = rank === player.rank;
    const fill = part === null ? colours.paper : part < 0 ? colours.twice : colours.level(part);
    pen.circle(x, y, this.radius, fill, isChosen ? colours.chosen : colours.soft, isChosen ? 3 : 1);
    if (this.contributors.has(rank)) pen.circle(x, y, this.radius + 2.5, null, colours.block, 2);
    const size = Math.min(11, this.radius);
    const name = player.words.brief(rank);
    if (size >= 7 && pen.textWidth(name, size) < 2.2 * this.radius) pen.text(name, x, y + 0.5, part === null ? colours.ink : colours.onLevel, { size, align: "center" });
  }

  /// The messages at this step that the selection is about; without links, all of them while they are few.
  drawSelected(pen) {
    const { player } = this;
    const messages = player.followedAt(player.step, 400, this.network.links === null);
    if (messages === null) return void this.notes.push("The step's messages are too many to draw in the network: choose a rank.");
    pen.messages += messages.length;
    const colour = player.follows() ? (player.block === null ? colours.chosen : colours.block) : colours["line-0"];
    for (const { src, dst, copies } of messages) this.drawMessage(pen, src, dst, colour, player.follows() ? 2 : 1, copies);
    if (this.isTogether && player.rank !== null) pen.circle(...this.at(this.network.seatOf(player.rank)), 6, colours.paper, colours.chosen, 3);
  }

  drawMessage(pen, src, dst, colour, thick, isOpen, halo = false) {
    const [a, b] = [src, dst].map((rank) => this.at(this.network.seatOf(rank)));
    const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
    const out = Math.min(this.radius + 1, length / 3);
    const [dx, dy] = [(b[0] - a[0]) / length, (b[1] - a[1]) / length];
    const line = [a[0] + dx * out, a[1] + dy * out, b[0] - dx * out, b[1] - dy * out];
    if (halo) pen.line(...line, colours.paper, thick + 4);
    pen.arrow(...line, colour, thick, { isOpen, size: 8 });
  }

  drawWay(pen) {
    const { player } = this;
    for (const { src, dst } of player.chosenWay().legs.filter((leg) => leg.step === player.step)) this.drawMessage(pen, src, dst, colours.way, 4, false, true);
    for (const { step, rank } of player.chosenWay().ends) {
      const [x, y] = this.at(this.network.seatOf(rank));
      if (step === player.step) pen.frame(x - this.radius - 4, y - this.radius - 4, 2 * this.radius + 8, 2 * this.radius + 8, colours.way, 3);
    }
    for (const rank of player.chosenWay().marksAt(player.step)) pen.circle(...this.at(this.network.seatOf(rank)), this.radius + 3, null, colours.way, 3);
  }

  drawKey(pen) {
    const [x, y] = [10, pen.height - 12];
    const text = `link: up to ${this.player.words.amountText(this.network.most)} in a step`;
    pen.rectangle(x - 4, y - 9, pen.textWidth(text, 11) + 50, 18, colours.paper);
    if (this.isTogether) for (let k = 1; k < 7; ++k) pen.rectangle(x + 5 * k, y - 5, 5, 10, colours.levels[k]);
    else pen.line(x, y, x + 34, y, colours.link, this.widest());
    pen.text(text, x + 42, y, colours.soft, { size: 11 });
  }

  // What the reader points at.

  nodeAt(x, y) {
    let [nearest, least] = [-1, Math.max(this.radius + 4, 8)];
    for (let node = 0; node < this.network.ranks; ++node) {
      const [nx, ny] = this.at(node);
      const away = Math.hypot(nx - x, ny - y);
      if (away < least) [nearest, least] = [node, away];
    }
    return nearest;
  }

  clicked(x, y) {
    const node = this.nodeAt(x, y);
    if (node < 0) return;
    const rank = this.player.rankOn(node);
    this.player.follow({ rank: rank === this.player.rank ? null : rank });
  }

  hovered(x, y) {
    const node = x === null ? -1 : this.nodeAt(x, y);
    this.player.words.pointedAt(node < 0 ? null : this.player.rankOn(node), this.player.step);
  }
}

/// The least and largest places, with so much around them for stubs.
function boxOf(places, around) {
  let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
  for (let k = 0; k < places.length; k += 2) {
    [x0, x1] = [Math.min(x0, places[k]), Math.max(x1, places[k])];
    [y0, y1] = [Math.min(y0, places[k + 1]), Math.max(y1, places[k + 1])];
  }
  return [x0 - around, y0 - around, x1 + around, y1 + around];
}
