// `verify code`: judges functions that are written over MPI.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/report_output.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/text.h"
#include "cli/colors.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/live_command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "code/code_report.h"
#include "code/code_run.h"
#include "code/digits.h"
#include "code/executable.h"
#include "code/family.h"
#include "code/library.h"
#include "code/selection.h"
#include "code/trials.h"
#include "formats/schedule_file.h"
#include "live/scope.h"
#include "subjects/option_values.h"
#include "subjects/rank_list.h"
#include "subjects/run.h"

namespace onceover::cli {

namespace {

struct CodeCommand {
  code::CodeOptions code = {};
  std::string collective = {};  // empty: not said
  std::optional<RankList> ranks = {};
  JsonOutput json = {};
  bool full = false;
  bool family = false;  // which algorithm is it, for all p that were tried?
  std::string schedule_out = {};
  std::optional<std::string_view> with = {};  // an MPI that is there, which runs the same for few ranks
  std::string library = {};                   // empty: none
  std::string checkout = {};
  std::string algo = {};
  std::vector<std::string> settings = {};  // "k=2..4"
  bool lists = false;                      // only what the checkout has
  std::string selection = {};              // a file that is judged in place of an algorithm; empty: none
};

void describe(const CommandApp& app, CodeCommand& command) {
  const auto add = [&](const char* name, const char* value, const char* about) {
    add_calls(app, {live::call_row(name, value, about)}, command.code.calls);
  };
  app.group("Code");
  app.add_option("FILES", command.code.sources.files, "Files of C or C++, objects and libraries");
  app.add_option("--function NAME", command.code.sources.function,
                 "The function to judge, with the signature of MPI's collective")
      ->check(not_empty);
  app.add_option("--collective NAME", command.collective,
                 "What it should do: allreduce, reduce, bcast, allgather, .. (default: allreduce)")
      ->check(not_empty);
  app.add_all(code::build_options(), command.code);
  app.group("Library");
  app.add_option("--library NAME", command.library,
                 "Judge an algorithm of this library, in place of FILES: " +
                     fmt::format("{}", fmt::join(code::library_names(), ", ")));
  app.add_file("--checkout", command.checkout, "The folder with the library's source");
  app.add_option("--algo NAME", command.algo, "The algorithm, such as bcast/binomial")->check(not_empty);
  app.add_option("--set NAME=LIST", command.settings,
                 "Values of a setting of the algorithm, such as k=2..4,8; may be repeated")
      ->allow_extra_args(false);
  app->add_flag("--list", command.lists, "Print what the checkout has, and what isn't judged, with the reason");
  app.add_file("--select", command.selection,
               "Judge this file of MPICH, which picks algorithms: one for each call, each meant for it?");
  app.group("Calls");
  app.add_parsed("--p LIST", command.ranks, parse_ranks, "Numbers of ranks: 7, 2..64 (default: 2..8)");
  add_calls(app, live::call_rows(), command.code.calls);
  app.add_all(code::trial_options(), command.code);
  app.group("Machine");
  app.add_all(code::machine_options(), command.code);
  app.add_parsed("--with NAME", command.with, parse_mpi,
                 "Also run the code under openmpi or mpich, for p up to 8; both must agree");
  app.group(property_group);
  add("require", "LIST", "Require properties besides the usual ones: order-preserving, deterministic, unbuffered, ..");
  add("waive", "LIST", "Don't require these properties, which are by default: bitwise-reproducible");
  app.group(output_group);
  add("match", "", "Name the algorithm of the catalogue that adds up in the same way");
  add("terms", "", "Print how each element was added up");
  app->add_flag("--family", command.family,
                "Name the algorithm that the messages are for all p, with its theorem for every p");
  app.add_file("--schedule-out", command.schedule_out,
               "Write what the last call sent as a schedule file, for one p; - is standard output");
  app->add_flag("--full", command.full, "Print every property");
  add_json(app, command.json);
  app.group(limits_group);
  add("call-time-limit", "TIME", "Give up when a call takes longer than this: 20s, 5m (default: 60s)");
}

using code::CodeRun;

/// Writes what the last of the calls sent that the user asked for.
Result<void> write_recovered(const std::string& path, const std::vector<CodeRun>& runs, std::size_t asked) {
  const auto& schedule = runs[asked - 1].schedule;
  if (!schedule) return tl::unexpected(Failure{ExitCode::unknown, "code: the call didn't come to its end"});
  if (!*schedule)
    return tl::unexpected(
        Failure{ExitCode::unknown, fmt::format("code: no schedule is written: {}", schedule->error())});
  return write_file(path, [&](std::FILE* file) { return write_schedule(*(*schedule)->schedule, file); });
}

/// The most ranks that run as processes of an MPI.
constexpr Rank most_processes = 8;

/// The command, carried out.
class Judgement {
 public:
  explicit Judgement(const CodeCommand& command)
      : command_(command), sources_(command.code.with_elements()), asked_(command.code.asked) {
    asked_ranks_ = command.ranks ? command.ranks->value : *parse_rank_list("2..8");
    ranks_ = asked_ranks_;
  }

