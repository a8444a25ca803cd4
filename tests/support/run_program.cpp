#include "run_program.h"

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace onceover::support {

Ended run_program(const std::string& command, const std::string& folder) {
  const TemporaryFolder logs;
  const std::string shell =
      "cd '" + folder + "' && ( " + command + " ) </dev/null >" + logs.path("out") + " 2>" + logs.path("err");
  const int status = std::system(shell.c_str());
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, logs.read("out"), logs.read("err")};
}

TemporaryFolder::TemporaryFolder() : path_((std::filesystem::temp_directory_path() / "onceover.XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::read(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void TemporaryFolder::write(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
}

}  // namespace onceover::support
