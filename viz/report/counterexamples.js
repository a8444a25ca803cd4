/// A counterexample that has a place in the steps: of a schedule paths or a step, of a program operations.
class Counterexample {
  constructor(property, faults) {
    Object.assign(this, property.counterexample, { id: property.id, required: property.required, sites: faults?.[property.id] ?? [] });
    if (faults !== null) Object.assign(this, { paths: [], step: null });
    this.legs = this.itsLegs();
    this.marks = this.itsMarks();
    this.ends = Number.isInteger(this.final_step) && Number.isInteger(this.rank) ? [{ step: this.final_step, rank: this.rank }] : [];
    const steps = [...this.paths.flat(), ...this.sites].map(({ step }) => step);
    if (steps.length === 0 && Number.isInteger(this.step)) steps.push(this.step);
    if (this.staysAtItsRank()) steps.push(0);
    if (steps.length > 0) steps.push(...this.ends.map(({ step }) => step));
    this.steps = [...new Set(steps)].sort((a, b) => a - b);
  }

  /// Does it only name a step and a rank?
  isOfStep() {
    return this.paths.length === 0 && Number.isInteger(this.step) && Number.isInteger(this.rank);
  }

  /// Is a contribution missing that its rank never sends?
  staysAtItsRank() {
    return this.paths.length === 0 && Number.isInteger(this.contributor) && Number.isInteger(this.final_step);
  }

  /// The messages of its paths; of a program those of its operations.
  itsLegs() {
    const legs = this.paths.flat();
    for (const { step, message } of this.sites) if (message) legs.push({ step, src: message[0], dst: message[1] });
    if (this.isOfStep() && Number.isInteger(this.other_rank)) legs.push({ step: this.step, src: this.other_rank, dst: this.rank });
    return legs;
  }

  /// The ranks at which its paths begin, or at which something is wrong, with the step.
  itsMarks() {
    const marks = this.sites.map(({ step, rank }) => ({ step, rank }));
    for (const path of this.paths) marks.push({ step: path[0]?.step ?? 0, rank: path[0]?.src ?? this.rank });
    if (this.isOfStep()) marks.push({ step: this.step, rank: this.rank });
    if (this.staysAtItsRank()) marks.push({ step: 0, rank: this.contributor });
    return marks;
  }

  /// The ranks where its contributions are before a step; else those at which something is wrong at it.
  marksAt(step) {
    if (this.staysAtItsRank()) return [this.contributor];
    if (this.paths.length === 0) return this.marks.filter((mark) => mark.step === step).map(({ rank }) => rank);
    return this.paths.map((path) => path.filter((leg) => leg.step < step).pop()?.dst ?? path[0]?.src ?? this.rank);
  }
}

/// Nothing to mark.
const noCounterexample = { legs: [], marks: [], ends: [], marksAt: () => [] };

/// Those of required properties first.
function counterexamplesOf(run, data) {
  const found = run.properties.filter((property) => property.counterexample).map((property) => new Counterexample(property, data.faults));
  return found.filter(({ steps }) => steps.length > 0).sort((a, b) => b.required - a.required);
}
