#include "subjects/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/result.h"
#include "base/table.h"
#include "base/text.h"
#include "network/simulation.h"
#include "subjects/network_plan.h"
#include "subjects/option_values.h"

namespace onceover::subjects {

namespace {

constexpr double largest = 1ULL << 50;
constexpr double step_factor = 4;

Result<double> parse_size(std::string_view text, std::string_view flag) {
  constexpr std::array<std::pair<std::string_view, double>, 5> units{
      {{"Ki", 1024.0}, {"Mi", 1024.0 * 1024}, {"Gi", 1024.0 * 1024 * 1024}, {"B", 1}, {"", 1}}};
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.size() == 3 && unit.back() == 'B') unit.remove_suffix(1);
  const auto known = std::find_if(units.begin(), units.end(), [&](const auto& u) { return u.first == unit; });
  const double size = known == units.end() ? 0 : static_cast<double>(number) * known->second;
  if (failure != std::errc() || size < 1 || size > largest)
    return usage_error(fmt::format("{}: expected sizes like 32, 2Ki, 512Mi or 32..512Mi, found '{}'{}", flag, text,
                                   hint_at_units(text)));
  return size;
}

Result<void> add_sizes(std::string_view item, std::string_view flag, std::vector<double>& sizes) {
  const std::size_t dots = item.find("..");
  const auto first = TRY(parse_size(item.substr(0, dots), flag));
  if (dots == std::string_view::npos) {
    sizes.push_back(first);
    return {};
  }
  const auto last = TRY(parse_size(item.substr(dots + 2), flag));
  if (last < first)
    return usage_error(fmt::format("{}: the range {} is empty; write the smaller size first", flag, item));
  for (double size = first; size <= last; size *= step_factor) sizes.push_back(size);
  return {};
}

Result<std::vector<double>> sizes_of(const std::string& text, std::string_view flag) {
  std::vector<double> sizes;
  for (const std::string_view size : split(text, ',')) TRY(add_sizes(size, flag, sizes));
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace

const TimedVersion& Contender::fastest(std::size_t size) const {
  return *std::min_element(versions.begin(), versions.end(),
                           [&](const TimedVersion& a, const TimedVersion& b) { return a.times[size] < b.times[size]; });
}

std::size_t Comparison::winner(std::size_t size) const {
  std::size_t best = 0;
  for (std::size_t c = 1; c < contenders.size(); ++c)
    if (contenders[c].time(size) < contenders[best].time(size)) best = c;
  return best;
}

std::size_t Comparison::best_other(std::size_t contender, std::size_t size) const {
  std::size_t best = contender == 0 ? 1 : 0;
  for (std::size_t c = 0; c < contenders.size(); ++c)
    if (c != contender && contenders[c].time(size) < contenders[best].time(size)) best = c;
  return best;
}

double Comparison::gain(std::size_t contender, std::size_t size) const {
  const double other = contenders[best_other(contender, size)].time(size);
  const double mine = contenders[contender].time(size);
  return other == mine ? 0 : other / mine - 1;
}

double goodput(double bytes, double ns) {
  return bytes * 8 / ns;
}

Result<std::vector<double>> parse_sizes(const std::string& text) {
  return sizes_of(text, "--bytes");
}

Result<std::vector<double>> parse_sizes_per_rank(const std::string& text) {
  return sizes_of(text, "--bytes-per-rank");
}

Rank ranks_per_vector(Collective collective, Rank ranks) {
  switch (collective) {
    case Collective::allgather:
    case Collective::gather:
    case Collective::scatter:
    case Collective::alltoall: return ranks;
    case Collective::allreduce:
    case Collective::reduce_scatter:
    case Collective::broadcast:
    case Collective::reduce: break;
  }
  return 1;
}

std::string_view name(Mode mode) {
  return mode == Mode::synchronous ? "synchronous" : "asynchronous";
}

Result<Mode> parse_mode(const std::string& text) {
  for (const Mode mode : {Mode::synchronous, Mode::asynchronous})
    if (name(mode) == text) return mode;
  return usage_error(fmt::format("--mode: expected synchronous or asynchronous, found '{}'", text));
}

Result<std::vector<double>> times_of(const Schedule& schedule, const Network& network, const Timing& timing,
                                     const std::vector<double>& sizes) {
  if (timing.mode == Mode::synchronous) {
    std::vector<double> times;
    const auto model = cost(schedule, network, timing.flows, timing.ranks);
    if (!model) return tl::unexpected(failure_of(model.error()));
    for (const double bytes : sizes) times.push_back(model->time(bytes));
    return times;
  }
  auto simulated = simulate_each(schedule, network, timing.flows, timing.ranks, sizes);
  if (!simulated) return tl::unexpected(failure_of(simulated.error()));
  return *simulated;
}

std::string stretches_text(const std::vector<double>& sizes, const std::vector<std::string>& answers) {
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < sizes.size();) {
    std::size_t end = k;
    while (end + 1 < sizes.size() && answers[end + 1] == answers[k]) ++end;
    const std::string from = bytes_text(sizes[k]);
    if (k == 0 && end + 1 == sizes.size())
      parts.push_back(fmt::format("{} at every size", answers[k]));
    else if (end + 1 == sizes.size())
      parts.push_back(fmt::format("{} from {}", answers[k], from));
    else
      parts.push_back(k == end ? fmt::format("{} at {}", answers[k], from)
                               : fmt::format("{} from {} to {}", answers[k], from, bytes_text(sizes[end])));
    k = end + 1;
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace onceover::subjects
