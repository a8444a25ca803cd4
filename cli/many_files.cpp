// `verify a.xml b.json`, `verify plans/`: the folder's files are read once to see which are ours, and again when their
// turn comes. Names that begin with a dot are left out without a word, as shells do.
//
// Example: a folder with ring.json, which passes, and README gives
//   ring.json (ring allreduce), p = 4: ..
//   pass  each rank's contribution ..
//
//   not tried: README (no format that I read)
//   pass  1 file (1 file not tried)
//
// One file after the other; each by all threads. Memory: the reports.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/report_output.h"
#include "base/resource_limits.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "cli/colors.h"
#include "cli/output.h"
#include "cli/verify_command.h"
#include "formats/foreign_formats.h"
#include "subjects/input_kind.h"

namespace onceover::cli {

namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& name) {
  std::error_code ignored;
  return fs::is_directory(name, ignored);
}

/// What became of one file.
struct JudgedFile {
  std::string name;
  std::vector<Verification> runs = {};
  Failure unread = {ExitCode::unknown, ""};  // why it has none

  Verdict verdict() const { return runs.empty() ? Verdict::unknown : subjects::overall(runs); }
};

JudgedFile not_read(const std::string& name, std::string_view why) {
  return {.name = name, .unread = {ExitCode::unknown, fmt::format("{}: {}", name, why)}};
}

struct FilesToJudge {
  std::vector<std::string> files;
  std::vector<LeftOut> left_out;
  std::vector<JudgedFile> unread;
  std::vector<std::string> hollow;  // folders with nothing to judge
};

/// What else than a file an entry of a folder is, such as a link to a folder.
std::string what_else(const fs::directory_entry& entry) {
  std::error_code ignored;
  if (!entry.is_symlink(ignored)) return "neither a file nor a folder";
  if (!entry.exists(ignored)) return "a link to nothing";
  return entry.is_directory(ignored) ? "a link to a folder" : "a link to neither a file nor a folder";
}

/// Adds a file of a folder to those that are judged, or says why it isn't.
void add_file(const std::string& name, FilesToJudge& found) {
  std::string text(std::size_t{1} << 20, '\0');
  std::ifstream file(name, std::ios::binary);
  if (!file) return found.unread.push_back(not_read(name, "it can't be read"));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (is_likely_ours({name, text, file.eof()})) return found.files.push_back(name);
  const ForeignFormat* foreign = foreign_format_of(text);
  found.left_out.push_back(
      {name, foreign == nullptr ? "no format that I read" : fmt::format("{}, which I don't read", foreign->what)});
}

/// Adds the files of a folder and of those in it, by name.
void add_folder(const std::string& folder, FilesToJudge& found) {
  std::error_code error, ignored;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (!entry->path().filename().string().starts_with('.')) entries.push_back(*entry);
  if (error) found.unread.push_back(not_read(folder, error.message()));
  std::sort(entries.begin(), entries.end());
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().string();
    if (entry.is_regular_file(ignored))
      add_file(name, found);
    else if (entry.is_directory(ignored) && !entry.is_symlink(ignored))
      add_folder(name, found);
    else
      found.left_out.push_back({name, what_else(entry)});
  }
}

Result<FilesToJudge> files_to_judge(const std::vector<std::string>& named) {
  FilesToJudge found;
  for (const std::string& name : named) {
    if (!is_folder(name)) {
      TRY(check_readable(name));
      found.files.push_back(name);
      continue;
    }
    const std::size_t before = found.files.size() + found.unread.size();
    add_folder(name, found);
    if (found.files.size() + found.unread.size() == before) found.hollow.push_back(name);
  }
  return found;
}

/// Refuses an output that would replace a file that is judged.
Result<void> check_output(const VerifyCommand& command, const std::vector<std::string>& files) {
  std::vector<NamedFile> read;
  for (const std::string& file : files) read.push_back({file, file});
  return check_distinct(read, {{"--json-out", command.json_out}});
}

/// Refuses options that are about one schedule.
Result<void> check_for_files(const VerifyCommand& command) {
  const SubjectOptions& subject = command.subject;
  if (!subject.algorithms.empty() || !subject.command.empty() || subject.peer)
    return usage_error("either files, or --algo, --exec or --peer, not both");
  for (const auto& [flag, is_given] :
       {std::pair{"--certify", !command.certificate.empty()},
        std::pair{"--draw-counterexample", !command.counterexample_out.empty()},
        std::pair{"--repair-out", !command.repair_out.empty()}, std::pair{"--blocking", command.blocking.has_value()},
        std::pair{"--distributed", command.distributed}})
    if (is_given) return usage_error(fmt::format("{} is about one file; judge it by itself", flag));
  return {};
}

class ManyFiles {
 public:
  ManyFiles(const VerifyCommand& command, const JudgeFile& judge, FilesToJudge found)
      : command_(command), judge_(judge), found_(std::move(found)) {}

