// A check is multiplied out: algorithms times collectives times settings times shapes. Each unit holds the options with
// which a user would name its subject. The unit is made from them, and so is the command that is printed for it.
//
// Example: algo = "ring" and p = "2..3" in the check "catalogue" make catalogue/ring/allreduce/p=2 and
// catalogue/ring/allreduce/p=3. The first is `verify --algo ring --p 2`.
//
// Mistakes in the gate file are found here, before anything is judged: p outside the domain of a named algorithm, a
// file that doesn't exist, a command of several shapes without a place for them, a collective that formulas can't make.
// Mistakes inside a file, or in a command's output, are for the verdict.
//
// The product is counted before it is made, including members outside a domain, and refused beyond a million. Each
// member costs a look at a domain.

#include "units/units.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <utility>

#include "base/files.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/text.h"
#include "code/library.h"
#include "schedules/catalogue.h"
#include "subjects/judgeable.h"
#include "subjects/network_plan.h"
#include "subjects/options.h"
#include "units/check_keys.h"
#include "units/code_measurement.h"
#include "units/patterns.h"

namespace onceover::units {

namespace {

/// More units would run for days.
constexpr std::size_t most_units = 1'000'000;

constexpr std::string_view pattern_letters = "*?[";

std::string shape_id(const Shape& shape) {
  return shape.size() == 1 ? fmt::format("p={}", shape[0]) : torus_text(shape);
}

/// The shapes of a check, sorted by ranks.
std::vector<Shape> shapes_of(const Check& check) {
  std::vector<Shape> shapes = check.tori;
  if (check.ranks)
    for (const Rank p : check.ranks->value) shapes.push_back({p});
  std::stable_sort(shapes.begin(), shapes.end(), [](const Shape& a, const Shape& b) {
    return Request{.shape = a}.ranks() < Request{.shape = b}.ranks();
  });
  return shapes;
}

/// Sets the options with which a user would name the shape.
void set_shape(SubjectOptions& subject, const Check& check, const Shape& shape) {
  if (check.tori.empty())
    subject.ranks = RankList{shape, std::to_string(shape[0])};
  else
    subject.tori = {shape};
}

std::string_view range_key(const Check& check) {
  return check.tori.empty() ? "p" : "torus";
}

/// Does the check ask for the row, by name or among all?
bool takes(const Check& check, const Algorithm& row) {
  const auto& named = check.algorithms.named;
  return check.algorithms.all ? !row.as_printed : std::find(named.begin(), named.end(), &row) != named.end();
}

std::vector<Collective> collectives_of(const Check& check, const Algorithm& row) {
  if (check.collectives.all) return {row.collectives.begin(), row.collectives.end()};
  if (check.collectives.are_given()) return check.collectives.named;
  return {row.collectives.front()};
}

/// An upper bound of a check's number of units. Factors are far below 2^21, because a gate file has at most 4 MiB.
std::uint64_t most_units_of(const Check& check) {
  const std::uint64_t shapes = check.tori.size() + (check.ranks ? check.ranks->value.size() : 0);
  if (check.kind == SubjectKind::file) return 1;
  if (check.kind == SubjectKind::files) return check.files.size();      // of patterns at least
  if (check.kind == SubjectKind::launch) return check.launches.size();  // of patterns and descriptions at least
  if (check.kind == SubjectKind::command) return shapes;
  if (check.kind == SubjectKind::code) return shapes * check.code.paths.size();  // of patterns at least
  if (check.kind == SubjectKind::formula) return shapes * std::max<std::size_t>(check.collectives.named.size(), 1);
  std::uint64_t ways = 0;
  for (const Algorithm& row : catalogue())
    if (takes(check, row)) ways += collectives_of(check, row).size();
  return ways * shapes * std::max<std::size_t>(check.settings.size(), 1);
}

class Expansion {
 public:
  explicit Expansion(const Checks& gate) : gate_(gate) {}

  Result<std::vector<Unit>> units() {
    TRY(check_count(gate_));
    for (const Check& check : gate_.checks) {
      const std::size_t before = units_.size();
      TRY(add(check));
      if (units_.size() == before)
        return gate_.error(check, range_key(check), "no algorithm of the catalogue is for any of these");
    }
    return std::move(units_);
  }

