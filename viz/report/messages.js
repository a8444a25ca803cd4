// The messages of a schedule, as viz/folded_messages.h folds them: rows of ranks that do alike. Steps unfold when
// they are looked at.

/// Coordinates of ranks on a torus, as differences.
class Distances {
  constructor(sides) {
    this.sides = sides;
  }

  /// The coordinates' sums, around the sides; sign is 1 or -1.
  moved(rank, distance, sign) {
    let [moved, stride] = [0, 1];
    for (let d = this.sides.length - 1; d >= 0; --d) {
      const side = this.sides[d];
      const place = Math.floor(rank / stride) + sign * Math.floor(distance / stride);
      moved += (((place % side) + side) % side) * stride;
      stride *= side;
    }
    return moved;
  }

  from(rank, distance) {
    return this.moved(rank, distance, 1);
  }

  /// How far `to` is from `from`.
  between(from, to) {
    return this.moved(to, from, -1);
  }
}

/// A kind of steps, unfolded: its messages by their senders, and by their receivers.
class Unfolded {
  constructor(messages, kind) {
    const count = messages.countOf(kind);
    this.count = count;
    [this.src, this.dst, this.row] = [new Int32Array(count), new Int32Array(count), new Int32Array(count)];
    let at = 0;
    messages.eachOf(kind, (row, src, dst) => {
      [this.src[at], this.dst[at], this.row[at]] = [src, dst, row];
      ++at;
    });
    this.sent = this.ordered(this.src, messages.ranks);
    this.received = this.ordered(this.dst, messages.ranks);
    this.blocks = this.summed(messages);
  }

  /// {at: where each rank's messages begin in `list`, list}.
  ordered(ends, ranks) {
    const at = new Int32Array(ranks + 1);
    for (const rank of ends) ++at[rank + 1];
    for (let r = 0; r < ranks; ++r) at[r + 1] += at[r];
    const [next, list] = [at.slice(), new Int32Array(this.count)];
    for (let m = 0; m < this.count; ++m) list[next[ends[m]]++] = m;
    return { at, list };
  }

  /// By rank, the blocks that all ranks before it send.
  summed(messages) {
    const sums = new Float64Array(messages.ranks + 1);
    for (let m = 0; m < this.count; ++m) sums[this.src[m] + 1] += messages.sizeOf(this.row[m]);
    for (let r = 0; r < messages.ranks; ++r) sums[r + 1] += sums[r];
    return sums;
  }

  /// How many messages ranks first .. last send.
  sentBy(first, last) {
    return this.sent.at[last + 1] - this.sent.at[first];
  }

  receivedBy(first, last) {
    return this.received.at[last + 1] - this.received.at[first];
  }

  blocksOf(first, last) {
    return this.blocks[last + 1] - this.blocks[first];
  }
}

class Messages {
  constructor(schedule) {
    this.schedule = schedule;
    this.ranks = schedule.ranks;
    this.distances = new Distances(schedule.sides);
    this.unfolded = new Map();  // by kind, the one used last at the end
    this.kept = 0;              // messages in these
    this.lane = null;           // the only one whose messages unfold; null: all
    this.read(new Bytes(schedule.messages));
  }

  // Reading. All numbers go into a few long arrays.

  read(bytes) {
    this.readSets(bytes);
    this.readKinds(bytes);
    this.steps = bytes.next();
    this.kinds = new Int32Array(this.steps);
    const [setsAt, sets] = [new Int32Array(this.steps), []];
    for (let step = 0; step < this.steps; ++step) {
      this.kinds[step] = bytes.next();
      setsAt[step] = sets.length;
      for (let row = this.rowsAt[this.kinds[step]]; row < this.rowsAt[this.kinds[step] + 1]; ++row) sets.push(bytes.next());
    }
    [this.setsAt, this.sets] = [setsAt, Int32Array.from(sets)];
  }

  readRuns(bytes, into) {
    const count = bytes.next();
    into.push(count);
    let end = 0;
    for (let k = 0; k < count; ++k) {
      const first = end + bytes.next();
      const last = first + bytes.next();
      into.push(first, last);
      end = last + 1;
    }
  }

