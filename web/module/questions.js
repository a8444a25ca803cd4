"use strict";
// Questions of the module to a solver. The module waits for an answer, and nothing that waits can see a promise kept. So the
// module runs in a worker, and the answer comes through memory that the worker shares with who started it.

const answer_room = 1 << 16;  // bytes

/// Memory for one answer: a number that wakes the worker, the length, and the text.
function answerMemory() {
  return new SharedArrayBuffer(8 + answer_room);
}

/// In the worker: asks a question, by `send`, and waits for its answer.
function asker(memory, send) {
  const state = new Int32Array(memory, 0, 2);
  return (question) => {
    Atomics.store(state, 0, 0);
    send(question);
    Atomics.wait(state, 0, 0);
    return new TextDecoder().decode(new Uint8Array(memory, 8, state[1]).slice());
  };
}

/// Beside the worker: answers its question, which is answered once.
function putAnswer(memory, text) {
  const bytes = new TextEncoder().encode(text);
  const put = bytes.length <= answer_room ? bytes : new TextEncoder().encode("no answer: it was too long");
  const state = new Int32Array(memory, 0, 2);
  new Uint8Array(memory, 8).set(put);
  state[1] = put.length;
  Atomics.store(state, 0, 1);
  Atomics.notify(state, 0);
}

/// Z3 of npm's z3-solver. `load` resolves to its Emscripten module, and is called by the first question.
class Z3 {
  constructor(load) {
    this.load = load;
    this.module = null;
  }

  /// What Z3 prints for a script of SMT-LIB, or "no answer: " and why. Its own limits are in the script; this one is for a Z3 that
  /// doesn't end by them.
  async ask(script, milliseconds = 60_000) {
    try {
      this.module ??= this.load();
      const printed = await Promise.race([evaluated(await this.module, script), after(milliseconds)]);
      return typeof printed === "string" ? printed : "no answer: Z3 printed none";
    } catch (error) {
      return `no answer: ${error?.message ?? error}`;
    }
  }

  /// Ends it, with what it is doing; the next question begins anew.
  end() {
    this.module?.then((em) => em.PThread.terminateAllThreads(), () => {});
    this.module = null;
  }
}

/// In a context of its own, where nothing of another question is left.
async function evaluated(em, script) {
  const config = em._Z3_mk_config();
  const context = em._Z3_mk_context(config);
  em._Z3_del_config(config);
  em._set_noop_error_handler(context);
  const printed = await em.async_call(() => em.ccall("async_Z3_eval_smtlib2_string", "void", ["number", "string"], [context, script]));
  em._Z3_del_context(context);
  return printed;
}

function after(milliseconds) {
  return new Promise((_, give_up) => setTimeout(() => give_up(new Error(`Z3 took longer than ${milliseconds / 1000} s`)), milliseconds).unref?.());
}

if (typeof exports === "object") Object.assign(exports, { Z3, answerMemory, asker, putAnswer });
