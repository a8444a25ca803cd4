// Judges all launches of a description: one for each number of ranks and size.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "gpu/judge.h"
#include "gpu/judged_pointer.h"
#include "gpu/launch/description.h"
#include "gpu/launch/program.h"
#include "gpu/report.h"

namespace onceover::gpu {

/// A description and its program. Each of its launches can be made.
struct LoadedDescription {
  Description description;
  LoadedProgram program;
};

/// Reads the description in the text of a file called `name`, and its program: that in the file `program` (PTX or CUDA)
/// if this isn't empty, else the one that the description names. Mistakes that only some numbers of ranks and sizes
/// show are found, too. A mistake in a file is `malformed`; a number of ranks or a property that doesn't exist is a
/// usage error.
Result<LoadedDescription> load_description(const std::string& name, const std::string& text,
                                           DescriptionOverrides overrides = {}, const std::string& program = "");

/// Judges the launches, those of fewer ranks first, then those of smaller size. There is at least one. Ids of
/// properties in the options must be those of gpu_properties().
GpuReport judge(const LoadedDescription& loaded, const GpuJudgeOptions& options);

/// A description that was judged.
struct JudgedDescription {
  LoadedDescription loaded;
  GpuReport report;
};

/// What happens under the schedule that failed, or with warps that take turns if none did, with all accesses of a
/// place.
RunTrace trace_of(const LoadedDescription& loaded, const GpuRun& run, const WatchedPlace& place);

/// The line of the description that says what the output must hold that a counterexample is about; 0 if it is about
/// none.
std::size_t line_of_promise(const Description& description, const verifier::Counterexample& counterexample);

/// A usage error if an id isn't one of gpu_properties().
Result<void> check_gpu_properties(const std::vector<std::string>& ids);

/// The program in a file: CUDA if its name ends with .cu, else PTX.
Result<LoadedProgram> load_program_file(const std::string& path);

}  // namespace onceover::gpu