 private:
  Result<void> add(const Check& check) {
    // A baseline may need the network even if no limit does, so an unused network is no mistake; a wrong name always
    // is.
    if (check.network.topology)
      if (const auto named = check_topology(*check.network.topology); !named)
        return gate_.error(check, "topology", named.error().message);
    switch (check.kind) {
      case SubjectKind::algorithms: return add_algorithms(check);
      case SubjectKind::file: return add_file(check, check.file);
      case SubjectKind::files: return add_files(check);
      case SubjectKind::command: return add_command(check);
      case SubjectKind::formula: return add_formula(check);
      case SubjectKind::code: return add_code(check);
      case SubjectKind::launch: return add_launches(check);
    }
    return {};
  }

  Result<void> add_algorithms(const Check& check) {
    const std::size_t before = units_.size();
    for (const Algorithm& row : catalogue()) {
      if (!takes(check, row)) continue;
      for (const Collective collective : collectives_of(check, row)) TRY(add_algorithm(check, row, collective));
    }
    return check_choices(check, std::span(units_).subspan(before));
  }

  /// Refuses a collective or a setting for which there is no unit: it is asked for, and nothing would be judged.
  Result<void> check_choices(const Check& check, std::span<const Unit> units) const {
    auto is_missing = [&](auto SubjectOptions::*choice, const auto& value) {
      return !units.empty() &&
             std::none_of(units.begin(), units.end(), [&](const Unit& unit) { return unit.subject.*choice == value; });
    };
    for (const Collective collective : check.collectives.named)
      if (is_missing(&SubjectOptions::collective, std::optional(collective)))
        return gate_.error(check, "collective", fmt::format("no algorithm has {} for any of these", name(collective)));
    for (const auto& version : check.settings)
      if (is_missing(&SubjectOptions::settings, version))
        return gate_.error(
            check, "set",
            fmt::format("no algorithm takes {} for any of these", fmt::join(mapped(version, &Setting::text), ", ")));
    return {};
  }

  Result<void> add_algorithm(const Check& check, const Algorithm& row, Collective collective) {
    const std::vector<std::vector<Setting>> plain{{}};
    for (const auto& version : check.settings.empty() ? plain : check.settings)
      for (const Shape& shape : shapes_of(check)) {
        const Request request{.collective = collective,
                              .shape = shape,
                              .all_lanes = check.lanes == Lanes::all,
                              .settings = by_name(version)};
        const auto reason = refusal(row, request);
        if (reason && check.algorithms.all) continue;
        if (reason) return gate_.error(check, range_key(check), *reason);
        SubjectOptions subject{
            .algorithms = {&row}, .lanes = check.lanes, .collective = collective, .settings = version};
        set_shape(subject, check, shape);
        auto variant = mapped(version, &Setting::text);
        if (request.all_lanes) variant.push_back("lanes=all");
        const std::string suffix = variant.empty() ? "" : fmt::format("/{}", fmt::join(variant, "/"));
        const std::string words = variant.empty() ? "" : fmt::format(", {}", fmt::join(variant, ", "));
        units_.push_back(
            {&check, fmt::format("{}/{}/{}{}/{}", check.name, row.name, name(collective), suffix, shape_id(shape)),
             fmt::format("{} {}{}, {}", row.name, name(collective), words, shape_text(shape)), std::move(subject)});
      }
    return {};
  }

  Result<void> add_file(const Check& check, const std::string& file) {
    // A file that doesn't exist is a mistake in the gate; mistakes inside it are for the verdict.
    if (const auto readable = check_readable(file); !readable && readable.error().code == ExitCode::usage)
      return gate_.error(check, "file", readable.error().message);
    SubjectOptions subject{.file = file};
    subject.collective.is_none = check.without_data;
    units_.push_back({&check, fmt::format("{}/{}", check.name, file), file, std::move(subject)});
    return {};
  }

  Result<void> add_files(const Check& check) {
    for (const std::string& file : TRY(files_of(check, check.files, "files"))) TRY(add_file(check, file));
    return {};
  }

  Result<void> add_command(const Check& check) {
    const auto shapes = shapes_of(check);
    const bool has_place =
        check.command.find("{p}") != std::string::npos || check.command.find("{shape}") != std::string::npos;
    if (shapes.size() > 1 && !has_place)
      return gate_.error(check, "exec", "the command has no {p} or {shape} for the number of ranks to stand at");
    for (const Shape& shape : shapes) {
      SubjectOptions subject{.command = check.command};
      set_shape(subject, check, shape);
      if (check.timeout > 0) subject.generator.seconds = check.timeout;
      units_.push_back({&check, fmt::format("{}/exec/{}", check.name, shape_id(shape)),
                        fmt::format("{}, {}", check.command, shape_text(shape)), std::move(subject)});
    }
    return {};
  }

