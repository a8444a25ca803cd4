// No gate passes with nothing judged, or with what it requires left out: by mistake, or in 300 changed gate files.

#include <catch2/catch.hpp>
#include <filesystem>
#include <random>

#include "gate/gate.h"
#include "gate/gate_report.h"
#include "run_program.h"

namespace hollow_test {

using namespace onceover::gate;
using namespace onceover::support;

namespace {

constexpr std::string_view right = R"({"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":2,
"blocks":1,"steps":[[{"src":0,"dst":1,"blocks":[0],"op":"reduce"},{"src":1,"dst":0,"blocks":[0],"op":"reduce"}]]})";
constexpr std::string_view wrong = R"({"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":2,
"blocks":1,"steps":[[{"src":0,"dst":1,"blocks":[0],"op":"reduce"}]]})";
/// Right, but rank 0 adds rank 2's before rank 1's.
constexpr std::string_view disorder = R"({"format":"onceover-schedule","version":1,"collective":"reduce","ranks":3,
"blocks":1,"steps":[[{"src":2,"dst":0,"blocks":[0],"op":"reduce"}],[{"src":1,"dst":0,"blocks":[0],"op":"reduce"}]]})";
/// Right, but each rank ends with another sum.
constexpr std::string_view drift = R"({"format":"onceover-schedule","version":1,"collective":"allreduce","ranks":3,
"blocks":1,"steps":[[{"src":0,"dst":1,"blocks":[0],"op":"reduce"},{"src":1,"dst":2,"blocks":[0],"op":"reduce"},
{"src":2,"dst":0,"blocks":[0],"op":"reduce"},{"src":0,"dst":2,"blocks":[0],"op":"reduce"},
{"src":1,"dst":0,"blocks":[0],"op":"reduce"},{"src":2,"dst":1,"blocks":[0],"op":"reduce"}]]})";
constexpr std::string_view goal =
    "num_ranks 2\nrank 0 {\nl1: send 8b to 1 tag 0\n}\nrank 1 {\nl1: recv 8b from 0 tag 0\n}\n";

/// A folder with these subjects, in which this program works meanwhile.
class Workplace {
 public:
  Workplace() : before_(std::filesystem::current_path()) {
    for (const auto& [name, text] :
         {std::pair("right.json", right), std::pair("wrong.json", wrong), std::pair("disorder.json", disorder),
          std::pair("drift.json", drift), std::pair("plain.goal", goal)})
      folder_.write(name, std::string(text));
    std::filesystem::current_path(folder_.path());
  }
  ~Workplace() { std::filesystem::current_path(before_); }
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

 private:
  TemporaryFolder folder_;
  std::filesystem::path before_;
};

struct GateEnd {
  ExitCode code;
  std::string text;  // what is printed, or the error
};

GateEnd gate_end(const std::string& toml, const std::string& cache_folder = "") {
  const auto file = read_gate("gate.toml", toml);
  if (!file) return {file.error().code, file.error().message};
  const auto units = units_of(*file);
  if (!units) return {units.error().code, units.error().message};
  Cache cache(cache_folder);
  auto outcomes = run_units(*file, *units, 1, cache, nullptr);
  if (!outcomes) return {outcomes.error().code, outcomes.error().message};
  const GateReport report{*file, "", "", units->size(), "", std::move(*outcomes)};
  return {report.exit_code(), text_output(report)};
}

std::string check(const std::string& lines) {
  return "[[check]]\nname = \"c\"\n" + lines + "\n";
}

