// A check is multiplied out: algorithms times collectives times settings times shapes. Each unit holds the options that
// a user would write to get its subject. The unit is made from them, and so is the command that is printed for it.
//
// Example: algo = "ring" and p = "2..3" in the check "catalogue" make catalogue/ring/allreduce/p=2 and
// catalogue/ring/allreduce/p=3. The first is `verify --algo ring --p 2`.
//
// Mistakes in the gate file are found here, before anything is judged: p outside the domain of a named algorithm, a
// file that isn't there, a command of several shapes without a place for them, a collective that formulas don't make.
// What is wrong inside a file, or in what a command prints, is for the verdict.
//
// The product is finite, and refused beyond a million units. Each member costs a look at a domain or a reading of a
// formula.

#include "gate/units.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "base/words.h"
#include "network/topology.h"
#include "schedules/catalogue.h"
#include "subjects/rank_list.h"

namespace onceover::gate {

namespace {

/// More would run for days.
constexpr std::size_t most_units = 1'000'000;

constexpr std::string_view pattern_letters = "*?[";

using Shape = std::vector<Rank>;

std::string shape_id(const Shape& shape) {
  return shape.size() == 1 ? fmt::format("p={}", shape[0]) : fmt::format("{}", fmt::join(shape, "x"));
}

/// Sorted by ranks. The texts were read before.
std::vector<Shape> shapes_of(const Check& check) {
  std::vector<Shape> shapes;
  for (const std::string& torus : check.tori) shapes.push_back(*parse_torus(torus));
  if (!check.ranks.empty()) {
    const auto ranks = parse_rank_list(check.ranks);
    for (const Rank p : *ranks) shapes.push_back({p});
  }
  std::stable_sort(shapes.begin(), shapes.end(), [](const Shape& a, const Shape& b) {
    return Request{.shape = a}.ranks() < Request{.shape = b}.ranks();
  });
  return shapes;
}

/// What a user would write for the shape.
void set_shape(SubjectOptions& subject, const Check& check, const Shape& shape) {
  if (check.tori.empty())
    subject.ranks = std::to_string(shape[0]);
  else
    subject.tori = {fmt::format("{}", fmt::join(shape, "x"))};
}

class Expansion {
 public:
  explicit Expansion(const Gate& gate) : gate_(gate) {}

  Result<std::vector<Unit>> units() {
    for (const Check& check : gate_.checks) {
      const std::size_t before = units_.size();
      if (auto added = add(check); !added) return tl::unexpected(added.error());
      if (units_.size() == before)
        return gate_.error(check, range_key(check), "no algorithm of the catalogue is for any of these");
      if (units_.size() > most_units)
        return gate_.error(check, range_key(check), fmt::format("the gate has more than {} units", most_units));
    }
    return std::move(units_);
  }

 private:
  static std::string_view range_key(const Check& check) { return check.tori.empty() ? "p" : "torus"; }

  Result<void> add(const Check& check) {
    switch (check.kind) {
      case SubjectKind::algorithms:
        return add_algorithms(check);
      case SubjectKind::file:
        return add_file(check);
      case SubjectKind::command:
        return add_command(check);
      case SubjectKind::formula:
        return add_formula(check);
    }
    return {};
  }

  Result<void> add_algorithms(const Check& check) {
    for (const Algorithm& row : catalogue()) {
      const bool is_named =
          std::find(check.algorithms.begin(), check.algorithms.end(), row.name) != check.algorithms.end();
      if (!is_named && !(check.has_all_algorithms() && !row.as_printed)) continue;
      for (const Collective collective : collectives_of(check, row))
        if (auto added = add_algorithm(check, row, collective); !added) return added;
    }
    return {};
  }

  static std::vector<Collective> collectives_of(const Check& check, const Algorithm& row) {
    if (check.collectives.empty()) return {row.collectives.front()};
    if (check.collectives.front() == "all") return {row.collectives.begin(), row.collectives.end()};
    std::vector<Collective> collectives;
    for (const std::string& text : check.collectives) collectives.push_back(*collective_named(text));
    return collectives;
  }

  Result<void> add_algorithm(const Check& check, const Algorithm& row, Collective collective) {
    const std::vector<std::vector<std::string>> plain{{}};
    for (const auto& version : check.settings.empty() ? plain : check.settings)
      for (const Shape& shape : shapes_of(check)) {
        Request request{.collective = collective, .shape = shape, .all_lanes = check.lanes == "all"};
        for (const std::string& setting : version)
          request.settings.emplace(setting.substr(0, setting.find('=')), setting.substr(setting.find('=') + 1));
        const auto reason = refusal(row, request);
        if (reason && check.has_all_algorithms()) continue;
        if (reason) return gate_.error(check, range_key(check), *reason);
        SubjectOptions subject{.algorithm = std::string(row.name),
                               .lanes = check.lanes,
                               .collective = std::string(name(collective)),
                               .settings = version};
        set_shape(subject, check, shape);
        std::vector<std::string> variant = version;
        if (request.all_lanes) variant.push_back("lanes=all");
        const std::string suffix = variant.empty() ? "" : fmt::format("/{}", fmt::join(variant, "/"));
        const std::string words = variant.empty() ? "" : fmt::format(", {}", fmt::join(variant, ", "));
        units_.push_back(
            {&check, fmt::format("{}/{}/{}{}/{}", check.name, row.name, name(collective), suffix, shape_id(shape)),
             fmt::format("{} {}{}, {}", row.name, name(collective), words, shape_text(shape)), std::move(subject)});
      }
    return {};
  }

