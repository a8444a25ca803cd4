#include "live/launcher.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace onceover::live {

std::optional<std::string> find_on_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string file = (std::filesystem::path(folders.substr(begin, end - begin)) / name).string();
    if (access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return std::nullopt;
}

std::optional<std::string> find_program(const std::string& name) {
  std::error_code error;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  if (!error && access((here / name).c_str(), X_OK) == 0) return (here / name).string();
  return find_on_path(name);
}

std::optional<std::string> starter(const std::string& library) {
  if (library != "default")
    if (auto own = find_on_path("mpirun." + library)) return own;
  return find_on_path("mpirun");
}

std::string start_command(const std::string& library, Rank ranks, const std::vector<std::string>& settings,
                          const std::string& program_and_arguments) {
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

std::string shell_word(const std::string& word) {
  const bool is_plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_-./=,:+@%").find(c) != std::string_view::npos;
  });
  if (is_plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace onceover::live
