// Z3 outside the module: who started it answers scripts, and the module waits (module/questions.js). Where there is
// none, the answer says why.

#include <emscripten.h>

#include <string>

#include "proofs/query.h"
#include "proofs/smtlib.h"

// Puts the answer to a script into `answer`, with a zero behind it. What has no room there is cut off.
EM_JS(void, put_answer, (const char* script, char* answer, int room), {
  const said = Module["ask"] ? Module["ask"](UTF8ToString(script)) : "no answer: only prove asks a solver here";
  stringToUTF8(said, answer, room);
});

namespace onceover::proofs {

namespace {

constexpr int most_bytes = 1 << 16;  // of an answer

std::string asked(const std::string& script) {
  std::string answer(most_bytes, '\0');
  put_answer(script.c_str(), answer.data(), most_bytes);
  return answer.substr(0, answer.find('\0'));
}

}  // namespace

Reply ask_z3(const Query& query, unsigned work, unsigned milliseconds) {
  return reply_of(asked(asking_script(query, work, milliseconds)), query.variables);
}

Reply ask_z3_script(const std::string& script) {
  return reply_of(asked(asking_script(script, solver_work, solver_milliseconds)), {});
}

/// "Z3 5.1.0", from (:version "5.1.0").
std::string z3_version() {
  const std::string said = asked("(get-info :version)\n");
  const std::size_t begin = said.find('"'), end = said.rfind('"');
  if (!said.starts_with("(:version \"") || end == begin) return "no solver";
  return "Z3 " + said.substr(begin + 1, end - begin - 1);
}

}  // namespace onceover::proofs
