// A measurement is the expensive part of a result, so the cache keeps it. It holds measures as exact fractions ("6/5"),
// so a limit with another number needs no new measurement.
//
// A file's content, a schedule or a program, is judged in its own way, with the same kind of findings as the result.
//
// If two measurements may differ, their keys must differ. A key holds each field with its name and the length of its
// value, so no value can be mistaken for the next field: `p 1:7`, `text 9:num_ranks`. It holds the content of files.
//
// Cost: that of `verify` and of the network, and O(text) for each failing property of a file, to find its line. A key
// is as long as what it holds.

#include "units/measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/files.h"
#include "base/result.h"
#include "base/rows.h"
#include "formats/schedule_file.h"
#include "formats/schedule_patch.h"
#include "gpu/description_judge.h"
#include "programs/program_faults.h"
#include "subjects/judgeable.h"
#include "subjects/limit.h"
#include "subjects/options.h"
#include "subjects/required.h"
#include "subjects/run.h"
#include "units/ways.h"

namespace onceover::units {

namespace {

/// The lines of a text, without the spaces before them.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    lines.emplace_back(line.substr(std::min(line.find_first_not_of(' '), end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Fills in a measurement.
class Measuring {
 public:
  Measuring(const Material& material, const Wanted& wanted, int threads)
      : unit_(material.unit),
        check_(*material.unit.check),
        text_(material.file_text),
        wanted_(wanted),
        threads_(threads) {}

  Measurement measure() {
    if (unit_.subject.file.empty())
      judge_made();
    else
      judge_file();
    return std::move(result_);
  }

 private:
  VerifyOptions options() const {
    VerifyOptions options{.threads = threads_, .required = check_.required, .waived = check_.waived};
    if (check_.budget > 0) options.budget = check_.budget;
    options.fifo = check_.fifo;
    if (check_.sizes) options.sizes = check_.sizes->value;
    options.without_data = check_.without_data;
    return options;
  }

  void fail(Failure failure) { result_.failure = std::move(failure); }

  void judge_file() {
    const auto content = parse_file(unit_.subject.file, text_);
    if (!content) return fail(content.error());
    const SpecialOptions takes = content->program ? content->program->kind().takes : SpecialOptions();
    if (check_.sizes && !takes.sizes)
      return fail({ExitCode::usage, "sizes are about plans of MSCCL++, and this is none"});
    if (check_.without_data && !takes.without_data)
      return fail({ExitCode::usage, "collective none is about plans of MSCCL++, and this is none"});
    const bool is_launch = content->program && content->program->form() == Form::launch;
    if (check_.kind == SubjectKind::launch && !is_launch)
      return fail({ExitCode::malformed, fmt::format("{}: expected a launch of GPU kernels", unit_.subject.file)});
    if (content->program) return judge_program(*content->program);
    is_schedule_file_ = true;
    judge_schedule(*content->schedule);
  }

  void judge_program(const Judgeable& program) {
    if (!can_have_what_is_required(program.form())) return;
    JudgeOptions asked{.verify = options()};
    if (unit_.subject.ranks) asked.launches.ranks = unit_.subject.ranks->value;
    if (unit_.size) asked.launches.sizes = {*unit_.size};
    const auto run = program.judge(asked);
    if (!run) return fail(run.error());
    take_program(*run);
  }

  void judge_made() {
    const auto subjects = resolve_schedules(unit_.subject);
    if (!subjects) return fail(subjects.error());
    const auto made = subjects->front().make();
    if (!made) return fail(made.error());
    for (const Note& note : made->notes) result_.notes.push_back(note.text);
    judge_schedule(*made->schedule);
    if (!made->as.empty()) result_.scope += "; " + made->as;
  }

  /// Fails if a required property doesn't apply to such a subject.
  bool can_have_what_is_required(Form form) {
    static constexpr Bounds none;
    const auto fits = check_fit({check_.required, check_.waived, none}, form);
    if (!fits) fail(fits.error());
    return fits.has_value();
  }

