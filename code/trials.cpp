// Each machine is a process of the simulator, which takes 0.1 s to start; calls cost little. So what is chosen besides
// the user's calls are few machines: hosts of unequal size, on which only the first or the last rank is alone, and one
// on which each send waits for its receive. In place, other communicators and long messages are calls of the first.
//
// Example: allreduce with p = 4. The first machine makes the calls with 0 to 1000 elements, p+1 also on a communicator
// whose ranks run backwards; then all of them in place, and both ways with 8193p elements. Hosts 1,3 and 3,1 and sends
// that wait get two calls each.

#include "code/trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "live/scope.h"

namespace onceover::code {

namespace {

using live::LiveCall;
using live::Options;

/// "1,3"; "each" and "one" where that is all there is to say.
std::string hosts_text(const std::vector<Rank>& sizes) {
  if (sizes.size() == 1) return "one";
  if (std::all_of(sizes.begin(), sizes.end(), [](Rank size) { return size == 1; })) return "each";
  return fmt::format("{}", fmt::join(sizes, ","));
}

class Chooser {
 public:
  Chooser(const Asked& asked, const Options& options, Rank ranks) : asked_(asked), options_(options), ranks_(ranks) {}

  Result<std::vector<CodeTrial>> run() {
    const auto sizes = asked_.hosts ? TRY(asked_.hosts->sizes(ranks_)) : own_hosts(ranks_);
    CodeTrial& first = add(sizes, !asked_.is_unbuffered);
    for (const LiveCall& call : options_.calls)
      first.calls.push_back({call, communicators(call), options_.repeats, asked_.orders});
    if (asked_.is_quick) return std::move(list_);
    add_long(first, false);
    if (has_in_place()) add_in_place(first);
    add_hosts();
    add_unbuffered(sizes);
    return std::move(list_);
  }

 private:
  CodeTrial& add(const std::vector<Rank>& sizes, bool buffers_sends) {
    const Machine machine{.ranks = ranks_, .hosts = sizes, .buffers_sends = buffers_sends};
    const std::string hosts = hosts_text(sizes);
    return list_.emplace_back(
        CodeTrial{.machine = machine, .calls = {}, .setting = hosts == "each" ? "" : "hosts " + hosts});
  }

  std::vector<Communicator> communicators(const LiveCall& call) const {
    if (!asked_.communicators.empty()) return asked_.communicators;
    const bool is_also_elsewhere = !asked_.is_quick && ranks_ > 1 && call.count == middle();
    return is_also_elsewhere ? std::vector{Communicator::world, Communicator::backwards}
                             : std::vector{Communicator::world};
  }

  /// A count that isn't special: p+1, or of the user's counts the largest up to 1000, or else the smallest.
  int middle() const {
    int found = options_.calls.front().count;
    for (const LiveCall& call : options_.calls)
      if (call.count <= 1000 && (options_.said.counts || call.count <= ranks_ + 1)) found = std::max(found, call.count);
    return found;
  }

  /// Those of the calls that are made on every machine.
  std::vector<CallTries> few() const {
    int least = 0;
    for (const LiveCall& call : options_.calls)
      if (call.count > 0 && (least == 0 || call.count < least)) least = call.count;
    std::vector<CallTries> calls;
    for (const LiveCall& call : options_.calls)
      if (call.count == least || call.count == middle()) calls.push_back({call});
    return calls;
  }

  bool has_in_place() const {
    return !asked_.avoids_in_place && !options_.said.in_place && options_.calls.front().collective->has_in_place;
  }

  /// Last, because code that takes MPI_IN_PLACE for a buffer ends the process.
  void add_in_place(CodeTrial& trial) const {
    const auto first = static_cast<std::ptrdiff_t>(trial.calls.size());
    for (const LiveCall& call : options_.calls) trial.calls.push_back({call});
    add_long(trial, true);
    std::for_each(trial.calls.begin() + first, trial.calls.end(), [](CallTries& tries) {
      tries.call.in_place = true;
      tries.is_offered = true;
    });
  }

  void add_long(CodeTrial& trial, bool in_place) const {
    if (options_.said.counts || asked_.has_digits) return;
    for (LiveCall call : options_.calls) {
      if (call.count != options_.calls.front().count || call.root != options_.calls.back().root) continue;
      call.count = live::counts_whole_vector(*call.collective) ? long_message * ranks_ : long_message;
      call.in_place = call.in_place || in_place;
      trial.calls.push_back({call});
    }
  }

