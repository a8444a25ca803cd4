#include "viz/load_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace onceover::viz {

namespace {

struct Shade {
  std::string_view colour;
  double width;
};

constexpr std::array<Shade, 6> shades{
    {{"#C2DAEE", 0.8}, {"#8DBCDD", 1.1}, {"#4F97C9", 1.5}, {"#1F6BA6", 1.9}, {"#0B4174", 2.4}, {"#06182C", 2.9}}};
constexpr Stroke unused{palette::grey, "dotted", 0.5};

/// The different loads, ascending; at most one more than there are shades for. Quotients that only rounding makes
/// differ are one.
std::vector<double> different(const std::vector<double>& loads) {
  std::vector<double> found;
  for (const double load : loads) {
    const auto is_same = [&](double other) { return std::abs(load - other) <= 1e-9 * other; };
    if (load > 0 && found.size() <= shades.size() && std::none_of(found.begin(), found.end(), is_same))
      found.push_back(load);
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// The upper ends of bins: powers of two up to the first that is no less than all loads. The lowest bin isn't empty. If
/// there are more powers than shades, it takes all smaller loads, too.
std::vector<double> powers_of_two(const std::vector<double>& loads) {
  const double most = *std::max_element(loads.begin(), loads.end());
  double least = most;
  for (const double load : loads)
    if (load > 0) least = std::min(least, load);
  std::vector<double> ends;
  for (double end = std::exp2(std::ceil(std::log2(most))); ends.size() < shades.size() && end >= least; end /= 2)
    ends.insert(ends.begin(), end);
  return ends;
}

}  // namespace

std::string load_text(double load) {
  constexpr double all_whole = 9007199254740992;  // from here on, a double has no other values
  return load == std::floor(load) && load < all_whole ? fmt::format("{:.0f}", load) : fmt::format("{:.3g}", load);
}

LoadUnit::LoadUnit(const Network& network) : network_(network) {
  for (const LinkData& l : network.links()) fastest_ = std::max(fastest_, l.bandwidth);
  is_uniform_ = std::all_of(network.links().begin(), network.links().end(),
                            [&](const LinkData& l) { return l.bandwidth == fastest_; });
}

double LoadUnit::load(const LinkLoads& loads, Link link) const {
  return loads.nearest_load(link) * (fastest_ / network_.link(link).bandwidth);
}

std::string LoadUnit::text(double load) const {
  return load == 1 && is_uniform_ ? "1 block" : load_text(load) + " " + name();
}

std::string LoadUnit::name() const {
  return is_uniform_ ? "blocks" : fmt::format("blocks at {} Gb/s", fastest_);
}

LoadScale::LoadScale(const std::vector<double>& loads, std::string unit, double widest)
    : ends_(different(loads)),
      has_none_(std::any_of(loads.begin(), loads.end(), [](double load) { return load <= 0; })),
      unit_(std::move(unit)),
      widest_(widest) {
  are_exact_ = ends_.size() <= shades.size();
  if (!are_exact_) ends_ = powers_of_two(loads);
}

std::optional<std::size_t> LoadScale::bin_of(double load) const {
  if (load <= 0 || ends_.empty()) return std::nullopt;
  const auto end = std::lower_bound(ends_.begin(), ends_.end(), load * (1 - 1e-9));
  return std::min(static_cast<std::size_t>(end - ends_.begin()), ends_.size() - 1);
}

/// The last bin has the darkest shade, the others are as far apart as can be.
std::size_t LoadScale::shade_of(std::size_t bin) const {
  return ends_.size() == 1 ? shades.size() - 1 : bin * (shades.size() - 1) / (ends_.size() - 1);
}

Stroke LoadScale::stroke(double load) const {
  const auto bin = bin_of(load);
  if (!bin) return unused;
  const Shade& shade = shades[shade_of(*bin)];
  return {shade.colour, "solid", shade.width * std::min(1.0, widest_ / shades.back().width)};
}

std::string_view LoadScale::fill(double load) const {
  const auto bin = bin_of(load);
  return bin ? shades[shade_of(*bin)].colour : palette::white;
}

std::string LoadScale::words_of_bin(std::size_t bin) const {
  const std::string number = (are_exact_ ? "" : "to ") + load_text(ends_[bin]);
  return bin + 1 == ends_.size() ? fmt::format("{} {}", number, number == "1" && unit_ == "blocks" ? "block" : unit_)
                                 : number;
}

void LoadScale::explain_lines(PictureKey& key) const {
  if (!ends_.empty() && has_none_) key.add_line(unused, "none");
  for (std::size_t bin = 0; bin < ends_.size(); ++bin) key.add_line(stroke(ends_[bin]), words_of_bin(bin));
}

void LoadScale::explain_cells(PictureKey& key) const {
  const Stroke border{palette::black, "solid", 0.4};
  if (!ends_.empty() && has_none_) key.add_box(palette::white, border, "none");
  for (std::size_t bin = 0; bin < ends_.size(); ++bin) key.add_box(fill(ends_[bin]), border, words_of_bin(bin));
}

}  // namespace onceover::viz
