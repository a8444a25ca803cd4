#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "cli/commands.h"
#include "cli/files.h"
#include "cli/run.h"
#include "schedules/closest.h"

namespace onceover::cli {

namespace {

/// A line on a terminal's standard error that says how far the work is; silent elsewhere.
class Progress {
 public:
  explicit Progress(std::size_t subjects) : subjects_(subjects), shown_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void report(std::size_t subject, Rank ranks, double part) {
    if (!shown_) return;
    const int percent = static_cast<int>(100 * (static_cast<double>(subject) + part) / static_cast<double>(subjects_));
    if (drawn_ && percent == percent_) return;
    percent_ = percent;
    drawn_ = true;
    fmt::print(stderr, "\r\033[K{:3} %  p = {}", percent, ranks);
    std::fflush(stderr);
  }

 private:
  std::size_t subjects_;
  bool shown_;
  bool drawn_ = false;
  int percent_ = 0;
};

Result<void> check_ids(const std::vector<std::string>& ids) {
  std::vector<std::string_view> known;
  for (const Property& p : properties()) known.push_back(p.id);
  for (const std::string& id : ids)
    if (std::find(known.begin(), known.end(), id) == known.end())
      return usage_error(fmt::format("--require: no property '{}'{}; there are {}", id, suggestion(id, known),
                                     fmt::join(known, ", ")));
  return {};
}

Header without_owners(Header header) {
  header.owners.clear();
  return header;
}

std::vector<Run> judge(const std::vector<Subject>& subjects, const VerifyCommand& command) {
  Progress progress(subjects.size());
  std::vector<Run> runs;
  for (const Subject& subject : subjects) {
    const SchedulePtr schedule = subject.make();
    VerifyOptions options{.budget = command.budget, .required = command.required};
    options.on_progress = [&](double part) { progress.report(runs.size(), subject.ranks, part); };
    runs.push_back({subject.file, without_owners(schedule->header()), verify(*schedule, options)});
  }
  return runs;
}

ExitCode exit_code(Verdict verdict) {
  switch (verdict) {
    case Verdict::pass:
      return ExitCode::ok;
    case Verdict::fail:
      return ExitCode::violated;
    case Verdict::unknown:
      return ExitCode::unknown;
  }
  return ExitCode::internal;
}

std::string dump(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

Result<ExitCode> run(const VerifyCommand& command) {
  if (auto known = check_ids(command.required); !known) return tl::unexpected(known.error());
  const auto subjects = resolve(command.subject);
  if (!subjects) return tl::unexpected(subjects.error());
  if (!command.json_out.empty())
    if (auto writable = check_writable(command.json_out); !writable) return tl::unexpected(writable.error());
  const std::vector<Run> runs = judge(*subjects, command);
  if (auto printed = print(command.json ? dump(json_report(runs)) : text_report(runs)); !printed)
    return tl::unexpected(printed.error());
  if (!command.json_out.empty()) {
    const std::string text = dump(json_report(runs));
    auto write = [&](std::FILE* file) { return std::fwrite(text.data(), 1, text.size(), file) == text.size(); };
    if (auto written = write_file(command.json_out, write); !written) return tl::unexpected(written.error());
  }
  return exit_code(overall(runs));
}

}  // namespace onceover::cli
