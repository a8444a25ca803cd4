#include "subjects/metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace onceover::subjects {

namespace {

using Source = Metric::Source;

constexpr std::array rows{
    Metric{"p", "ranks", Source::shape, false},
    Metric{"dimensions", "sides of the torus; 1 on a line", Source::shape, false},
    Metric{"side_min", "the shortest of them", Source::shape, false},
    Metric{"side_max", "the longest of them", Source::shape, false},
    Metric{"lanes", "parts of the vector that go side by side", Source::shape, false},
    Metric{"blocks", "blocks of the vector; of a program its chunks", Source::shape, false},
    Metric{"steps", "steps", Source::transfers},
    Metric{"messages", "messages of all steps", Source::transfers},
    Metric{"block_transfers", "blocks in all messages", Source::transfers},
    Metric{"max_sends_per_rank_step", "messages that a rank sends in a step, at most", Source::transfers},
    Metric{"max_receives_per_rank_step", "messages that a rank receives in a step, at most", Source::transfers},
    Metric{"max_runs_per_message", "runs of neighbouring blocks in a message, at most", Source::transfers},
    Metric{"blocks_sent_min", "blocks sent by the rank that sends least", Source::transfers, false},
    Metric{"blocks_sent_max", "blocks sent by the rank that sends most", Source::transfers},
    Metric{"term_depth", "sums on the longest way into a result", Source::transfers},
    Metric{"staging", "blocks that a rank holds for others at once, at most", Source::staging},
    Metric{"latency", "latency deficiency: steps / log2 p, rounded up to millionths", Source::network},
    Metric{"bandwidth", "bandwidth deficiency", Source::network},
    Metric{"congestion", "congestion deficiency", Source::network},
    Metric{"operations", "of a program: its operations", Source::program},
    Metric{"thread_blocks", "of MSCCL XML: its thread blocks", Source::program},
    Metric{"connections", "of MSCCL XML: pairs of ranks and channels that exchange messages", Source::program},
    Metric{"messages_in_a_row", "of a program: messages of the longest chain in which each waits for the one before",
           Source::program},
    Metric{"fifo_depth", "of a program: messages that a connection must hold at least", Source::program},
};

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

std::span<const Metric> metrics() {
  return rows;
}

std::optional<std::size_t> metric_named(std::string_view name) {
  const auto* row = std::find_if(rows.begin(), rows.end(), [&](const Metric& m) { return m.name == name; });
  if (row == rows.end()) return std::nullopt;
  return static_cast<std::size_t>(row - rows.begin());
}

std::string exact_text(const Rational& number) {
  return number.str();
}

std::string number_text(const Rational& number) {
  if (denominator(number) == 1) return exact_text(number);
  const Rational millionths = number * 1'000'000;
  if (denominator(millionths) == 1) return fmt::format("{}", static_cast<double>(number));
  return fmt::format("{} (about {:.6f})", exact_text(number), static_cast<double>(number));
}

std::optional<Rational> parse_exact(std::string_view text) {
  constexpr std::size_t most_digits = 200;
  const bool is_negative = text.starts_with('-');
  const std::string_view digits = text.substr(is_negative ? 1 : 0);
  const std::size_t slash = digits.find('/');
  const std::string_view over = slash == std::string_view::npos ? "1" : digits.substr(slash + 1);
  const std::string_view above = digits.substr(0, slash);
  if (text.size() > most_digits || !is_digits(above) || !is_digits(over)) return std::nullopt;
  // A leading zero would make them octal.
  auto whole = [](std::string_view part) {
    part.remove_prefix(std::min(part.find_first_not_of('0'), part.size() - 1));
    return boost::multiprecision::cpp_int(std::string(part));
  };
  if (whole(over) == 0) return std::nullopt;
  const Rational value(whole(above), whole(over));
  return is_negative ? Rational(-value) : value;
}

}  // namespace onceover::subjects
