// A sweep runs verify-mpi under mpirun, once for each choice and p, and reads its JSON. Libraries crash and hang, so
// each run is a process of its own with a time limit. How it ends is part of the answer: judged, crashed, hung,
// refused.
//
// Example: Open MPI lists "coll_tuned_allreduce_algorithm 3 recursive_doubling". Then the choice is "3
// recursive_doubling", and its runs have OMPI_MCA_coll_tuned_allreduce_algorithm=3 in the environment.
//
// If a call returns an error, that is a refusal if the algorithm was forced, because it may not be made for that p. If
// the library chose the algorithm itself, it is a failure. At the first p where a choice fails, a few counts are tried
// from 0 up, until one fails with the same end; the command for that one is shown.
//
// It ends after at most choices * (numbers of ranks + 19) runs, each of which takes up to 6 * `seconds`.

#include "live/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <sstream>

#include "base/process.h"
#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "base/table.h"
#include "base/text.h"
#include "live/launcher.h"
#include "subjects/rank_list.h"

namespace onceover::live {

namespace {

/// The first line of `verify-mpi` itself on standard error.
std::string own_words(const std::string& errors) {
  std::istringstream lines(errors);
  for (std::string line; std::getline(lines, line);)
    if (const auto at = line.find("verify-mpi: "); at != std::string::npos) return line.substr(at + 12);
  return "";
}

/// What SimGrid says as it ends the program where an algorithm isn't made for a case; it doesn't return errors.
std::string simgrid_refusal(const std::string& errors) {
  constexpr std::string_view before = "Uncaught exception std::invalid_argument: ";
  const std::size_t at = errors.find(before);
  if (at == std::string::npos) return "";
  return errors.substr(at + before.size(), errors.find('\n', at) - at - before.size());
}

/// Beyond, comparing terms with those of the catalogue takes longer than all the rest.
constexpr Rank most_matched = 16;

/// Runs choices, and reads their results.
class Sweeper {
 public:
  explicit Sweeper(const SweepOptions& options) : options_(options) {}

  const std::vector<Rank>& ranks() const { return options_.ranks; }

  SweepRow run(const Choice& choice, Rank ranks) const { return run(choice, ranks, options_.counts); }

  /// If the program ends because the algorithm isn't made for operators that don't commute, the others are judged.
  SweepRow run(const Choice& choice, Rank ranks, const std::string& counts) const {
    const SweepRow row = run(choice, ranks, counts, " --both-operators");
    if (row.end != SweepRow::End::refused || !is_one_process(options_.library)) return row;
    SweepRow commuting = run(choice, ranks, counts, "");
    return commuting.end == SweepRow::End::refused ? row : commuting;
  }

  SweepRow run(const Choice& choice, Rank ranks, const std::string& counts, std::string_view operators) const {
    SweepRow row{.choice = choice, .ranks = ranks, .command = command(choice, ranks, counts, operators)};
    const auto end = run_process(shell(row.command + " --json"), {.seconds = 6 * options_.seconds});
    if (!end) {
      row.end = SweepRow::End::crashed;
      row.reason = fmt::format("can't be started: {}", std::strerror(end.error()));
      return row;
    }
    row.falls_back = end->errors.find("algorithm is not usable") != std::string::npos;
    if (end->exceeded != ProcessEnd::Exceeded::nothing) {
      row.end = SweepRow::End::hung;
      row.reason = fmt::format("doesn't end within {} s", 6 * options_.seconds);
      return row;
    }
    const auto json = Json::parse(end->out);
    if (!json || !json->is_object()) {
      read_failure(*end, row);
      return row;
    }
    read(*json, row);
    if (row.passes && end->exit_code != 0) {
      row.passes = false;
      row.end = SweepRow::End::crashed;
      row.reason = fmt::format("ends with exit code {} after the calls", end->exit_code);
    }
    return row;
  }

  /// The command with the smallest of a few counts up to 1000 at which the row fails as well.
  std::string smallest(const SweepRow& failed) const {
    const Rank p = failed.ranks;
    std::vector<int> counts{0, 1, 2, 3, 4, 5, 6, 7, 8, p - 1, p, p + 1, 2 * p, 32, 64, 128, 256, 512, 1000};
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    for (const int count : counts) {
      const SweepRow row = run(failed.choice, p, std::to_string(count));
      if (!row.passes && row.end == failed.end) return row.command;
    }
    return failed.command;
  }

 private:
  std::string command(const Choice& choice, Rank ranks, const std::string& counts, std::string_view operators) const {
    const std::string_view match = ranks <= most_matched ? " --match" : "";
    return start_command(
        options_.library, ranks, choice.settings,
        fmt::format("{} --quick --collective {} --count {}{}{} --call-time-limit {}s", shell_word(options_.program),
                    choice.collective, shell_word(counts), operators, match, options_.seconds));
  }

