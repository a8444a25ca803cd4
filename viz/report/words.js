// What the player says.

const mostStepsTold = 24;

class Words {
  constructor(player) {
    this.player = player;
    this.unitName = player.data.unit ?? "block";
  }

  stepName(step) {
    const phase = this.player.schedule.phases.filter(([, first]) => first <= step).pop();
    return phase && phase[0] ? `step ${step} (${phase[0]})` : `step ${step}`;
  }

  /// "11 (node 1, gpu 3)", or just the number.
  rankText(rank) {
    const { player } = this;
    if (player.data.rows !== null) return player.data.rows[rank][0];
    return player.schedule.places === null ? `${rank}` : `${rank} ${player.schedule.places[rank]}`;
  }

  /// "rank 11 (node 1, gpu 3)"; "rank 1, block 0" if ranks stand for such.
  name(rank) {
    return (this.player.data.rows === null ? "rank " : "") + this.rankText(rank);
  }

  /// For little room.
  brief(rank) {
    return this.player.data.rows === null ? String(rank) : this.player.data.rows[rank][1];
  }

  amountText(blocks) {
    const amount = shortNumber(blocks * (this.player.data.bytes || 1));
    return `${amount} ${this.unitName}${amount === "1" ? "" : "s"}`;
  }

  /// What a message carries: its blocks or, where these stand for amounts, so many units. Of many blocks the number.
  blocksText(message, most) {
    const { player } = this;
    if (player.data.unit !== null || message.row < 0 || message.size > 64 * most) return this.amountText(message.size);
    const runs = player.messages.blocksOf(message.step, message.row, message.src);
    return message.size === 1 ? `block ${runsText(runs)}` : `${message.size} blocks (${runsText(runs, most)})`;
  }

  /// What the step does, in a sentence or two.
  does() {
    const { player } = this;
    const { count, sent, received } = player.messages.at(player.step);
    const lane = player.messages.lane === null ? "" : `, lane ${player.messages.lane}`;
    const place = this.stepName(player.step).replace(/^s/, "S") + lane;
    if (count === 0) return `${place}: nobody sends anything.${this.differs()}`;
    const ends = ({ at }) => at.subarray(1).reduce((ranks, end, k) => ranks + (end > at[k] ? 1 : 0), 0);
    const [senders, receivers] = [ends(sent), ends(received)];
    const sizes = spanText(this.rowsNow().map((row) => player.messages.sizeOf(row) * (player.data.bytes || 1)));
    const each = `${sizes} ${this.unitName}${sizes === "1" ? "" : "s"}${count > 1 ? " each" : ""}`;
    return `${place}${this.operation()}: ${counted(senders, player.data.rows === null ? "rank" : "row")} send${senders === 1 ? "s" : ""} to ${receivers}: ${counted(count, "message")} of ${each}.${this.differs()}`;
  }

  /// The rows of the step's messages.
  rowsNow() {
    const { player } = this;
    const kind = player.messages.kinds[player.step];
    const rows = [];
    for (let row = player.messages.rowsAt[kind]; row < player.messages.rowsAt[kind + 1]; ++row) if (player.messages.isShown(row)) rows.push(row);
    return rows;
  }

  operation() {
    const copies = new Set(this.rowsNow().map((row) => this.player.messages.copies(row)));
    return copies.size > 1 ? "" : copies.has(true) ? ", copy" : ", reduce";
  }

  /// How the step differs from that of the other schedule.
  differs() {
    const { player } = this;
    const differs = player.data.beside?.differs?.[player.step];
    if (!differs || player.shown > 0) return "";
    const [same, changed, here, there] = differs;
    return ` Beside ${player.data.beside.name}: ${same} the same, ${changed} with other blocks or operation, ${here} only here, ${there} only there.`;
  }

  // The text about what is selected.

  tell() {
    const { player } = this;
    const told = [];
    if (player.chosenWay() !== noCounterexample) told.push(...this.waysTold(player.chosenWay()));
    if (player.rank !== null && player.block !== null) told.push(...this.sumTold());
    if (player.rank !== null) told.push(...this.rankTold());
    if (player.block !== null) told.push(...this.blockTold());
    if (told.length === 0) told.push(element("p", "Click a rank, or find one above. Arrow keys step, space plays, ? lists the keys. The page's address keeps what you see."));
    part("told").replaceChildren(...told);
  }

  waysTold(way) {
    const { player } = this;
    const told = [element("h3", `Why ${way.id} fails`), element("p", way.text[0])];
    for (const { step, text } of way.sites) {
      const line = element("p", "", "told-way");
      line.append(element(step === player.step ? "strong" : "span", `${text}: see step ${step}`));
      told.push(line);
    }
    way.paths.forEach((path, k) => {
      const line = element("p", way.paths.length > 1 ? `way ${k + 1}: ` : "", "told-way");
      line.append(path.length > 0 ? `${this.name(path[0].src)}` : "its own, held from the start");
      for (const leg of path) {
        line.append(" ");
        line.append(element(leg.step === player.step ? "strong" : "span", `→ ${this.rankText(leg.dst)} at step ${leg.step}`));
      }
      told.push(line);
    });
    return told;
  }