  Result<void> judge_all() {
    judged_ = found_.unread;
    if (found_.files.empty()) return {};
    for (const std::string& folder : found_.hollow)
      judged_.push_back(not_read(folder, "there is no file in it that I read"));
    for (std::size_t k = 0; k < found_.files.size(); ++k) {
      Progress::say(k, found_.files.size(), found_.files[k]);
      judged_.push_back(TRY(judged(found_.files[k])));
      if (!command_.fail_fast || judged_.back().verdict() != Verdict::fail) continue;
      for (++k; k < found_.files.size(); ++k) found_.left_out.push_back({found_.files[k], "after the first failure"});
    }
    return {};
  }

  ExitCode code() const {
    if (count(Verdict::fail) > 0) return ExitCode::violated;
    const bool is_malformed = std::any_of(judged_.begin(), judged_.end(), [](const JudgedFile& file) {
      return file.runs.empty() && file.unread.code == ExitCode::malformed;
    });
    if (is_malformed) return ExitCode::malformed;
    return count(Verdict::unknown) > 0 || judged_.empty() ? ExitCode::unknown : ExitCode::ok;
  }

  std::string text() const {
    std::string text;
    for (const JudgedFile& file : judged_)
      text += (file.runs.empty() ? fmt::format("{}\nunknown  {} was not judged\n", file.unread.message, file.name)
                                 : subjects::text_report(file.runs, command_.full)) +
              "\n";
    if (!found_.left_out.empty()) text += subjects::left_out_text(found_.left_out) + "\n";
    return text + verdict_text();
  }

  std::string json() const {
    std::vector<Verification> runs;
    Json unread = Json::array();
    for (const JudgedFile& file : judged_) {
      runs.insert(runs.end(), file.runs.begin(), file.runs.end());
      if (file.runs.empty()) unread.push_back({{"file", file.name}, {"message", file.unread.message}});
    }
    Json json = subjects::json_report(runs);
    json["summary"]["unknown"] = count(Verdict::unknown);
    if (!unread.empty()) json["unread"] = std::move(unread);
    if (!found_.left_out.empty()) json["left_out"] = subjects::left_out_json(found_.left_out);
    return subjects::dump(json);
  }

 private:
  Result<JudgedFile> judged(const std::string& name) const {
    VerifyCommand one = command_;
    one.files.clear();
    one.subject.file = name;
    auto runs = within_limits([&] { return judge_(one); });
    if (!runs) return not_read(name, runs.error());
    if (*runs) return JudgedFile{.name = name, .runs = **std::move(runs)};
    const Failure& failure = runs->error();
    if (failure.code == ExitCode::usage)
      return usage_error(failure.message.starts_with(name) ? failure.message
                                                           : fmt::format("{}: {}", name, failure.message));
    return JudgedFile{.name = name, .unread = failure};
  }

  long count(Verdict verdict) const {
    return std::count_if(judged_.begin(), judged_.end(),
                         [&](const JudgedFile& file) { return file.verdict() == verdict; });
  }

  std::string verdict_text() const {
    if (judged_.empty()) return "unknown  nothing was judged\n";
    for (const Verdict verdict : {Verdict::fail, Verdict::unknown}) {
      if (count(verdict) == 0) continue;
      std::vector<std::string_view> names;
      for (const JudgedFile& file : judged_)
        if (file.verdict() == verdict) names.push_back(file.name);
      return fmt::format("{}  {} of {}: {}\n", name(verdict), names.size(), counted(judged_.size(), "file"),
                         fmt::join(names, ", "));
    }
    return fmt::format("pass  {}{}{}\n", judged_.size() == 1 ? "" : "all ", counted(judged_.size(), "file"),
                       reservations());
  }

  /// " (exactly-once waived; 3 files not tried)": what a pass doesn't say; or nothing.
  std::string reservations() const {
    std::vector<std::string_view> waived;
    for (const JudgedFile& file : judged_)
      for (const std::string_view id : subjects::waived_in(file.runs)) add_new(waived, id);
    std::vector<std::string> all;
    if (!waived.empty()) all.push_back(fmt::format("{} waived", fmt::join(waived, ", ")));
    if (const std::size_t left = found_.left_out.size(); left > 0) all.push_back(counted(left, "file") + " not tried");
    return all.empty() ? "" : fmt::format(" ({})", fmt::join(all, "; "));
  }

  const VerifyCommand& command_;
  const JudgeFile& judge_;
  FilesToJudge found_;
  std::vector<JudgedFile> judged_ = {};
};

}  // namespace

bool are_many_files(const std::vector<std::string>& named) {
  return named.size() > 1 || (named.size() == 1 && is_folder(named.front()));
}

Result<ExitCode> verify_files(const VerifyCommand& command, const JudgeFile& judge) {
  TRY(check_for_files(command));
  if (!command.json_out.empty()) TRY(check_writable(command.json_out));
  FilesToJudge found = TRY(files_to_judge(command.files));
  TRY(check_output(command, found.files));
  ManyFiles files(command, judge, std::move(found));
  TRY(files.judge_all());
  ExitCode ends = files.code();
  const bool has_room = !is_standard_stream(command.json_out);
  if (has_room) ends = after_output(ends, print(command.json ? files.json() : painted(files.text())));
  return command.json_out.empty() ? ends : after_output(ends, write_text(command.json_out, files.json()));
}

}  // namespace onceover::cli