  static void read(const Json& json, SweepRow& row) {
    row.passes = json["summary"]["fail"] == 0 && json["summary"]["unknown"] == 0;
    std::string refusal;
    for (const Json& run : json["runs"]) {
      if (const std::string error = error_of(run); !error.empty()) {
        if (refusal.empty()) refusal = error;
        continue;  // there is no result
      }
      if (!run["faults"].empty() && row.reason.empty()) row.reason = run["faults"][0].text_or_empty();
      const bool commutes = run["subject"]["commutative"] != false;
      for (const Json& property : run["properties"]) {
        if (property["id"] == "order-preserving" && commutes) add_verdict(property, row.is_ordered);
        if (property["id"] == "deterministic") add_verdict(property, row.is_deterministic);
        if (property["verdict"] == "fail" && property["required"] == true && row.reason.empty())
          row.reason = why(run, property);
      }
      if (commutes && run.contains("match")) row.match = match_text(run["match"]);
    }
    if (refusal.empty() || !row.reason.empty()) return;
    row.reason = refusal;
    // An algorithm that the library chose itself must work.
    if (!row.choice.settings.empty()) row.end = SweepRow::End::refused;
  }

  /// A property holds if it holds in every run.
  static void add_verdict(const Json& property, std::optional<bool>& holds) {
    if (property["verdict"] != "unknown") holds = holds.value_or(true) && property["verdict"] == "pass";
  }

  /// The error that a call returned; empty if it returned none.
  static std::string error_of(const Json& run) {
    for (const Json& fault : run["faults"])
      if (const auto text = fault.text_or_empty(); text.find("returns an error") != std::string::npos)
        return std::string(text);
    return "";
  }

  static std::string why(const Json& run, const Json& property) {
    std::string text = fmt::format("count {}{}: {}: ", run["subject"]["count"].dump(),
                                   run["subject"]["commutative"] == false ? ", operator not commutative" : "",
                                   property["id"].text_or_empty());
    const bool shows = property.contains("counterexample") && !property["counterexample"]["text"].empty();
    text += (shows ? property["counterexample"]["text"][0] : property["summary"]).text_or_empty();
    return text;
  }

  static std::string match_text(const Json& match) {
    if (match["matches"].empty()) return "";
    const Json& best = match["matches"][0];
    std::string text(best["algorithm"].text_or_empty());
    if (best["settings"] != "") text += fmt::format(" ({})", best["settings"].text_or_empty());
    if (best["role"] != "") text += fmt::format(" {}", best["role"].text_or_empty());
    return text;
  }

  static void read_failure(const ProcessEnd& end, SweepRow& row) {
    row.reason = simgrid_refusal(end.errors);
    if (!row.reason.empty()) {
      row.end = SweepRow::End::refused;
      return;
    }
    row.reason = own_words(end.errors);
    row.end = row.reason.find("doesn't return") != std::string::npos ? SweepRow::End::hung : SweepRow::End::crashed;
    if (!row.reason.empty()) return;
    std::string last = end.errors.substr(0, end.errors.find('\n'));
    row.reason = fmt::format("ends with exit code {}: {}", end.exit_code, last);
    const bool is_unknown = end.errors.find("INTRA_ALGORITHM value") != std::string::npos;
    if (is_unknown) row.end = SweepRow::End::refused;
  }

  const SweepOptions& options_;
};

/// The finding on the sums of a row; nothing if the collective has no sums, or no run ended well.
std::optional<bool> found(const SweepRow& row, std::optional<bool> holds) {
  const std::string& collective = row.choice.collective;
  const bool reduces = collective.find("reduce") != std::string::npos || collective.find("scan") != std::string::npos;
  return reduces && row.end == SweepRow::End::judged ? holds : std::nullopt;
}

std::string yes_no(std::optional<bool> yes) {
  return !yes ? "" : *yes ? "yes" : "no";
}

Json json_of(std::optional<bool> value) {
  return value ? Json(*value) : Json(nullptr);
}

std::string verdict_text(const SweepRow& row) {
  switch (row.end) {
    case SweepRow::End::judged: return row.passes ? row.falls_back ? "pass, but falls back" : "pass" : "fail";
    case SweepRow::End::crashed: return "crash";
    case SweepRow::End::hung: return "hang";
    case SweepRow::End::refused: return "refused";
  }
  return "";
}

/// Everything about a row except its p.
std::vector<std::string> cells(const SweepRow& row) {
  return {row.choice.collective,
          row.choice.algorithm,
          verdict_text(row),
          yes_no(found(row, row.is_ordered)),
          yes_no(found(row, row.is_deterministic)),
          row.match};
}

/// The table: rows with the same cells share a line, in the order of their first p.
std::vector<std::vector<std::string>> table(const std::vector<SweepRow>& rows) {
  std::vector<std::vector<std::string>> lines{
      {"collective", "algorithm", "p", "verdict", "in order", "same each time", "terms of"}};
  std::vector<std::pair<std::vector<std::string>, std::vector<Rank>>> groups;
  for (const SweepRow& row : rows) {
    const auto key = cells(row);
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == key; });
    if (found != groups.end())
      found->second.push_back(row.ranks);
    else
      groups.push_back({key, {row.ranks}});
  }
  for (const auto& [key, ranks] : groups)
    lines.push_back({key[0], key[1], rank_list_text(ranks), key[2], key[3], key[4], key[5]});
  return lines;
}

