// `verify` itself: its options, and the parts that judge many files and blocking calls.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "formats/msccl_profile.h"
#include "formats/plan.h"
#include "subjects/input_kind.h"
#include "subjects/limit.h"
#include "subjects/run.h"
#include "subjects/subject.h"
#include "verifier/blocking.h"
#include "verifier/property.h"
#include "verifier/verify.h"

namespace onceover::cli {

struct VerifyCommand {
  SubjectOptions subject;
  std::vector<std::string> files = {};  // and folders; if it is one file, the subject's
  std::vector<std::string> required = {};
  std::vector<std::string> waived = {};
  bool json = false;
  std::string json_out = {};
  std::uint64_t budget = 0;
  Bounds bounds = {};
  LimitOptions metric_limits = {};
  bool full = false;                    // print all properties and metrics
  bool fail_fast = false;               // stop after the first failure
  bool symmetry = false;                // rest the verdict on a symmetry, if there is one, even of a small schedule
  bool no_symmetry = false;             // never rest it on a symmetry
  std::string counterexample_out = {};  // a file for a picture of the first failure
  bool repair = false;                  // look longer for a repair of what fails
  bool suggest = false;                 // look for right formulas near to that of the peers
  std::string repair_out = {};          // a file for the first failure's schedule, repaired
  std::optional<std::vector<CallOrder>> blocking = {};  // orders of blocking calls to judge instead of the schedule
  std::optional<std::uint32_t> fifo = {};               // programs: how many messages a connection holds
  std::optional<const MscclProfile*> profile = {};      // MSCCL XML: the runtime for which it is judged
  std::optional<PlanReading> reading = {};              // plans: as documented, or as a runtime runs them
  std::optional<Written<MessageSizes>> sizes = {};      // plans: sizes of messages to judge
  std::string certificate = {};                         // a file for the certificate, which verify-check reads
  bool distributed = false;                             // needs a team
  Team* team = nullptr;                                 // processes that run the command together; only number 0 prints
};

/// `verify --blocking`: do schedules end as blocking calls?
Result<ExitCode> run_blocking_orders(const VerifyCommand& command);
Result<std::vector<CallOrder>> parse_call_orders(const std::string& text);

/// Do these words name anything else than one file?
bool are_many_files(const std::vector<std::string>& named);

/// Judges the file of a command: one run, or why there is none.
using JudgeFile = std::function<Result<std::vector<Verification>>(const VerifyCommand&)>;

/// Judges each file by itself, in the order of the words, and those of a folder in the order of their names. Each has a
/// line with its verdict, and the last line has that of all. Files of a folder that hold neither a schedule nor a
/// program are named before it; if nothing is left, the verdict is unknown. A usage error in any file ends all.
///
/// The exit code is 1 if a file fails, else 3 if one can't be read, else 4 if one is unknown.
Result<ExitCode> verify_files(const VerifyCommand& command, const JudgeFile& judge);

}  // namespace onceover::cli
