// Schedules are named in four ways: a row of the catalogue, a file, a command, a formula. Each way checks what can be
// checked without a schedule, and returns subjects that make their schedules later. So a number outside an algorithm's
// domain is refused before the first schedule is made.
//
// Example: --exec 'gen {p}' --p 3,2 gives two subjects, "gen 2" and "gen 3". Neither has run yet. When one has, its
// output must have the shape that was asked for; otherwise it is malformed.
//
// A file is the exception. It contains its shape, so it is read at once, and its subject only returns the schedule. If
// the file holds a program, `resolve` returns it and `resolve_schedules` refuses it.
//
// Cost: a check for each subject, a sort by ranks, and for a file O(text).

#include "subjects/subject.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/files.h"
#include "base/result.h"
#include "base/text.h"
#include "schedules/catalogue.h"
#include "schedules/peer_schedule.h"
#include "subjects/judgeable.h"
#include "subjects/options.h"

namespace onceover::subjects {

namespace {

/// The shapes that --p or --torus ask for; an error names `who` needs them.
Result<std::vector<Shape>> shapes_of(const SubjectOptions& options, const std::string& who, bool on_tori) {
  if (options.ranks && !options.tori.empty()) return usage_error("either --p LIST or --torus AxB, not both");
  if (!options.ranks && options.tori.empty())
    return usage_error(fmt::format("{} needs a number of ranks: --p 7, --p 2..64, --p 2^1..2^6{}", who,
                                   on_tori ? ", --torus 4x6" : ""));
  if (!options.tori.empty()) return options.tori;
  std::vector<Shape> shapes;
  for (const Rank p : options.ranks->value) shapes.push_back({p});
  return shapes;
}

Result<Request> request_of(const SubjectOptions& options, const Algorithm& row) {
  Request request{.collective = options.collective.value_or(row.collectives.front()),
                  .all_lanes = options.lanes == Lanes::all,
                  .root = options.root.value_or(0)};
  for (const Setting& setting : options.settings)
    if (!request.settings.emplace(setting.name, setting.value).second)
      return usage_error(fmt::format("--set: '{}' is set twice", setting.name));
  return request;
}

/// Refuses options that don't apply to the kind of subject.
Result<void> refuse(const SubjectOptions& given, Origin::Kind kind, std::string_view why) {
  for (const Option<SubjectOptions>& option : subject_options())
    if ((option.fits & 1U << static_cast<unsigned>(kind)) == 0 && option.is_given(given))
      return usage_error(fmt::format("--{} {}", option.name, why));
  return {};
}

std::vector<Subject> by_ranks(std::vector<Subject> subjects) {
  std::stable_sort(subjects.begin(), subjects.end(),
                   [](const Subject& a, const Subject& b) { return a.ranks < b.ranks; });
  return subjects;
}

Result<std::vector<Subject>> of_row(const SubjectOptions& options, const Algorithm& row) {
  const auto shapes = TRY(shapes_of(options, fmt::format("--algo {}", row.name), row.on_tori));
  auto request = request_of(options, row);
  if (!request) return tl::unexpected(request.error());
  std::vector<Subject> subjects;
  for (const auto& shape : shapes) {
    request->shape = shape;
    if (const auto reason = refusal(row, *request)) return usage_error(*reason);
    auto make = [&row, request = *request]() -> Result<Made> { return Made{row.make(request)}; };
    Header known{.collective = request->collective,
                 .root = request->root,
                 .lanes = request->all_lanes ? 2 * request->dimensions() : 1,
                 .algorithm = std::string(row.name)};
    subjects.push_back({Origin(Origin::Kind::catalogue), shape, request->ranks(), std::move(make), std::move(known),
                        request->settings});
  }
  return by_ranks(std::move(subjects));
}

Result<std::vector<Subject>> from_catalogue(const SubjectOptions& options) {
  TRY(refuse(options, Origin::Kind::catalogue, "goes with --peer"));
  std::vector<Subject> all;
  for (const Algorithm* row : options.algorithms) {
    auto subjects = TRY(of_row(options, *row));
    std::move(subjects.begin(), subjects.end(), std::back_inserter(all));
  }
  return all;
}

constexpr std::string_view only_plans_take_none = "--collective none is about plans of MSCCL++, and this is none";

/// Refuses options that a file answers itself.
Result<void> refuse_beside_file(SubjectOptions options) {
  options.collective.is_none = false;  // which not every file answers
  return refuse(options, Origin::Kind::file, "goes with --algo; a schedule file says itself what it is for");
}

std::vector<Subject> named_by_file(SchedulePtr schedule, const std::string& file) {
  const Header& header = schedule->header();
  return {{Origin(Origin::Kind::file, file),
           header.sides(),
           header.ranks,
           [schedule]() -> Result<Made> { return Made{schedule}; },
           {.collective = header.collective,
            .blocks = header.blocks,
            .lanes = header.lanes,
            .algorithm = header.algorithm}}};
}

Result<std::vector<Subject>> schedule_from_file(const SubjectOptions& options) {
  if (options.collective.is_none) return usage_error(std::string(only_plans_take_none));
  TRY(refuse_beside_file(options));
  const auto text = TRY(read_file(options.file));
  auto schedule = TRY(parse_schedule(options.file, text));
  return named_by_file(std::move(schedule), options.file);
}

/// Removes the options that a file doesn't answer itself, since its kind takes them.
void take_beside_file(SubjectOptions& options, std::string_view text, ProgramsOnTori tori) {
  const InputKind* kind = input_kind_of(text);
  if (kind == nullptr) return;
  if (kind->holds_program && tori == ProgramsOnTori::yes) options.tori.clear();
  if (kind->takes.ranks) options.ranks.reset();
}

Result<Named> from_file(SubjectOptions options, ProgramsOnTori tori) {
  const auto text = read_file(options.file);
  if (text) take_beside_file(options, *text, tori);
  TRY(refuse_beside_file(options));
  if (!text) return tl::unexpected(text.error());
  auto content = TRY(parse_file(options.file, *text));
  const bool takes_none = content.program && content.program->kind().takes.without_data;
  if (options.collective.is_none && !takes_none) return usage_error(std::string(only_plans_take_none));
  if (content.program) return Named{.program = std::move(content.program)};
  return Named{.schedules = named_by_file(std::move(content.schedule), options.file)};
}

/// Runs the user's program and reads its output, which must be a schedule of the shape that was asked for.
Result<Made> generated(const std::string& command, const Shape& shape, const GeneratorLimits& generator_limits) {
  const Generated said = TRY(run_generator(command, generator_limits));
  if (said.why_not) return Made{.schedule = nullptr, .why_not = *said.why_not};
  const auto schedule = parse_schedule(command, said.text);
  if (!schedule) return tl::unexpected(Failure{ExitCode::malformed, schedule.error().message});
  const Header& header = (*schedule)->header();
  const auto printed = header.sides();
  const bool fits = shape.size() == 1 ? header.ranks == shape[0] : printed == shape;
  if (!fits) {
    const bool lacks_shape = printed.size() == 1 && header.ranks == Request{.shape = shape}.ranks();
    return tl::unexpected(Failure{
        ExitCode::malformed,
        fmt::format("--exec: '{}' printed a schedule for {}, not for {}{}", command, shape_text(printed),
                    shape_text(shape),
                    lacks_shape ? fmt::format("; let it print \"shape\": [{}], too", fmt::join(shape, ", ")) : "")});
  }
  return Made{*schedule};
}

Result<std::vector<Subject>> from_command(const SubjectOptions& options) {
  TRY(refuse(options, Origin::Kind::command,
             "does not go with --exec; the schedule that the program prints says what it is for"));
  const auto shapes = TRY(shapes_of(options, "--exec", true));
  const bool has_place =
      options.command.find("{p}") != std::string::npos || options.command.find("{shape}") != std::string::npos;
  if (shapes.size() > 1 && !has_place)
    return usage_error("--exec: the command has no {p} or {shape} for the number of ranks to stand at");
  std::vector<Subject> subjects;
  for (const auto& shape : shapes) {
    const Rank ranks = Request{.shape = shape}.ranks();
    const std::string command =
        replaced(replaced(options.command, "{p}", std::to_string(ranks)), "{shape}", torus_text(shape));
    auto make = [=, limits = options.generator] { return generated(command, shape, limits); };
    subjects.push_back({Origin(Origin::Kind::command, options.command), shape, ranks, std::move(make), {}});
  }
  return by_ranks(std::move(subjects));
}

Result<Made> made_by(const PeerRule& rule, Collective collective, Rank ranks) {
  auto made = make_peer_schedule(rule, collective, ranks);
  if (!made && made.error().is_too_large)
    return tl::unexpected(Failure{ExitCode::unknown, "--peer: " + made.error().message});
  if (!made) return usage_error(made.error().render());
  Made result{std::move(made->schedule)};
  if (made->last_rank_apart)
    result.notes.push_back(
        {"apart", fmt::format("p = {} is odd: the first {} ranks run the formula, and rank {} exchanges one block with "
                              "each of them (--odd apart)",
                              ranks, ranks - 1, ranks - 1)});
  if (!made->why_as_written.empty())
    result.notes.push_back(
        {"as-written", fmt::format("p = {} is odd, and the formula runs as written, since {} (--odd as-written)", ranks,
                                   made->why_as_written)});
  if (made->unpaired) result.notes.push_back({"unpaired", "the peers are not mutual: " + *made->unpaired});
  if (ranks % 2 == 1 && ranks > 1)
    result.as = made->last_rank_apart ? "odd p with the last rank apart" : "odd p as written";
  return result;
}

Result<std::vector<Subject>> from_formula(const SubjectOptions& options) {
  if (options.root) return usage_error("--root does not go with --peer, which makes no collective with a root");
  TRY(refuse(options, Origin::Kind::formula, "does not go with --peer, which is for a line of ranks"));
  const Collective collective = options.collective.value_or(Collective::allreduce);
  if (!can_be_by_formula(collective))
    return usage_error(fmt::format("--peer makes an allreduce, reduce-scatter or allgather, no {}", name(collective)));
  const auto shapes = TRY(shapes_of(options, "--peer", false));
  std::vector<Subject> subjects;
  for (const auto& shape : shapes) {
    const Rank ranks = shape[0];
    const PeerRule rule = *rule_of(options);
    auto make = [rule, collective, ranks] { return made_by(rule, collective, ranks); };
    subjects.push_back({Origin(Origin::Kind::formula, options.peer->text()),
                        shape,
                        ranks,
                        std::move(make),
                        {.collective = collective},
                        {},
                        rule});
  }
  return subjects;
}

/// Resolves the subject in the one way that the options name; `in_file` resolves a file.
Result<Named> resolve_by(const SubjectOptions& options, const std::function<Result<Named>()>& in_file) {
  const auto by = [&](Result<std::vector<Subject>> (*schedules)(const SubjectOptions&)) {
    return [&options, schedules]() -> Result<Named> { return Named{.schedules = TRY(schedules(options))}; };
  };
  struct Way {
    std::string flag;
    bool is_given;
    std::function<Result<Named>()> named;
  };
  const std::array ways{Way{"--algo NAME", !options.algorithms.empty(), by(from_catalogue)},
                        Way{fmt::format("the file '{}'", options.file), !options.file.empty(), in_file},
                        Way{"--exec COMMAND", !options.command.empty(), by(from_command)},
                        Way{"--peer FORMULA", options.peer.has_value(), by(from_formula)}};
  const Way* chosen = nullptr;
  for (const Way& way : ways) {
    if (!way.is_given) continue;
    if (chosen != nullptr) return usage_error(fmt::format("either {} or {}, not both", chosen->flag, way.flag));
    chosen = &way;
  }
  if (options.collective.is_none && options.file.empty()) return usage_error(std::string(only_plans_take_none));
  if (chosen != nullptr) return chosen->named();
  return usage_error("no schedule is named; say --algo NAME --p LIST, a schedule FILE, --exec or --peer (see --help)");
}

}  // namespace

Result<Made> Subject::make() const {
  auto made = TRY(attempt());
  if (made.schedule) return made;
  return tl::unexpected(
      Failure{ExitCode::unknown, fmt::format("--exec: '{}' says that it has no schedule for {}{}{}", origin.text,
                                             shape_text(shape), made.why_not.empty() ? "" : ": ", made.why_not)});
}

std::optional<PeerRule> rule_of(const SubjectOptions& options) {
  if (!options.peer) return std::nullopt;
  return PeerRule{*options.peer, options.steps, options.odd};
}

bool can_be_by_formula(Collective collective) {
  return collective == Collective::allreduce || collective == Collective::reduce_scatter ||
         collective == Collective::allgather;
}

Result<FileContent> parse_file(const std::string& name, const std::string& text) {
  if (const InputKind* kind = input_kind_of(text)) return kind->read(name, text).map_error(malformed);
  const bool is_blank = text.find_first_not_of(" \t\r\n") == std::string::npos;
  const std::string_view what = is_blank ? "there is nothing in it" : "verify knows no format that begins like this";
  return tl::unexpected(
      malformed(source_error(name, text, 0, fmt::format("{}; expected {}", what, input_kind_examples()))));
}

Result<SchedulePtr> parse_schedule(const std::string& name, const std::string& text) {
  const InputKind* kind = input_kind_of(text);
  if (kind != nullptr && kind->holds_program)
    return usage_error(fmt::format("{}: this is {}, a program of ranks, and no schedule of steps; {}", name,
                                   kind->language, kind->read_by));
  return parse_file(name, text).map([](FileContent&& content) { return std::move(content.schedule); });
}

Result<Named> resolve(const SubjectOptions& options, ProgramsOnTori tori) {
  return resolve_by(options, [&] { return from_file(options, tori); });
}

Result<std::vector<Subject>> resolve_schedules(const SubjectOptions& options) {
  const auto in_file = [&]() -> Result<Named> { return Named{.schedules = TRY(schedule_from_file(options))}; };
  return resolve_by(options, in_file).map([](Named&& named) { return std::move(named.schedules); });
}

Result<Subject> single(std::vector<Subject> subjects, std::string_view what_the_command_does) {
  if (subjects.size() > 1)
    return usage_error(fmt::format("{} one schedule; there are {}: give one number of ranks, or one torus",
                                   what_the_command_does, subjects.size()));
  return std::move(subjects.front());
}

}  // namespace onceover::subjects