  void add_hosts() {
    if (asked_.hosts || ranks_ < 3) return;
    for (const auto& sizes : {std::vector<Rank>{1, ranks_ - 1}, std::vector<Rank>{ranks_ - 1, 1}})
      add(sizes, !asked_.is_unbuffered).calls = few();
  }

  void add_unbuffered(const std::vector<Rank>& sizes) {
    if (asked_.is_unbuffered || ranks_ < 2) return;
    CodeTrial& trial = add(sizes, false);
    trial.calls = few();
    trial.setting += fmt::format("{}sends not buffered", trial.setting.empty() ? "" : ", ");
    trial.judges_buffering = true;
  }

  const Asked& asked_;
  const Options& options_;
  Rank ranks_;
  std::vector<CodeTrial> list_;
};

constexpr unsigned anywhere = 1;

std::string orders_text(int orders) {
  return orders == 0 ? "" : std::to_string(orders);
}

std::string communicator_list(const std::vector<Communicator>& list) {
  return fmt::format("{}", fmt::join(mapped(list, [](Communicator each) { return name(each); }), ","));
}

std::string number_type_text(const NumberType& type) {
  return parse_number_type(type.name) == type ? type.name : fmt::format("{}={}", type.name, type.datatype);
}

/// The options of calls, as options of code, and what is linked, which has no name on the command line.
std::vector<Option<CodeOptions>> other_options() {
  std::vector<Option<CodeOptions>> rows{repeated_option<CodeOptions>(
      "link", "FILE", [](auto& c) -> auto& { return c.sources.files; }, parse_text, print_text, anywhere, "")};
  auto all = live::call_rows();
  all.push_back(live::call_row("call-time-limit", "TIME", ""));
  for (const Option<live::CallWords>& row : all)
    rows.push_back({row.name, row.value, row.about, row.fits, row.repeats,
                    [read = row.read](const std::string& text, CodeOptions& code) { return read(text, code.calls); },
                    [print = row.print](const CodeOptions& code) { return print(code.calls); }});
  return rows;
}

}  // namespace

Sources CodeOptions::with_elements() const {
  Sources own = sources;
  if (has_numbers || !own.number_types.empty()) own.elements = Elements::numbers;
  return own;
}

const std::vector<Option<CodeOptions>>& build_options() {
  using C = CodeOptions;
  static const std::vector<Option<C>> rows{
      flag<C>("numbers", &C::has_numbers, anywhere,
              "The code adds up double or float itself: compile it with elements in their place"),
      repeated_option<C>(
          "number-type", "NAME=MPI_TYPE", [](auto& c) -> auto& { return c.sources.number_types; }, parse_number_type,
          number_type_text, anywhere, "The code adds up this type of its own, which it sends as that; may be repeated"),
      option<C>(
          "digits", "TYPE", [](auto& c) -> auto& { return c.sources.digits; }, parse_digit_type,
          [](const DigitType* type) { return type == nullptr ? "" : std::string(type->name); }, anywhere,
          "The code takes only MPI_SUM of double, float, int or int64: call it with numbers that show who was added"),
      option<C>(
          "build", "COMMAND", [](auto& c) -> auto& { return c.sources.build; }, parse_text, print_text, anywhere,
          "Run this first, in a shell; it may make some of the files"),
      repeated_option<C>(
          "include", "DIR", [](auto& c) -> auto& { return c.sources.includes; }, parse_text, print_text, anywhere,
          "Look for headers in this folder, too; may be repeated"),
      option<C>(
          "flags", "TEXT", [](auto& c) -> auto& { return c.sources.flags; }, parse_text, print_text, anywhere,
          "Flags for the compiler, such as '-DK=4 -O2'"),
  };
  return rows;
}

const std::vector<Option<CodeOptions>>& trial_options() {
  using C = CodeOptions;
  static const std::vector<Option<C>> rows{
      flag<C>(
          "quick", [](auto& c) -> auto& { return c.asked.is_quick; }, anywhere,
          "Leave out what isn't asked for: in place, long messages, other roots than 0, other communicators, unequal "
          "hosts, sends that wait"),
      option<C>(
          "communicators", "LIST", [](auto& c) -> auto& { return c.asked.communicators; }, parse_communicators,
          communicator_list, anywhere,
          "Which calls are made on: world, copy, backwards (default: world, and one call backwards)"),
  };
  return rows;
}

const std::vector<Option<CodeOptions>>& machine_options() {
  using C = CodeOptions;
  static const std::vector<Option<C>> rows{
      option<C>(
          "hosts", "HOSTS", [](auto& c) -> auto& { return c.asked.hosts; }, Hosts::parse,
          [](const Hosts& hosts) { return hosts.text(); }, anywhere,
          "Which ranks share a host: one, each, a number on each, or a list that sums to p, such as 1,3 or 1,p-1 "
          "(default: each, then 1,p-1 and p-1,1)"),
      flag<C>(
          "no-buffering", [](auto& c) -> auto& { return c.asked.is_unbuffered; }, anywhere,
          "Each send waits for its receive, whatever its size"),
      option<C>(
          "orders", "N", [](auto& c) -> auto& { return c.asked.orders; }, parse_orders, orders_text, anywhere,
          "Make each call this many times more, with ranks that begin at other times (default: 0)"),
  };
  return rows;
}

const Option<CodeOptions>* find_code_option(std::string_view name) {
  static const auto others = other_options();
  for (const auto* rows : {&build_options(), &trial_options(), &machine_options(), &others})
    if (const auto* row = row_with(*rows, &Option<CodeOptions>::name, name)) return row;
  return nullptr;
}

Result<const live::LiveCollective*> parse_live_collective(const std::string& name) {
  std::vector<std::string_view> known;
  for (const live::LiveCollective& c : live::live_collectives()) {
    if (c.name == name) return &c;
    known.push_back(c.name);
  }
  return usage_error(
      fmt::format("--collective: no '{}'{}; there are {}", name, suggestion(name, known), fmt::join(known, ", ")));
}

Result<int> parse_orders(const std::string& text) {
  constexpr int most = 1000;
  if (text == "0") return 0;
  if (const auto number = live::number_to(most, text)) return *number;
  return usage_error(fmt::format("--orders: expected 0 to {}, found '{}'", most, text));
}

Result<std::vector<Communicator>> parse_communicators(const std::string& text) {
  constexpr std::array all{Communicator::world, Communicator::copy, Communicator::backwards};
  const auto names = mapped(all, [](Communicator each) { return name(each); });
  std::vector<Communicator> list;
  for (const std::string_view part : split(text, ',')) {
    const auto found = std::find(names.begin(), names.end(), part);
    if (found == names.end() || !add_new(list, all[static_cast<std::size_t>(found - names.begin())]))
      return usage_error(fmt::format("--communicators: expected some of {}, each once, found '{}'{}",
                                     fmt::join(names, ", "), text, suggestion(part, names)));
  }
  return list;
}

Result<void> check_function(const std::string& name) {
  if (is_name_in_c(name)) return {};
  return usage_error(fmt::format("--function: expected a name in C, found '{}'", name));
}

Result<void> check_digits(const live::Options& options) {
  const auto& calls = options.calls;
  if (std::all_of(calls.begin(), calls.end(), [](const live::LiveCall& call) { return call.commutative; })) return {};
  return usage_error("--digits: MPI_SUM commutes, so digits go with neither --non-commutative nor --both-operators");
}

bool are_empty(const live::Options& options) {
  return std::all_of(options.calls.begin(), options.calls.end(),
                     [](const live::LiveCall& call) { return call.count == 0; });
}

Result<live::Options> call_options(std::vector<std::string> words, Rank ranks, bool is_quick) {
  if (is_quick) words.emplace_back("--quick");
  auto options = live::read_options(
      std::move(words), ranks,
      {.in_place = false, .both_operators = false, .all_roots = true, .long_messages = false, .has_unbuffered = true});
  if (options) return options;
  Failure failure = options.error();
  constexpr std::string_view theirs = "verify live --help";
  if (const std::size_t at = failure.message.find(theirs); at != std::string::npos)
    failure.message.replace(at, theirs.size(), "verify code --help");
  return tl::unexpected(failure);
}

CodeTrial plain_trial(const Machine& machine, const Options& options) {
  CodeTrial trial{.machine = machine, .calls = {}};
  for (const LiveCall& call : options.calls) trial.calls.push_back({.call = call, .repeats = options.repeats});
  return trial;
}

Result<std::vector<CodeTrial>> trials(const Asked& asked, const Options& options, Rank ranks) {
  return Chooser(asked, options, ranks).run();
}

}  // namespace onceover::code
