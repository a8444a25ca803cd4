#include "live/launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/process.h"
#include "base/text.h"

namespace onceover::live {

std::optional<std::string> find_program(const std::string& name) {
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (!error && access((here / name).c_str(), X_OK) == 0) return (here / name).string();
  return find_on_path(name);
}

bool is_one_process(std::string_view library) {
  return library == "simgrid" || library == "gloo";
}

std::optional<std::string> starter(const std::string& library) {
  if (library != "default")
    if (auto own = find_on_path("mpirun." + library)) return own;
  return find_on_path("mpirun");
}

std::string start_command(const std::string& library, Rank ranks, const std::vector<std::string>& settings,
                          const std::string& program_and_arguments) {
  if (is_one_process(library)) return fmt::format("{} --p {}{}", program_and_arguments, ranks, shell_words(settings));
  std::vector<std::string> all = settings;
  std::string options;
  if (library == "openmpi") {
    options = " --oversubscribe --bind-to none";
    all.push_back("OMPI_MCA_mpi_yield_when_idle=1");
    if (geteuid() == 0) all.insert(all.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  }
  if (library == "mpich") options = " -launcher fork";
  const std::string name = library != "default" && find_on_path("mpirun." + library) ? "mpirun." + library : "mpirun";
  std::string command;
  for (const std::string& setting : all) command += shell_word(setting) + " ";
  return fmt::format("{}{}{} -n {} {}", command, name, options, ranks, program_and_arguments);
}

}  // namespace onceover::live
