// `verify --blocking`: does a schedule end if ranks run it with blocking calls, and how many rounds does it take?
//
// Each schedule is run under each order of calls that the user asks for (verifier/blocking.h), and its rounds are shown
// beside its steps. An order fails if it deadlocks for one of the schedules; the first deadlock of each order is shown
// by the calls that wait.
//
// Example: ring for p = 4 has 6 steps. With sendrecv it takes 6 rounds, with even-odd 12, and with all-send-first it
// deadlocks: rank 0 sends to 1, which sends to 2, which sends to 3, which sends to 0, and nobody receives.
//
// Calls block under rendezvous and name their peers, so every run has one end, whatever the timing. O(messages) for
// each schedule and order. What a limit or an interrupt cuts off is named, and makes the verdict unknown.

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/json.h"
#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "cli/colors.h"
#include "cli/pictures.h"
#include "cli/verify_command.h"
#include "schedules/catalogue.h"
#include "subjects/rank_list.h"
#include "subjects/run.h"
#include "verifier/blocking.h"

namespace onceover::cli {

namespace {

/// A schedule under an order of calls.
struct BlockingOutcome {
  CallOrder order;
  std::vector<Rank> shape;
  Rank ranks;
  int steps;
  BlockingRun run;
  Names names = {};
};

/// Refuses options of `verify` that don't apply to blocking calls.
Result<void> check_options(const VerifyCommand& command) {
  struct Option {
    std::string flag;
    bool is_given;
  };
  for (const Option& option :
       {Option{"--require", !command.required.empty()}, Option{"--waive", !command.waived.empty()},
        Option{bound_flags("or"), command.bounds != Bounds{}}, Option{"--json-out", !command.json_out.empty()},
        Option{"--fifo", command.fifo.has_value()}, Option{"--profile", command.profile.has_value()},
        Option{"--full", command.full},
        Option{"an option of the network, such as --topology,", is_given(command.metric_limits.network)},
        Option{"--fail-fast", command.fail_fast},
        Option{"--repair or --repair-out", command.repair || !command.repair_out.empty()},
        Option{"--suggest", command.suggest}})
    if (option.is_given) return usage_error(fmt::format("{} does not go with --blocking", option.flag));
  if (command.counterexample_out.empty()) return {};
  TRY(picture_format(command.counterexample_out));
  return check_writable(command.counterexample_out);
}

std::string outcome_text(const BlockingOutcome& outcome) {
  if (!outcome.run.ends()) return "deadlock";
  const std::uint64_t rounds = outcome.run.rounds;
  const auto steps = static_cast<std::uint64_t>(outcome.steps);
  return rounds > steps ? fmt::format("{} (+{})", rounds, rounds - steps) : fmt::format("{}", rounds);
}

std::string call_text(const StuckCall& stuck, const Names& names) {
  const BlockingCall& call = stuck.call;
  return fmt::format("rank {} {} rank {} (step {})", names.rank(stuck.rank),
                     call.is_send ? "sends to" : "receives from", names.rank(call.peer), names.step(call.step));
}

std::string failure_text(const BlockingOutcome& outcome) {
  constexpr std::size_t most_shown = 16;
  std::string text =
      fmt::format("  {} deadlocks at {}, each in a call that waits for the next, the last for the first:\n",
                  name(outcome.order), shape_text(outcome.shape));
  const auto& circle = outcome.run.circle;
  for (std::size_t k = 0; k < std::min(most_shown, circle.size()); ++k)
    text += fmt::format("    {}\n", call_text(circle[k], outcome.names));
  if (circle.size() > most_shown) text += fmt::format("    and {} more ranks\n", circle.size() - most_shown);
  return text;
}

/// A table with a line for each schedule and a column for each order.
std::string outcomes_table(const std::vector<BlockingOutcome>& outcomes, std::size_t orders) {
  std::string text = fmt::format("  {:<12} {:>6}", "", "steps");
  for (std::size_t k = 0; k < orders; ++k) text += fmt::format("  {:>14}", name(outcomes[k].order));
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    if (k % orders == 0) text += fmt::format("\n  {:<12} {:>6}", shape_text(outcomes[k].shape), outcomes[k].steps);
    text += fmt::format("  {:>14}", outcome_text(outcomes[k]));
  }
  return text + "\n";
}

/// "all-send-first (p = 2..5)": the orders that deadlock, and for which p.
std::string verdict_text(const std::vector<BlockingOutcome>& outcomes, const std::vector<CallOrder>& orders) {
  std::vector<std::string> failing;
  for (const CallOrder order : orders) {
    std::vector<Rank> ranks;
    for (const BlockingOutcome& outcome : outcomes)
      if (outcome.order == order && !outcome.run.ends()) ranks.push_back(outcome.ranks);
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    if (!ranks.empty()) failing.push_back(fmt::format("{} (p = {})", name(order), rank_list_text(ranks)));
  }
  if (failing.empty()) return "pass  ends under rendezvous\n";
  return fmt::format("fail  deadlock under rendezvous: {}\n", fmt::join(failing, ", "));
}

Json json_of(const StuckCall& stuck) {
  const BlockingCall& call = stuck.call;
  return {{"rank", stuck.rank}, {"call", call.is_send ? "send" : "receive"}, {"peer", call.peer}, {"step", call.step}};
}

Json json_of(const BlockingOutcome& outcome) {
  Json json{{"order", name(outcome.order)},
            {"ranks", outcome.ranks},
            {"shape", outcome.shape},
            {"steps", outcome.steps},
            {"verdict", outcome.run.ends() ? "pass" : "fail"}};
  if (outcome.run.ends()) {
    json["rounds"] = outcome.run.rounds;
    return json;
  }
  for (const StuckCall& call : outcome.run.circle) json["circle"].push_back(json_of(call));
  return json;
}

/// What was run, and why the rest wasn't.
struct BlockingOutcomes {
  std::vector<BlockingOutcome> all = {};
  std::string cut = {};  // a time limit or an interrupt; empty: all was run