/// Checks of which each fails for a reason of its own.
const std::vector<std::string> failing{
    "file = \"wrong.json\"",
    "files = [\"wr*.json\"]",
    "file = \"disorder.json\"\nrequire = [\"order-preserving\"]",
    "file = \"drift.json\"\nrequire = [\"bitwise-reproducible\"]",
    "file = \"right.json\"\nlimit = [\"steps <= 0\"]",
    "file = \"right.json\"\ncollective = \"reduce\"",
    "file = \"right.json\"\nranks = 3",
    "peer = \"r xor 1\"\np = \"3..4\"",
    "algo = \"generalized-as-printed\"\np = 7",
    "algo = \"ring\"\np = 5\nrequire = [\"order-preserving\"]",
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Slips of an editor's hand, none of which takes back what the check asks.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  std::string mutant_of(const std::string& text) {
    std::vector<std::string> lines = lines_of(text);
    const std::size_t k = below(lines.size());
    const auto here = lines.begin() + static_cast<std::ptrdiff_t>(k);
    switch (below(9)) {
      case 0: lines.insert(here, lines[below(lines.size())]); break;
      case 1: std::swap(lines[k], lines[below(lines.size())]); break;
      case 2:
        lines.insert(here, any({"requires = [\"ports\"]", "p = []", "limits = []", "waive = []", "p = \"\""}));
        break;
      case 3: lines.insert(here, any({"[defaults]", "[other]", "[[check]]", "[check.x]", "[[defaults]]"})); break;
      case 4:
        lines.insert(lines.begin(), any({"[defaults]\nrequire = []\nlimit = []", "[defaults]\np = \"2..3\""}));
        break;
      case 5: lines.push_back(check("file = \"right.json\"").replace(18, 1, "d")); break;
      case 6: lines[k].erase(below(lines[k].size() + 1), 1); break;
      case 7: change_letter(lines[k]); break;
      case 8: change_quotes(lines[k]); break;
    }
    return joined(lines);
  }

 private:
  std::size_t below(std::size_t end) { return random_() % std::max<std::size_t>(end, 1); }
  std::string any(const std::vector<std::string>& texts) { return texts[below(texts.size())]; }

  void change_letter(std::string& line) {
    if (const std::size_t k = below(line.size()); std::isalpha(static_cast<unsigned char>(line[k])) != 0)
      line[k] = static_cast<char>(line[k] ^ 0x20);
  }

  static void change_quotes(std::string& line) {
    for (char& c : line)
      if (c == '"') c = '\'';
  }

  std::mt19937 random_;
};

}  // namespace

TEST_CASE("gate: what is asked of nothing, or can't be judged, is no pass") {
  const Workplace here;
  const auto code = [](const std::string& toml) { return gate_end(toml).code; };
  CHECK(code(check("file = \"right.json\"")) == ExitCode::ok);
  for (const char* lines : {"files = \"none/*.json\"",
                            "files = []",
                            "files = [\"right.json\", \"none-*.json\"]",
                            "algo = []\np = 3",
                            "algo = \"ring\"\np = []",
                            "algo = \"ring\"\np = \"\"",
                            "algo = \"ring\"\np = \"5..3\"",
                            "algo = \"ring\"\ntorus = []",
                            "algo = \"all\"\np = 4\nset = [{ order = \"near\" }, { ordr = \"far\" }]",
                            "algo = \"all\"\ntorus = \"4x4\"\ncollective = [\"allreduce\", \"alltoall\"]",
                            "algo = \"ring\"\np = 3\ncollective = []",
                            "file = \"right.json\"\nrequires = [\"order-preserving\"]",
                            "file = \"right.json\"\nRequire = [\"order-preserving\"]",
                            "file = \"right.json\"\nrequire = [\"bitwise\"]",
                            "file = \"right.json\"\nrequire = [\"\"]",
                            "file = \"right.json\"\nrequire = \"order-preserving,contiguous\"",
                            "file = \"right.json\"\nrequire = [\"ports\"]",
                            "file = \"right.json\"\n[check.require]\nids = [\"order-preserving\"]",
                            "file = \"right.json\"\nrequire = [\"race-free\"]",
                            "file = \"plain.goal\"\nrequire = [\"exactly-once\"]"}) {
    CAPTURE(lines);
    CHECK(code(check(lines)) == ExitCode::usage);
  }
  for (const char* text : {"require = [\"order-preserving\"]\n", "[require]\nids = [\"order-preserving\"]\n",
                           "[[defaults]]\nrequire = [\"order-preserving\"]\n", "[[checks]]\nname = \"d\"\n"})
    CHECK(code(text + check("file = \"right.json\"")) == ExitCode::usage);
  CHECK(code("[defaults]\nrequire = [\"order-preserving\"]\n") == ExitCode::usage);
  CHECK(code(check("file = \"plain.goal\"\nlimit = [\"steps <= 9\"]")) == ExitCode::unknown);
  CHECK(code(check("file = \"plain.goal\"\ncollective = \"allreduce\"")) == ExitCode::unknown);
  CHECK(code(check("file = \"right.json\"\nbudget = 1")) == ExitCode::unknown);
  CHECK(code(check("exec = \"true\"\np = 2")) == ExitCode::malformed);
  CHECK(code(check("exec = \"cat right.json; exit 1\"\np = 2")) == ExitCode::malformed);
  CHECK(code(check("exec = \"cat right.json\"\np = 3")) == ExitCode::malformed);
  CHECK(code(check("exec = \"cat right.json right.json\"\np = 2")) == ExitCode::malformed);
}