  Result<void> add_formula(const Check& check) {
    if (check.collectives.all) return gate_.error(check, "collective", parse_collective("all").error().message);
    const std::vector<Collective> preset{Collective::allreduce};
    for (const Collective collective : check.collectives.are_given() ? check.collectives.named : preset)
      for (const Shape& shape : shapes_of(check)) {
        SubjectOptions subject{.peer = check.peer, .steps = check.steps, .odd = check.odd, .collective = collective};
        set_shape(subject, check, shape);
        // Formulas may be unable to make the collective.
        if (const auto known = resolve_schedules(subject); !known)
          return gate_.error(check, "collective", known.error().message);
        units_.push_back({&check, fmt::format("{}/peer/{}/{}", check.name, name(collective), shape_id(shape)),
                          fmt::format("peer {} ({}), {}", check.peer->text(), name(collective), shape_text(shape)),
                          std::move(subject)});
      }
    return {};
  }

  /// Refuses what `verify code` would refuse, at the key that it is about.
  Result<void> check_code(const Check& check, const code::LibraryRow* row) const {
    for (const Shape& shape : shapes_of(check))
      if (const auto fits = check_calls(check, row, shape[0]); !fits)
        return gate_.error(check, "code", fits.error().message);
    return {};
  }

  /// The algorithms of a library, for the ranks that each is meant for.
  Result<void> add_library(const Check& check) {
    const CodeChoice& code = check.code;
    if (!code.options.sources.files.empty())
      return gate_.error(check, "link", "link: a library has its own files; leave this key out");
    const auto library = code::Library::open(code.library, code.checkout);
    if (!library) return gate_.error(check, "library", library.error().message);
    for (const std::string& name : code.paths) {
      const auto found = library->find(name);
      if (!found) return gate_.error(check, "code", found.error().message);
      const code::LibraryRow& row = (*found)->row;
      TRY(check_code(check, &row));
      if (const auto choices = code::Library::choices(row, code.values); !choices)
        return gate_.error(check, "values", choices.error().message);
      const std::size_t before = units_.size();
      for (const Shape& shape : shapes_of(check)) {
        if (!contains(row.ranks, shape[0])) continue;
        Unit unit{&check,
                  fmt::format("{}/{}/{}/{}", check.name, code.library, name, shape_id(shape)),
                  fmt::format("{} of {}, {}", name, code.library, shape_text(shape)),
                  {},
                  code.checkout + "/" + row.file};
        unit.row = row;
        set_shape(unit.subject, check, shape);
        units_.push_back(std::move(unit));
      }
      if (units_.size() == before)
        return gate_.error(check, range_key(check), fmt::format("{} is meant for p {}", name, code::name(row.ranks)));
      if (units_.size() > most_units)
        return gate_.error(check, "code", fmt::format("the gate has more than {} units", most_units));
    }
    return {};
  }

  Result<void> add_code(const Check& check) {
    if (!check.code.library.empty()) return add_library(check);
    TRY(check_code(check, nullptr));
    for (const std::string& file : TRY(files_of(check, check.code.paths, "code"))) {
      for (const Shape& shape : shapes_of(check)) {
        Unit unit{&check,
                  fmt::format("{}/{}/{}", check.name, file, shape_id(shape)),
                  fmt::format("{} of {}, {}", check.code.function, file, shape_text(shape)),
                  {},
                  file};
        set_shape(unit.subject, check, shape);
        units_.push_back(std::move(unit));
      }
      if (units_.size() > most_units)
        return gate_.error(check, "code", fmt::format("the gate has more than {} units", most_units));
    }
    return {};
  }

  Result<void> add_launches(const Check& check) {
    for (const std::string& file : TRY(files_of(check, check.launches, "gpu"))) {
      for (const LaunchShape& shape : launch_shapes(check, file)) add_launch(check, file, shape);
      if (units_.size() > most_units)
        return gate_.error(check, "gpu", fmt::format("the gate has more than {} units", most_units));
    }
    return {};
  }

