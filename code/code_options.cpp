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
