/** What a command line ended with. */
export interface End {
  /** 0: all required properties hold; 1: one is violated; 2: usage; 3: malformed input; 4: unknown; 5: internal error. */
  code: 0 | 1 | 2 | 3 | 4 | 5;
  /** What was printed on standard output, and on standard error. */
  out: string;
  err: string;
  /** The files that were written, by their paths. */
  files: Record<string, Uint8Array>;
}

/** A counterexample: what went wrong where, and the paths that a contribution took. */
export interface Counterexample {
  kind: string;
  rank?: number;
  block?: number;
  contributor?: number;
  times?: number;
  step?: number;
  paths: { step: number; src: number; dst: number }[][];
  [further: string]: unknown;
}

export interface Property {
  id: string;
  required: boolean;
  verdict: "pass" | "fail" | "unknown";
  summary: string;
  counterexample?: Counterexample;
}

export interface Run {
  subject: Record<string, unknown>;
  verdict: "pass" | "fail" | "unknown";
  properties: Property[];
  metrics?: Record<string, unknown>;
  [further: string]: unknown;
}

/** What `verify --json` prints; docs/schema/run.schema.json says all of it. */
export interface Report {
  schema_version: 1;
  tool: { name: "onceover"; version: string };
  runs: Run[];
  summary: { pass: number; fail: number; unknown: number };
}

export interface Verified {
  code: End["code"];
  /** null where there is no verdict: `message` says why. */
  report: Report | null;
  message: string;
}

/**
 * Checks a schedule file, or a program such as MSCCL XML, given as a text. `options` are those of `verify`:
 * ["--require", "order-preserving"]. The input may be wrong in any way: the promise is rejected only if there is no
 * memory for the module.
 */
export function verify(text: string, options?: string[]): Promise<Verified>;

/**
 * Runs a command line of `verify` on files in memory: run(["--algo", "swing", "--p", "7"]).
 *
 * `prove` asks Z3, of the package z3-solver. With `ask`, it asks that instead: `ask` gets a script of SMT-LIB 2, with Z3's options
 * for limits, and returns what a solver prints for it. Without an answer as Z3 prints it, the verdict is unknown.
 *
 * It runs in `folder`, "/" if there is none, where paths that don't begin with / begin. Of the files, "-" is standard input, and a
 * path that ends with / is a folder that is there.
 */
export function run(
  words: string[],
  files?: Record<string, string | Uint8Array>,
  ask?: ((script: string) => string | Promise<string>) | null,
  folder?: string,
): Promise<End>;