  void judge_schedule(const Schedule& schedule) {
    if (!can_have_what_is_required(Form::schedule)) return;
    VerifyOptions asked = options();
    asked.measured = wanted_.properties;
    const Report report = verify(schedule, asked);
    take_properties(report);
    if (result_.verdict() == Verdict::fail) {
      if (is_schedule_file_) take_ways(schedule, report);
      take_repair(schedule, report);
    }
    result_.collective = schedule.header().collective;
    auto measures = measures_of(schedule, report, wanted_, check_.network);
    if (!measures) return fail(measures.error());
    result_.measures = std::move(*measures);
  }

  void take_properties(const Report& report) {
    result_.scope = report.scope;
    result_.not_tried = report.not_tried;
    result_.take_unrequired(report.properties);
    for (const PropertyResult& p : report.properties) {
      if (!p.required) continue;
      PropertyFinding finding{std::string(p.id), p.verdict, p.summary};
      if (p.counterexample && p.verdict == Verdict::fail) {
        finding.counterexample = describe(*p.counterexample);
        std::tie(finding.line, finding.column) = place_of(*p.counterexample);
        if (Flow flow = flow_of(p.counterexample->facts().sites); flow.size() > 1)
          finding.flows.push_back(std::move(flow));
      }
      result_.properties.push_back(std::move(finding));
    }
  }

  /// The operations that a counterexample names, as far as they have lines.
  static Flow flow_of(const std::vector<Counterexample::Site>& sites) {
    Flow flow;
    for (const Counterexample::Site& site : sites)
      if (site.line > 0) flow.push_back({site.line, site.column, text(site)});
    return flow;
  }

  /// The ways that the data of counterexamples took through the schedule file.
  void take_ways(const Schedule& schedule, const Report& report) {
    const Ways ways(schedule, text_);
    for (PropertyFinding& finding : result_.properties) {
      const PropertyResult& p = *row_with(report.properties, &PropertyResult::id, finding.id);
      if (finding.counterexample.empty()) continue;
      const Counterexample::Facts facts = p.counterexample->facts();
      for (auto path = facts.paths.begin(); path != facts.paths.end(); ++path) {
        const auto alike = static_cast<std::size_t>(std::count(facts.paths.begin(), path, *path));
        if (Flow flow = ways.flow_of(*path, p.counterexample->block, alike); !flow.empty())
          finding.flows.push_back(std::move(flow));
      }
    }
  }

  void take_repair(const Schedule& schedule, const Report& report) {
    const auto found = find_repair(schedule, report, options());
    if (!found) return;
    FoundRepair repair{lines_of(repair_text(*found))};
    if (is_schedule_file_ && found->verdict == Verdict::pass)
      if (const auto patch = schedule_patch(text_, schedule, *found->schedule); patch && makes_it_pass(*patch))
        repair.edits = mapped(*patch, [&](const TextEdit& edit) { return file_edit(edit); });
    result_.repair = std::move(repair);
  }

