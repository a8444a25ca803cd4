#include "gate/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/files.h"
#include "cli/network_plan.h"
#include "cli/required.h"
#include "cli/run.h"
#include "gate/step_lines.h"
#include "network/contention.h"
#include "network/topology.h"
#include "schedules/msccl_reader.h"
#include "schedules/numbers.h"
#include "schedules/xml_source.h"

namespace onceover::gate {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t link_budget = 10'000'000'000;

/// Deficiency of `steps` steps among p ranks. Where log2 p is no fraction it is rounded up, so that a limit never holds
/// only because of rounding; the floating-point error is far below the millionth of a millionth that is added.
Rational latency_of(int steps, Rank ranks) {
  if (is_power_of_two(ranks)) return Rational(steps, ceil_log2(ranks));
  constexpr long double slack = 1e-6L;
  const long double millionths = 1e6L * steps / std::log2(static_cast<long double>(ranks));
  return Rational(static_cast<std::int64_t>(std::floor(millionths + slack)) + 1, 1'000'000);
}

std::vector<Rank> sides_of(const Header& header) {
  return header.shape.empty() ? std::vector<Rank>{header.ranks} : header.shape;
}

/// Fills a measurement.
class Measuring {
 public:
  Measuring(const Material& material, Wanted wanted, int threads)
      : unit_(material.unit),
        check_(*material.unit.check),
        text_(material.file_text),
        wanted_(wanted),
        threads_(threads) {}

  Measurement measure() {
    if (unit_.subject.file.empty())
      judge_made();
    else if (looks_like_xml(text_))
      judge_xml();
    else if (looks_like_goal(text_))
      judge_goal();
    else
      judge_text();
    return std::move(result_);
  }

 private:
  VerifyOptions options() const {
    VerifyOptions options{.threads = threads_, .required = check_.required};
    if (check_.budget > 0) options.budget = check_.budget;
    if (check_.fifo >= 0) options.fifo = static_cast<std::uint32_t>(check_.fifo);
    return options;
  }

  void fail(Failure failure) { result_.failure = std::move(failure); }

  void judge_xml() {
    const auto program = read_msccl(unit_.subject.file, text_);
    if (!program) return fail({ExitCode::malformed, program.error().render()});
    if (!can_have_what_is_required(cli::form_of(*program))) return;
    take_program(cli::judged(*program, unit_.subject.file, options()));
  }

  void judge_goal() {
    const auto goal = read_goal(unit_.subject.file, text_);
    if (!goal) return fail({ExitCode::malformed, goal.error().render()});
    if (!can_have_what_is_required(cli::form_of(goal->program))) return;
    take_program(cli::judged(*goal, unit_.subject.file, options(), check_.fifo >= 0));
  }

  void judge_text() {
    const auto schedule = cli::parse_schedule(unit_.subject.file, text_);
    if (!schedule) return fail(schedule.error());
    judge_schedule(**schedule);
  }

  void judge_made() {
    const auto subjects = cli::resolve(unit_.subject);
    if (!subjects) return fail(subjects.error());
    const auto made = subjects->front().make();
    if (!made) return fail(made.error());
    for (const cli::Note& note : made->notes) result_.notes.push_back(note.text);
    judge_schedule(*made->schedule);
  }

  /// Says so where a property is required that this can't have.
  bool can_have_what_is_required(cli::Form form) {
    const auto fits = cli::check_fit(check_.required, form);
    if (!fits) fail(fits.error());
    return fits.has_value();
  }

  void judge_schedule(const Schedule& schedule) {
    if (!can_have_what_is_required(cli::Form::schedule)) return;
    VerifyOptions asked = options();
    if (wanted_.staging) asked.required.emplace_back(staging_property.id);
    const Report report = verify(schedule, asked);
    take_properties(report);
    take_shape(schedule.header());
    if (!is_well_formed(report)) return leave_measures("the schedule is not known to be well-formed");
    take_metrics(report.metrics, schedule.header());
    if (wanted_.staging) take_staging(report);
    if (wanted_.network) take_network(schedule);
  }

  static bool is_well_formed(const Report& report) {
    return std::any_of(report.properties.begin(), report.properties.end(), [](const PropertyResult& p) {
      return p.id == well_formed_property.id && p.verdict == Verdict::pass;
    });
  }

  void take_properties(const Report& report) {
    result_.scope = report.scope;
    for (const PropertyResult& p : report.properties) {
      if (!p.required || p.id == staging_property.id) continue;  // a limit's, not a property's
      PropertyFinding finding{std::string(p.id), p.verdict, p.summary};
      if (p.counterexample && p.verdict == Verdict::fail) {
        finding.counterexample = describe(*p.counterexample);
        finding.line = line_of(*p.counterexample);
      }
      result_.properties.push_back(std::move(finding));
    }
  }

