#include "papers/claim.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/rows.h"
#include "papers/trial_reader.h"
#include "proofs/routes/kernel.h"
#include "proofs/theorem.h"

namespace onceover::papers {

const std::vector<Claim>& claims() {
  static const std::vector<Claim> all = [] {
    std::vector<Claim> joined;
    for (const ClaimFile& file : claim_files()) {
      auto read = read_claims(file.name, file.text);
      if (!read) throw std::logic_error(read.error().message);
      std::move(read->begin(), read->end(), std::back_inserter(joined));
    }
    return joined;
  }();
  return all;
}

// ClaimReader reads a file of claims. A file is about one paper, and each table [[claim]] is a sentence of it: what the
// text says, where, and what is known about it. The claim itself says how it is tried if there is one trial; otherwise
// the tables of `try` do, and `try_correct` for a correction. See trial_reader.cpp.
//
// Example:
//   paper = "Rings (Somebody)"
//   [[claim]]
//   id = "ring-steps"
//   where = "section 2"
//   says = "The ring takes 2 p steps."
//   kind = "wording"
//   algo = "ring"
//   p = "2..64"
//   limit = "steps == 2*p"
//   correct = "It takes 2 (p-1)."
//   try_correct = { limit = "steps == 2*(p-1)" }
// is a claim that is tried once, and its correction once.
//
// Cost: O(file), and that of its trials.

namespace {

template <auto field, class Target>
void plain_key(KeyReader& in, const TomlValue& value, Target& target) {
  target.*field = read_plain(in, value);
}

void read_id(KeyReader& in, const TomlValue& value, Claim& claim) {
  claim.id = read_plain(in, value);
  if (claim.id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") != std::string::npos || claim.id[0] == '-')
    in.fail_value(value, "expected small letters, digits and '-', such as \"my-lemma-1\"");
}

void read_kind(KeyReader& in, const TomlValue& value, Claim& claim) {
  constexpr std::array<std::string_view, 4> known{"statement", "wording", "measured", "ours"};
  if (const auto text = in.text_of(value))
    claim.kind = static_cast<ClaimKind>(in.name_of(value, *text, known, "kind of claim").value_or(0));
}

void read_theorems(KeyReader& in, const TomlValue& value, Claim& claim) {
  const auto known = mapped(theorems(), &Theorem::id);
  in.each_text(value, "the id of a theorem", [&](const TomlValue& item, const std::string& text) {
    if (in.name_of(item, text, known, "theorem")) claim.theorems.push_back(text);
  });
}

/// Does the theory contain such a theorem as "SwingAll.swing_once"?
bool is_in_coq(std::string_view name) {
  const auto lines = theory_lines();
  return std::any_of(lines.begin(), lines.end(), [&](const TheoryLine& line) {
    return name == fmt::format("{}.{}", line.file.substr(0, line.file.find('.')), line.name);
  });
}

void read_coq(KeyReader& in, const TomlValue& value, Claim& claim) {
  in.each_text(value, "a theorem of proofs/coq, \"SwingPaths.A5\"",
               [&](const TomlValue& item, const std::string& text) {
                 if (!is_in_coq(text)) in.fail_value(item, fmt::format("there is no theorem '{}' in proofs/coq", text));
                 claim.coq.push_back(text);
               });
}

void read_coq_bounds(KeyReader& in, const TomlValue& value, Claim& claim) {
  read_coq(in, value, claim);
  claim.coq_bounds = true;
}

constexpr unsigned any = ~0U;

constexpr std::array claim_keys{
    Key<Claim>{"id", any, read_id},
    Key<Claim>{"where", any, plain_key<&Claim::place>},
    Key<Claim>{"says", any, plain_key<&Claim::statement>},
    Key<Claim>{"kind", any, read_kind},
    Key<Claim>{"theorems", any, read_theorems},
    Key<Claim>{"lemma", any, plain_key<&Claim::lemma>},
    Key<Claim>{"words", any, plain_key<&Claim::words>},
    Key<Claim>{"coq", any, read_coq},
    Key<Claim>{"coq_bounds", any, read_coq_bounds},
    Key<Claim>{"correct", any, plain_key<&Claim::correct>},
};

/// Reads tables as claims.
class ClaimReader {
 public:
  ClaimReader(const std::string& name, const std::string& text) : name_(name), text_(text), in_(name, text) {}

  Result<std::vector<Claim>> read() {
    const auto file = read_toml(name_, text_, "a claims file");
    if (!file) return usage_error(file.error().render());
    read_file(*file);
    if (in_.error()) return usage_error(in_.error()->render());
    if (outside_) return tl::unexpected(*outside_);
    return std::move(claims_);
  }

 private:
  bool is_wrong() const { return in_.error() || outside_; }

  void read_file(const TomlTable& file) {
    constexpr std::array<std::string_view, 2> parts{"paper", "claim"};
    in_.refuse_unknown(file, parts, "a claims file");
    const TomlValue* paper = file.find("paper");
    const TomlValue* claims = file.find("claim");
    if (paper == nullptr) return in_.fail(0, "the paper is missing: begin with paper = \"Title (authors)\"");
    in_.read(Key<Claim>{"paper", any, plain_key<&Claim::paper>}, *paper, paper_);
    if (claims == nullptr) return in_.fail(0, "there is no claim: add a table [[claim]]");
    if (!claims->is_list_of_tables())
      return in_.fail(*claims, fmt::format("expected tables, [[claim]], found {}", claims->kind()));
    for (const TomlValue& claim : *claims->list())
      if (!is_wrong()) read_claim(claim, *claim.table());
  }

  void read_claim(const TomlValue& place, const TomlTable& table) {
    std::vector<std::string_view> known = trial_key_names();
    known.insert(known.begin(), {"try", "try_correct"});
    for (const Key<Claim>& key : claim_keys) known.push_back(key.name);
    in_.refuse_unknown(table, known, "a claim");
    for (const std::string_view needed : {"id", "where", "says"})
      if (table.find(needed) == nullptr) return in_.fail(place, fmt::format("this claim lacks '{}'", needed));
    Claim claim = paper_;
    for (const Key<Claim>& key : claim_keys)
      if (const TomlValue* value = table.find(key.name)) in_.read(key, *value, claim);
    if (!is_wrong()) judge(claim, table);
    const TomlValue* trials = table.find("try");
    ClaimTable keys{table};
    claim.says = trials == nullptr ? trials_of(place, nullptr) : trials_of(*trials, &keys);
    if (const TomlValue* corrected = table.find("try_correct")) claim.corrected = trials_of(*corrected, &keys);
    if (trials != nullptr && !is_wrong()) refuse_unused(keys);
    claims_.push_back(std::move(claim));
  }

  /// Refuses keys of a claim that no trial uses.
  void refuse_unused(const ClaimTable& claim) {
    for (const std::string_view key : trial_key_names())
      if (const TomlValue* value = claim.keys.find(key); value != nullptr && !claim.taken.contains(key))
        return in_.fail(*value,
                        fmt::format("{}: no trial of this claim uses it; write it in the trial that it is for", key));
  }

  std::vector<Evidence> trials_of(const TomlValue& value, ClaimTable* claim) {
    if (is_wrong()) return {};
    auto evidence = read_trials(in_, name_, text_, value, claim);
    if (evidence) return std::move(*evidence);
    outside_ = evidence.error();
    return {};
  }

  /// Refuses keys that contradict each other.
  void judge(const Claim& claim, const TomlTable& table) {
    if (!ids_.insert(claim.id).second)
      return in_.fail(*table.find("id"), fmt::format("id: a claim above has the id '{}', too", claim.id));
    if (table.find("try_correct") != nullptr && claim.correct.empty())
      return in_.fail(*table.find("try_correct"), "try_correct needs correct: what holds instead");
    for (const std::string_view key : {"lemma", "words"})
      if (table.find(key) != nullptr && claim.theorems.empty())
        return in_.fail(*table.find(key), fmt::format("{} needs theorems", key));
    for (const std::string& id : claim.theorems) {
      const auto& obligations = find_theorem(id)->obligations;
      if (!claim.lemma.empty() && std::none_of(obligations.begin(), obligations.end(), [&](const Obligation& o) {
            return o.source.find(claim.lemma) != std::string_view::npos;
          }))
        return in_.fail(
            *table.find("lemma"),
            fmt::format("lemma: no obligation of {} has '{}' as its source; 'verify prove {}' shows the obligations",
                        id, claim.lemma, id));
    }
  }

  const std::string& name_;
  const std::string& text_;
  KeyReader in_;
  std::optional<Failure> outside_;  // outside the domain of an algorithm, or of what formulas make
  Claim paper_;                     // what all claims of the file share
  std::vector<Claim> claims_;
  std::set<std::string> ids_;
};

}  // namespace

Result<std::vector<Claim>> read_claims(const std::string& name, const std::string& text) {
  return ClaimReader(name, text).read();
}

}  // namespace onceover::papers
