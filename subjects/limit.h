// Limit: a limit on metrics, such as steps <= 2*ceil(log2(p)), read once and judged exactly for each subject.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/result.h"
#include "schedules/formula.h"
#include "subjects/measures.h"
#include "subjects/network_plan.h"
#include "verifier/property.h"

namespace onceover::subjects {

struct Verification;

/// The result of judging a limit.
struct LimitFinding {
  Verdict verdict = Verdict::unknown;
  std::string summary;        // "7 <= 6 does not hold: steps = 7, p = 5"
  bool is_undefined = false;  // the formula has no value there: a mistake in the limit, not in the subject
};

/// A formula over fractions (see schedules/formula.h) that is true or false, in the names of `metrics()`, of which it
/// mentions at least one measure. Nothing is rounded: / is exact, and congestion <= 1.2 compares with 6/5. log2 has a
/// value only for powers of two, but ceil(log2(x)) and floor(log2(x)) have one for every whole x. If a number needs
/// more than 128 bits, the formula has no value.
class Limit {
 public:
  /// `name` stands for the text in errors.
  static tl::expected<Limit, SourceError> parse(std::string_view text, std::string_view name = "limit");

  const std::string& text() const { return formula_.text(); }

  friend bool operator==(const Limit& a, const Limit& b) { return a.text() == b.text(); }

  /// Adds what it needs to be judged.
  void add_to(Wanted& wanted) const;

  /// Passes or fails only if every measure that the verdict needs is known.
  LimitFinding judge(const Measures& measures) const;

 private:
  explicit Limit(Formula formula) : formula_(std::move(formula)) {}

  struct Alone {
    std::string_view name, beside;
    std::size_t offset;
  };
  std::optional<Alone> first_alone() const;
  std::string measures_text(const Measures& measures) const;

  Formula formula_;
};

/// The id of limits, among the ids of properties.
inline constexpr std::string_view limit_rule = "limit";

/// A limit, and the result of judging it.
struct JudgedLimit {
  std::string text;
  LimitFinding finding;

  /// "steps <= 5: 6 <= 5 does not hold: steps = 6".
  std::string headline() const { return text + ": " + finding.summary; }
};

std::vector<JudgedLimit> judged(std::span<const Limit> limits, const Measures& measures);

/// The costly measures that these limits need.
Wanted wanted_by(std::span<const Limit> limits);

/// The limits, and the network for those that need one.
struct LimitOptions {
  std::vector<Limit> limits = {};
  NetworkOptions network = {};
};

/// Parses "steps <= p", a limit of --limit.
Result<Limit> parse_limit(const std::string& text);

/// Refuses a network that no limit is about.
Result<void> check(const LimitOptions& options);

/// Judges limits and adds them to the run; a usage error if one has no value.
Result<void> judge_limits(Verification& run, const std::vector<Limit>& limits, const Measures& measures);

}  // namespace onceover::subjects
