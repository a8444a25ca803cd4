#include "cli/watched_files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "base/namespaces.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/text.h"
#include "cli/command_line.h"
#include "gate/gate.h"
#include "subjects/judgeable.h"
#include "subjects/subject.h"
#include "units/check_keys.h"
#include "units/patterns.h"
#include "units/units.h"

namespace onceover::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_included = 1000;
constexpr std::uintmax_t most_bytes = 1 << 20;

std::string text_of(const std::string& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error) || fs::file_size(file, error) > most_bytes) return "";
  return read_file(file).value_or("");
}

/// The name in a line such as `#include "ring.h"`; empty if it is none.
std::string_view name_in(std::string_view line) {
  const auto skip = [&](std::string_view word) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with(word)) return false;
    line.remove_prefix(word.size());
    return true;
  };
  if (!skip("#") || !skip("include") || !skip("\"")) return {};
  const std::size_t end = line.find('"');
  return end == std::string_view::npos ? std::string_view() : line.substr(0, end);
}

std::optional<std::string> included(std::string_view name, const std::string& includer,
                                    const std::vector<std::string>& folders) {
  std::error_code ignored;
  const auto at = [&](const fs::path& folder) { return (folder / name).lexically_normal().string(); };
  if (auto beside = at(fs::path(includer).parent_path()); fs::is_regular_file(beside, ignored)) return beside;
  for (const std::string& folder : folders)
    if (auto there = at(folder); fs::is_regular_file(there, ignored)) return there;
  return std::nullopt;
}

/// Adds what these files include as #include "name", and what that includes: each file once, after those that name it.
/// Files are looked for beside the one that names them, then in the folders; those that aren't there are left out, and
/// so is everything above 1 MiB, such as objects. Up to 1000 files. Reads the files. Conditions of the preprocessor are
/// ignored, so there may be too many files, never too few of these.
std::vector<std::string> with_included(std::vector<std::string> files, const std::vector<std::string>& folders) {
  std::set<std::string> known(files.begin(), files.end());
  for (std::size_t k = 0; k < files.size() && files.size() < most_included; ++k) {
    const std::string text = text_of(files[k]);
    for (const std::string_view line : split(text, '\n')) {
      const std::string_view name = name_in(line);
      if (name.empty()) continue;
      const auto file = included(name, files[k], folders);
      if (file && known.insert(*file).second) files.push_back(*file);
    }
  }
  return files;
}

namespace fs = std::filesystem;

bool is_file(const std::string& name) {
  std::error_code ignored;
  return fs::is_regular_file(name, ignored);
}

std::vector<std::string> values_of(const CLI::App& app, const std::string& name) {
  const CLI::Option* option = app.get_option_no_throw(name);
  return option != nullptr && option->count() > 0 ? option->results() : std::vector<std::string>{};
}

/// The files among the words of a command for a shell.
void add_words(const std::string& command, std::vector<std::string>& files) {
  for (const std::string_view word : split(command, ' '))
    if (is_file(std::string(word))) files.emplace_back(word);
}

/// Adds the files that others among them name, such as the PTX of a launch of GPU kernels.
void add_beside(std::vector<std::string>& files) {
  for (const std::string& file : std::vector<std::string>(files)) {
    if (!file.ends_with(".toml") || !is_file(file)) continue;
    const auto text = read_file(file);
    const InputKind* kind = text ? input_kind_of(*text) : nullptr;
    if (kind == nullptr || !kind->names_files) continue;
    const auto content = parse_file(file, *text);
    if (!content || !content->program) continue;
    for (const std::string& beside : content->program->files_beside()) files.push_back(beside);
  }
}

/// The files that the checks of a gate name, as seen from its folder, which is the current one.
std::vector<std::string> files_of(const Checks& gate) {
  std::vector<std::string> files;
  const auto add = [&](const std::string& path) {
    const bool is_pattern = path.find_first_of("*?[") != std::string::npos;
    const auto matching = is_pattern ? files_matching(path) : std::vector{path};
    if (matching) files.insert(files.end(), matching->begin(), matching->end());
  };
  for (const Check& check : gate.checks) {
    if (!check.file.empty()) files.push_back(check.file);
    for (const std::string& path : check.files) add(path);
    for (const std::string& path : check.code.paths) add(path);
    for (const std::string& path : check.launches) add(path);
    for (const std::string_view name : code_option_names)
      for (const std::string& text : find_code_option(name)->print(check.code.options)) add_words(text, files);
    add_words(check.command, files);
    if (check.network.topology && is_file(check.network.topology->text)) files.push_back(check.network.topology->text);
    for (const std::string& file : {check.network.map, check.network.ways})
      if (!file.empty()) files.push_back(file);
  }
  add_beside(files);
  return files;
}

