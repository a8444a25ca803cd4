// Runs the program under test and collects what it said.
#pragma once

#include <string>

#include "namespaces.h"

namespace onceover::support {

struct Ended {
  int code;  // exit code, or 128 + signal
  std::string out;
  std::string err;
};

/// Runs a shell command in a folder, without a terminal and without standard input.
Ended run_program(const std::string& command, const std::string& folder);

/// A new empty folder that is removed with its content when this object goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name = "") const { return path_ + "/" + name; }
  std::string read(const std::string& name) const;
  void write(const std::string& name, const std::string& content) const;

 private:
  std::string path_;
};

}  // namespace onceover::support
