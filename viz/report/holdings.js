/// Who holds how much of which block after the step: some ranks down, some blocks across, around what is selected.
class HoldingsPicture {
  constructor(player) {
    this.player = player;
    [this.rank0, this.block0] = [0, 0];
  }

  measure(pen) {
    const { messages } = this.player;
    const cell = 22;
    this.columns = Math.min(messages.schedule.blocks, Math.max(1, Math.floor((pen.width - 44) / cell)), this.mostColumns());
    this.lines = Math.min(messages.ranks, Math.max(1, Math.floor((pen.height - 22) / cell)), 20);
    this.size = cell;
    const clamp = (first, count, all) => Math.min(Math.max(Math.round(first), 0), Math.max(all - count, 0));
    this.rank0 = clamp(this.rank0, this.lines, messages.ranks);
    this.block0 = clamp(this.block0, this.columns, messages.schedule.blocks);
  }

  /// Each block's way is looked for in all rows: fewer blocks where that takes long.
  mostColumns() {
    const { messages } = this.player;
    return Math.max(1, Math.min(messages.ranks > 1024 ? 16 : 32, Math.floor(4e5 / messages.rows.size.length)));
  }

  reveal(rank, block) {
    if (rank !== null && (rank < this.rank0 || rank >= this.rank0 + (this.lines ?? 1))) this.rank0 = rank - Math.floor((this.lines ?? 1) / 2);
    if (block !== null && (block < this.block0 || block >= this.block0 + (this.columns ?? 1))) this.block0 = block - Math.floor((this.columns ?? 1) / 2);
  }

  moveBy(dx, dy) {
    [this.dx, this.dy] = [(this.dx ?? 0) - dx / this.size, (this.dy ?? 0) - dy / this.size];
    const [columns, lines] = [Math.trunc(this.dx), Math.trunc(this.dy)];
    [this.block0, this.rank0, this.dx, this.dy] = [this.block0 + columns, this.rank0 + lines, this.dx - columns, this.dy - lines];
    this.player.moved();
  }

  zoom() {}

  draw(pen) {
    const { player } = this;
    this.measure(pen);
    for (let k = 0; k < this.columns; ++k) this.drawColumn(pen, this.block0 + k, 42 + k * this.size);
    for (let k = 0; k < this.lines; ++k) {
      const rank = this.rank0 + k;
      pen.text(String(rank), 36, 22 + (k + 0.5) * this.size, rank === player.rank ? colours.ink : colours.soft, { size: 10, align: "right", bold: rank === player.rank });
    }
    this.frame(pen);
  }

  drawColumn(pen, block, x) {
    const { player } = this;
    const isChosen = block === player.block;
    pen.text(String(block), x + this.size / 2, 11, isChosen ? colours.ink : colours.soft, { size: block > 999 ? 8 : 10, align: "center", bold: isChosen });
    const run = player.runOf(block);
    const [before, after] = [run.heldBefore(player.step), run.heldBefore(player.step + 1)];
    const isKnown = run.isKnown(player.step + 1);
    for (let k = 0; k < this.lines; ++k) {
      const rank = this.rank0 + k;
      if (!isKnown) pen.text("?", x + this.size / 2, 22 + (k + 0.5) * this.size, colours.soft, { size: 10, align: "center" });
      else this.drawCell(pen, x, 22 + k * this.size, after[rank], after[rank] !== before[rank]);
    }
  }

  drawCell(pen, x, y, held, isChanged) {
    pen.rectangle(x + 0.5, y + 0.5, this.size - 1, this.size - 1, held < 0 ? colours.twice : colours.level(this.player.levelOf(held)));
    if (held !== 0) pen.text(held < 0 ? `${-held}!` : String(held), x + this.size / 2, y + this.size / 2, colours.onLevel, { size: Math.abs(held) > 999 ? 8 : 10, align: "center" });
    if (isChanged) pen.frame(x + 1.5, y + 1.5, this.size - 3, this.size - 3, colours.way, 1.5);
  }

  frame(pen) {
    const { rank, block } = this.player;
    const [row, column] = [rank === null ? -1 : rank - this.rank0, block === null ? -1 : block - this.block0];
    if (row >= 0 && row < this.lines) pen.frame(42, 22 + row * this.size, this.columns * this.size, this.size, colours.chosen, 2);
    if (column >= 0 && column < this.columns) pen.frame(42 + column * this.size, 22, this.size, this.lines * this.size, colours.chosen, 2);
  }

  at(x, y) {
    const [column, row] = [Math.floor((x - 42) / this.size), Math.floor((y - 22) / this.size)];
    return {
      block: column >= 0 && column < this.columns ? this.block0 + column : null,
      rank: row >= 0 && row < this.lines ? this.rank0 + row : null,
    };
  }

  clicked(x, y) {
    const { block, rank } = this.at(x, y);
    if (block !== null && y < 22) this.player.follow({ block: block === this.player.block ? null : block });
    else if (rank !== null && x < 42) this.player.follow({ rank: rank === this.player.rank ? null : rank });
    else if (rank !== null && block !== null) this.player.follow({ rank, block });
  }

  hovered(x, y) {
    if (x === null) return this.player.words.pointedAt(null, null);
    const { block, rank } = this.at(x, y);
    if (block !== null && rank !== null && y >= 22 && x >= 42) this.player.words.says(this.player.words.heldText(rank, block, this.player.step + 1));
  }
}
