// Each algorithm is compiled with the library's adapter, which includes the checkout's file and calls its function:
// algorithm.h, which is written for it, names both. Settings are read while the program runs, from its environment, so
// that one program serves all values.

#include "code/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>

#include "base/files.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "base/text.h"
#include "code/executable.h"

namespace onceover::code {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view adapter_function = "onceover_adapter";
constexpr std::size_t most_choices = 1000;

std::string capital(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

std::string filled(const std::string& pattern, const std::string& collective, const std::string& name) {
  return replaced(replaced(replaced(pattern, "{collective}", collective), "{Collective}", capital(collective)),
                  "{name}", name);
}

const live::LiveCollective* collective_named(const std::string& in_library) {
  return row_with(live::live_collectives(), &live::LiveCollective::name, replaced(in_library, "_", "-"));
}

/// The text with a backslash before each letter that has a meaning in a regex.
std::string escaped(const std::string& text) {
  std::string all;
  for (const char c : text) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) all += '\\';
    all += c;
  }
  return all;
}

/// The paths that a pattern describes: group 1 is the collective, group 2 the name, if it has one.
std::regex path_expression(const std::string& pattern) {
  std::string text = replaced(escaped(pattern), "\\{name\\}", "([A-Za-z0-9_]+)");
  const std::string_view hole = "\\{collective\\}";
  if (const std::size_t first = text.find(hole); first != std::string::npos) {
    text = replaced(std::move(text), hole, "\\1");
    text.replace(text.find("\\1"), 2, "([a-z_]+)");
  }
  return std::regex(text);
}

/// The names of the functions that a file of C defines, where they match the pattern.
std::vector<std::string> functions_in(const std::string& text, const std::string& pattern) {
  const std::regex expression("(^|\n)(int[ \t\n]+)?" + replaced(escaped(pattern), "\\{name\\}", "([A-Za-z0-9_]+)") +
                              "[ \t\n]*\\([^;{)]*\\)[ \t\n]*\\{");
  std::vector<std::string> names;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), expression); at != std::sregex_iterator(); ++at)
    add_new(names, (*at)[3].str());
  return names;
}

/// What the compiler or the linker says isn't there.
std::vector<std::string> missing_names(const std::string& errors) {
  static const std::regex expression(
      "implicit declaration of function '([^']+)'|'([^']+)' undeclared|unknown type name '([^']+)'"
      "|undefined reference to `([^']+)'|has no member named '([^']+)'|([^\\s:]+): No such file or directory"
      "|'([^']+)' was not declared|'([^']+)' does not name a type|no member named '([^']+)'");
  std::vector<std::string> names;
  const std::string plain = replaced(replaced(errors, "‘", "'"), "’", "'");
  for (auto at = std::sregex_iterator(plain.begin(), plain.end(), expression); at != std::sregex_iterator(); ++at)
    for (std::size_t group = 1; group < at->size(); ++group)
      if ((*at)[group].matched) add_new(names, (*at)[group].str());
  return names;
}

CallTries with(CallTries tries, const SettingValues& values) {
  for (const auto& [name, value] : values)
    tries.environment.push_back(fmt::format("ONCEOVER_SETTING_{}={}", name, value));
  tries.setting = text_of(values);
  return tries;
}

}  // namespace