  Result<void> add_file(const Check& check) {
    // A file that isn't there is a mistake in the gate; what is wrong in it is for the verdict.
    if (const auto text = read_file(check.file); !text && text.error().code == ExitCode::usage)
      return gate_.error(check, "file", text.error().message);
    units_.push_back({&check, fmt::format("{}/{}", check.name, check.file), check.file, {.file = check.file}});
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
    const std::vector<std::string> preset{"allreduce"};
    for (const std::string& collective : check.collectives.empty() ? preset : check.collectives)
      for (const Shape& shape : shapes_of(check)) {
        SubjectOptions subject{.peer = check.peer, .steps = check.steps, .collective = collective};
        set_shape(subject, check, shape);
        // The collective may be none that formulas make.
        if (const auto known = resolve_schedules(subject); !known)
          return gate_.error(check, "collective", known.error().message);
        units_.push_back({&check, fmt::format("{}/peer/{}/{}", check.name, collective, shape_id(shape)),
                          fmt::format("peer {} ({}), {}", check.peer, collective, shape_text(shape)),
                          std::move(subject)});
      }
    return {};
  }

  const Gate& gate_;
  std::vector<Unit> units_;
};

/// The path so that it is no option.
std::string as_operand(const std::string& path) {
  return path.starts_with('-') ? fmt::format("./{}", path) : path;
}

/// A pattern that matches that id.
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
    return limit && limit->mentions(Metric::Source::network);
  });
}

}  // namespace

bool is_topology(const std::string& text) {
  const std::string_view name = std::string_view(text).substr(0, text.find(':'));
  const auto rows = topologies();
  return text.empty() || std::any_of(rows.begin(), rows.end(), [&](const Topology& row) { return row.name == name; });
}

Result<std::vector<Unit>> units_of(const Gate& gate) {
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
  // A command runs where the gate file is; nobody knows which of its words are paths.
  const bool has_to_go = !s.command.empty() && !folder.empty();
  std::string line = has_to_go ? fmt::format("(cd {} && verify", shell_word(as_operand(folder))) : "verify";
  auto add = [&](std::string_view flag, const std::string& value) {
    if (!value.empty()) line += fmt::format(" {}{}{}", flag, flag.empty() ? "" : " ", shell_word(value));
  };
  if (!s.file.empty())
    line += fmt::format(" {}", shell_word(as_operand(folder.empty() ? s.file : path_from(folder, s.file))));
  add("--algo", s.algorithm);
  add("--exec", s.command);
  add("--peer", s.peer);
  add("--steps", s.steps);
  if (s.collective != "allreduce") add("--collective", s.collective);
  add("--p", s.ranks);
  for (const std::string& torus : s.tori) add("--torus", torus);
  if (s.lanes != "1") add("--lanes", s.lanes);
  for (const std::string& setting : s.settings) add("--set", setting);
  for (const std::string& id : unit.check->required) add("--require", id);
  if (unit.check->fifo >= 0) add("--fifo", std::to_string(unit.check->fifo));
  if (unit.check->budget > 0) add("--budget", std::to_string(unit.check->budget));
  if (unit.check->timeout > 0) add("--exec-timeout", std::to_string(unit.check->timeout));
  for (const std::string& limit : limits) add("--limit", limit);
  if (is_about_network(limits)) {
    const NetworkOptions& network = unit.check->network;
    auto seen = [&](const std::string& file) {
      return file.empty() || folder.empty() || has_to_go ? file : path_from(folder, file);
    };
    add("--topology", is_topology(network.topology) ? network.topology : seen(network.topology));
    add("--map", seen(network.map));
    add("--routing", network.routing);
    add("--network-ports", network.ports);
  }
  return has_to_go ? line + ")" : line;
}

std::string gate_command_of(const Unit& unit, const std::string& gate, const std::string& baseline) {
  std::string line = fmt::format("verify gate {}", shell_word(as_operand(gate)));
  if (!baseline.empty()) line += fmt::format(" --baseline {}", shell_word(as_operand(baseline)));
  return line + fmt::format(" --filter {}", shell_word(pattern_of(unit.id)));
}

}  // namespace onceover::gate
