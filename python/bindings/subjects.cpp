#include "python/bindings/subjects.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <functional>

#include "base/rows.h"
#include "formats/goal_file.h"
#include "formats/lowering.h"
#include "formats/msccl_profile.h"
#include "formats/msccl_xml.h"
#include "formats/plan_file.h"
#include "formats/schedule_file.h"
#include "schedules/catalogue.h"

namespace onceover::python {

namespace {

using Content = std::variant<HeldSchedule, HeldProgram>;

/// The content of a text of any of our kinds. A schedule written in Python comes this way, too.
Content read(const std::string& text, const std::string& name) {
  const InputKind* kind = input_kind_of(text);
  if (kind == nullptr) throw Raised{parse_file(name, text).error()};
  auto content = or_raise(without_gil([&] { return kind->read(name, text); }));
  if (content.program) return HeldProgram{std::move(content.program)};
  return HeldSchedule{std::move(content.schedule), Origin(Origin::Kind::file, name)};
}

py::dict fields_of(const Parameter& each) {
  return py::dict("name"_a = each.name, "summary"_a = each.summary, "preset"_a = each.preset,
                  "values"_a = each.is_free() ? "text" : values_text(each));
}

py::list rows() {
  py::list all;
  for (const Algorithm& row : catalogue())
    all.append(py::dict("name"_a = row.name, "summary"_a = row.summary, "source"_a = row.source,
                        "collectives"_a = mapped(row.collectives, [](Collective each) { return name(each); }),
                        "domain"_a = row.domain, "steps"_a = row.steps, "description"_a = row.description,
                        "as_printed"_a = row.as_printed, "parameters"_a = mapped(row.parameters, fields_of)));
  return all;
}

/// The sides, if a schedule may have them.
Shape checked(const Shape& sides) {
  if (sides.size() > 1) return or_raise(parse_torus(torus_text(sides)));
  return sides.empty() ? Shape{} : or_raise(parse_ranks(std::to_string(sides.front()))).value;
}

HeldSchedule make(const std::string& name, const std::optional<std::string>& collective, const Shape& shape,
                  bool all_lanes, Rank root, std::map<std::string, std::string> settings) {
  const Algorithm& row = *or_raise(parse_one_algorithm(name)).front();
  Request request{.collective = row.collectives.front(), .shape = checked(shape), .all_lanes = all_lanes, .root = root};
  if (collective) request.collective = or_raise(parse_collective(*collective));
  request.settings.insert(settings.begin(), settings.end());
  if (const auto reason = refusal(row, request)) raise_usage(*reason);
  auto schedule = without_gil([&] { return row.make(request); });
  return {std::move(schedule), Origin(Origin::Kind::catalogue), {}, std::move(request.settings)};
}

HeldSchedule by_peers(const std::string& peer, const std::optional<std::string>& steps, const std::string& collective,
                      Rank ranks, const std::optional<std::string>& odd) {
  PeerRule rule{or_raise(read_peer_formula(peer))};
  if (steps) rule.steps = or_raise(read_steps_formula(*steps));
  if (odd) rule.odd = or_raise(parse_odd(*odd));
  // What options name is resolved in one place, which has the notes about odd p and peers that aren't mutual.
  const SubjectOptions options{.peer = rule.peer,
                               .steps = rule.steps,
                               .odd = rule.odd,
                               .ranks = or_raise(parse_ranks(std::to_string(ranks))),
                               .collective = or_raise(parse_collective(collective))};
  const Subject subject = or_raise(single(or_raise(resolve_schedules(options)), "a formula makes"));
  auto made = or_raise(without_gil([&] { return subject.make(); }));
  return {std::move(made.schedule), subject.origin, std::move(made.notes), {}, std::move(rule), std::move(made.as)};
}

/// All that is written by `write`.
std::string text_of(const std::function<bool(std::FILE*)>& write) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* file = open_memstream(&text, &size);
  if (file == nullptr) throw std::bad_alloc();
  const bool is_written = write(file);
  const bool is_closed = std::fclose(file) == 0;
  const std::string all(text, text == nullptr ? 0 : size);
  std::free(text);
  if (!is_written || !is_closed) throw std::bad_alloc();
  return all;
}

template <class Lowered>
Lowered or_raise_not_lowered(tl::expected<Lowered, NotLowered>&& lowered) {
  if (lowered) return *std::move(lowered);
  const auto kind = lowered.error().kind;
  const ExitCode code = kind == NotLowered::Kind::unfit        ? ExitCode::usage
                        : kind == NotLowered::Kind::ill_formed ? ExitCode::violated
                                                               : ExitCode::unknown;
  throw Raised{{code, lowered.error().why}};
}

std::string to_json(const HeldSchedule& held) {
  return without_gil([&] { return text_of([&](std::FILE* file) { return write_schedule(*held.schedule, file); }); });
}

std::string to_msccl(const HeldSchedule& held, const std::string& protocol, bool in_place,
                     std::optional<std::int32_t> channels) {
  if (channels && (*channels < 1 || *channels > msccl_channels))
    raise_usage(fmt::format("channels: expected a number from 1 to {}, found {}", msccl_channels, *channels));
  return without_gil([&] {
    const MscclOptions options{.protocol = protocol};
    const auto program = or_raise_not_lowered(lower_for_msccl(*held.schedule, in_place, channels, options));
    return text_of([&](std::FILE* file) { return write_msccl(program, options, file); });
  });
}

std::string to_mscclpp(const HeldSchedule& held, bool with_packets, bool in_place) {
  return without_gil([&] {
    const auto plan =
        or_raise_not_lowered(lower_for_mscclpp(*held.schedule, {.in_place = in_place, .with_packets = with_packets}));
    return text_of([&](std::FILE* file) { return write_plan(plan, file); });
  });
}

std::string to_goal(const HeldSchedule& held, std::uint64_t bytes, bool in_place) {
  return without_gil([&] {
    const auto program = or_raise_not_lowered(
        lower(*held.schedule, {.style = ProgramStyle::requests, .in_place = in_place, .bytes = bytes}));
    return text_of([&](std::FILE* file) { return write_goal(program, file); });
  });
}

py::dict header_of(const HeldSchedule& held) {
  const Header& header = held.schedule->header();
  const auto with = [](auto number) { return [=](const auto& each) { return std::pair(each.name, each.*number); }; };
  return py::dict("collective"_a = name(header.collective), "ranks"_a = header.ranks, "blocks"_a = header.blocks,
                  "scratch"_a = header.scratch, "root"_a = header.root, "shape"_a = header.sides(),
                  "lanes"_a = header.lanes, "name"_a = header.algorithm,
                  "grid"_a = mapped(header.names.grid, with(&Names::Axis::size)),
                  "phases"_a = mapped(header.names.phases, with(&Names::Phase::first)));
}

}  // namespace

void add_subjects(py::module_& module) {
  py::class_<HeldSchedule>(module, "Schedule")
      .def_property_readonly("header", header_of)
      .def_property_readonly("steps", [](const HeldSchedule& held) { return held.schedule->steps(); })
      .def("to_json", to_json)
      .def("to_msccl", to_msccl, "protocol"_a, "in_place"_a, "channels"_a)
      .def("to_mscclpp", to_mscclpp, "with_packets"_a, "in_place"_a)
      .def("to_goal", to_goal, "bytes"_a, "in_place"_a);
  py::class_<HeldProgram>(module, "Program")
      .def_property_readonly("name", &HeldProgram::name)
      .def_property_readonly("is_launch", [](const HeldProgram& held) { return held.program->form() == Form::launch; });
  module.def("read", read, "text"_a, "name"_a);
  module.def("rows", rows);
  module.def("make", make, "name"_a, "collective"_a, "shape"_a, "all_lanes"_a, "root"_a, "settings"_a);
  module.def("by_peers", by_peers, "peer"_a, "steps"_a, "collective"_a, "ranks"_a, "odd"_a);
  module.def("collectives", [] { return mapped(contracts, &Contract::name); });
}

}  // namespace onceover::python
