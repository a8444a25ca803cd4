// MpiTeam: the team of processes that mpirun started.
#pragma once

#include "cli/program.h"
#include "verifier/team.h"

namespace onceover::cli {

/// Spans MPI_Init to MPI_Finalize, which `end` calls. Make one at a time, and use it in the thread that made it.
///
/// Every gather begins with each process's number of bytes. A process that ends sends -1 instead, so nobody waits for
/// one that has given up. If a process is killed, MPI ends them all.
class MpiTeam : public Team {
 public:
  MpiTeam(int argc, char** argv);

  int size() const override { return size_; }
  int number() const override { return number_; }
  int threads() const override { return threads_; }
  std::vector<std::string> gather(const std::string& mine) override;

  /// Waits until all processes have ended, too. Returns the end of all: that of the process with the lowest number that
  /// couldn't run the command; if all could, that of number 0.
  End end(const End& mine);

 private:
  std::vector<int> sizes(int mine) const;
  std::vector<std::string> exchange(const std::string& mine, const std::vector<int>& sizes) const;

  int size_ = 1;
  int number_ = 0;
  int threads_ = 1;
  bool other_ended_ = false;
};

}  // namespace onceover::cli
