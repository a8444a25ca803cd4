// Prints the audit as text and as JSON.
//
// Both give the evidence in one sentence, `grounds`: the cases that were tried, the obligations that Z3 discharged, or
// the counterexample.
//
// Example: a claim that was evaluated by a formula for s = 0..58 has the grounds "tried by arithmetic, for s = 0..58".
// If a theorem proves the claim, "proved for all p, level solver: .." comes first.
//
// Papers come in the order of their claims; theorems that are cited as wholes come last, once each. O(claims * papers).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json.h"
#include "papers/audit_parts.h"
#include "subjects/run.h"

namespace onceover::papers {

namespace {

std::size_t count(const std::vector<Audited>& audited, ClaimVerdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(audited.begin(), audited.end(), [&](const Audited& a) { return a.verdict == verdict; }));
}

/// The ranges that were tried by these means, each once.
std::string ranges_of(const std::vector<Evidence>& evidence, Means means) {
  std::vector<std::string> ranges;
  for (const Evidence& e : evidence)
    if (e.means == means && std::find(ranges.begin(), ranges.end(), e.range) == ranges.end()) ranges.push_back(e.range);
  return fmt::format("{}", fmt::join(ranges, "; "));
}

/// "tried for p = 2..64; tried by arithmetic, for s = 0..58".
std::string tried_text(const std::vector<Evidence>& evidence) {
  std::vector<std::string> parts;
  for (const auto& [means, how] : {std::pair{Means::cases, "tried for {}"},
                                   {Means::arithmetic, "tried by arithmetic, for {}"},
                                   {Means::identity, "checked as an identity, for {}"}})
    if (const std::string ranges = ranges_of(evidence, means); !ranges.empty())
      parts.push_back(fmt::format(fmt::runtime(how), ranges));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// "ring (around-step, around-once), folding (7 obligations)": what Z3 discharged.
std::string obligation_text(const Audited& a) {
  std::vector<std::string> parts;
  for (const Obligations& o : a.obligations)
    parts.push_back(o.names.size() <= 3 ? fmt::format("{} ({})", o.theorem, fmt::join(o.names, ", "))
                                        : fmt::format("{} ({} obligations)", o.theorem, o.names.size()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// What proves the claim for all p. For a whole theorem, the theorem's own text says which parts Coq accepts and which
/// are argued in words.
std::string proof_text(const Audited& a) {
  if (!a.claim->coq.empty())
    return fmt::format("level kernel: Coq accepts {}{}", fmt::join(a.claim->coq, ", "),
                       a.obligations.empty() ? "" : "; Z3 discharges " + obligation_text(a));
  const std::string solver = fmt::format("level solver: Z3 discharges {}", obligation_text(a));
  if (a.claim->lemma.empty()) return solver + "; the rest is argued in words";
  return a.claim->words.empty() ? solver : fmt::format("{}; argued in words: {}", solver, a.claim->words);
}

}  // namespace

bool are_ours(const std::vector<Audited>& audited) {
  return audited.empty() || audited.front().claim->file.empty();
}

std::vector<std::string_view> papers_of(const std::vector<Audited>& audited) {
  std::vector<std::string_view> titles;
  const auto add = [&](const Claim& claim) {
    if (std::find(titles.begin(), titles.end(), claim.paper) == titles.end()) titles.push_back(claim.paper);
  };
  if (are_ours(audited)) std::for_each(claims().begin(), claims().end(), add);
  for (const Audited& a : audited) add(*a.claim);
  return titles;
}

std::string tally(const std::vector<Audited>& audited) {
  std::vector<std::string> parts;
  for (const ClaimVerdict v : verdicts)
    if (count(audited, v) > 0) parts.push_back(fmt::format("{} {}", count(audited, v), name(v)));
  return fmt::format("{} claim{}: {}", audited.size(), audited.size() == 1 ? "" : "s", fmt::join(parts, ", "));
}

std::string grounds(const Audited& a) {
  const std::string tried =
      fmt::format("{}{}", a.claim->kind == ClaimKind::measured ? "in our model, " : "", tried_text(a.claim->says));
  switch (a.verdict) {
    case ClaimVerdict::proved: return fmt::format("proved for all p, {}; {}", proof_text(a), tried);
    case ClaimVerdict::checked:
      if (a.obligations.empty() && a.claim->coq.empty()) return tried;
      if (a.claim->file.empty())
        return fmt::format("{}; that the schedules are correct is proved for all p, {}", tried, proof_text(a));
      return fmt::format("{}; the file says that these theorems prove the claim for all p, {}", tried, proof_text(a));
    case ClaimVerdict::finding: return tried;
    case ClaimVerdict::imprecise:
    case ClaimVerdict::refuted:
    case ClaimVerdict::differs:
    case ClaimVerdict::unsettled: return fmt::format("{}: {}", a.refutation->where, a.refutation->why);
    case ClaimVerdict::unknown: return a.unknown;
  }
  return "";
}

std::string command_of(const Audited& a) {
  if (a.refutation && !a.refutation->command.empty()) return a.refutation->command;
  const std::string& file = a.claim->file;
  return fmt::format("verify claims {}{}{}", file.empty() ? "" : "--from ", file.empty() ? "" : file + " ",
                     a.claim->id);
}

std::vector<const Audited*> of_paper(const std::vector<Audited>& audited, std::string_view paper) {
  std::vector<const Audited*> part;
  for (const Audited& a : audited)
    if (a.claim->paper == paper) part.push_back(&a);
  return part;
}

namespace {

/// The kind of evidence, for people: the label of `grounds`.
std::string_view grounds_label(const Audited& a) {
  if (a.verdict == ClaimVerdict::unknown) return "why unknown";
  return a.refutation ? "counterexample" : "evidence";
}

/// The theorems that are cited as wholes, in order.
std::vector<const Theorem*> cited(const std::vector<Audited>& audited) {
  std::vector<const Theorem*> all;
  for (const Theorem& theorem : theorems())
    if (std::any_of(audited.begin(), audited.end(), [&](const Audited& a) {
          return a.claim->lemma.empty() && std::any_of(a.obligations.begin(), a.obligations.end(),
                                                       [&](const Obligations& o) { return o.theorem == theorem.id; });
        }))
      all.push_back(&theorem);
  return all;
}

std::string_view who(Level level) {
  switch (level) {
    case Level::solver: return "Z3";
    case Level::kernel: return "Coq";
    case Level::words: return "words";
  }
  return "";
}

std::string corrected_text(const Audited& a) {
  if (a.claim->correct.empty()) return "";
  const std::string tried = a.claim->corrected.empty() ? "" : fmt::format(" ({})", tried_text(a.claim->corrected));
  return std::string(a.claim->correct) + tried;
}

std::string entry_text(const Audited& a) {
  std::string text = fmt::format("{:<10} {}  ({})\n", name(a.verdict), a.claim->id, a.claim->place);
  const auto add = [&](std::string_view label, std::string_view what) {
    if (!what.empty()) text += fmt::format("  {}: {}\n", label, what);
  };
  add("claim", a.claim->statement);
  add(grounds_label(a), grounds(a));
  add(a.refutation ? "what we found" : "note", corrected_text(a));
  if (a.refutation) add("reproduce", a.refutation->command);
  return text;
}

Json entry_json(const Audited& a) {
  Json json{{"id", a.claim->id},          {"paper", a.claim->paper},
            {"place", a.claim->place},    {"statement", a.claim->statement},
            {"verdict", name(a.verdict)}, {"level", name(level_of(a))},
            {"grounds", grounds(a)}};
  if (!a.claim->correct.empty()) json["correct"] = a.claim->correct;
  if (!a.claim->corrected.empty()) json["correct_in"] = tried_text(a.claim->corrected);
  if (a.refutation) json["counterexample"] = {{"where", a.refutation->where}, {"why", a.refutation->why}};
  for (const Obligations& o : a.obligations) json["obligations"][std::string(o.theorem)] = o.names;
  if (!a.claim->coq.empty()) json["coq"] = a.claim->coq;
  if (!a.claim->words.empty()) json["words"] = a.claim->words;
  json["command"] = command_of(a);
  return json;
}

}  // namespace

std::string audit_text(const std::vector<Audited>& audited) {
  std::string text;
  for (const std::string_view paper : papers_of(audited)) {
    const auto part = of_paper(audited, paper);
    if (part.empty()) continue;
    text += fmt::format("{}\n\n", paper);
    for (const Audited* a : part) text += entry_text(*a) + "\n";
  }
  if (!cited(audited).empty()) text += "Who checks each part of these theorems\n\n";
  for (const Theorem* theorem : cited(audited)) {
    for (const LevelPart& part : levels(*theorem))
      text +=
          fmt::format("{:<18} {:<6} {}\n", part.level == Level::solver ? theorem->id : "", who(part.level), part.what);
    text += "\n";
  }
  return text + tally(audited) + "\n";
}

std::string audit_json(const std::vector<Audited>& audited) {
  Json json{{"schema_version", 1},
            {"tool", {{"name", "onceover"}, {"version", ONCEOVER_VERSION}}},
            {"claims", Json::array()}};
  for (const Audited& a : audited) json["claims"].push_back(entry_json(a));
  for (const Theorem* theorem : cited(audited)) {
    Json& entry = json["theorems"][std::string(theorem->id)];
    for (const LevelPart& part : levels(*theorem)) entry[std::string(proofs::name(part.level))] = part.what;
  }
  return dump(json);
}

}  // namespace onceover::papers