  /// What the rank has of the block: the sum of a chosen element.
  sumTold() {
    const { player } = this;
    return [element("h3", `Block ${player.block} on rank ${player.rank}`), element("p", this.heldText(player.rank, player.block, player.step + 1))];
  }

  heldText(rank, block, step) {
    const { player } = this;
    if (!player.mayRun) return "What ranks hold isn't computed for so many of them.";
    const run = player.runOf(block).goTo(step);
    if (!run.isKnown(step)) return `What ranks hold of block ${block} has no meaning from step ${run.fault.step} on: see what rank ${run.fault.src} sends rank ${run.fault.dst}.`;
    const [held, of] = [run.held(rank), player.schedule.contributors];
    const after = `After step ${step - 1}, ${this.name(rank)} holds`;
    if (held === 0) return `${after} nothing of block ${block}.`;
    const whose = runsText(run.contributors(rank), 12);
    if (held < 0) return `${after} a contribution to block ${block} twice. It has those of: ${whose}.`;
    return `${after} ${held} of ${counted(of, "contribution")} to block ${block}: ${run.sums ? `${held === 1 ? "that of rank" : "the sum of those of ranks"} ${whose}` : `what rank ${whose} had`}.`;
  }

  rankTold() {
    const { player } = this;
    const list = element("ol", "", "told-steps");
    const first = Math.max(0, Math.min(player.step - mostStepsTold / 2, player.messages.steps - mostStepsTold));
    const last = Math.min(first + mostStepsTold, player.messages.steps) - 1;
    list.start = first;
    for (let step = first; step <= last; ++step) list.append(this.stepTold(step));
    const about = last - first + 1 < player.messages.steps ? `, steps ${first} to ${last}` : ", step by step";
    return [element("h3", `${this.name(player.rank)}${about}`.replace(/^r/, "R")), list];
  }

  stepTold(step) {
    const { player } = this;
    const most = 12;
    const item = element("li", "", step === player.step ? "current" : "");
    const messages = player.messagesOf(player.rank, step);
    for (const m of messages.slice(0, most)) {
      const [does, other] = m.src === player.rank ? ["sends", `to ${this.rankText(m.dst)}`] : ["receives", `from ${this.rankText(m.src)}`];
      item.append(element("div", `${does} ${this.blocksText(m, 6)} ${other}: ${m.copies ? "copy" : "reduce"}`));
    }
    if (messages.length > most) item.append(element("div", `and ${messages.length - most} more messages`));
    if (messages.length === 0) item.append(element("div", "idle"));
    return item;
  }

  blockTold() {
    const { player } = this;
    const told = [element("h3", `Block ${player.block} at step ${player.step}`)];
    const run = player.blockRun();
    if (run === null) return [...told, element("p", "Who sends it isn't computed for so many ranks.")];
    const carried = run.moves[player.step].filter(([, , , src, dst]) => src !== dst);
    const shown = carried.slice(0, 24).map(([, , , src, dst]) => `${src} → ${dst}`).join(", ") + (carried.length > 24 ? ", .." : "");
    told.push(element("p", carried.length === 0 ? "Nobody sends it." : `${carried.length === 1 ? "1 message carries" : `${carried.length} messages carry`} it: ${shown}`));
    const all = run.heldBefore(player.step + 1).reduce((count, held) => count + (held === player.schedule.contributors ? 1 : 0), 0);
    told.push(element("p", !run.isKnown(player.step + 1) ? this.heldText(0, player.block, player.step + 1) : `After the step ${all} of ${player.messages.ranks} ranks hold all of it.`));
    return told;
  }

  /// What is under the pointer.
  pointedAt(rank, step) {
    if (rank === null) return this.says("");
    if (step === null) return this.says(`${this.name(rank)}`);
    const messages = this.player.messagesOf(rank, step);
    const texts = messages.slice(0, 4).map((m) => (m.src === rank ? `sends ${this.blocksText(m, 4)} to ${this.rankText(m.dst)}` : `receives ${this.blocksText(m, 4)} from ${this.rankText(m.src)}`));
    if (messages.length > 4) texts.push(`and ${messages.length - 4} more`);
    this.says(`${this.stepName(step)}, ${this.name(rank)}: ${texts.length > 0 ? texts.join("; ") : "idle"}`);
  }

  says(text) {
    part("hover").textContent = text || "\u00a0";
  }
}
