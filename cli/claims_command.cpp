#include "cli/claims_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/closest.h"
#include "base/files.h"
#include "base/try.h"
#include "base/words.h"
#include "cli/commands.h"
#include "cli/output_files.h"
#include "papers/audit.h"
#include "papers/claim.h"

namespace onceover::cli {

namespace {

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

bool has(const std::vector<Audited>& audited, ClaimVerdict verdict) {
  return std::any_of(audited.begin(), audited.end(), [&](const Audited& a) { return a.verdict == verdict; });
}

}  // namespace

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
  if (has(audited, ClaimVerdict::unsettled)) return ExitCode::violated;
  return has(audited, ClaimVerdict::unknown) ? ExitCode::unknown : ExitCode::ok;
}

}  // namespace onceover::cli