  /// Does the file pass after the edits? Only if all its bytes are columns.
  bool makes_it_pass(const SchedulePatch& patch) const {
    const bool is_ascii =
        std::all_of(text_.begin(), text_.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
    if (!is_ascii) return false;
    const auto schedule = read_schedule(unit_.subject.file, patched(text_, patch));
    return schedule && verify(**schedule, options()).verdict == Verdict::pass;
  }

  FileEdit file_edit(const TextEdit& edit) const {
    const auto [line, column] = place_at(edit.begin);
    const auto [end_line, end_column] = place_at(edit.end);
    return {line, column, end_line, end_column, edit.text};
  }

  std::pair<std::size_t, std::size_t> place_at(std::size_t offset) const {
    const auto at = text_.begin() + static_cast<std::ptrdiff_t>(offset);
    const std::size_t line_break = text_.substr(0, offset).rfind('\n');
    return {static_cast<std::size_t>(std::count(text_.begin(), at, '\n')) + 1,
            line_break == std::string::npos ? offset + 1 : offset - line_break};
  }

  /// Line and column of the operation or step that the counterexample is about; 0 is unknown.
  std::pair<std::size_t, std::size_t> place_of(const Counterexample& c) const {
    for (const Counterexample::Site& site : c.facts().sites)
      if (site.line > 0) return {site.line, site.column};
    return {line_of_step(c), 0};
  }

  std::size_t line_of_step(const Counterexample& c) const {
    const Counterexample::Facts facts = c.facts();
    if (!is_schedule_file_ || !facts.sites.empty()) return 0;
    const auto& paths = facts.paths;
    const auto step = c.step                                     ? c.step
                      : !paths.empty() && !paths.front().empty() ? std::optional(paths.front().back().step)
                                                                 : c.final_step;
    const auto steps = step_places(text_);
    if (!step || *step < 0 || static_cast<std::size_t>(*step) >= steps.size()) return 0;
    return place_at(steps[static_cast<std::size_t>(*step)].step.begin).first;
  }

  void take_program(const Verification& run) {
    for (const Note& note : run.notes) result_.notes.push_back(note.text);
    take_properties(run.report);
    if (run.launches) {
      take_places(*run.launches, run.report);
      result_.collective = run.launches->report.collective;
    }
    if (run.report.program && run.report.program->has_data && run.report.program->collective.empty())
      result_.collective = run.header.collective;
    result_.measures = measures_of_program(run.header, run.report);
  }

  /// Where counterexamples of GPU kernels are.
  void take_places(const gpu::JudgedDescription& judged, const Report& report) {
    for (PropertyFinding& finding : result_.properties) {
      if (const gpu::ToldFinding* told = gpu::first_finding(judged.report, finding.id))
        take_accesses(judged.report, *told, finding);
      const PropertyResult& p = *row_with(report.properties, &PropertyResult::id, finding.id);
      if (p.counterexample && finding.line == 0)
        finding.line = gpu::line_of_promise(judged.loaded.description, *p.counterexample);
    }
  }

  /// The accesses of a finding: the host's are in the description.
  void take_accesses(const gpu::GpuReport& report, const gpu::ToldFinding& told, PropertyFinding& finding) const {
    Flow flow;
    for (std::size_t k = 0; k < told.sources.size(); ++k) {
      gpu::LinePlace at{unit_.subject.file, 1};
      const bool is_of_kernel = told.sources[k].line > 0;
      if (is_of_kernel) at = gpu::place_in_files(report, told.sources[k]);
      flow.push_back({at.line, at.column, told.lines[k], at.file});
      if (is_of_kernel && finding.line == 0)
        std::tie(finding.file, finding.line, finding.column) = std::tuple(at.file, at.line, at.column);
    }
    finding.flows.push_back(std::move(flow));
  }

  const Unit& unit_;
  const Check& check_;
  const std::string& text_;
  Wanted wanted_;
  int threads_;
  bool is_schedule_file_ = false;  // is the text a schedule file, whose steps have lines?
  Measurement result_;
};

/// A text made from fields; other fields never make the same text.
class KeyText {
 public:
  KeyText& add(std::string_view field, std::string_view value) {
    text_ += fmt::format("{} {}:{}\n", field, value.size(), value);
    return *this;
  }

  KeyText& add_each(std::string_view field, const std::vector<std::string>& values) {
    for (const std::string& value : values) add(field, value);
    return *this;
  }