  Result<ExitCode> run() {
    asked_.has_digits = sources_.digits != nullptr;
    sources_.collective =
        TRY(code::parse_live_collective(command_.collective.empty() ? "allreduce" : command_.collective));
    TRY(check_library_options());
    if (!command_.library.empty()) library_.emplace(TRY(code::Library::open(command_.library, command_.checkout)));
    if (command_.lists) return list();
    if (!command_.selection.empty()) return judge_selection();
    if (library_) TRY(choose_algorithm());
    TRY(choose_calls());
    TRY(check_writable(command_.schedule_out));
    TRY(check_with());
    TRY(check_outputs());
    if (asked_.has_digits) TRY(check_digits_alone());
    TRY(code::check_function(sources_.function));
    TRY(simulate());
    TRY(tell());
    return end();
  }

 private:
  /// The options of the calls, as verify-mpi would read them.
  Result<live::Options> options_for(Rank ranks) const {
    std::vector<std::string> words{"--collective", std::string(sources_.collective->name)};
    for (const live::CallWords* each : {&command_.code.calls, &domain_calls_})
      for (std::string& word : each->words()) words.push_back(std::move(word));
    if (command_.json.is_wanted()) words.emplace_back("--json");
    if (command_.full) words.emplace_back("--full");
    return code::call_options(std::move(words), ranks, asked_.is_quick);
  }

  Result<void> check_library_options() const {
    const bool has_files = !command_.code.sources.files.empty() || !command_.code.sources.function.empty();
    if (command_.library.empty()) {
      if (command_.lists || !command_.checkout.empty() || !command_.algo.empty() || !command_.settings.empty() ||
          !command_.selection.empty())
        return usage_error("code: --checkout, --algo, --set, --list and --select go with --library");
      if (command_.code.sources.files.empty()) return usage_error("FILES is required");
      if (command_.code.sources.function.empty()) return usage_error("--function is required");
      return {};
    }
    if (has_files)
      return usage_error("code: --library has its own files and functions; leave out FILES and --function");
    if (command_.checkout.empty()) return usage_error("code: --library needs --checkout, the folder of its source");
    if (command_.lists) return check_alone("--list judges nothing");
    if (!command_.selection.empty()) return check_alone("--select runs no algorithm");
    if (command_.algo.empty()) return usage_error("code: --library needs --algo NAME; --list says which there are");
    return {};
  }

  /// Options of an algorithm, or of calls, don't go with what is about all of a library.
  Result<void> check_alone(std::string_view why) const {
    const code::CodeOptions& code = command_.code;
    const auto is_any_given = [&](const auto& rows) {
      return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return row.is_given(code); });
    };
    const bool has_calls = !command_.algo.empty() || !command_.collective.empty() || !command_.settings.empty() ||
                           !code.calls.given.empty() || !command_.schedule_out.empty() || command_.family ||
                           command_.full || is_any_given(code::trial_options()) ||
                           is_any_given(code::machine_options()) || command_.with;
    const bool has_code = is_any_given(code::build_options());
    const bool is_alone = !has_calls && !has_code &&
                          !(command_.lists && (command_.ranks || command_.json.is_wanted())) &&
                          !(command_.lists && !command_.selection.empty());
    if (is_alone) return {};
    return usage_error(fmt::format("code: {}; it goes with --library and --checkout{}", why,
                                   command_.lists ? " alone" : ", --p, --json and --json-out alone"));
  }

  Result<ExitCode> list() const {
    const ReportOutput output;
    TRY(print(library_->list_text()));
    return ExitCode::ok;
  }

  Result<ExitCode> judge_selection() const {
    TRY(check(command_.json));
    TRY(check_distinct({{"--select", command_.selection}}, {{"--json-out", command_.json.file}}));
    const code::Selection selection = TRY(code::judge_selection(*library_, command_.selection, ranks_));
    TRY(give_result(
        command_.json, [&] { return selection.json().dump(2) + "\n"; }, [&] { return selection.text(); }));
    return exit_code(selection.verdict());
  }

