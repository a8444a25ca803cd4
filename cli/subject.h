// What the command is about: schedules, from the catalogue or from a file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "schedules/schedule.h"

namespace onceover::cli {

/// The options that name a subject, as the user gave them; empty where not given.
struct SubjectOptions {
  std::string algorithm;
  std::string file;
  std::string ranks;
  std::vector<std::string> tori;
  std::string lanes;
  std::string collective;
  std::vector<std::string> settings;
};

/// A schedule to be made when its turn comes.
struct Subject {
  std::string file;  // empty for the catalogue's
  Rank ranks;
  std::function<SchedulePtr()> make;
};

/// The schedules that the options name, by growing number of ranks. All names, ranges and files are checked here.
Result<std::vector<Subject>> resolve(const SubjectOptions& options);

}  // namespace onceover::cli
