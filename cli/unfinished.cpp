#include "cli/unfinished.h"

#include <new>

#include "base/files.h"
#include "base/interrupts.h"
#include "base/json.h"
#include "base/resource_limits.h"
#include "base/telling.h"
#include "subjects/run.h"

namespace onceover::cli {

namespace {

Failure unknown(std::string why) {
  return {ExitCode::unknown, std::move(why)};
}

Result<ExitCode> run_within_limits(const std::function<Result<ExitCode>()>& command) {
  try {
    return command();
  } catch (const std::bad_alloc&) {
    return tl::unexpected(unknown(out_of_memory()));
  } catch (const Stopped& stopped) {
    return tl::unexpected(unknown(stopped.what()));
  } catch (const LimitRanOut& limit) {
    return tl::unexpected(unknown(limit.what()));
  }
}

std::string unfinished_json(const std::string& why) {
  const Json json{{"schema_version", 1},
                  {"tool", {{"name", "onceover"}, {"version", ONCEOVER_VERSION}}},
                  {"verdict", "unknown"},
                  {"reason", why}};
  return dump(json);
}

}  // namespace

Result<ExitCode> run_to_the_end(const std::function<Result<ExitCode>()>& command, const std::string& json_file) {
  Result<ExitCode> end = run_within_limits(command);
  const bool is_unfinished = !end && end.error().code == ExitCode::unknown && !was_interrupted();
  if (!is_unfinished || json_file.empty() || is_standard_stream(json_file)) return end;
  if (const auto written = write_text(json_file, unfinished_json(end.error().message)); !written)
    warn(written.error().message);
  return end;
}

}  // namespace onceover::cli