  /// The launches of a description. If it can't be read, there is one without ranks, whose verdict says why.
  static std::vector<LaunchShape> launch_shapes(const Check& check, const std::string& file) {
    const std::vector<LaunchShape> unread{{0, std::nullopt}};
    const auto text = read_file(file);
    if (!text) return unread;
    const auto content = parse_file(file, *text);
    if (!content || !content->program) return unread;
    const auto shapes = content->program->launch_shapes(check.ranks ? check.ranks->value : std::vector<Rank>{});
    return shapes && !shapes->empty() ? *shapes : unread;
  }

  void add_launch(const Check& check, const std::string& file, const LaunchShape& shape) {
    Unit unit{&check, fmt::format("{}/{}", check.name, file), file, {.file = file}};
    if (shape.ranks > 0) {
      const std::string size = shape.size ? fmt::format("n={}", *shape.size) : "";
      set_shape(unit.subject, check, {shape.ranks});
      unit.size = shape.size;
      unit.id += fmt::format("/p={}{}", shape.ranks, size.empty() ? "" : "," + size);
      unit.text += fmt::format(", p = {}{}", shape.ranks, shape.size ? fmt::format(", n = {}", *shape.size) : "");
    }
    units_.push_back(std::move(unit));
  }

  /// The files that a check names by this key, each once; those of a pattern are sorted.
  Result<std::vector<std::string>> files_of(const Check& check, const std::vector<std::string>& paths,
                                            std::string_view key) const {
    std::vector<std::string> files;
    std::set<std::string> known;
    for (const std::string& path : paths) {
      const bool is_file = check_readable(path).has_value();
      const bool is_pattern = !is_file && path.find_first_of(pattern_letters) != std::string::npos;
      const auto matching = is_pattern ? files_matching(path) : std::vector{path};
      if (!matching) return gate_.error(check, key, matching.error());
      const std::vector<std::string>& found = *matching;
      if (found.empty()) return gate_.error(check, key, fmt::format("{}: no file matches '{}'", key, path));
      for (const std::string& file : found) {
        if (const auto readable = check_readable(file); !readable)
          return gate_.error(check, key, readable.error().message);
        if (known.insert(file).second) files.push_back(file);
      }
      if (files.size() > most_units)
        return gate_.error(check, key, fmt::format("the gate has more than {} units", most_units));
    }
    return files;
  }

