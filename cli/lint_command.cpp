#include <fmt/format.h>

#include <algorithm>

#include "base/closest.h"
#include "base/files.h"
#include "base/json.h"
#include "base/try.h"
#include "cli/commands.h"
#include "cli/output_files.h"
#include "formats/msccl_lint.h"
#include "subjects/profile.h"
#include "subjects/run.h"

namespace onceover::cli {

namespace {

std::size_t count(const std::vector<LintFinding>& findings) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(), [](const LintFinding& f) { return !f.is_note; }));
}

std::string text_of(const std::vector<LintFinding>& findings, const MscclProfile& profile) {
  std::string text;
  for (const LintFinding& f : findings)
    text += fmt::format("{}:{}:{}: {}{}\n", f.at.name, f.at.line, f.at.column, f.is_note ? "note: " : "", f.at.message);
  const std::size_t reasons = count(findings);
  if (reasons == 0) return text + fmt::format("pass  {} loads it\n", profile.runtime);
  return text +
         fmt::format("fail  {} refuses it, for {} reason{}\n", profile.runtime, reasons, reasons == 1 ? "" : "s");
}

Json json_of(const std::string& file, const std::vector<LintFinding>& findings, const MscclProfile& profile) {
  Json json{{"schema_version", 1},
            {"tool", {{"name", "onceover"}, {"version", ONCEOVER_VERSION}}},
            {"file", file},
            {"profile", profile.name},
            {"verdict", count(findings) == 0 ? "pass" : "fail"},
            {"findings", Json::array()}};
  for (const LintFinding& f : findings)
    json["findings"].push_back({{"line", f.at.line},
                                {"column", f.at.column},
                                {"level", f.is_note ? "note" : "error"},
                                {"message", f.at.message}});
  return json;
}

}  // namespace

Result<ExitCode> run(const LintCommand& command) {
  TRY(check(command.json));
  TRY(check_distinct({{"FILE", command.file}}, {{"--json-out", command.json.file}}));
  const auto text = TRY(read_file(command.file));
  const auto findings = lint_msccl(command.file, text, *command.profile);
  if (!findings) return tl::unexpected(Failure{ExitCode::malformed, findings.error().render()});
  return after_output(count(*findings) == 0 ? ExitCode::ok : ExitCode::violated,
                      give_result(
                          command.json, [&] { return dump(json_of(command.file, *findings, *command.profile)); },
                          [&] { return text_of(*findings, *command.profile); }));
}

}  // namespace onceover::cli
