#include "code/code_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/closest.h"
#include "base/rows.h"
#include "base/try.h"
#include "base/words.h"

namespace onceover::code {

namespace {

constexpr unsigned anywhere = 1;

std::string orders_text(int orders) {
  return orders == 0 ? "" : std::to_string(orders);
}

std::string communicators_text(const std::vector<Communicator>& list) {
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
          communicators_text, anywhere,
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

bool is_name_in_c(std::string_view text) {
  const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; };
  const auto is_inner = [&](char c) { return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)); };
  return !text.empty() && is_letter(text[0]) && std::all_of(text.begin(), text.end(), is_inner);
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

}  // namespace onceover::code
