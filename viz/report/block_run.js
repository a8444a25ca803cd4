/// A block's way through all steps: who sends it, and who holds which contributions to it.
///
/// A step reads what ranks hold when it begins; then its moves apply. What a rank holds are bits, one for each rank
/// whose contribution it may be, whether one of them is there twice, and whether something of another block is. With
/// landings, blocks whose values meet are executed together: each has a *slot*, and slot s of rank r is cell s p + r.
/// Where the verifier finds that a step has no meaning, this does, too: `fault` is its first move without one.
class BlockRun {
  constructor(messages, block) {
    [this.messages, this.block, this.ranks] = [messages, block, messages.ranks];
    this.slots = [block];
    this.moves = messages.hasLandings ? this.movesOfGroup() : this.movesOfBlock();
    this.sums = messages.schedule.begins === "everyone";
    this.words = this.sums ? (this.ranks + 31) >> 5 : 1;
    this.fault = null;  // known once its step was reached
    this.restart();
  }

  /// By step, [cell it comes from, cell it goes to, does it copy, src, dst].
  movesOfBlock() {
    const { messages } = this;
    return Array.from({ length: messages.steps }, (_, step) => {
      const moves = [];
      this.eachRow(step, (row) =>
        messages.eachCarrier(step, row, this.block, (src) => {
          const dst = messages.dst(row, src);
          moves.push([src, dst, messages.copies(row), src, dst]);
        }));
      return moves;
    });
  }

  eachRow(step, visit) {
    const kind = this.messages.kinds[step];
    for (let row = this.messages.rowsAt[kind]; row < this.messages.rowsAt[kind + 1]; ++row) visit(row);
  }

  /// The same with slots, of which there are as many as moves lead to.
  movesOfGroup() {
    const all = this.movesBetweenBlocks();
    const meet = new Map();
    for (const { from, to } of all) {
      if (!meet.has(from)) meet.set(from, new Set());
      if (!meet.has(to)) meet.set(to, new Set());
      meet.get(from).add(to);
      meet.get(to).add(from);
    }
    const slot = new Map([[this.block, 0]]);
    for (const block of slot.keys())
      for (const other of meet.get(block) ?? []) if (!slot.has(other)) slot.set(other, slot.size);
    this.slots = [...slot.keys()];
    const moves = Array.from({ length: this.messages.steps }, () => []);
    for (const { step, from, to, copies, src, dst } of all)
      if (slot.has(from)) moves[step].push([slot.get(from) * this.ranks + src, slot.get(to) * this.ranks + dst, copies, src, dst]);
    return moves;
  }

  /// Of all blocks, since they may meet.
  movesBetweenBlocks() {
    const { messages } = this;
    const all = [];
    for (let step = 0; step < messages.steps; ++step)
      this.eachRow(step, (row) => {
        const set = messages.setOf(step, row);
        const digits = messages.pool[messages.setAt[set]];
        for (const [shift, at] of messages.landingsOf(set))
          for (const [first, last] of messages.runsIn(at))
            for (let relative = first; relative <= last; ++relative)
              messages.eachSender(row, (src) => {
                const from = messages.movedBlock(relative, src, digits, 1);
                all.push({ step, from, to: from + shift, copies: messages.copies(row), src, dst: messages.dst(row, src) });
              });
      });
    return all;
  }

  restart() {
    const cells = this.slots.length * this.ranks;
    this.step = 0;
    this.bits = new Uint32Array(cells * this.words);
    [this.twice, this.other] = [new Uint8Array(cells), new Uint8Array(cells)];
    this.slots.forEach((block, slot) => {
      if (block >= this.messages.schedule.blocks) return;  // scratch
      for (let rank = 0; rank < this.ranks; ++rank) if (this.begins(rank, block)) this.hold(slot * this.ranks + rank, rank, slot > 0);
    });
  }

  hold(cell, rank, isOther) {
    if (isOther) this.other[cell] = 1;
    else this.bits[cell * this.words + (this.sums ? rank >> 5 : 0)] = this.sums ? 1 << (rank & 31) : 1;
  }

  begins(rank, block = this.block) {
    const { begins, root, owners } = this.messages.schedule;
    if (begins === "everyone") return true;
    if (begins === "root") return rank === root;
    if (begins === "origin") return rank === Math.floor(block / this.ranks) % this.ranks;
    return rank === (owners === null ? block % this.ranks : owners[block]);
  }