  /// Takes the algorithm's row for what the user didn't say.
  Result<void> choose_algorithm() {
    row_ = &TRY(library_->find(command_.algo))->row;
    if (!command_.collective.empty() && sources_.collective != row_->collective)
      return usage_error(
          fmt::format("--collective: {} is for {}; leave this option out", row_->name, row_->collective->name));
    choices_ = TRY(code::Library::choices(*row_, command_.settings));
    sources_ = TRY(library_->sources(*row_, sources_));
    std::erase_if(ranks_, [&](Rank p) { return !contains(row_->ranks, p); });
    if (ranks_.empty()) return usage_error(fmt::format("--p: {} is meant for p {}", row_->name, name(row_->ranks)));
    code::DomainCalls calls = domain_calls(*row_, command_.code.calls, asked_.is_quick);
    domain_calls_ = std::move(calls.calls);
    asked_.avoids_in_place = calls.avoids_in_place;
    if (!asked_.hosts) asked_.hosts = std::move(calls.hosts);
    if (choices_.size() > 1 && (command_.family || !command_.schedule_out.empty()))
      return usage_error("code: --family and --schedule-out are for one value of each setting: --set");
    if (choices_.size() > 1 && command_.with)
      return usage_error("code: --with is for one value of each setting: --set");
    return {};
  }

  Result<void> choose_calls() {
    for (const Rank p : ranks_) {
      const live::Options options = TRY(options_for(p));
      if (asked_.has_digits) TRY(code::check_digits(options));
      trials_.push_back(TRY(code::trials(asked_, options, p)));
      options_.push_back(options);
    }
    return {};
  }

  Result<void> check_with() const {
    if (!command_.with) return {};
    if (command_.json.is_wanted() || !command_.schedule_out.empty())
      return usage_error("code: --with prints two reports, so it goes with none of --json, --json-out, --schedule-out");
    if (ranks_.front() > most_processes)
      return usage_error(fmt::format("code: --with: none of the numbers of ranks is up to {}", most_processes));
    return {};
  }

  Result<void> check_outputs() const {
    if (command_.json.takes_output() && is_standard_stream(command_.schedule_out))
      return usage_error("code: --json and --schedule-out - both print on standard output");
    TRY(check(command_.json));
    TRY(check_distinct(mapped(sources_.files,
                              [](const std::string& file) {
                                return NamedFile{"FILES", file};
                              }),
                       {{"--json-out", command_.json.file}, {"--schedule-out", command_.schedule_out}}));
    if (!command_.schedule_out.empty() && ranks_.size() > 1)
      return usage_error("code: --schedule-out is for one number of ranks at a time");
    return {};
  }

  Result<ExitCode> end() const {
    ExitCode end = exit_code(live::overall(judged()));
    if (command_.with) end = worse_of(end, TRY(compare(std::string(*command_.with))));
    if (command_.schedule_out.empty()) return end;
    return after_output(end, write_recovered(command_.schedule_out, runs_, options_.back().calls.size()));
  }

  Result<void> check_digits_alone() const {
    if (command_.family || !command_.schedule_out.empty() || command_.code.calls.has("match") ||
        command_.code.calls.has("terms"))
      return usage_error(
          "code: --digits shows no sums, so it goes with none of --match, --terms, --family, --schedule-out");
    return {};
  }

  Result<void> simulate() {
    auto program = code::build(sources_);
    if (!program) return tl::unexpected(library_ ? library_->explained(program.error(), *row_) : program.error());
    const bool recovers = command_.family || !command_.schedule_out.empty();
    for (std::size_t k = 0; k < ranks_.size(); ++k) {
      const std::size_t step = code::most_together(ranks_[k], asked_.is_quick);
      for (std::size_t first = 0; first < choices_.size(); first += step) {
        const auto some = std::span(choices_).subspan(first, std::min(step, choices_.size() - first));
        const std::string told = code::text_of(some[0]);
        Progress::say(k, ranks_.size(), fmt::format("p = {}{}{}", ranks_[k], told.empty() ? "" : ", ", told));
        auto judged = TRY(code::run_code(*program, with_values(trials_[k], some), options_[k], recovers));
        for (CodeRun& each : judged) keep(std::move(each));
      }
    }
    return {};
  }

  /// Keeps what is printed later; schedules of many calls would fill the memory.
  void keep(CodeRun each) {
    const live::LiveCall& call = each.judged.call;
    const bool has_all_blocks = call.count > 0 && call.count % call.ranks == 0 && call.layout == live::Layout::even;
    if (command_.family && has_all_blocks && each.schedule) {
      if (*each.schedule)
        family_.add(call, **each.schedule);
      else
        family_.leave_out(call.ranks);
    }
    if (command_.schedule_out.empty()) each.schedule.reset();
    runs_.push_back(std::move(each));
  }

  std::vector<live::LiveRun> judged() const {
    std::vector<live::LiveRun> list;
    for (const CodeRun& each : runs_) list.push_back(each.judged);
    return list;
  }

