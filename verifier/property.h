// What a property is, and how one is judged.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "verifier/counterexample.h"
#include "verifier/replay.h"
#include "verifier/term_judgement.h"

namespace onceover::verifier {

enum class Verdict { pass, fail, unknown };

std::string_view name(Verdict verdict);

/// Of two verdicts that must both be a pass: fail before unknown before pass.
Verdict worse(Verdict a, Verdict b);

/// Bounds that the user gives, one for each property that asks for one.
struct Bounds {
  std::optional<std::uint64_t> ports = {};    // sends, and receives, of a rank in a step
  std::optional<std::uint64_t> staging = {};  // blocks that a rank holds for others

  bool operator==(const Bounds&) const = default;
};

/// What judging a property came to.
struct Finding {
  /// contiguous: the blocks in an order that makes every message one run.
  struct Layout {
    std::vector<Block> blocks;
  };
  /// staging: the most blocks held for others at once.
  struct Peak {
    std::uint64_t blocks;
  };

  Verdict verdict = Verdict::unknown;
  std::string summary;                                // one sentence
  std::optional<Counterexample> counterexample = {};  // there is one for every fail
  std::uint64_t violations = 0;                       // how many there are in all
  std::variant<std::monostate, Layout, Peak> extra = {};

  const Layout* layout() const { return std::get_if<Layout>(&extra); }
  const Peak* peak() const { return std::get_if<Peak>(&extra); }
};

/// "each rank's contribution to every block reaches every rank exactly once".
std::string postcondition_text(Collective collective, Rank root);

/// The finding on order-preserving: `gaps` of `sums` join what isn't neighbouring.
Finding neighbouring_sums(std::uint64_t sums, std::uint64_t gaps, std::optional<Counterexample> first_gap);

/// The finding on bitwise-reproducible: so many blocks of which ranks hold different sums, up to `most` of one.
Finding same_sums(std::uint64_t blocks, std::uint64_t most, std::optional<Counterexample> example);

/// A property judged block by block: one object a thread, merged at the end. The lowest block that fails gives the
/// counterexample, so the finding doesn't depend on the threads.
class BlockCheck {
 public:
  virtual ~BlockCheck() = default;

  /// Judges the block that was replayed last. Blocks come upward. O(moves + ranks).
  virtual void judge(const Replay& replay) = 0;

  /// Takes over what another check of the same property found in other blocks.
  virtual void merge(const BlockCheck& other) = 0;

  virtual Finding finding() const = 0;
};

/// What a property is about.
enum class Subjects : std::uint8_t { schedules, programs, libraries };

/// How the user gives a property its bound: by a flag with a whole number, which requires the property.
struct Bound {
  std::optional<std::uint64_t> Bounds::*number;
  std::string_view help;       // on the flag
  std::string_view question;   // that the number answers: "how many there are"
  std::string_view limit;      // on a metric: what a gate file asks for in its place, for example
  bool is_plural = false;      // the id: "ports are", but "staging is"
  std::string_view flag = {};  // without its dashes; empty: the id
};

/// A row: a property that schedules or programs are judged by, under its stable id, and what `verify explain` says of
/// it. A new one is a file in properties/, a row of `properties()`, and a field of Bounds if it asks for one.
struct Property {
  std::string_view id;
  std::string_view asks;
  bool required_by_default;
  std::string_view matters;  // why one should care
  std::string_view example;  // a small schedule file, or program, that violates it, or a bound of 1
  std::string_view remedy;   // how to mend that

  // How it is judged: by one of these, or by the execution itself if both are null.
  std::unique_ptr<BlockCheck> (*by_block)(const Header&, const Bounds&, int steps) = nullptr;
  Finding (*of_schedule)(const Schedule&, const Bounds&) = nullptr;
  Subjects subjects = Subjects::schedules;  // programs: only they have it, and the execution of programs judges it;
                                            // libraries: only running ones have it, and verify-mpi judges it
  std::optional<Bound> bound = {};
};

/// All properties that can be judged, in the order of reports; those of programs alone come
/// after those of schedules, and those of running libraries alone last.
std::span<const Property> properties();

/// Those that schedules are judged by.
std::span<const Property> schedule_properties();

/// Is it among these ids, which the user requires?
bool asks_for(std::span<const std::string> ids, const Property& property);

/// The property's bound, if it asks for one and the user gave it.
std::optional<std::uint64_t> bound_of(const Property& property, const Bounds& bounds);

/// "--staging", of a property that asks for a bound; and of all of them.
std::string bound_flag(const Property& property);
std::vector<std::string> bound_flags();

/// The rows, each defined in a file of its own.
extern const Property well_formed_property;
extern const Property exactly_once_property;
extern const Property no_redundant_transfer_property;
extern const Property ports_property;
extern const Property order_preserving_property;
extern const Property bitwise_reproducible_property;
extern const Property contiguous_property;
extern const Property staging_property;
extern const Property deadlock_free_property;
extern const Property race_free_property;
extern const Property input_preserved_property;
extern const Property deterministic_property;

}  // namespace onceover::verifier
