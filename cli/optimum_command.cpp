// `verify optimum`: what is the least among all schedules of a few ranks?

#include <fmt/format.h>

#include <bit>

#include "base/files.h"
#include "base/report_output.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/proof_text.h"
#include "network/least_time.h"
#include "optimum/optimum.h"
#include "subjects/network_plan.h"

namespace onceover::cli {

namespace {

struct OptimumCommand {
  std::optional<RankList> ranks = {};
  std::vector<Shape> tori = {};
  std::optional<Collective> collective = {};
  std::optional<Rank> root = {};
  std::optional<std::uint64_t> steps = {};   // not given: the least
  std::optional<std::uint64_t> ports = {};   // messages that a rank sends, and receives, in a step
  std::optional<std::uint64_t> volume = {};  // blocks that a rank sends
  std::optional<std::uint64_t> blocks = {};
  const LetterSet* letters = nullptr;  // instead of all schedules: those that look alike from every rank
  NetworkOptions network = {};
  std::vector<SolverName> solvers = {SolverName::z3};
  std::string schedule_out = {};
  std::string smtlib_out = {};
  JsonOutput json = {};
  std::uint64_t budget = 0;  // units of Z3's work on a question, or beginnings of words
};

constexpr Rank most_ranks = 64;
constexpr Rank most_ranks_in_words = 4096;
constexpr std::uint64_t most_steps = 1000;
constexpr std::uint64_t most_blocks = 4096;
constexpr std::uint64_t largest = 1'000'000;

/// A number from `least` to `most`; `preset` if it isn't given.
Result<int> number(std::string_view flag, const std::optional<std::uint64_t>& given, std::uint64_t least,
                   std::uint64_t most, int preset) {
  if (!given) return preset;
  if (*given < least || *given > most)
    return usage_error(fmt::format("{}: expected a number from {} to {}, found {}", flag, least, most, *given));
  return static_cast<int>(*given);
}

Result<Header> header_of(const OptimumCommand& command, Rank most) {
  Header header;
  const std::size_t values = command.ranks ? command.ranks->value.size() : command.tori.size();
  if (command.ranks.has_value() == !command.tori.empty() || values != 1)
    return usage_error("optimum is about one number of ranks: give one --p or one --torus");
  if (command.ranks)
    header.ranks = command.ranks->value.front();
  else
    header.shape = command.tori.front();
  for (const Rank side : header.shape) header.ranks *= side;
  if (header.ranks < 2 || header.ranks > most)
    return usage_error(fmt::format("optimum: expected 2 to {} ranks, found {}", most, header.ranks));
  return header;
}

/// One block for each rank, or as many as it takes.
int usual_blocks(const OptimumCommand& command, Collective collective, Rank ranks) {
  if (collective == Collective::alltoall) return ranks * ranks;
  const Contract& promise = contract(collective);
  const bool is_whole = promise.begins != Holders::owner && promise.ends != Holders::owner;
  return is_whole && !command.volume ? 1 : ranks;
}

Result<ScheduleQuestion> question_of(const OptimumCommand& command) {
  ScheduleQuestion question{.header = TRY(header_of(command, most_ranks))};
  Header& header = question.header;
  header.collective = command.collective.value_or(Collective::allreduce);
  if (command.root && !is_rooted(header.collective))
    return usage_error(fmt::format("--root: {} has no root", name(header.collective)));
  header.root = command.root.value_or(0);
  if (header.root >= header.ranks)
    return usage_error(fmt::format("--root: expected a rank below {}, found {}", header.ranks, header.root));
  header.blocks =
      TRY(number("--blocks", command.blocks, 1, most_blocks, usual_blocks(command, header.collective, header.ranks)));
  if (header.collective == Collective::alltoall && header.blocks % (header.ranks * header.ranks) != 0)
    return usage_error(fmt::format("--blocks: expected a multiple of {} for alltoall, found {}",
                                   header.ranks * header.ranks, header.blocks));
  question.ports = TRY(number("--ports", command.ports, 1, largest, 1));
  if (command.volume) question.volume = TRY(number("--volume", command.volume, 0, largest, 0));
  return question;
}

Result<void> write_results(const OptimumCommand& command, const FoundSchedule* found, const std::string& script) {
  if (found != nullptr && !command.schedule_out.empty()) TRY(write_text(command.schedule_out, found->text));
  if (!command.smtlib_out.empty()) TRY(write_text(command.smtlib_out, script));
  return {};
}

Result<Optimum> searched(const OptimumCommand& command) {
  auto question = TRY(question_of(command));
  const int steps = TRY(number("--steps", command.steps, 0, most_steps, 0));
  std::string network_name;
  if (command.network.topology || !command.tori.empty()) {
    const auto plan = plan_of(command.network);
    const auto network = TRY(make_network(command.network, plan, question.header));
    question.linked = neighbours(network);
    network_name = network.name();
  } else if (!command.network.map.empty()) {
    return usage_error("--map goes with --topology or --torus");
  }
  const auto& solvers = command.solvers;
  const bool wants_cvc5 = std::find(solvers.begin(), solvers.end(), SolverName::cvc5) != solvers.end();
  const bool has_cvc5 = wants_cvc5 && cvc5().has_value();
  if (wants_cvc5 && !has_cvc5) warn("cvc5 is not installed (Debian: cvc5), so what it says rests on Z3 alone");
  Optimum optimum =
      find_optimum(std::move(question), command.steps ? std::optional(steps) : std::nullopt, has_cvc5, command.budget);
  optimum.network = network_name;
  return optimum;
}

ExitCode exit_code_of(Answer answer) {
  switch (answer) {
    case Answer::satisfiable: return ExitCode::ok;
    case Answer::unsatisfiable: return ExitCode::violated;
    case Answer::unknown: return ExitCode::unknown;
  }
  return ExitCode::internal;
}

Result<WordsFound> words_of(const OptimumCommand& command) {
  if (command.collective.value_or(Collective::reduce_scatter) != Collective::reduce_scatter)
    return usage_error(fmt::format("--group: searched are reduce-scatters, no {}; time reversal makes an allgather",
                                   name(*command.collective)));
  if (command.root || command.steps || command.ports || command.volume || command.blocks || !command.smtlib_out.empty())
    return usage_error("--group goes with --p, --torus, --topology, --map, --out and --budget only");
  const Header header = TRY(header_of(command, most_ranks_in_words));
  if (!std::has_single_bit(static_cast<unsigned>(header.ranks)))
    return usage_error(fmt::format("--group: expected a power of two of ranks, found {}", header.ranks));
  const auto plan = plan_of(command.network);
  const auto network = TRY(make_network(command.network, plan, header));
  auto least = least_words(*command.letters, network, command.budget);
  if (!least) return tl::unexpected(Failure{ExitCode::unknown, least.error()});
  const auto schedule = schedule_of(*command.letters, least->words.front(), header.ranks);
  ScheduleQuestion limits{.header = schedule->header(),
                          .steps = std::countr_zero(static_cast<unsigned>(header.ranks)),
                          .ports = 1,
                          .volume = header.ranks - 1};
  return WordsFound{command.letters, header.ranks, network.name(), std::move(*least), judge_found(*schedule, limits)};
}

Result<const LetterSet*> parse_letters(const std::string& text) {
  if (const LetterSet* set = row_with(letter_sets(), &LetterSet::name, text)) return set;
  return no_such("--group: no group", text, mapped(letter_sets(), &LetterSet::name));
}

void describe(const CommandApp& app, OptimumCommand& command) {
  const auto add_number = [&](const char* flag, std::optional<std::uint64_t>& number, const char* about) {
    app->add_option(flag, number, about)->type_name("N")->check(whole_number);
  };
  app.group(subject_group);
  app.add_parsed("--p P", command.ranks, parse_ranks, "The number of ranks: 5");
  add_tori(app, command.tori, "Ranks on a torus with these sides, which send to neighbours only: 2x3");
  app.add_parsed("--collective NAME", command.collective, parse_collective,
                 "What the schedule is to do (default: allreduce; with --group reduce-scatter)");
  app.add_parsed("--root R", command.root, parse_root, "The root of a rooted collective (default: 0)");
  add_number("--steps", command.steps, "Is there a schedule with this many steps or fewer? (default: find the least)");
  add_number("--ports", command.ports, "Messages that a rank sends at most, and receives, in a step (default: 1)");
  add_number("--volume", command.volume, "Blocks that a rank sends at most, in all steps (default: any number)");
  add_number("--blocks", command.blocks,
             "The number of blocks (default: 1 for each rank; 1 in all for allreduce, broadcast and reduce without "
             "--volume)");
  app.add_parsed(
      "--group NAME", command.letters, parse_letters,
      fmt::format("Search only reduce-scatters that look alike from every rank, for the least load of links: "
                  "{}; see docs/optimal.md",
                  fmt::join(mapped(letter_sets(), &LetterSet::name), ", ")));
  app.group(network_group);
  app.add_parsed("--topology NAME|FILE", command.network.topology, parse_topology_choice,
                 "Ranks send to their neighbours in this network only, see 'verify bound --help'; with --group, the "
                 "network whose links are loaded (default: a ring)");
  app.add_option("--map FILE", command.network.map,
                 "A file that says where in the network rank 0 is, rank 1, and so on");
  app.group("Solvers");
  app.add_parsed("--solver LIST", command.solvers, parse_solvers, "The solvers that must agree: z3 or z3,cvc5")
      ->default_str("z3");
  app.group(output_group);
  app.add_file("--out", command.schedule_out, "Write the schedule that is found to this file");
  app.add_file("--smt-lib", command.smtlib_out,
               "Write the last unsatisfiable query (otherwise the last query) as SMT-LIB 2");
  add_json(app, command.json);
  app.group(limits_group);
  add_search_budget(app, command.budget);
}

Result<ExitCode> run(const OptimumCommand& command) {
  TRY(check(command.json));
  for (const std::string& file : {command.schedule_out, command.smtlib_out})
    if (!file.empty()) TRY(check_writable(file));
  TRY(check_distinct(
      files_read({}, command.network),
      {{"--out", command.schedule_out}, {"--smt-lib", command.smtlib_out}, {"--json-out", command.json.file}}));
  if (command.letters != nullptr) {
    const auto words = TRY(words_of(command));
    TRY(write_results(command, &words.first, ""));
    return after_output(ExitCode::ok,
                        give_result(
                            command.json, [&] { return dump(words_json(words)); }, [&] { return words_text(words); }));
  }
  const auto optimum = TRY(searched(command));
  TRY(write_results(command, optimum.found ? &*optimum.found : nullptr, optimum.script));
  return after_output(exit_code_of(optimum.answer()), give_result(
                                                          command.json, [&] { return dump(optimum_json(optimum)); },
                                                          [&] { return optimum_text(optimum); }));
}

}  // namespace

Runner add_optimum(CLI::App& app) {
  return run_with<OptimumCommand>(app);
}

}  // namespace onceover::cli