  bool all_end() const {
    return std::all_of(all.begin(), all.end(), [](const BlockingOutcome& o) { return o.run.ends(); });
  }
};

/// The document of docs/schema/blocking.schema.json.
Json json_of(const BlockingOutcomes& outcomes) {
  Json json = result_json({{"runs", Json::array()}});
  for (const BlockingOutcome& outcome : outcomes.all) json["runs"].push_back(json_of(outcome));
  if (!outcomes.cut.empty()) json["cut"] = outcomes.cut;
  return json;
}

std::string text_of(const BlockingOutcomes& outcomes, const std::vector<CallOrder>& orders) {
  std::string text = "rounds of blocking calls, until every rank has come to its end\n";
  text += outcomes_table(outcomes.all, orders.size());
  for (const CallOrder order : orders) {
    const auto failing = std::find_if(outcomes.all.begin(), outcomes.all.end(),
                                      [&](const BlockingOutcome& o) { return o.order == order && !o.run.ends(); });
    if (failing != outcomes.all.end()) text += failure_text(*failing);
  }
  if (!outcomes.cut.empty()) text += fmt::format("  not run: {}\n", outcomes.cut);
  return text + (outcomes.all_end() && !outcomes.cut.empty() ? "unknown\n" : verdict_text(outcomes.all, orders));
}

Result<void> add_outcomes(const Subject& subject, const std::vector<CallOrder>& orders,
                          std::vector<BlockingOutcome>& all) {
  const auto made = TRY(subject.make());
  if (const auto fault = why_not_run(*made.schedule))
    return tl::unexpected(Failure{ExitCode::unknown, "not judged: " + *fault});
  std::vector<BlockingOutcome> of_subject;
  for (const CallOrder order : orders)
    of_subject.push_back({order, subject.shape, subject.ranks, made.schedule->steps(),
                          run_blocking(*made.schedule, order), made.schedule->header().names});
  all.insert(all.end(), of_subject.begin(), of_subject.end());
  return {};
}

Result<BlockingOutcomes> outcomes_of(const std::vector<Subject>& subjects, const std::vector<CallOrder>& orders) {
  BlockingOutcomes outcomes;
  for (std::size_t k = 0; k < subjects.size() && outcomes.cut.empty(); ++k) {
    Progress::say(k, subjects.size(), shape_text(subjects[k].shape));
    const auto added = within_limits([&] { return add_outcomes(subjects[k], orders, outcomes.all); });
    if (added && !*added) return tl::unexpected(added->error());
    if (!added)
      outcomes.cut = fmt::format("{} and what comes after it: {}", shape_text(subjects[k].shape), added.error());
  }
  if (outcomes.all.empty()) throw LimitRanOut(outcomes.cut);
  return outcomes;
}

/// Draws the first deadlock, if the user wants a picture; without one there is none.
Result<void> draw_first_deadlock(const std::vector<Subject>& subjects, const BlockingOutcomes& outcomes,
                                 const VerifyCommand& command) {
  const auto failing = std::find_if(outcomes.all.begin(), outcomes.all.end(),
                                    [](const BlockingOutcome& outcome) { return !outcome.run.ends(); });
  if (command.counterexample_out.empty() || failing == outcomes.all.end()) return {};
  const auto number = static_cast<std::size_t>(failing - outcomes.all.begin());
  const auto made = TRY(subjects[number / command.blocking->size()].make());
  return draw_deadlock(*made.schedule, failing->order, command.counterexample_out);
}

}  // namespace

Result<std::vector<CallOrder>> parse_call_orders(const std::string& text) {
  const auto names = mapped(call_orders(), [](CallOrder order) { return name(order); });
  auto names_and_all = names;
  names_and_all.emplace_back("all");
  std::vector<CallOrder> orders;
  for (const std::string_view item : split(text, ',')) {
    if (item == "all") {
      for (const CallOrder order : call_orders()) add_new(orders, order);
      continue;
    }
    const auto known = std::find(names.begin(), names.end(), item);
    if (known == names.end())
      return usage_error(fmt::format("--blocking: no order '{}'{}; there are {}, or all", item,
                                     suggestion(item, names_and_all), fmt::join(names, ", ")));
    add_new(orders, call_orders()[static_cast<std::size_t>(known - names.begin())]);
  }
  return orders;
}

Result<ExitCode> run_blocking_orders(const VerifyCommand& command) {
  TRY(check_options(command));
  const std::vector<CallOrder>& orders = *command.blocking;
  const auto subjects = TRY(resolve_schedules(command.subject));
  const auto outcomes = TRY(outcomes_of(subjects, orders));
  TRY(draw_first_deadlock(subjects, outcomes, command));
  const Verdict verdict = !outcomes.all_end() ? Verdict::fail : outcomes.cut.empty() ? Verdict::pass : Verdict::unknown;
  return after_output(exit_code(verdict),
                      print(command.json ? dump(json_of(outcomes)) : painted(text_of(outcomes, orders))));
}

}  // namespace onceover::cli
