// `verify lint`: would a runtime load the file?

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/json.h"
#include "base/result.h"
#include "base/rows.h"
#include "base/sentences.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "formats/lint.h"
#include "subjects/input_kind.h"
#include "subjects/run.h"

namespace onceover::cli {

namespace {

struct LintCommand {
  std::string file = {};
  LintProfile profile = {};
  JsonOutput json = {};
};

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
  Json json = result_json({{"file", file},
                           {"profile", linted.profile},
                           {"verdict", linted.passes() ? "pass" : "fail"},
                           {"findings", Json::array()}});
  for (const LintFinding& f : linted.findings)
    json["findings"].push_back(
        {{"line", f.at.line}, {"column", f.at.column}, {"level", level(f)}, {"message", f.at.message}});
  return json;
}

/// Refuses a profile of another format than the file's. Any JSON may be meant to be a plan.
Result<void> check_format(const std::string& text, std::string_view profile) {
  const InputKind* kind = input_kind_of(text);
  const bool is_for_plans = profile == plan_profile;
  const bool is_plan = kind == &plan_kind;
  const bool is_json = is_plan || kind == &schedule_file_kind;
  const bool is_xml = kind == &msccl_xml_kind;
  if (kind == nullptr || (is_for_plans ? is_json : is_xml)) return {};
  const std::string remedy =
      is_xml    ? fmt::format("; say --profile {}", in_sentence(mapped(msccl_profiles(), &MscclProfile::name), "or"))
      : is_plan ? fmt::format("; say --profile {}", plan_profile)
                : ", of which no runtime is linted";
  return usage_error(fmt::format("--profile {} is about {}, and this is {}{}", profile,
                                 is_for_plans ? "plans of MSCCL++" : "MSCCL XML", kind->language, remedy));
}

void describe(const CommandApp& app, LintCommand& command) {
  app.group(subject_group);
  app->add_option("FILE", command.file, "An MSCCL XML file, or a plan of MSCCL++")->required();
  app.add_parsed("--profile NAME", command.profile, parse_lint_profile,
                 "The runtime: msccl, rccl or azure of MSCCL XML, mscclpp of plans")
      ->required();
  app.group(output_group);
  add_json(app, command.json);
}

Result<ExitCode> run(const LintCommand& command) {
  TRY(check(command.json));
  TRY(check_distinct({{"FILE", command.file}}, {{"--json-out", command.json.file}}));
  const auto text = TRY(read_file(command.file));
  const MscclProfile* msccl = command.profile.msccl;
  TRY(check_format(text, msccl != nullptr ? msccl->name : plan_profile));
  auto findings = msccl != nullptr ? lint_msccl(command.file, text, *msccl) : lint_plan(command.file, text);
  if (!findings) return tl::unexpected(malformed(findings.error()));
  const Linted linted{msccl != nullptr ? msccl->name : plan_profile, msccl != nullptr ? msccl->runtime : plan_runtime,
                      *std::move(findings)};
  return after_output(
      linted.passes() ? ExitCode::ok : ExitCode::violated,
      give_result(
          command.json, [&] { return dump(json_of(command.file, linted)); }, [&] { return text_of(linted); }));
}

}  // namespace

Runner add_lint(CLI::App& app) {
  return run_with<LintCommand>(app);
}

}  // namespace onceover::cli
