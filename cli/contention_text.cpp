// The text and the CSV of loads: for one schedule its steps and links, for several a line each.
//
// Loads are exact fractions. They are compared as fractions and become decimals only in print, so rounding never
// distinguishes links that carry equally much. Steps that are alike share a row.
//
// Example: "3 and 1 like it" is step 3, and one more with the same loads. A histogram with at most 12 different loads
// says "1 on 64 links, 2 on 8 links". With more it has 12 ranges of one width, from 0 to the largest load.
//
// O(links log links) for the histogram and the rows of links; the few hottest links are selected without sorting all.
// The messages on the hottest link cost another pass over its step.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/result.h"
#include "base/rows.h"
#include "base/table.h"
#include "cli/contention_report.h"
#include "network/flows.h"
#include "papers/papers.h"
#include "schedules/catalogue.h"

namespace onceover::cli {

namespace {

constexpr std::size_t most_shown = 8;  // links, or transfers on a link
constexpr std::size_t most_bins = 12;  // in the histogram

std::string text_of(const Rational& x) {
  return number_text(static_cast<double>(x));
}

/// The links in descending order of load; those that carry equally much in the order of their numbers.
std::vector<Link> hottest_first(const Network& network, const LinkLoads& loads, std::size_t count) {
  const auto is_before = [&](Link a, Link b) {
    if (loads.is_cooler(network, b, a)) return true;
    return !loads.is_cooler(network, a, b) && a < b;
  };
  const auto keep_first = [&](std::vector<Link>& links) {
    const auto end = links.begin() + static_cast<std::ptrdiff_t>(std::min(count, links.size()));
    std::partial_sort(links.begin(), end, links.end(), is_before);
    links.erase(end, links.end());
  };
  const LinkOrbits& orbits = loads.orbits();
  std::vector<Link> firsts(static_cast<std::size_t>(orbits.count()));
  for (std::size_t k = 0; k < firsts.size(); ++k) firsts[k] = orbits.member(static_cast<Link>(k), 0);
  keep_first(firsts);
  std::vector<Link> links;
  for (const Link first : firsts)
    for (Link k = 0; k < std::min(static_cast<Link>(count), orbits.size()); ++k)
      links.push_back(orbits.member(orbits.of(first), k));
  keep_first(links);
  return links;
}

std::string link_text(const Measured& m, Link link) {
  return network::link_text(m.network, link, m.run.header.names);
}

std::string steps_table(const Measured& m) {
  std::vector<std::vector<std::string>> rows{{"step", "messages", "mean hops", "max hops", "blocks on the hottest link",
                                              "messages on a link", "links used", "hottest"}};
  for (const StepContention& s : m.contention.steps)
    rows.push_back({steps_text(s.kind), std::to_string(s.messages), number_text(s.hops_mean()),
                    std::to_string(s.hops_max), text_of(s.load), std::to_string(s.most_messages),
                    std::to_string(s.links_used), s.hottest < 0 ? "none" : link_text(m, s.hottest)});
  return table_text(rows, "  ");
}

std::string transfers_on(const Measured& m, int step, Link link) {
  const auto found = crossings(*m.schedule, m.network, m.routing, step, link);
  const Names& names = m.run.header.names;
  std::string text = fmt::format("  on {} at step {}:", link_text(m, link), names.step(step));
  for (std::size_t k = 0; k < std::min(found.size(), most_shown); ++k)
    text += fmt::format("{} rank {} -> {}, {} {}{}", k == 0 ? "" : ";", names.rank(found[k].src),
                        names.rank(found[k].dst), found[k].blocks, found[k].blocks == 1 ? "block" : "blocks",
                        found[k].share == 1 ? "" : fmt::format(" ({} of them)", found[k].share.str()));
  if (found.size() > most_shown) text += fmt::format("; and {} more", found.size() - most_shown);
  return text + "\n";
}

/// Blocks on the link, and its bandwidth if links differ.
std::string load_of(const Network& network, const LinkLoads& loads, Link link) {
  const auto& links = network.links();
  const bool is_uniform =
      std::all_of(links.begin(), links.end(), [&](const LinkData& l) { return l.bandwidth == links[0].bandwidth; });
  const std::string blocks = text_of(loads.load(link));
  return is_uniform ? blocks : fmt::format("{} at {} Gb/s", blocks, network.link(link).bandwidth);
}

std::string loads_text(const Measured& m) {
  const LinkLoads& total = m.contention.total;
  std::string text = "  over all steps, blocks on a link:";
  const auto bins = histogram(total);
  for (std::size_t k = 0; k < bins.size(); ++k)
    text += fmt::format("{} {} on {} links", k == 0 ? "" : ",", bins[k].first, bins[k].second);
  text += "\n";
  if (total.used() > 0) {
    const auto hottest = hottest_first(m.network, total, 3);
    text += "  most over all steps:";
    for (std::size_t k = 0; k < hottest.size(); ++k)
      text +=
          fmt::format("{} {} ({})", k == 0 ? "" : ",", link_text(m, hottest[k]), load_of(m.network, total, hottest[k]));
    text += "\n";
  }
  const Link unused = total.links() - total.used();
  if (unused == 0) return text;
  std::vector<std::string> shown;
  for (Link l = 0; l < total.links() && shown.size() < most_shown; ++l)
    if (total.messages(l) == 0) shown.push_back(link_text(m, l));
  text += fmt::format("  {} of {} links are never used: {}{}\n", unused, total.links(), fmt::join(shown, ", "),
                      static_cast<std::size_t>(unused) > shown.size() ? ", .." : "");
  return text;
}

std::string deficiencies_text(const Measured& m) {
  if (!m.contention.deficiencies) return "";
  const Deficiencies& d = *m.contention.deficiencies;
  const Header& header = m.run.header;
  std::vector<std::vector<std::string>> rows{
      {"deficiency", "latency", "bandwidth", "congestion"},
      {"measured", number_text(d.latency), number_text(d.bandwidth), number_text(d.congestion)}};
  const auto shape = header.sides();
  if (!m.is_torus) return table_text(rows, "  ");
  const bool is_of_table = header.collective == Collective::allreduce && m.run.origin.kind == Origin::Kind::catalogue;
  if (const auto paper = swing_table_2(header.algorithm, shape, false); paper && is_of_table)
    rows.push_back({"Swing paper, table 2, for large p", number_text(paper->latency), number_text(paper->bandwidth),
                    number_text(paper->congestion)});
  std::string text = table_text(rows, "  ");
  const bool uses_all_ports = m.network.ports() == 2 * static_cast<int>(shape.size());
  if (const auto bounds = jain_sabharwal(header.collective, shape); bounds && uses_all_ports)
    text += fmt::format(
        "  bandwidth term: {} vectors; at least {} on these ports, bucket by the paper {} (Jain and "
        "Sabharwal)\n",
        number_text(bounds->lower * d.bandwidth * d.congestion), number_text(bounds->lower), number_text(bounds->cost));
  return text;
}

std::string least_text(const Measured& m) {
  if (!m.least) return "";
  return fmt::format("  for large vectors: {} vectors at the speed of a port, {}; see 'verify bound'\n",
                     text_of(m.vectors()), beside_least(m.vectors(), *m.least));
}

std::string contention_verdict(const Verification& run) {
  if (run.report.program) return fmt::format("{}  the program; see 'verify'\n", name(run.report.verdict));
  switch (run.report.verdict) {
    case Verdict::pass: return "pass  the schedule is right; see 'verify'\n";
    case Verdict::fail: return "fail  the schedule is wrong; see 'verify'\n";
    case Verdict::unknown:
      return fmt::format("not judged: more than {} block transfers and results; 'verify' judges it\n", most_judged);
  }
  return "";
}

std::string subject_line(const Measured& m) {
  const Header& h = m.run.header;
  return fmt::format("{}, {}{}: {} steps on {}, {} links, {} routing\n", subject_text(m.run), shape_text(h.sides()),
                     h.lanes == 1 ? "" : fmt::format(", {} lanes", h.lanes), m.schedule->steps(), m.network.name(),
                     m.network.link_count(), name(m.routing)) +
         (m.block_bytes == 0 ? ""
                             : fmt::format("  a block is {}; messages are multiples of it\n",
                                           bytes_text(static_cast<double>(m.block_bytes))));
}

/// The loads of one step.
Result<LinkLoads> loads_of_step(const Measured& m, int step) {
  auto loads = loads_of(*m.schedule, m.network, m.routing, step, step + 1);
  if (!loads) return tl::unexpected(Failure{ExitCode::unknown, "the loads of the step outgrow 126 bits"});
  return std::move(*loads);
}

std::string hottest_text(const Measured& m, const LinkLoads& loads, int step) {
  std::vector<std::vector<std::string>> rows{{"blocks", "messages", "link"}};
  const auto links = hottest_first(m.network, loads, most_shown);
  for (const Link l : links)
    if (loads.messages(l) > 0)
      rows.push_back({text_of(loads.load(l)), std::to_string(loads.messages(l)), link_text(m, l)});
  std::string text =
      fmt::format("  step {}, the hottest links:\n", m.run.header.names.step(step)) + table_text(rows, "  ");
  if (rows.size() > 1) text += transfers_on(m, step, links.front());
  return text;
}

Result<std::string> one_text(const Measured& m) {
  std::string text = subject_line(m);
  if (m.step) {
    const auto loads = TRY(loads_of_step(m, *m.step));
    return text + hottest_text(m, loads, *m.step) + contention_verdict(m.run);
  }
  if (m.schedule->steps() == 0) return text + contention_verdict(m.run);
  text += steps_table(m);
  if (const StepContention* step = m.hottest_step()) text += transfers_on(m, step->kind.step, step->hottest);
  return text + loads_text(m) + deficiencies_text(m) + least_text(m) + contention_verdict(m.run);
}

/// What the schedules are of: "swing allreduce", each once.
std::vector<std::string> subjects_of(const std::vector<Measured>& all) {
  std::vector<std::string> subjects;
  for (const Measured& m : all) add_new(subjects, subject_text(m.run));
  return subjects;
}

/// A row for each schedule, which begins with its algorithm if there are several.
std::vector<std::vector<std::string>> summary_rows(const std::vector<Measured>& all) {
  const bool has_several = subjects_of(all).size() > 1;
  std::vector<std::vector<std::string>> rows{{"ranks", "shape", "steps", "hops", "most messages on a link", "latency",
                                              "bandwidth", "congestion", "times the least", "verdict"}};
  if (has_several) rows.front().insert(rows.front().begin(), "algorithm");
  for (const Measured& m : all) {
    std::uint64_t messages = 0;
    std::int32_t hops = 0;
    for (const StepContention& s : m.contention.steps) {
      messages = std::max(messages, s.most_messages);
      hops = std::max(hops, s.hops_max);
    }
    const auto& d = m.contention.deficiencies;
    auto factor = [&](double x) { return d ? number_text(x) : std::string("-"); };
    rows.push_back({std::to_string(m.run.header.ranks), fmt::format("{}", fmt::join(m.run.header.sides(), "x")),
                    std::to_string(m.schedule->steps()), std::to_string(hops), std::to_string(messages),
                    factor(d ? d->latency : 0), factor(d ? d->bandwidth : 0), factor(d ? d->congestion : 0),
                    m.least ? text_of(m.vectors() / m.least->vectors) : "-",
                    m.run.report.verdict == Verdict::unknown ? "not judged" : std::string(name(m.run.report.verdict))});
    if (has_several) rows.back().insert(rows.back().begin(), subject_text(m.run));
  }
  return rows;
}

}  // namespace

std::optional<LeastTime> least_time_beside(const Verification& run, const Header& header, const Network& network) {
  if (run.report.verdict == Verdict::fail || run.report.program) return std::nullopt;
  return least_time(network, header);
}

std::string beside_least(const Rational& vectors, const LeastTime& least) {
  const Rational ratio = vectors / least.vectors;
  if (ratio == 1) return "the least possible on this network";
  return fmt::format("{}{} times the least possible, {}", least.is_reached ? "" : "at most ", text_of(ratio),
                     text_of(least.vectors));
}

std::string steps_text(const StepKind& kind) {
  return kind.times == 1 ? std::to_string(kind.step) : fmt::format("{} and {} like it", kind.step, kind.times - 1);
}

/// How many links carry how much.
std::vector<std::pair<std::string, std::size_t>> histogram(const LinkLoads& loads) {
  std::map<Rational, std::size_t> count;
  const LinkOrbits& orbits = loads.orbits();
  for (Link k = 0; k < orbits.count(); ++k)
    count[loads.load(orbits.member(k, 0))] += static_cast<std::size_t>(orbits.size());
  std::vector<std::pair<std::string, std::size_t>> bins;
  if (count.size() <= most_bins) {
    for (const auto& [load, links] : count) bins.emplace_back(text_of(load), links);
    return bins;
  }
  const Rational most = count.rbegin()->first;
  auto next = count.begin();
  for (std::size_t k = 0; k < most_bins; ++k) {
    const Rational end = most * (k + 1) / most_bins;
    std::size_t links = 0;
    for (; next != count.end() && next->first <= end; ++next) links += next->second;
    bins.emplace_back(fmt::format("{}..{}", text_of(most * k / most_bins), text_of(end)), links);
  }
  return bins;
}

Result<std::string> contention_text(const std::vector<Measured>& all, const std::string& network) {
  if (all.size() == 1) return one_text(all.front());
  return fmt::format("{} on {}\n", fmt::join(subjects_of(all), ", "), network) + table_text(summary_rows(all), "  ");
}

Result<std::vector<std::vector<std::string>>> contention_rows(const std::vector<Measured>& all) {
  if (all.size() > 1) return summary_rows(all);
  const Measured& m = all.front();
  LinkLoads loads = m.contention.total;
  if (m.step) {
    auto of_step = TRY(loads_of_step(m, *m.step));
    loads = std::move(of_step);
  }
  std::vector<std::vector<std::string>> rows{{"link", "from", "to", "bandwidth", "messages", "blocks"}};
  for (Link l = 0; l < loads.links(); ++l) {
    // Both directions of a half-duplex link carry the same.
    if (const Link back = m.network.reverse_link(l); back >= 0 && back < l) continue;
    rows.push_back({std::to_string(l), m.network.node_text(m.network.link(l).from),
                    m.network.node_text(m.network.link(l).to), fmt::format("{}", m.network.link(l).bandwidth),
                    std::to_string(loads.messages(l)), fmt::format("{}", loads.nearest_load(l))});
  }
  return rows;
}

}  // namespace onceover::cli