  /// A set is: whose coordinates it is relative to, how many landings; its runs; each landing's distance and runs.
  readSets(bytes) {
    const [at, pool] = [new Int32Array(bytes.next()), []];
    for (let set = 0; set < at.length; ++set) {
      at[set] = pool.length;
      pool.push(bytes.next());
      this.readRuns(bytes, pool);
      const landings = bytes.next();
      pool.push(landings);
      for (let k = 0; k < landings; ++k) {
        pool.push(bytes.signed());
        this.readRuns(bytes, pool);
      }
      this.hasLandings ||= landings > 0;
    }
    [this.setAt, this.pool] = [at, Int32Array.from(pool)];
  }

  readKinds(bytes) {
    const rowsAt = [0];
    const rows = { distance: [], flags: [], size: [], sendersAt: [] };
    const senders = [];
    for (let left = bytes.next(); left > 0; --left) {
      for (let row = bytes.next(); row > 0; --row) this.readRow(bytes, rows, senders);
      rowsAt.push(rows.size.length);
    }
    rows.sendersAt.push(senders.length);
    this.rowsAt = Int32Array.from(rowsAt);
    this.senders = Int32Array.from(senders);
    this.rows = Object.fromEntries(Object.entries(rows).map(([name, list]) => [name, Int32Array.from(list)]));
  }

  /// Senders are runs: the first, the stride, the count.
  readRow(bytes, rows, senders) {
    rows.distance.push(bytes.next());
    rows.flags.push(bytes.next());
    rows.size.push(bytes.next());
    rows.sendersAt.push(senders.length);
    let end = 0;
    for (let left = bytes.next(); left > 0; --left) {
      const first = end + bytes.signed();
      const [stride, count] = [bytes.next(), bytes.next()];
      senders.push(first, stride, count);
      end = first + stride * (count - 1);
    }
  }

  // Rows.

  sizeOf(row) {
    return this.rows.size[row];
  }

  copies(row) {
    return this.rows.flags[row] % 2 === 1;
  }

  laneOf(row) {
    return this.rows.flags[row] >> 1;
  }

  /// A row of distance 0 stays on its ranks.
  isLocal(row) {
    return this.rows.distance[row] === 0;
  }

  /// Calls visit(row, src, dst) for each message of a kind.
  eachOf(kind, visit) {
    for (let row = this.rowsAt[kind]; row < this.rowsAt[kind + 1]; ++row)
      if (this.isShown(row)) this.eachSender(row, (src) => visit(row, src, this.dst(row, src)));
  }

  eachSender(row, visit) {
    for (let at = this.rows.sendersAt[row]; at < this.rows.sendersAt[row + 1]; at += 3)
      for (let k = 0; k < this.senders[at + 2]; ++k) visit(this.senders[at] + k * this.senders[at + 1]);
  }

  dst(row, src) {
    return this.distances.from(src, this.rows.distance[row]);
  }

  sendersIn(row) {
    let count = 0;
    for (let at = this.rows.sendersAt[row]; at < this.rows.sendersAt[row + 1]; at += 3) count += this.senders[at + 2];
    return count;
  }

  /// How many messages of the row the rank sends: 0 or 1, or several that are the same.
  sendsIn(row, src) {
    const [begin, end] = [this.rows.sendersAt[row], this.rows.sendersAt[row + 1]];
    const after = firstWhere((end - begin) / 3, (k) => this.senders[begin + 3 * k] > src);
    let count = 0;
    for (let k = after - 1; k >= 0; --k) {
      const [first, stride, length] = this.senders.subarray(begin + 3 * k, begin + 3 * k + 3);
      if (first + stride * (length - 1) < src) break;
      if (stride === 0) count += length;
      else if ((src - first) % stride === 0) ++count;
    }
    return count;
  }

  /// Of a kind, without unfolding it.
  countOf(kind) {
    let count = 0;
    for (let row = this.rowsAt[kind]; row < this.rowsAt[kind + 1]; ++row) if (this.isShown(row)) count += this.sendersIn(row);
    return count;
  }

  /// Is the row one of messages, and of the lane that is looked at?
  isShown(row) {
    return !this.isLocal(row) && (this.lane === null || this.lane === this.laneOf(row));
  }

  useLane(lane) {
    [this.lane, this.kept, this.overview] = [lane, 0, undefined];
    this.unfolded.clear();
  }

  // Steps.