/// For each row that doesn't pass: why, and the smallest command that shows it.
std::vector<std::string> findings(const std::vector<SweepRow>& rows) {
  std::vector<std::string> list;
  for (const SweepRow& row : rows)
    if (!row.smallest.empty())
      list.push_back(fmt::format("{}, {}, p = {}: {}\n  {}", row.choice.collective, row.choice.algorithm, row.ranks,
                                 row.reason, row.smallest));
  return list;
}

/// Adds the rows of a choice, which is one of `choices`.
void sweep_choice(const Sweeper& sweeper, const Choice& choice, std::size_t choices, std::vector<SweepRow>& rows) {
  bool has_failed = false;
  for (const Rank p : sweeper.ranks()) {
    Progress::say(rows.size(), choices * sweeper.ranks().size(),
                  fmt::format("{} {}, p = {}", choice.collective, choice.algorithm, p));
    SweepRow row = sweeper.run(choice, p);
    if (!row.passes && row.end != SweepRow::End::refused && !has_failed) {
      row.smallest = sweeper.smallest(row);
      has_failed = true;
    }
    rows.push_back(std::move(row));
  }
}

}  // namespace

Result<Swept> sweep(const SweepOptions& options) {
  const auto all = TRY(choices(options));
  const Sweeper sweeper(options);
  Swept swept;
  const auto done = within_limits([&] {
    for (const Choice& choice : all) sweep_choice(sweeper, choice, all.size(), swept.rows);
    return true;
  });
  if (!done && swept.rows.empty()) throw LimitRanOut(done.error());
  if (!done) swept.cut = done.error();
  return swept;
}

std::string sweep_text(const Swept& swept) {
  std::string text = table_text(table(swept.rows));
  for (const std::string& finding : findings(swept.rows)) text += finding + "\n";
  if (!swept.cut.empty()) text += fmt::format("not all was run: {}\n", swept.cut);
  return text + fmt::format("{}\n", name(verdict_of(swept)));
}

std::string sweep_markdown(const Swept& swept) {
  std::string text;
  bool is_head = true;
  for (const auto& line : table(swept.rows)) {
    text += fmt::format("| {} |\n", fmt::join(line, " | "));
    if (is_head) text += "|---|---|---|---|---|---|---|\n";
    is_head = false;
  }
  for (const std::string& finding : findings(swept.rows)) text += "\n- " + finding + "\n";
  return swept.cut.empty() ? text : text + fmt::format("\n- not all was run: {}\n", swept.cut);
}

Json sweep_json(const SweepOptions& options, const Swept& swept) {
  Json json = result_json({{"library", options.library}, {"counts", options.counts}, {"rows", Json::array()}});
  if (!swept.cut.empty()) json["cut"] = swept.cut;
  for (const SweepRow& row : swept.rows)
    json["rows"].push_back({{"collective", row.choice.collective},
                            {"algorithm", row.choice.algorithm},
                            {"settings", row.choice.settings},
                            {"ranks", row.ranks},
                            {"verdict", verdict_text(row)},
                            {"order_preserving", json_of(found(row, row.is_ordered))},
                            {"deterministic", json_of(found(row, row.is_deterministic))},
                            {"match", row.match},
                            {"told", row.reason},
                            {"command", row.command},
                            {"smallest", row.smallest.empty() ? Json(nullptr) : Json(row.smallest)}});
  return json;
}

Verdict verdict_of(const Swept& swept) {
  const bool all_pass = std::all_of(swept.rows.begin(), swept.rows.end(), [](const SweepRow& row) {
    return row.passes || row.end == SweepRow::End::refused;
  });
  if (!all_pass) return Verdict::fail;
  return swept.cut.empty() ? Verdict::pass : Verdict::unknown;
}

}  // namespace onceover::live