TEST_CASE("gate: a property that is waived is named in the verdict, and what fails unrequired in a line of its own") {
  const Workplace here;
  const GateEnd waived = gate_end(check("file = \"wrong.json\"\nwaive = [\"exactly-once\"]"));
  CHECK(waived.code == ExitCode::ok);
  CHECK_THAT(waived.text, Catch::Contains("  not required: exactly-once (1 unit, first c/wrong.json), bitwise-"));
  CHECK_THAT(waived.text, Catch::EndsWith("\npass  1 unit (exactly-once waived in all)\n"));
  CHECK_THAT(gate_end(check("file = \"drift.json\"")).text,
             Catch::Contains("  not required: bitwise-reproducible (1 unit"));
  const GateEnd failing = gate_end(check("file = \"wrong.json\""));
  CHECK(failing.code == ExitCode::violated);
  CHECK_THAT(failing.text, !Catch::Contains("not required"));
  for (const char* waive : {"[\"order-preserving\"]", "[\"race-free\"]", "[\"exactly\"]",
                            "[\"well-formed\", \"exactly-once\"]", "[\"ports\"]"}) {
    CAPTURE(waive);
    CHECK(gate_end(check(std::string("file = \"right.json\"\nwaive = ") + waive)).code == ExitCode::usage);
  }
  CHECK(gate_end(check("file = \"right.json\"\nrequire = [\"exactly-once\"]\nwaive = [\"exactly-once\"]")).code ==
        ExitCode::usage);
  CHECK_THAT(gate_end(check("file = \"right.json\"\nrequire = [\"bitwise\"]")).text,
             Catch::Contains("did you mean 'bitwise-reproducible'?"));
}

TEST_CASE("gate: what was kept without a requirement isn't taken where there is one") {
  const Workplace here;
  const std::string lines = "file = \"drift.json\"\n";
  CHECK(gate_end(check(lines), "cache").code == ExitCode::ok);
  CHECK_THAT(gate_end(check(lines), "cache").text, Catch::Contains("not required: bitwise-reproducible"));
  CHECK(gate_end(check(lines + "require = [\"bitwise-reproducible\"]"), "cache").code == ExitCode::violated);
  CHECK(gate_end(check("file = \"wrong.json\"\nwaive = [\"exactly-once\"]"), "cache").code == ExitCode::ok);
  CHECK(gate_end(check("file = \"wrong.json\""), "cache").code == ExitCode::violated);
}

TEST_CASE("gate: a failing gate file fails or is refused, in whatever way it is changed by mistake") {
  const Workplace here;
  Mutator mutator(42);
  int refused = 0;
  for (int n = 0; n < 300; ++n) {
    const std::string text = check(failing[static_cast<std::size_t>(n) % failing.size()]);
    const std::string mutant = mutator.mutant_of(text);
    const GateEnd end = gate_end(mutant);
    CAPTURE(mutant, end.text);
    CHECK(end.code != ExitCode::ok);
    refused += end.code == ExitCode::usage ? 1 : 0;
  }
  CHECK(refused > 100);
  CHECK(refused < 250);
}

}  // namespace hollow_test
