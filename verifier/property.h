// Property: what it asks, and how it is judged.
#pragma once

#include <array>
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

/// The verdict of two together, which passes only if both do: fail before unknown before pass.
Verdict worse(Verdict a, Verdict b);

/// Bounds that the user gives, one for each property that takes a bound.
struct Bounds {
  std::optional<std::uint64_t> ports = {};    // messages that a rank sends, or receives, in a step
  std::optional<std::uint64_t> staging = {};  // blocks that a rank holds for other ranks

  bool operator==(const Bounds&) const = default;
};

/// The result of judging a property.
struct Finding {
  /// contiguous: an order of the blocks in which every message is one run.
  struct Layout {
    std::vector<Block> blocks;
  };
  /// Of a property with a bound: the most that was found of what the bound limits.
  struct Peak {
    std::uint64_t number;
  };

  Verdict verdict = Verdict::unknown;
  std::string summary;                                // one sentence
  std::optional<Counterexample> counterexample = {};  // every fail has one
  std::uint64_t violations = 0;                       // their number, of which the counterexample shows one
  std::variant<std::monostate, Layout, Peak> extra = {};

  const Layout* layout() const { return std::get_if<Layout>(&extra); }
  const Peak* peak() const { return std::get_if<Peak>(&extra); }
};

/// "each rank's contribution reaches every rank exactly once".
std::string postcondition_text(Collective collective, Rank root);

/// The finding on order-preserving: of `sums` sums, `gaps` join runs of ranks that aren't neighbours.
Finding neighbouring_sums(std::uint64_t sums, std::uint64_t gaps, std::optional<Counterexample> first_gap);

/// The finding on bitwise-reproducible: how many `blocks` have different sums on different ranks, and the `most` sums
/// of one block.
Finding same_sums(std::uint64_t blocks, std::uint64_t most, std::optional<Counterexample> example);

/// With how many different sums of the block that was replayed last the ranks end that must hold it.
std::uint64_t different_results(const Replay& replay);

/// Two of these sums; there must be several.
Counterexample different_sums(const Replay& replay);

/// A property judged block by block: one object for each thread, merged at the end. The lowest block that fails gives
/// the counterexample, so the finding doesn't depend on the threads.
class BlockCheck {
 public:
  virtual ~BlockCheck() = default;

  /// Judges the block that was replayed last. Blocks come in ascending order. O(moves + ranks).
  virtual void judge(const Replay& replay) = 0;

  /// Adds what another check of the same property found in other blocks.
  virtual void merge(const BlockCheck& other) = 0;

  virtual Finding finding() const = 0;
};

/// What a property is about.
enum class Subjects : std::uint8_t { schedules, programs, plans, messages, libraries };

/// How the user gives a property its bound: by an option with a whole number, which also requires the property.
struct Bound {
  std::optional<std::uint64_t> Bounds::*number;
  std::string_view help;       // of the option
  std::string_view question;   // the question that the number answers: "how many there are"
  std::string_view limit;      // a limit on a metric that a gate file can set instead, as an example
  bool is_plural = false;      // is the id a plural? "ports are", but "staging is"
  std::string_view flag = {};  // the option without its dashes; empty: the id
};

/// A row: a property of schedules or programs, its stable id, and what `verify explain` says about it. To add one,
/// write a file in properties/, declare its row at the end of this header; if it takes a bound, add that to Bounds.
struct Property {
  std::string_view id;
  std::string_view asks;
  bool required_by_default;
  std::string_view matters;  // why it matters
  std::string_view example;  // a small schedule file or program that violates it, or a bound of 1
  std::string_view remedy;   // how to repair that

  // How it is judged: by one of these two, or by the execution itself if both are null.
  std::unique_ptr<BlockCheck> (*by_block)(const Header&, const Bounds&, int steps) = nullptr;
  Finding (*of_schedule)(const Schedule&, const Bounds&) = nullptr;
  Subjects subjects = Subjects::schedules;  // programs, plans: only for those, whose execution judges it; messages:
                                            // only for GOAL and code over MPI; libraries: only for running libraries,
                                            // which verify-mpi judges
  std::optional<Bound> bound = {};
};

/// All properties in the order of reports: first those of schedules, then those of programs only, of plans only, of
/// messages, and of running libraries only.
std::span<const Property> properties();

/// The properties by which schedules are judged.
std::span<const Property> schedule_properties();

/// Is the property among these ids, which the user requires?
bool asks_for(std::span<const std::string> ids, const Property& property);

/// The property's bound, if it takes one and the user gave it.
std::optional<std::uint64_t> bound_of(const Property& property, const Bounds& bounds);

/// "--staging": the option of a property that takes a bound.
std::string bound_flag(const Property& property);

/// "--ports and --staging": those of all such properties, with `last` before the last one.
std::string bound_flags(std::string_view last);

/// The rows, each defined in a file of its own, and their order.
extern const Property well_formed_property;
extern const Property exactly_once_property;
extern const Property no_redundant_transfer_property;
extern const Property ports_property;
extern const Property order_preserving_property;
extern const Property bitwise_reproducible_property;
extern const Property contiguous_property;
extern const Property staging_property;
extern const Property emptied_buffers_property;
extern const Property deadlock_free_property;
extern const Property race_free_property;
extern const Property input_preserved_property;
extern const Property balanced_property;
extern const Property repeatable_property;
extern const Property unbuffered_property;
extern const Property deterministic_property;
inline constexpr std::array property_rows{
    &well_formed_property,   &exactly_once_property,     &no_redundant_transfer_property,
    &ports_property,         &order_preserving_property, &bitwise_reproducible_property,
    &contiguous_property,    &staging_property,          &emptied_buffers_property,
    &deadlock_free_property, &race_free_property,        &input_preserved_property,
    &balanced_property,      &repeatable_property,       &unbuffered_property,
    &deterministic_property};

}  // namespace onceover::verifier