  /// What ranks hold before this step. O(moves of the steps since the last call), or since the first if it is earlier.
  goTo(step) {
    if (step < this.step) this.restart();
    while (this.step < step && this.isSound(this.step)) this.execute(this.step++);
    return this;
  }

  isSound(step) {
    return this.fault === null || step < this.fault.step;
  }

  value(cell) {
    return { bits: this.bits.slice(cell * this.words, (cell + 1) * this.words), twice: this.twice[cell], other: this.other[cell] };
  }

  execute(step) {
    const moves = this.moves[step];
    const values = moves.map(([from]) => this.value(from));
    const written = new Map();  // cells, and what was copied there; null: it was added
    for (const [k, [, to, copies, src, dst]] of moves.entries()) {
      if (this.fits(values[k], to, copies, written)) this.apply(values[k], to, copies);
      else this.fault = { step, src, dst };
      if (this.fault !== null) return;
      written.set(to, copies ? values[k] : null);
    }
  }

  /// Has the move a meaning: does it carry something, is there something that it is added to, does no other write
  /// compete with a copy?
  fits(value, to, copies, written) {
    if (isNothing(value)) return false;
    if (!copies) return !isNothing(this.value(to)) && !written.get(to);
    return !written.has(to) || (written.get(to) !== null && isSame(written.get(to), value));
  }

  apply({ bits, twice, other }, cell, copies) {
    const at = cell * this.words;
    if (copies) {
      this.bits.set(bits, at);
      [this.twice[cell], this.other[cell]] = [twice, other];
      return;
    }
    for (let k = 0; k < this.words; ++k) {
      if ((this.bits[at + k] & bits[k]) !== 0) this.twice[cell] = 1;
      this.bits[at + k] |= bits[k];
    }
    this.twice[cell] |= twice;
    this.other[cell] |= other;
  }

  /// How many contributions the rank holds, of the block itself; negative if one of them twice.
  held(rank) {
    let count = 0;
    for (let k = 0; k < this.words; ++k) count += bitsIn(this.bits[rank * this.words + k]);
    return this.twice[rank] ? -count : count;
  }

  /// By rank, how many it holds before a step. Those of three steps are kept.
  heldBefore(step) {
    this.kept ??= new Map();
    if (!this.kept.has(step)) {
      this.goTo(step);
      if (this.kept.size === 3) this.kept.delete(this.kept.keys().next().value);
      this.kept.set(step, Int32Array.from({ length: this.ranks }, (_, rank) => this.held(rank)));
    }
    return this.kept.get(step);
  }

  /// Has what ranks hold before the step a meaning?
  isKnown(step) {
    this.heldBefore(step);
    return this.fault === null || step <= this.fault.step;
  }

  /// Whose contributions, as runs.
  contributors(rank) {
    if (!this.sums) return this.held(rank) === 0 ? [] : joined(this.beginners());
    const whose = [];
    for (let other = 0; other < this.ranks; ++other)
      if ((this.bits[rank * this.words + (other >> 5)] >>> (other & 31)) & 1) whose.push(other);
    return joined(whose);
  }

  beginners() {
    return Array.from({ length: this.ranks }, (_, rank) => rank).filter((rank) => this.begins(rank));
  }
}

function isNothing({ bits, other }) {
  return !other && bits.every((word) => word === 0);
}

function isSame(one, other) {
  return one.twice === other.twice && one.other === other.other && one.bits.every((word, k) => word === other.bits[k]);
}

function bitsIn(word) {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return (((word + (word >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

/// How much memory and work a run of a block may take; beyond that it isn't executed.
function mayRun(messages) {
  const cells = messages.ranks * (messages.schedule.begins === "everyone" ? messages.ranks / 32 : 1);
  if (cells > 4e6) return false;
  if (!messages.hasLandings) return true;
  let moved = 0;
  for (let step = 0; step < messages.steps && moved < 4e5; ++step) {
    const kind = messages.kinds[step];
    for (let row = messages.rowsAt[kind]; row < messages.rowsAt[kind + 1]; ++row) moved += messages.sendersIn(row) * messages.sizeOf(row);
  }
  return moved < 4e5;
}
