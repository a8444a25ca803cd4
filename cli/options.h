// What users may write after each command: the fields of its struct, bound to options with their help.
#pragma once

#include "cli/claims_command.h"
#include "cli/code_command.h"
#include "cli/command_app.h"
#include "cli/commands.h"
#include "cli/gate_command.h"
#include "cli/gpu_command.h"
#include "cli/live_command.h"
#include "cli/watch_command.h"

namespace onceover::cli {

void describe(const CommandApp& app, VerifyCommand& command);
void describe(const CommandApp& app, ListCommand& command);
void describe(const CommandApp& app, ExplainCommand& command);
void describe(const CommandApp& app, ExportCommand& command);
void describe(const CommandApp& app, DrawCommand& command);
void describe(const CommandApp& app, ReportCommand& command);
void describe(const CommandApp& app, ProveCommand& command);
void describe(const CommandApp& app, ContentionCommand& command);
void describe(const CommandApp& app, BoundCommand& command);
void describe(const CommandApp& app, CostCommand& command);
void describe(const CommandApp& app, LintCommand& command);
void describe(const CommandApp& app, GateCommand& command);
void describe(const CommandApp& app, LiveCommand& command);
void describe(const CommandApp& app, CodeCommand& command);
void describe(const CommandApp& app, GpuCommand& command);
void describe(const CommandApp& app, ClaimsCommand& command);
void describe(const CommandApp& app, WatchCommand& command);
void describe(const CommandApp& app, CompletionCommand& command);
void describe(const CommandApp& app, ManualCommand& command);
void describe(const CommandApp& app, HelpCommand& command);

}  // namespace onceover::cli