  /// The line of the operation or step that the counterexample is about.
  std::size_t line_of(const Counterexample& c) const {
    for (const Counterexample::Site& site : c.sites)
      if (site.line > 0) return site.line;
    if (text_.empty() || c.is_about_operations() || looks_like_xml(text_) || looks_like_goal(text_)) return 0;
    const auto step = c.step                                         ? c.step
                      : !c.paths.empty() && !c.paths.front().empty() ? std::optional(c.paths.front().back().step)
                                                                     : c.final_step;
    const auto lines = step_lines(text_);
    if (!step || *step < 0 || static_cast<std::size_t>(*step) >= lines.size()) return 0;
    return lines[static_cast<std::size_t>(*step)];
  }

  void know(std::string_view name, const Rational& value) { result_.measures.known.emplace(name, value); }

  void lack(std::string_view name, const std::string& why) { result_.measures.missing.emplace(name, why); }

  void leave_measures(const std::string& why) {
    for (const Metric& m : metrics())
      if (!result_.measures.known.contains(m.name)) lack(m.name, why);
  }

  void take_shape(const Header& header) {
    result_.collective = header.collective;
    const auto sides = sides_of(header);
    know("p", header.ranks);
    know("dimensions", sides.size());
    know("side_min", *std::min_element(sides.begin(), sides.end()));
    know("side_max", *std::max_element(sides.begin(), sides.end()));
    know("lanes", header.lanes);
    know("blocks", header.blocks);
  }

  void take_metrics(const Metrics& m, const Header& header) {
    know("steps", m.steps);
    know("messages", m.messages);
    know("block_transfers", m.block_transfers);
    know("max_sends_per_rank_step", m.max_sends_per_rank_step);
    know("max_receives_per_rank_step", m.max_receives_per_rank_step);
    know("max_runs_per_message", m.max_runs_per_message);
    know("blocks_sent_min", m.blocks_sent_min);
    know("blocks_sent_max", m.blocks_sent_max);
    know("term_depth", m.term_depth);
    for (const Metric& row : metrics())
      if (row.source == Metric::Source::program) lack(row.name, "a schedule is no program");
    if (header.ranks == 1) lack("latency", "one rank has no optimum");
  }

  void take_staging(const Report& report) {
    for (const PropertyResult& p : report.properties) {
      if (p.id != staging_property.id) continue;
      if (p.peak)
        know("staging", *p.peak);
      else
        lack("staging", p.summary);
    }
  }

  void take_network(const Schedule& schedule) {
    auto lack_all = [&](const std::string& why) {
      for (const std::string_view name : {"latency", "bandwidth", "congestion"}) lack(name, why);
    };
    const auto plan = cli::plan_of(check_.network);
    if (!plan) return fail(plan.error());
    const auto network = cli::make_network(check_.network, *plan, schedule.header());
    if (!network) return fail(network.error());
    const auto found = contention(schedule, *network, {.routing = plan->routing, .budget = link_budget});
    if (!found) return lack_all(found.error().text);
    if (!found->exact) return lack_all("there is no optimum to compare with");
    know("latency", latency_of(schedule.steps(), schedule.header().ranks));
    know("bandwidth", found->exact->bandwidth);
    know("congestion", found->exact->congestion);
  }

  void take_program(const cli::Run& run) {
    for (const cli::Note& note : run.notes) result_.notes.push_back(note.text);
    take_properties(run.report);
    if (run.report.program->has_data) result_.collective = run.header.collective;
    know("p", run.header.ranks);
    if (!is_well_formed(run.report)) return leave_measures("the program is not known to be well-formed");
    const Metrics& m = run.report.metrics;
    const ProgramMetrics& p = *run.report.program;
    know("messages", m.messages);
    know("operations", p.operations);
    know("messages_in_a_row", p.rounds);
    if (p.threads > 0) know("thread_blocks", p.threads);
    if (p.fifo_depth) know("fifo_depth", *p.fifo_depth);
    if (p.has_data) {
      know("connections", p.connections);
      know("blocks", run.header.blocks);
      know("block_transfers", m.block_transfers);
      know("blocks_sent_min", m.blocks_sent_min);
      know("blocks_sent_max", m.blocks_sent_max);
    }
    // The data is followed only where the program ends.
    const bool is_followed =
        std::all_of(run.report.properties.begin(), run.report.properties.end(),
                    [](const PropertyResult& r) { return !r.required || r.verdict == Verdict::pass; });
    if (p.has_data && is_followed) know("term_depth", m.term_depth);
    leave_measures("this program does not have it");
  }