/// Another current folder, as long as this object lives.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) {
    if (!folder.empty()) fs::current_path(folder, ignored_);
  }
  ~InFolder() { fs::current_path(before_, ignored_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  std::error_code ignored_ = {};
  fs::path before_ = fs::current_path(ignored_);
};

std::vector<std::string> files_of_gate(const std::string& file) {
  const auto text = is_file(file) ? read_file(file) : usage_error("");
  const auto gate = text ? read_gate(file, *text) : tl::unexpected(text.error());
  if (!gate) return {};
  const fs::path folder = fs::path(file).parent_path();
  std::vector<std::string> files;
  const InFolder there(folder);
  for (const std::string& each : files_of(*gate))
    files.push_back(path_from(folder.empty() ? "" : folder.generic_string() + "/", each));
  return files;
}

/// Adds the files in a folder.
void add_files_in(const std::string& folder, std::vector<std::string>& files) {
  std::error_code error;
  if (!fs::is_directory(folder, error)) return;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    files.push_back(entry->path().string());
}

Result<void> refuse_options(const CLI::App& app) {
  for (const std::string name : {"--json", "--json-out", "--print-config", "--distributed", "--blocking"})
    if (!values_of(app, name).empty()) return usage_error(fmt::format("watch tells what changed; leave out {}", name));
  for (const std::string& file : values_of(app, "FILE"))
    if (is_standard_stream(file)) return usage_error("watch needs a file that can change; - is standard input");
  return {};
}

}  // namespace

Result<std::optional<WatchedLine>> WatchedLine::read(const std::vector<std::string>& words) {
  std::vector<std::string> all{"verify"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& word : all) pointers.push_back(word.data());
  CommandLine line;
  const CLI::App* app = TRY(line.read(static_cast<int>(pointers.size()), pointers.data()));
  if (app == nullptr) return std::nullopt;
  const std::string name = app->get_name();
  const bool is_gate = name == "gate", is_code = name == "code";
  if (app->get_parent() != nullptr && row_with(watched_commands, std::identity(), name) == nullptr)
    return usage_error(fmt::format("watch judges schedules, programs, code and gates again, not '{}'", name));
  TRY(refuse_options(*app));
  WatchedLine watched;
  watched.words_ = words;
  if (is_gate) watched.gate_ = app->get_option("FILE")->as<std::string>();
  watched.is_code_ = is_code;
  watched.headers_ = values_of(*app, "--include");
  for (const std::string option : {"FILE", "FILES", "--map", "--ways", "--baseline"})
    if (option != "--baseline" || values_of(*app, "--update-baseline").empty())
      for (const std::string& file : values_of(*app, option)) watched.named_.push_back(file);
  for (const std::string& file : values_of(*app, "--topology"))
    if (is_file(file)) watched.named_.push_back(file);
  for (const std::string option : {"--exec", "--build"})
    for (const std::string& command : values_of(*app, option)) add_words(command, watched.named_);
  return watched;
}

std::vector<std::string> WatchedLine::files() const {
  std::vector<std::string> files = is_code_ ? with_included(named_, headers_) : named_;
  for (const std::string& name : named_) add_files_in(name, files);
  add_beside(files);
  if (gate_.empty()) return files;
  files.push_back(gate_);
  const auto of_gate = files_of_gate(gate_);
  files.insert(files.end(), of_gate.begin(), of_gate.end());
  return files;
}

std::string why_unreadable(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    std::error_code ignored;
    const auto type = fs::status(file, ignored).type();
    const bool is_fine = type == fs::file_type::regular || type == fs::file_type::directory ||
                         type == fs::file_type::not_found || type == fs::file_type::none;
    if (!is_fine) return fmt::format("{} is a pipe or a device, not a file that can change", file);
  }
  return "";
}

FileStates states_of(const std::vector<std::string>& files) {
  const auto nanoseconds = [](const timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; };
  FileStates states;
  for (const std::string& file : files) {
    struct stat now {};
    FileState& state = states[file];
    if (stat(file.c_str(), &now) == 0)
      state = {now.st_dev, now.st_ino, now.st_size, nanoseconds(now.st_mtim), nanoseconds(now.st_ctim)};
  }
  return states;
}

}  // namespace onceover::cli
