#include <fmt/format.h>

#include <algorithm>

#include "base/closest.h"
#include "base/counted.h"
#include "base/files.h"
#include "base/json.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/output_files.h"
#include "formats/msccl_lint.h"
#include "formats/plan_lint.h"
#include "subjects/profile.h"
#include "subjects/run.h"

namespace onceover::cli {

namespace {

/// What a runtime makes of a file.
struct Linted {
  std::string_view profile;
  std::string_view runtime;
  std::vector<LintFinding> findings;

  std::size_t reasons(bool silent) const {
    return static_cast<std::size_t>(std::count_if(findings.begin(), findings.end(), [silent](const LintFinding& f) {
      return !f.is_note && f.is_silent == silent;
    }));
  }
  bool passes() const { return reasons(false) + reasons(true) == 0; }
};

std::string_view level(const LintFinding& finding) {
  return finding.is_note ? "note" : finding.is_silent ? "silent" : "error";
}

std::string text_of(const Linted& linted) {
  std::string text;
  for (const LintFinding& f : linted.findings)
    text += fmt::format("{}:{}:{}: {}{}\n", f.at.name, f.at.line, f.at.column,
                        level(f) == "error" ? "" : fmt::format("{}: ", level(f)), f.at.message);
  const std::size_t refused = linted.reasons(false), silent = linted.reasons(true);
  if (linted.passes()) return text + fmt::format("pass  {} loads it\n", linted.runtime);
  if (refused == 0)
    return text + fmt::format("fail  {} loads it and goes wrong, for {}\n", linted.runtime, counted(silent, "reason"));
  return text + fmt::format("fail  {} refuses it, for {}\n", linted.runtime, counted(refused, "reason"));
}

Json json_of(const std::string& file, const Linted& linted) {
  Json json{{"schema_version", 1},
            {"tool", {{"name", "onceover"}, {"version", ONCEOVER_VERSION}}},
            {"file", file},
            {"profile", linted.profile},
            {"verdict", linted.passes() ? "pass" : "fail"},
            {"findings", Json::array()}};
  for (const LintFinding& f : linted.findings)
    json["findings"].push_back(
        {{"line", f.at.line}, {"column", f.at.column}, {"level", level(f)}, {"message", f.at.message}});
  return json;
}

}  // namespace

Result<ExitCode> run(const LintCommand& command) {
  TRY(check(command.json));
  TRY(check_distinct({{"FILE", command.file}}, {{"--json-out", command.json.file}}));
  const auto text = TRY(read_file(command.file));
  const MscclProfile* msccl = command.profile.msccl;
  auto findings = msccl != nullptr ? lint_msccl(command.file, text, *msccl) : lint_plan(command.file, text);
  if (!findings) return tl::unexpected(Failure{ExitCode::malformed, findings.error().render()});
  const Linted linted{msccl != nullptr ? msccl->name : plan_profile, msccl != nullptr ? msccl->runtime : plan_runtime,
                      *std::move(findings)};
  return after_output(
      linted.passes() ? ExitCode::ok : ExitCode::violated,
      give_result(
          command.json, [&] { return dump(json_of(command.file, linted)); }, [&] { return text_of(linted); }));
}

}  // namespace onceover::cli