  const Unit& unit_;
  const Check& check_;
  const std::string& text_;
  Wanted wanted_;
  int threads_;
  Measurement result_;
};

/// A network that is made without reading files.
bool is_from_table(const cli::NetworkOptions& network) {
  if (!network.map.empty()) return false;
  if (network.topology.empty()) return true;
  const std::string_view name = std::string_view(network.topology).substr(0, network.topology.find(':'));
  const auto rows = topologies();
  return std::any_of(rows.begin(), rows.end(), [&](const Topology& row) { return row.name == name; });
}

/// Fields in a text that no other fields give.
class KeyText {
 public:
  KeyText& add(std::string_view field, std::string_view value) {
    text_ += fmt::format("{} {}:{}\n", field, value.size(), value);
    return *this;
  }

  KeyText& add(std::string_view field, const std::vector<std::string>& values) {
    for (const std::string& value : values) add(field, value);
    return *this;
  }

  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

std::optional<Verdict> verdict_named(const std::string& text) {
  for (const Verdict v : {Verdict::pass, Verdict::fail, Verdict::unknown})
    if (name(v) == text) return v;
  return std::nullopt;
}

}  // namespace

Verdict Measurement::verdict() const {
  auto any = [&](Verdict v) {
    return std::any_of(properties.begin(), properties.end(), [v](const PropertyFinding& p) { return p.verdict == v; });
  };
  if (any(Verdict::fail)) return Verdict::fail;
  return failure || properties.empty() || any(Verdict::unknown) ? Verdict::unknown : Verdict::pass;
}

Result<Material> material_of(const Unit& unit) {
  if (unit.subject.file.empty()) return Material{unit, {}};
  auto text = cli::read_file(unit.subject.file);
  if (!text) return tl::unexpected(text.error());
  return Material{unit, std::move(*text)};
}

Measurement measure(const Material& material, Wanted wanted, int threads) {
  return Measuring(material, wanted, threads).measure();
}

std::optional<std::string> key_of(const Material& material, Wanted wanted) {
  const Unit& unit = material.unit;
  const Check& check = *unit.check;
  const cli::SubjectOptions& s = unit.subject;
  if (check.kind == SubjectKind::command) return std::nullopt;
  if (wanted.network && !is_from_table(check.network)) return std::nullopt;
  KeyText key;
  key.add("algo", s.algorithm).add("peer", s.peer).add("steps", s.steps).add("p", s.ranks).add("torus", s.tori);
  key.add("lanes", s.lanes).add("collective", s.collective).add("set", s.settings);
  key.add("file", s.file).add("text", material.file_text);
  key.add("require", check.required).add("budget", std::to_string(check.budget));
  key.add("fifo", std::to_string(check.fifo));
  key.add("staging", wanted.staging ? "measured" : "");
  if (wanted.network)
    key.add("topology", check.network.topology).add("routing", check.network.routing).add("ports", check.network.ports);
  return std::move(key).text();
}

Json to_json(const Measurement& measurement) {
  Json json{{"scope", measurement.scope}, {"notes", measurement.notes}, {"properties", Json::array()}};
  for (const PropertyFinding& p : measurement.properties)
    json["properties"].push_back({{"id", p.id},
                                  {"verdict", name(p.verdict)},
                                  {"summary", p.summary},
                                  {"counterexample", p.counterexample},
                                  {"line", p.line}});
  json["measures"] = Json::object();
  for (const auto& [metric, value] : measurement.measures.known) json["measures"][metric] = exact_text(value);
  json["missing"] = measurement.measures.missing;
  json["collective"] = measurement.collective ? name(*measurement.collective) : "";
  return json;
}

std::optional<Measurement> measurement_from(const Json& json) try {
  Measurement m;
  m.scope = json.at("scope").get<std::string>();
  m.notes = json.at("notes").get<std::vector<std::string>>();
  for (const Json& p : json.at("properties")) {
    const auto verdict = verdict_named(p.at("verdict").get<std::string>());
    if (!verdict) return std::nullopt;
    m.properties.push_back({p.at("id").get<std::string>(), *verdict, p.at("summary").get<std::string>(),
                            p.at("counterexample").get<std::vector<std::string>>(), p.at("line").get<std::size_t>()});
  }
  for (const auto& [metric, value] : json.at("measures").items()) {
    const auto number = parse_exact(value.get<std::string>());
    if (!number) return std::nullopt;
    m.measures.known.emplace(metric, *number);
  }
  m.collective = collective_named(json.at("collective").get<std::string>());
  m.measures.missing = json.at("missing").get<std::map<std::string, std::string, std::less<>>>();
  return m;
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

}  // namespace onceover::gate
