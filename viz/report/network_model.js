/// The network: where its nodes are, its links, and what they carry at a step.
class NetworkModel {
  constructor(data, ranks, sides) {
    this.name = data?.name ?? "";
    this.nodes = data?.nodes ?? ranks;
    this.ranks = ranks;
    this.seats = data?.seats ?? null;
    this.switches = data?.switches ?? null;
    this.sides = data?.sides ?? sides;
    this.links = data?.links ? this.readLinks(data.links) : null;
    this.texts = data?.texts ?? [];
    this.kinds = data?.kinds ?? [];
    this.readLoads(data?.loads ?? null);
    this.places = this.placed();
    this.seatOf = (rank) => (this.seats === null ? rank : this.seats[rank]);
  }

  readLinks(base64) {
    const bytes = new Bytes(base64);
    const ends = [];
    while (bytes.at < bytes.bytes.length) ends.push(bytes.next());
    return Int32Array.from(ends);
  }

  get linkCount() {
    return this.links === null ? 0 : this.links.length / 2;
  }

  /// By kind of steps the runs of links: [number of the value, length], one after the other.
  readLoads(loads) {
    this.runs = null;
    this.most = 0;
    if (loads === null || this.links === null) return;
    this.values = loads.values;
    this.most = loads.values.reduce((most, value) => Math.max(most, value), 0);
    const bytes = new Bytes(loads.runs);
    this.runs = [];
    while (bytes.at < bytes.bytes.length) {
      const runs = [];
      for (let left = bytes.next(); left > 0; --left) runs.push(bytes.next(), bytes.next());
      this.runs.push(runs);
    }
  }

  /// Of each link in blocks; null if they aren't known.
  loadsAt(step) {
    if (this.runs === null) return null;
    const kind = this.kinds[step];
    if (this.lastKind !== kind) {
      this.last = new Float64Array(this.linkCount);
      let link = 0;
      const runs = this.runs[kind];
      for (let k = 0; k < runs.length; k += 2) {
        this.last.fill(this.values[runs[k]], link, link + runs[k + 1]);
        link += runs[k + 1];
      }
      this.lastKind = kind;
    }
    return this.last;
  }

  textAt(step) {
    return this.texts[this.kinds[step]] ?? "";
  }

  nodeText(node, nameOfRank) {
    if (node >= this.ranks) return this.switches?.[node - this.ranks] ?? `switch ${node - this.ranks}`;
    return `rank ${nameOfRank(this.seats === null ? node : this.seats.indexOf(node))}`;
  }

  // Where nodes are: x and y of each, one after the other. A step to a neighbour is about 1.

  placed() {
    if (this.nodes > this.ranks && this.links !== null) return this.onLevels();
    if (this.sides.length > 1 && this.nodes === this.ranks) return this.onGrid();
    return this.onCircle();
  }

  /// Rows and columns of the last two sides, planes of the others side by side.
  onGrid() {
    this.layout = "grid";
    const columns = this.sides[this.sides.length - 1];
    const rows = this.sides[this.sides.length - 2];
    const planes = this.ranks / (rows * columns);
    const across = Math.ceil(Math.sqrt((planes * rows) / columns));
    const places = new Float64Array(2 * this.nodes);
    for (let node = 0; node < this.nodes; ++node) {
      const plane = Math.floor(node / (rows * columns));
      places[2 * node] = (plane % across) * (columns + 1.5) + (node % columns);
      places[2 * node + 1] = Math.floor(plane / across) * (rows + 1.5) + (Math.floor(node / columns) % rows);
    }
    return places;
  }

  onCircle() {
    this.layout = "circle";
    const radius = Math.max(this.nodes / (2 * Math.PI), 1);
    const places = new Float64Array(2 * this.nodes);
    for (let node = 0; node < this.nodes; ++node) {
      const angle = (2 * Math.PI * node) / this.nodes - Math.PI / 2;
      [places[2 * node], places[2 * node + 1]] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    }
    return places;
  }

  /// Ranks below, then the switches that are one link away from them, and so on; each over the middle of what it is
  /// linked with below.
  onLevels() {
    this.layout = "levels";
    const [levels, below] = this.levels();
    const places = new Float64Array(2 * this.nodes);
    const height = Math.max(this.ranks / 6, 1.5);
    levels.forEach((nodes, level) => {
      const middle = (node) => (level === 0 ? node : below[node].reduce((sum, other) => sum + places[2 * other], 0) / below[node].length);
      const wanted = nodes.map((node) => [middle(node), node]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      const width = this.ranks / Math.max(nodes.length, 1);
      wanted.forEach(([, node], k) => {
        places[2 * node] = (k + 0.5) * width;
        places[2 * node + 1] = -level * height;
      });
    });
    return places;
  }

  /// Nodes by how far they are from ranks, and of each those that are one nearer.
  levels() {
    const level = new Int32Array(this.nodes).fill(-1).fill(0, 0, this.ranks);
    const linked = Array.from({ length: this.nodes }, () => []);
    for (let k = 0; k < this.links.length; k += 2) linked[this.links[k]].push(this.links[k + 1]);
    const queue = Array.from({ length: this.ranks }, (_, rank) => rank);
    for (const node of queue)
      for (const other of linked[node])
        if (level[other] < 0) {
          level[other] = level[node] + 1;
          queue.push(other);
        }
    const levels = [];
    for (const node of queue) (levels[level[node]] ??= []).push(node);
    return [levels, linked.map((others, node) => others.filter((other) => level[other] === level[node] - 1))];
  }
}