std::string text_of(const SettingValues& values) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : values) parts.push_back(fmt::format("{}={}", name, value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string tried_text(std::span<const SettingValues> choices) {
  std::map<std::string, std::vector<std::int64_t>> tried;
  for (const SettingValues& values : choices)
    for (const auto& [name, value] : values) add_new(tried[name], value);
  std::vector<std::string> parts;
  for (const auto& [name, values] : tried) parts.push_back(fmt::format("{} = {}", name, fmt::join(values, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

DomainCalls domain_calls(const LibraryRow& row, const live::CallWords& said, bool is_quick) {
  DomainCalls domain{.avoids_in_place = row.in_place == InPlaceDomain::never};
  std::vector<Setting>& calls = domain.calls.given;
  const auto add = [&](const std::string& option, const std::string& value) {
    if (!value.empty() && !said.has(option)) calls.push_back({option, value});
  };
  add("count", row.count);
  add("layout", row.layout);
  if (row.in_place == InPlaceDomain::always && !said.has("in-place")) calls.push_back({"in-place", ""});
  const bool says_operators = said.has("non-commutative") || said.has("both-operators");
  if (row.collective->reduces() && !row.commutes && !says_operators && !is_quick)
    calls.push_back({"both-operators", ""});
  if (!row.hosts.empty()) domain.hosts = *Hosts::parse(row.hosts);  // the table was checked
  return domain;
}

std::vector<CodeTrial> with_values(std::span<const CodeTrial> trials, std::span<const SettingValues> choices) {
  std::vector<CodeTrial> all;
  const auto add = [&](const CodeTrial& trial, std::span<const SettingValues> values) {
    CodeTrial& added = all.emplace_back(trial);
    added.calls.clear();
    // Code that takes MPI_IN_PLACE for a buffer ends the process, so what was asked for comes first.
    for (const bool is_offered : {false, true})
      for (const SettingValues& each : values)
        for (const CallTries& tries : trial.calls)
          if (tries.is_offered == is_offered) added.calls.push_back(with(tries, each));
  };
  for (const CodeTrial& trial : trials) {
    // There, the first call that waits for ever ends the trial.
    const std::size_t step = trial.judges_buffering ? 1 : choices.size();
    for (std::size_t k = 0; k < choices.size(); k += step) add(trial, choices.subspan(k, step));
  }
  return all;
}

std::size_t most_together(Rank ranks, bool is_quick) {
  const std::size_t most_ranks = is_quick ? 512 : 64;
  return std::max(most_ranks / static_cast<std::size_t>(ranks), std::size_t{1});
}

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const auto& [path, text] : library_texts()) add_new(names, std::string(path.substr(0, path.find('/'))));
  return names;
}

Result<Library> Library::open(const std::string& name, const std::string& checkout) {
  Library library(name, replaced(checkout + "/", "//", "/"), TRY(ScratchFolder::make()));
  library.checkout_.pop_back();
  const bool is_users = name.find('/') != std::string::npos;
  if (is_users) {
    library.own_ = name;
    library.name_ = fs::path(name + "/").parent_path().filename().string();
  } else {
    const auto names = library_names();
    const std::vector<std::string_view> known(names.begin(), names.end());
    if (!has(names, name))
      return usage_error(fmt::format("--library: no '{}'{}; there are {}; or name the folder of your own, with a '/'",
                                     name, suggestion(name, known), fmt::join(names, ", ")));
    for (const auto& [path, text] : library_texts())
      if (path.starts_with(name + "/")) TRY(library.folder_.write(std::string(path), text));
    library.own_ = library.folder_.file(name);
  }
  TRY(library.read_table());
  if (!fs::is_directory(library.checkout_))
    return usage_error(fmt::format("--checkout: there is no folder {}", library.checkout_));
  if (!fs::exists(library.in_checkout(library.table_.needs)))
    return tl::unexpected(
        Failure{ExitCode::malformed,
                fmt::format("--checkout: {} is no checkout of {} (made for {}): it has no {}", library.checkout_,
                            library.name_, library.table_.made_for, library.table_.needs)});
  library.find_algorithms();
  return library;
}

Result<void> Library::read_table() {
  const std::string path = own_ + "/library.toml";
  const std::string text = TRY(read_file(path));
  table_ = TRY(read_library_table(path, text));
  for (const auto& [theirs, ours] : table_.headers) TRY(folder_.write(theirs, fmt::format("#include <{}>\n", ours)));
  return {};
}

void Library::find_algorithms() {
  for (const LibraryRow& row : table_.rows) {
    LibraryAlgorithm algorithm{row};
    algorithm.is_there = row.file.empty() ? false : fs::exists(in_checkout(row.file));
    algorithms_.push_back(std::move(algorithm));
  }
  for (const LibraryPattern& pattern : table_.patterns) add_matching(pattern);
  std::sort(algorithms_.begin(), algorithms_.end(),
            [](const LibraryAlgorithm& a, const LibraryAlgorithm& b) { return a.row.name < b.row.name; });
}

LibraryAlgorithm* Library::algorithm_named(const std::string& name) {
  const auto has_name = [&](const LibraryAlgorithm& each) { return each.row.name == name; };
  const auto found = std::find_if(algorithms_.begin(), algorithms_.end(), has_name);
  return found == algorithms_.end() ? nullptr : &*found;
}

/// All files in a folder of the checkout and the folders in it, by their paths in the checkout; sorted.
std::vector<std::string> Library::files_below(const std::string& folder) const {
  std::vector<std::string> paths;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(in_checkout(folder), error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error))
    paths.push_back(at->path().lexically_relative(checkout_).string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Adds what the pattern finds in the checkout.
void Library::add_matching(const LibraryPattern& pattern) {
  const std::regex expression = path_expression(pattern.files);
  const std::size_t slash = pattern.files.rfind('/', pattern.files.find('{'));
  const bool has_collective = pattern.files.find("{collective}") != std::string::npos;
  const bool has_name = pattern.files.find("{name}") != std::string::npos;
  for (const std::string& path : files_below(slash == std::string::npos ? "" : pattern.files.substr(0, slash))) {
    std::smatch found;
    if (!std::regex_match(path, found, expression)) continue;
    const std::string collective = has_collective ? found[1].str() : "";
    if (has_name) {
      add_found(pattern, path, collective, found[has_collective ? 2 : 1].str());
      continue;
    }
    const auto text = read_file(in_checkout(path));
    if (!text) continue;
    for (const std::string& name : functions_in(*text, filled(pattern.function, collective, "{name}")))
      add_found(pattern, path, collective, name);
  }
}

/// What a pattern finds completes the row that is there, or makes another.
void Library::add_found(const LibraryPattern& pattern, const std::string& path, const std::string& collective,
                        const std::string& name) {
  const std::string full = filled(pattern.name, collective, name);
  const std::string function = filled(pattern.function, collective, name);
  LibraryAlgorithm* known = algorithm_named(full);
  if (known != nullptr && !known->row.file.empty()) return;  // its row or an earlier pattern says where it is
  if (known == nullptr) {
    for (const LibraryAlgorithm& each : algorithms_)
      if (each.row.file == path && each.row.function == function) return;  // a row has it by another name
    known = &algorithms_.emplace_back(LibraryAlgorithm{.row = {.name = full}, .is_known = false});
  }
  known->is_there = true;
  LibraryRow& row = known->row;
  row.file = path;
  if (row.function.empty()) row.function = function;
  row.flags = pattern.flags + (row.flags.empty() ? "" : " " + row.flags);
  if (row.collective == nullptr)
    row.collective = pattern.collective != nullptr ? pattern.collective : collective_named(collective);
  for (const LibrarySetting& setting : pattern.settings)
    if (row_with(row.settings, &LibrarySetting::name, setting.name) == nullptr) row.settings.push_back(setting);
  if (row.why.empty()) row.why = pattern.why;
  if (row.why.empty() && row.collective == nullptr)
    row.why = fmt::format("verify code has no collective {}", collective);
}

Result<const LibraryAlgorithm*> Library::find(const std::string& name) const {
  std::vector<std::string_view> known;
  for (const LibraryAlgorithm& each : algorithms_) {
    if (each.row.name != name) {
      if (each.is_there && each.row.why.empty()) known.push_back(each.row.name);
      continue;
    }
    if (!each.row.why.empty()) return usage_error(fmt::format("--algo: {} isn't judged: {}", name, each.row.why));
    if (!each.is_there)
      return tl::unexpected(Failure{
          ExitCode::malformed,
          fmt::format("code: {} lacks {}, which {} has{}", checkout_, name, table_.made_for,
                      each.row.file.empty() ? "" : fmt::format(" ({} in {})", each.row.function, each.row.file))});
    return &each;
  }
  return usage_error(
      fmt::format("--algo: {} has no '{}'{}; --list says what there is", name_, name, suggestion(name, known)));
}

std::string Library::list_text() const {
  const auto group = [&](const std::string& title, const auto& is_in, const auto& told) {
    std::string text;
    std::size_t width = 0, count = 0;
    for (const LibraryAlgorithm& each : algorithms_)
      if (is_in(each)) width = std::max(width, each.row.name.size()), ++count;
    if (count == 0) return text;
    text = fmt::format("{}: {}\n", title, count);
    for (const LibraryAlgorithm& each : algorithms_) {
      if (!is_in(each)) continue;
      const std::string line = fmt::format("  {:{}}  {}", each.row.name, width, told(each));
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  };
  const auto is_judged = [](const LibraryAlgorithm& a) { return a.is_there && a.row.why.empty(); };
  const auto domain = [](const LibraryAlgorithm& a) { return domain_text(a.row); };
  std::string text = fmt::format("{} in {}: {}; made for {}\n", name_, checkout_, table_.about, table_.made_for);
  text += group(
      "judged", [&](const LibraryAlgorithm& a) { return is_judged(a) && a.is_known; }, domain);
  text += group(
      "judged, though not in the table", [&](const LibraryAlgorithm& a) { return is_judged(a) && !a.is_known; },
      [](const LibraryAlgorithm& a) { return a.row.file; });
  text += group(
      "not judged", [&](const LibraryAlgorithm& a) { return !a.row.why.empty(); },
      [](const LibraryAlgorithm& a) { return a.row.why; });
  text += group(
      "not in this checkout", [&](const LibraryAlgorithm& a) { return !a.is_there && a.row.why.empty(); },
      [](const LibraryAlgorithm& a) { return a.row.file; });
  return text;
}

/// Writes algorithm.h, which tells the adapter what to compile and to call.
Result<void> Library::write_algorithm(const LibraryRow& row) const {
  constexpr std::string_view format = R"(#ifndef ONCEOVER_ALGORITHM_H
#define ONCEOVER_ALGORITHM_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ALGORITHM {}
#define ALGORITHM_FILE "{}"
#define ARGUMENTS {}{}
#define IS_{} 1
#define SETTING(name) ONCEOVER_SETTING_##name
static inline int onceover_setting(const char *name) {{
  const char *text = getenv(name);
  if (text != NULL) return atoi(text);
  fprintf(stderr, "%s isn't set\n", name);
  abort();
}}
{}#endif
)";
  std::string settings;
  for (const LibrarySetting& setting : row.settings)
    settings += fmt::format("#define ONCEOVER_SETTING_{0} onceover_setting(\"ONCEOVER_SETTING_{0}\")\n", setting.name);
  std::error_code ignored;
  const std::string file = fs::absolute(in_checkout(row.file), ignored).lexically_normal().string();
  return folder_.write("algorithm.h",
                       fmt::format(format, row.function, file, row.arguments.empty() ? "" : ", ", row.arguments,
                                   replaced(std::string(row.collective->name), "-", "_"), settings));
}

Result<Sources> Library::sources(const LibraryRow& row, const Sources& asked) const {
  TRY(write_algorithm(row));
  Sources sources{.function = std::string(adapter_function), .collective = row.collective};
  for (const std::string& own : table_.files) sources.files.push_back(own_ + "/" + own);
  for (const std::string& other : row.with) {
    std::error_code ignored;
    if (!fs::exists(in_checkout(other), ignored))
      return tl::unexpected(
          Failure{ExitCode::malformed, fmt::format("code: {} lacks {}, which {} needs", checkout_, other, row.name)});
    sources.files.push_back(in_checkout(other));
  }
  sources.includes.push_back(folder_.file("."));
  for (const std::string& include : table_.include) sources.includes.push_back(own_ + "/" + include);
  for (const std::string& include : table_.checkout_include) sources.includes.push_back(in_checkout(include));
  sources.flags = fmt::format(
      "{} {} -gdwarf-4 -Werror=implicit-function-declaration -Werror=incompatible-pointer-types "
      "-Werror=int-conversion -ffile-prefix-map={}={}",
      table_.flags, row.flags, shell_word(own_), shell_word(name_));
  sources.files.insert(sources.files.end(), asked.files.begin(), asked.files.end());
  sources.includes.insert(sources.includes.end(), asked.includes.begin(), asked.includes.end());
  if (!asked.flags.empty()) sources.flags += " " + asked.flags;
  sources.build = asked.build;
  sources.elements = asked.elements;
  sources.number_types = asked.number_types;
  sources.digits = asked.digits;
  return sources;
}

Result<std::vector<SettingValues>> Library::choices(const LibraryRow& row, const std::vector<std::string>& chosen) {
  std::map<std::string, std::vector<std::int64_t>> values;
  for (const LibrarySetting& setting : row.settings) values[setting.name] = setting.tried;
  std::set<std::string> said;
  for (const std::string& text : chosen) {
    const std::string name = text.substr(0, text.find('='));
    const auto known = mapped(row.settings, &LibrarySetting::name);
    const std::vector<std::string_view> names(known.begin(), known.end());
    const LibrarySetting* setting = row_with(row.settings, &LibrarySetting::name, name);
    if (text.find('=') == std::string::npos)
      return usage_error(fmt::format("--set: expected NAME=LIST, such as k=2..4, found '{}'", text));
    if (setting == nullptr)
      return usage_error(
          fmt::format("--set: {} has no setting '{}'{}; {}", row.name, name, suggestion(name, names),
                      names.empty() ? "it has none" : fmt::format("there are {}", fmt::join(names, ", "))));
    if (!said.insert(name).second) return usage_error(fmt::format("--set: {} is given twice", name));
    auto list = parse_setting_values(text.substr(text.find('=') + 1));
    if (!list) return usage_error(fmt::format("--set: {}: {}", name, list.error().message));
    for (const std::int64_t value : *list)
      if (value < setting->least || value > setting->most)
        return usage_error(fmt::format("--set: {} is {} to {}, found {}", name, setting->least, setting->most, value));
    values[name] = *list;
  }
  std::vector<SettingValues> all{{}};
  for (const auto& [name, list] : values) {
    if (all.size() * list.size() > most_choices)
      return usage_error(fmt::format("--set: more than {} choices", most_choices));
    std::vector<SettingValues> longer;
    for (const SettingValues& before : all)
      for (const std::int64_t value : list) {
        longer.push_back(before);
        longer.back()[name] = value;
      }
    all = std::move(longer);
  }
  return all;
}

Failure Library::explained(const Failure& failure, const LibraryRow& row) const {
  std::vector<std::string> names = missing_names(failure.message);
  if (failure.code != ExitCode::malformed || names.empty()) return failure;
  if (std::erase(names, row.function) > 0 && names.empty())
    return {failure.code,
            fmt::format("code: {} of {} has no function {}\n{}", row.file, checkout_, row.function, failure.message)};
  return {failure.code, fmt::format("code: {} isn't judged: this checkout uses what the stand-in, made for {}, lacks: "
                                    "{}\n{}",
                                    row.name, table_.made_for, fmt::join(names, ", "), failure.message)};
}

std::string Library::title(const LibraryRow& row) const {
  return fmt::format("{} of {}", row.name, name_and_checkout());
}

std::string Library::name_and_checkout() const {
  return fmt::format("{} in {}", name_, checkout_);
}

}  // namespace onceover::code