  const Checks& gate_;
  std::vector<Unit> units_;
};

/// The path, written so that it can't be taken for an option.
std::string as_operand(const std::string& path) {
  return path.starts_with('-') ? fmt::format("./{}", path) : path;
}

/// The command that judges a unit of code, without its properties.
std::string code_command(const Unit& unit) {
  const CodeChoice& code = unit.check->code;
  std::string line = "verify code";
  if (unit.row) {
    line += fmt::format(" --library {} --checkout {} --algo {}", shell_word(code.library), shell_word(code.checkout),
                        unit.row->name);
    for (const std::string& values : code.values) line += fmt::format(" --set {}", shell_word(values));
  } else {
    line += " " + shell_word(as_operand(unit.source));
    for (const std::string& file : code.options.sources.files) line += fmt::format(" {}", shell_word(as_operand(file)));
    line += fmt::format(" --function {}", code.function);
  }
  if (code.collective != nullptr) line += fmt::format(" --collective {}", code.collective->name);
  line += fmt::format(" --p {}", unit.subject.ranks->text);
  for (const std::string_view name : code_option_names)
    if (name != "link") line += arguments(*find_code_option(name), code.options);
  return line;
}

/// The command that judges a launch of GPU kernels, without its properties.
std::string launch_command(const Unit& unit, const std::string& folder) {
  const std::string& file = unit.subject.file;
  std::string line = "verify gpu " + shell_word(as_operand(folder.empty() ? file : path_from(folder, file)));
  if (unit.subject.ranks) line += " --p " + unit.subject.ranks->text;
  if (unit.size) line += fmt::format(" --n {}", *unit.size);
  if (unit.check->budget > 0) line += fmt::format(" --instructions {}", unit.check->budget);
  return line;
}

std::string properties_arguments(const Check& check) {
  std::string text;
  for (const std::string& id : check.required) text += " --require " + id;
  for (const std::string& id : check.waived) text += " --waive " + id;
  return text;
}

/// A pattern that matches this id only.
std::string pattern_of(const std::string& id) {
  if (id.find_first_of(pattern_letters) == std::string::npos) return id;
  std::string pattern;
  for (const char c : id) {
    if (pattern_letters.find(c) != std::string_view::npos || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

bool is_about_network(const std::vector<std::string>& limits) {
  return std::any_of(limits.begin(), limits.end(), [](const std::string& text) {
    const auto limit = Limit::parse(text);
    return limit && wanted_by({&*limit, 1}).network;
  });
}

/// The arguments that name a unit's subject, without what is usual: what it is, then for how many ranks.
std::string subject_of_command(const Unit& unit, const std::string& folder) {
  SubjectOptions what = unit.subject, where;
  where.ranks = std::exchange(what.ranks, {});
  where.tori = std::exchange(what.tori, {});
  where.settings = std::exchange(what.settings, {});
  if (std::exchange(what.lanes, {}) == Lanes::all) where.lanes = Lanes::all;
  if (!what.file.empty()) what.file = as_operand(folder.empty() ? what.file : path_from(folder, what.file));
  if (!unit.source.empty()) what.command = code_command(unit) + " --schedule-out -";
  if (what.collective == Collective::allreduce) what.collective.reset();
  return subject_arguments(what) + subject_arguments(where);
}

/// The arguments that name the network, whose files are seen from outside of the gate's folder.
std::string network_of_command(NetworkOptions network, const std::string& folder) {
  const auto seen = [&](std::string& file) {
    if (!file.empty() && !folder.empty()) file = path_from(folder, file);
  };
  if (network.topology && !network.topology->is_known()) seen(network.topology->text);
  seen(network.map);
  seen(network.ways);
  return arguments(network_options(), network);
}

}  // namespace

Result<void> check_count(const Checks& gate) {
  std::uint64_t units = 0;
  for (const Check& check : gate.checks) {
    units += most_units_of(check);
    if (units > most_units)
      return gate.error(check, range_key(check), fmt::format("the gate has more than {} units", most_units));
  }
  return {};
}

Result<std::vector<Unit>> units_of(const Checks& gate) {
  return Expansion(gate).units();
}

bool matches(const Unit& unit, const std::string& pattern) {
  if (pattern.find_first_of(pattern_letters) == std::string::npos) return unit.id.find(pattern) != std::string::npos;
  return fnmatch(pattern.c_str(), unit.id.c_str(), 0) == 0;
}

std::string path_from(const std::string& folder, const std::string& file) {
  return (std::filesystem::path(folder) / file).lexically_normal().generic_string();
}

std::string command_of(const Unit& unit, const std::string& folder, const std::vector<std::string>& limits) {
  const SubjectOptions& s = unit.subject;
  const Check& check = *unit.check;
  if (check.kind == SubjectKind::launch) return launch_command(unit, folder) + properties_arguments(check);
  // A command runs in the gate file's folder; nobody knows which of its words are paths.
  const bool is_code = !unit.source.empty();
  const bool has_to_go = (is_code || !s.command.empty()) && !folder.empty();
  const auto in_folder = [&](const std::string& line) {
    return has_to_go ? fmt::format("(cd {} && {})", shell_word(as_operand(folder)), line) : line;
  };
  if (is_code && limits.empty()) return in_folder(code_command(unit) + properties_arguments(check));
  std::string line = "verify" + subject_of_command(unit, folder);
  if (!is_code) line += properties_arguments(check);
  const auto add = [&](std::string_view flag, const std::string& value) {
    line += fmt::format(" {} {}", flag, shell_word(value));
  };
  if (check.fifo) add("--fifo", std::to_string(*check.fifo));
  if (check.sizes) add("--sizes", check.sizes->text);
  if (check.budget > 0) add("--budget", std::to_string(check.budget));
  if (check.timeout > 0) add("--exec-time-limit", fmt::format("{}s", check.timeout));
  for (const std::string& limit : limits) add("--limit", limit);
  if (is_about_network(limits)) line += network_of_command(check.network, has_to_go ? "" : folder);
  return in_folder(line);
}

std::string gate_command_of(const Unit& unit, const std::string& gate, const std::string& baseline) {
  std::string line = fmt::format("verify gate {}", shell_word(as_operand(gate)));
  if (!baseline.empty()) line += fmt::format(" --baseline {}", shell_word(as_operand(baseline)));
  return line + fmt::format(" --filter {}", shell_word(pattern_of(unit.id)));
}

}  // namespace onceover::units