  Result<void> tell() const {
    const std::string what =
        library_ ? library_->title(*row_) : fmt::format("{} of {}", sources_.function, fmt::join(sources_.files, ", "));
    const std::string title = fmt::format("{}, by {}", what, code::simulator_name());
    const auto json = [&] { return live::live_json(title, judged(), ending()).dump(2) + "\n"; };
    if (!is_standard_stream(command_.schedule_out))
      return give_result(command_.json, json, [&] { return report_text(title); });
    if (!command_.json.file.empty()) TRY(write_text(command_.json.file, json()));
    const ReportOutput output;
    fmt::print(stderr, "{}", report_text(title));
    return {};
  }

  std::string report_text(const std::string& title) const {
    std::string text;
    std::vector<live::LiveRun> all = judged();
    if (!command_.code.calls.has("terms"))
      for (live::LiveRun& run : all) run.terms = nullptr;  // only the JSON has them
    if (sources_.digits != nullptr) text = digits_text();
    if (command_.family && live::overall(all) != Verdict::pass)
      text = "family: not looked for, since not all calls pass\n";
    else if (command_.family)
      for (const std::string& line : family_.text()) text += line + "\n";
    return fmt::format("{}\n{}{}{}", title, code::code_text(all, command_.full), text,
                       live::ending_text(ending(), all));
  }

  live::Ending ending() const {
    const live::Options& options = options_.back();
    const code::KnownOfCode known = code::known_of(runs_);
    std::vector<std::string> unpromised = options.waived;
    if (asked_.has_digits) unpromised.emplace_back(bitwise_reproducible_property.id);  // they don't show it
    std::string scope = code::scope_text(asked_, options, ranks_, known);
    std::vector<std::string> not_tried = code::not_tried(asked_, options, known);
    if (row_ != nullptr) {
      if (!row_->settings.empty()) scope += "; " + code::tried_text(choices_);
      const auto left_out = code::not_tried(*row_, asked_ranks_);
      not_tried.insert(not_tried.end(), left_out.begin(), left_out.end());
    }
    return {live::holds_text(options.calls, unpromised), scope, not_tried, options.waived};
  }

  /// What a pass by digits doesn't promise.
  static std::string digits_text() {
    return "by digits: the order of sums isn't seen;\n"
           "that the code does the same with other numbers is taken for granted\n";
  }

  /// Has an MPI run the same for few ranks. Its report follows ours.
  Result<ExitCode> compare(const std::string& mpi) const {
    const code::Executable library = TRY(code::build_stand_in(sources_, mpi));
    for (const auto& [name, value] : choices_.front())
      setenv(("ONCEOVER_SETTING_" + name).c_str(), std::to_string(value).c_str(), 1);
    ExitCode all = ExitCode::ok;
    for (const Rank p : ranks_) {
      if (p > most_processes) continue;
      LiveCommand live{.mpi = command_.with, .ranks = RankList{{p}, std::to_string(p)}, .preload = library.path};
      live.yes = true;
      std::vector<Setting>& calls = live.calls.given;
      calls = {{"quick", ""}, {"collective", std::string(sources_.collective->name)}};
      for (const live::CallWords* each : {&command_.code.calls, &domain_calls_})
        calls.insert(calls.end(), each->given.begin(), each->given.end());
      const ExitCode theirs = TRY(cli::run(live));
      Verdict ours = Verdict::pass;
      for (const CodeRun& each : runs_)
        if (each.judged.call.ranks == p) ours = worse(ours, each.judged.report.verdict);
      all = worse_of(all, theirs);
      if (theirs == exit_code(ours)) continue;
      warn(fmt::format("code: for p = {} the simulator says {}, and {} ends with exit code {}", p, name(ours), mpi,
                       static_cast<int>(theirs)));
      all = ExitCode::violated;
    }
    return all;
  }

  static ExitCode worse_of(ExitCode a, ExitCode b) { return a == ExitCode::violated || b == ExitCode::ok ? a : b; }

  const CodeCommand& command_;
  std::optional<code::Library> library_ = {};
  const code::LibraryRow* row_ = nullptr;  // of the library
  std::vector<code::SettingValues> choices_{{}};
  live::CallWords domain_calls_ = {};  // what the row's domain asks for
  code::Sources sources_;
  code::Asked asked_;
  std::vector<Rank> asked_ranks_;
  std::vector<Rank> ranks_;                           // those in the row's domain
  std::vector<live::Options> options_;                // by number of ranks
  std::vector<std::vector<code::CodeTrial>> trials_;  // by number of ranks
  std::vector<CodeRun> runs_;
  code::Family family_;
};

Result<ExitCode> run(const CodeCommand& command) {
  return Judgement(command).run();
}

}  // namespace

Runner add_code(CLI::App& app) {
  return run_with<CodeCommand>(app);
}

}  // namespace onceover::cli