  /// Adds what is given of a table's options.
  template <class Target>
  KeyText& add_options(const std::vector<Option<Target>>& rows, const Target& target) {
    for (const Option<Target>& row : rows) add_each(row.name, row.print(target));
    return *this;
  }

  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

/// Adds the options of a network and the content of its files; false if a file can't be read.
bool add_network(KeyText& key, const NetworkOptions& network) {
  key.add_options(network_options(), network);
  const bool is_file = network.topology && !network.topology->is_known();
  for (const std::string& file : {is_file ? network.topology->text : "", network.map, network.ways}) {
    if (file.empty()) continue;
    const auto text = read_file(file);
    if (!text) return false;
    key.add("text", *text);
  }
  return true;
}

/// The content of the files that a file names and on which its verdict depends; nothing if that can't be known.
std::optional<std::string> text_beside(const std::string& file, const std::string& text) {
  const InputKind* kind = file.empty() ? nullptr : input_kind_of(text);
  if (kind == nullptr || !kind->names_files) return "";
  const auto content = parse_file(file, text);
  return content && content->program ? content->program->text_beside() : "";
}

std::optional<Verdict> verdict_named(std::string_view text) {
  for (const Verdict v : {Verdict::pass, Verdict::fail, Verdict::unknown})
    if (name(v) == text) return v;
  return std::nullopt;
}

bool read(const Json& json, std::string& text) {
  if (json.text()) text = *json.text();
  return json.text() != nullptr;
}

bool read(const Json& json, std::size_t& number) {
  if (json.count()) number = *json.count();
  return json.count() != nullptr;
}

bool read(const Json& json, FileEdit& edit) {
  return read(json["line"], edit.line) && read(json["column"], edit.column) && read(json["end_line"], edit.end_line) &&
         read(json["end_column"], edit.end_column) && read(json["text"], edit.text);
}

bool read(const Json& json, FlowStep& step) {
  return read(json["line"], step.line) && read(json["column"], step.column) && read(json["text"], step.text) &&
         read(json["file"], step.file);
}

template <class Element>
bool read(const Json& json, std::vector<Element>& list) {
  return json.is_array() &&
         std::all_of(json.begin(), json.end(), [&](const Json& one) { return read(one, list.emplace_back()); });
}

Json flow_json(const Flow& flow) {
  return mapped(flow, [](const FlowStep& step) {
    return Json{{"line", step.line}, {"column", step.column}, {"text", step.text}, {"file", step.file}};
  });
}

}  // namespace

void Measurement::take_unrequired(std::span<const PropertyResult> all) {
  for (const PropertyResult& p : all) {
    if (!p.required && p.verdict == Verdict::fail) add_new(unrequired, std::string(p.id));
    if (p.waived) add_new(waived, std::string(p.id));
  }
}

Verdict Measurement::verdict() const {
  auto any = [&](Verdict v) {
    return std::any_of(properties.begin(), properties.end(), [v](const PropertyFinding& p) { return p.verdict == v; });
  };
  if (any(Verdict::fail)) return Verdict::fail;
  return failure || properties.empty() || any(Verdict::unknown) ? Verdict::unknown : Verdict::pass;
}

Result<Material> material_of(const Unit& unit) {
  if (unit.subject.file.empty()) return Material{unit, {}};
  auto text = TRY(read_file(unit.subject.file));
  return Material{unit, std::move(text)};
}

Measurement measure(const Material& material, const Wanted& wanted, int threads) {
  return Measuring(material, wanted, threads).measure();
}

std::optional<std::string> key_of(const Material& material, const Wanted& wanted) {
  const Unit& unit = material.unit;
  const Check& check = *unit.check;
  const SubjectOptions& s = unit.subject;
  if (check.kind == SubjectKind::command || check.kind == SubjectKind::code) return std::nullopt;
  const auto beside = text_beside(s.file, material.file_text);
  if (!beside) return std::nullopt;
  KeyText key;
  key.add_options(subject_options(), s);
  key.add("file", s.file).add("text", material.file_text).add("beside", *beside);
  key.add("size", unit.size ? std::to_string(*unit.size) : "");
  key.add_each("require", check.required).add_each("waive", check.waived);
  key.add("budget", std::to_string(check.budget));
  key.add("fifo", check.fifo ? std::to_string(*check.fifo) : "-1");
  key.add("sizes", check.sizes ? check.sizes->text : "");
  key.add_each("measured", mapped(wanted.properties, [](const Property* p) { return std::string(p->id); }));
  key.add("bound", wanted.bound ? "measured" : "");
  if (wanted.network && !add_network(key, check.network)) return std::nullopt;
  return std::move(key).text();
}

Json to_json(const FileEdit& edit) {
  return {{"line", edit.line},
          {"column", edit.column},
          {"end_line", edit.end_line},
          {"end_column", edit.end_column},
          {"text", edit.text}};
}

Json to_json(const Measurement& measurement) {
  Json json{{"scope", measurement.scope}, {"notes", measurement.notes}, {"properties", Json::array()}};
  for (const PropertyFinding& p : measurement.properties)
    json["properties"].push_back({{"id", p.id},
                                  {"verdict", name(p.verdict)},
                                  {"summary", p.summary},
                                  {"counterexample", p.counterexample},
                                  {"line", p.line},
                                  {"column", p.column},
                                  {"file", p.file},
                                  {"flows", mapped(p.flows, flow_json)}});
  json["not_tried"] = measurement.not_tried;
  json["unrequired"] = measurement.unrequired;
  json["waived"] = measurement.waived;
  json["measures"] = Json::object();
  for (const auto& [metric, value] : measurement.measures.known) json["measures"][metric] = value.str();
  json["missing"] = measurement.measures.missing;
  json["collective"] = measurement.collective ? name(*measurement.collective) : "";
  json["repair"] = measurement.repair ? measurement.repair->text : std::vector<std::string>{};
  json["edits"] = Json::array();
  if (measurement.repair)
    for (const FileEdit& edit : measurement.repair->edits) json["edits"].push_back(to_json(edit));
  return json;
}

std::optional<Measurement> measurement_from(const Json& json) {
  Measurement m;
  if (!read(json["scope"], m.scope) || !read(json["notes"], m.notes) || !json["properties"].is_array())
    return std::nullopt;
  for (const Json& property : json["properties"]) {
    const auto verdict = verdict_named(property["verdict"].text_or_empty());
    const auto *line = property["line"].count(), *column = property["column"].count();
    if (!verdict || !line || !column) return std::nullopt;
    PropertyFinding& found = m.properties.emplace_back(
        PropertyFinding{.id = "", .verdict = *verdict, .summary = "", .line = *line, .column = *column});
    if (!read(property["id"], found.id) || !read(property["summary"], found.summary) ||
        !read(property["counterexample"], found.counterexample) || !read(property["file"], found.file) ||
        !read(property["flows"], found.flows))
      return std::nullopt;
  }
  if (!read(json["not_tried"], m.not_tried) || !read(json["unrequired"], m.unrequired) ||
      !read(json["waived"], m.waived))
    return std::nullopt;
  const Json::Object* measures = json["measures"].members();
  const Json::Object* missing = json["missing"].members();
  if (!measures || !missing || !json["collective"].text()) return std::nullopt;
  for (const auto& [metric, value] : *measures) {
    const auto number = Rational::parse(value.text_or_empty());
    if (!number) return std::nullopt;
    m.measures.known.emplace(metric, *number);
  }
  for (const auto& [metric, why] : *missing)
    if (!read(why, m.measures.missing[metric])) return std::nullopt;
  m.collective = collective_named(*json["collective"].text());
  FoundRepair repair;
  if (!read(json["repair"], repair.text) || !json["edits"].is_array()) return std::nullopt;
  for (const Json& edit : json["edits"])
    if (!read(edit, repair.edits.emplace_back())) return std::nullopt;
  if (!repair.text.empty()) m.repair = std::move(repair);
  return m;
}

}  // namespace onceover::units
