// Evidence: ways to try a sentence, on schedules, on whole numbers, or by a search of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/stop.h"
#include "network/contention.h"
#include "network/topology.h"
#include "schedules/catalogue.h"
#include "subjects/limit.h"
#include "units/check.h"

namespace onceover::papers {

/// A case in which a sentence does not hold. Cases are tried in the order of the range, smallest first.
struct Refutation {
  std::string where;         // "swing allreduce, p = 6"
  std::string why;           // what happens there
  std::string command = {};  // shows it; empty: only `verify claims` does
};

struct ClaimFinding {
  std::optional<Refutation> refutation = {};
  std::string unknown = {};  // why we can't tell; empty: it was decided
};

/// How a sentence is tried.
enum class Means : std::uint8_t {
  cases,       // schedules are executed, or a search is done
  arithmetic,  // a formula is evaluated: nothing is executed
  identity,    // arithmetic with a foregone outcome
};

/// A sentence about all cases of a range, and how they are tried.
struct Evidence {
  std::string range;  // "p = 2..64"
  std::function<ClaimFinding()> find;
  bool is_provable = false;  // does it ask only what theorems are about: being right, or a lemma's numbers?
  Means means = Means::cases;
};

/// A subject that our own code names by texts, as on the command line; empty if not given.
struct Schedules {
  std::string algorithm = {};  // a row of the catalogue, or "all"
  std::string peer = {};       // or a formula
  std::string ranks = {};
  std::vector<std::string> tori = {};
  std::string lanes = {};
  std::string collective = {};
  std::vector<std::string> settings = {};
  std::string topology = {};
};

/// The check of a gate file that names these schedules.
Check check_of(const Schedules& subject);

/// "p = 2..64", "tori 2x2, 4x4".
std::string range_of(const Check& check);

// The checks below have one algorithm or all, and at most one collective and one table of settings.

/// Schedules have properties and keep within limits (see subjects/limit.h); each is judged as `verify gate` does.
Evidence schedules(const Check& check);

/// Deficiencies, and measures of shape, keep within limits. The schedules aren't judged, so that large ones can be
/// measured. They run on the torus, on all lanes if the row has them.
Evidence deficiencies(const Check& check, const std::vector<Limit>& limits);

/// A variable of a sentence about numbers: all whole numbers first .. last, each a formula in earlier variables.
struct Variable {
  std::string name;
  std::string first;
  std::string last;
};

/// A formula (see schedules/formula.h) holds for all values of the variables for which `given` holds.
Evidence numbers(const std::vector<Variable>& variables, std::string_view sentence, std::string_view given = "1");

/// The same for a formula whose outcome is certain before it is evaluated.
Evidence identity(const std::vector<Variable>& variables, std::string_view sentence);

/// Two rows have the same transfers, step by step, in any order within a step; or with the other's steps backwards.
enum class Direction : std::uint8_t { forwards, backwards };
Evidence same_transfers(const Check& one, const Check& other, Direction direction = Direction::forwards);

/// The evidence, marked as a question that theorems are about.
Evidence provable(Evidence evidence);

/// A search written for the purpose.
Evidence search(std::string range, std::function<ClaimFinding()> find);

// The schedules that sentences are about, one by one, and what networks make of them.

inline std::string text_of(const Failure& failure) {
  return failure.message;
}

inline std::string text_of(const SourceError& error) {
  return error.render();
}

inline std::string text_of(const Unroutable& error) {
  return error.text;
}

inline const std::string& text_of(const std::string& error) {
  return error;
}

/// The value of something that can't fail, such as reading our own claims. A failure is a bug, unless all work is to
/// stop.
template <class T, class E>
T sure(tl::expected<T, E> read) {
  if (read) return std::move(*read);
  stop_point();
  throw std::logic_error("a claim can't be tried: " + text_of(read.error()));
}

template <class T>
T sure(std::optional<T> found) {
  if (found) return std::move(*found);
  stop_point();
  throw std::logic_error("a claim can't be tried: the numbers are too large");
}

/// The sides of the tori, then the lines.
std::vector<std::vector<Rank>> shapes_of(const Check& check);

/// The schedule of a row, which must have one for this check and shape.
SchedulePtr made(const Check& check, const std::vector<Rank>& shape);

/// A schedule that a sentence is about.
struct Case {
  std::string text;  // "swing, p = 7"
  std::vector<Rank> shape;
  SchedulePtr schedule;
};

/// The cases of a row; for "all", those of every row that is right as printed and has a schedule there. Tori come
/// before lines.
std::vector<Case> cases_of(const Check& check);

/// The network "hx4mesh:within-board=wires" and the like, of that shape.
Network network_of(std::string_view topology, const std::vector<Rank>& shape);

Contention measured(const Schedule& schedule, const Network& network);

}  // namespace onceover::papers
