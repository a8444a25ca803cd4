// `verify claims`: tries what the papers claim.

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/result.h"
#include "base/sentences.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "papers/audit.h"
#include "papers/claim.h"

namespace onceover::cli {

namespace {

struct ClaimsCommand {
  std::string id = {};    // empty: all
  std::string from = {};  // a file of claims; empty: ours
  bool markdown = false;
  JsonOutput json = {};
};

/// The claims in a user's file.
Result<std::vector<Claim>> claims_from(const std::string& file) {
  const auto text = TRY(read_file(file));
  auto read = read_claims(file, text);
  if (!read) return read;
  for (Claim& claim : *read) claim.file = shell_word(file);
  return read;
}

Result<std::vector<const Claim*>> chosen(const std::vector<Claim>& from, const std::string& id) {
  std::vector<const Claim*> all;
  std::vector<std::string_view> ids;
  for (const Claim& claim : from) {
    ids.push_back(claim.id);
    if (id.empty() || claim.id == id) all.push_back(&claim);
  }
  if (all.empty())
    return usage_error(fmt::format("there is no claim '{}'{}; leave it out to see all", id, suggestion(id, ids)));
  return all;
}

bool any_is(const std::vector<Audited>& audited, ClaimVerdict verdict) {
  return std::any_of(audited.begin(), audited.end(), [&](const Audited& a) { return a.verdict == verdict; });
}

void describe(const CommandApp& app, ClaimsCommand& command) {
  app.group(subject_group);
  app->add_option("CLAIM", command.id, "The claim to check (default: all)");
  app.add_file("--from", command.from, "Check the claims of this file instead; see docs/claims-file.md");
  app.group(output_group);
  app->add_flag("--markdown", command.markdown, "Print the page docs/findings.md");
  add_json(app, command.json);
}

Result<ExitCode> run(const ClaimsCommand& command) {
  if (command.markdown && command.json.takes_output())
    return usage_error("standard output takes one of --markdown and JSON");
  TRY(check(command.json));
  TRY(check_distinct({{"--from", command.from}}, {{"--json-out", command.json.file}}));
  const auto from = TRY(command.from.empty() ? Result<std::vector<Claim>>(claims()) : claims_from(command.from));
  const auto picked = TRY(chosen(from, command.id));
  const std::vector<Audited> audited = audit(picked);
  const auto printed = give_result(
      command.json, [&] { return audit_json(audited); },
      [&] { return command.markdown ? audit_markdown(audited) : audit_text(audited); });
  if (!printed) return tl::unexpected(printed.error());
  if (any_is(audited, ClaimVerdict::unsettled)) return ExitCode::violated;
  return any_is(audited, ClaimVerdict::unknown) ? ExitCode::unknown : ExitCode::ok;
}

}  // namespace

Runner add_claims(CLI::App& app) {
  return run_with<ClaimsCommand>(app);
}

}  // namespace onceover::cli