  /// The messages of a step's kind. Keeps those used last, of four million messages.
  at(step) {
    const kind = this.kinds[step];
    let found = this.unfolded.get(kind);
    if (found) this.unfolded.delete(kind);
    else {
      found = new Unfolded(this, kind);
      this.kept += found.count + this.ranks;
    }
    this.unfolded.set(kind, found);
    for (const [other, { count }] of this.unfolded) {
      if (this.kept <= 4e6 || other === kind) break;
      this.unfolded.delete(other);
      this.kept -= count + this.ranks;
    }
    return found;
  }

  /// Message m of a step, in full.
  message(step, m) {
    const { src, dst, row } = this.at(step);
    return { step, src: src[m], dst: dst[m], row: row[m], lane: this.laneOf(row[m]), copies: this.copies(row[m]), size: this.sizeOf(row[m]) };
  }

  setOf(step, row) {
    return this.sets[this.setsAt[step] + row - this.rowsAt[this.kinds[step]]];
  }

  // Blocks.

  /// A block moved by the coordinates of a rank; sign is 1 or -1.
  movedBlock(block, rank, digits, sign) {
    if (digits === 0) return block;
    const p = this.ranks;
    let rest = Math.floor(block / p);
    if (digits === 2) rest = Math.floor(rest / p) * p + this.distances.moved(rest % p, rank, sign);
    return rest * p + this.distances.moved(block % p, rank, sign);
  }

  /// The runs of a pool, from the place of their count.
  runsIn(at) {
    const runs = [];
    for (let k = 0; k < this.pool[at]; ++k) runs.push([this.pool[at + 1 + 2 * k], this.pool[at + 2 + 2 * k]]);
    return runs;
  }

  hasInRuns(at, block) {
    const count = this.pool[at];
    const k = firstWhere(count, (n) => this.pool[at + 2 + 2 * n] >= block);
    return k < count && this.pool[at + 1 + 2 * k] <= block;
  }

  /// Does the rank's message with this set carry the block?
  carries(set, src, block) {
    const at = this.setAt[set];
    return this.hasInRuns(at + 1, this.movedBlock(block, src, this.pool[at], -1));
  }

  /// The blocks of a message, as ascending runs. O(blocks log blocks)
  blocksOf(step, row, src) {
    const at = this.setAt[this.setOf(step, row)];
    const runs = this.runsIn(at + 1);
    if (this.pool[at] === 0) return runs;
    const blocks = [];
    for (const [first, last] of runs)
      for (let block = first; block <= last; ++block) blocks.push(this.movedBlock(block, src, this.pool[at], 1));
    return joined(blocks);
  }

  /// Calls visit(src) for each message of a step's row that carries the block. The shorter of senders and blocks is
  /// gone through.
  eachCarrier(step, row, block, visit) {
    const set = this.setOf(step, row);
    const at = this.setAt[set];
    const digits = this.pool[at];
    if (digits === 0 || this.sendersIn(row) <= this.sizeOf(row)) {
      if (digits > 0 || this.hasInRuns(at + 1, block))
        this.eachSender(row, (src) => digits > 0 && !this.carries(set, src, block) ? undefined : visit(src));
      return;
    }
    for (const [first, last] of this.runsIn(at + 1))
      for (let relative = first; relative <= last; ++relative) {
        const src = this.distances.between(relative % this.ranks, block % this.ranks);
        if (this.movedBlock(relative, src, digits, 1) !== block) continue;
        for (let times = this.sendsIn(row, src); times > 0; --times) visit(src);
      }
  }

  /// The landings of a set: [[distance, place of its runs in the pool], ..]; blocks that land where they were have one
  /// of distance 0.
  landingsOf(set) {
    let at = this.setAt[set] + 1;
    const own = at;
    at += 1 + 2 * this.pool[at];
    const landings = [];
    for (let left = this.pool[at++]; left > 0; --left) {
      landings.push([this.pool[at], at + 1]);
      at += 2 + 2 * this.pool[at + 1];
    }
    return landings.length > 0 ? landings : [[0, own]];
  }
}

/// Numbers as ascending runs.
function joined(numbers) {
  const runs = [];
  for (const number of numbers.sort((a, b) => a - b)) {
    const last = runs[runs.length - 1];
    if (last && last[1] + 1 >= number) last[1] = number;
    else runs.push([number, number]);
  }
  return runs;
}
