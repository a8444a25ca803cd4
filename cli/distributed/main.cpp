// `verify-distributed`: `verify` in every process that mpirun starts. Only process 0 prints.

#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <numeric>
#include <stdexcept>

#include "base/interrupts.h"
#include "cli/program.h"
#include "verifier/team.h"

namespace onceover::cli {

namespace {

constexpr int ended = -1;

/// The number of threads for each process: the cores that it may use, divided among the processes that may use the
/// same; the smallest of all processes.
int threads_each(int processes) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  sched_getaffinity(0, sizeof mine, &mine);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int neighbours = 1;
  MPI_Comm_size(node, &neighbours);
  std::vector<cpu_set_t> all(static_cast<std::size_t>(neighbours));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, node);
  MPI_Comm_free(&node);
  const auto sharing = std::count_if(all.begin(), all.end(), [&](const cpu_set_t& other) {
    cpu_set_t both;
    CPU_AND(&both, &mine, &other);
    return CPU_COUNT(&both) > 0;
  });
  int threads = std::max(1, CPU_COUNT(&mine) / std::max(1, static_cast<int>(sharing)));
  // Shares are equal, so a process with more threads would only end earlier. Windows are divided by the sum, an int.
  threads = std::min(threads, INT_MAX / processes / 64);
  MPI_Allreduce(MPI_IN_PLACE, &threads, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return threads;
}

/// The team of processes that mpirun started. It spans MPI_Init to MPI_Finalize, which `end` calls. Make one at a time,
/// and use it in the thread that made it.
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

MpiTeam::MpiTeam(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  MPI_Comm_rank(MPI_COMM_WORLD, &number_);
  threads_ = threads_each(size_);
}

std::vector<int> MpiTeam::sizes(int mine) const {
  std::vector<int> all(static_cast<std::size_t>(size_));
  MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return all;
}

std::vector<std::string> MpiTeam::exchange(const std::string& mine, const std::vector<int>& sizes) const {
  std::vector<int> offsets(sizes.size() + 1, 0);
  std::partial_sum(sizes.begin(), sizes.end(), offsets.begin() + 1);
  std::string together(static_cast<std::size_t>(offsets.back()), ' ');
  MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, together.data(), sizes.data(), offsets.data(),
                 MPI_CHAR, MPI_COMM_WORLD);
  std::vector<std::string> all;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    all.push_back(together.substr(static_cast<std::size_t>(offsets[k]), static_cast<std::size_t>(sizes[k])));
  return all;
}

std::vector<std::string> MpiTeam::gather(const std::string& mine) {
  if (mine.size() > static_cast<std::size_t>(INT_MAX / size_)) throw std::length_error("too much to gather");
  const std::vector<int> all = sizes(static_cast<int>(mine.size()));
  other_ended_ = std::find(all.begin(), all.end(), ended) != all.end();
  if (other_ended_) throw std::runtime_error("another process has ended");
  return exchange(mine, all);
}

End MpiTeam::end(const End& mine) {
  if (!other_ended_) sizes(ended);
  // A process that another one cut off sends nothing; one that ended by itself sends its code and why.
  const std::string words =
      other_ended_ ? "" : std::string(1, static_cast<char>(static_cast<int>(mine.code))) + mine.message;
  const auto all = exchange(words, sizes(static_cast<int>(words.size())));
  MPI_Finalize();
  // A message says why a process couldn't continue; it counts before a verdict.
  const auto longer_than = [&](std::size_t size) {
    return std::find_if(all.begin(), all.end(), [&](const std::string& each) { return each.size() > size; });
  };
  const auto first = longer_than(1) != all.end() ? longer_than(1) : longer_than(0);
  return {static_cast<ExitCode>(static_cast<unsigned char>(first->front())), first->substr(1)};
}

/// From now on this process prints nothing.
void fall_silent() {
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0) return;
  std::fflush(stdout);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(nowhere);
}

}  // namespace

}  // namespace onceover::cli

int main(int argc, char** argv) {
  using namespace onceover::cli;
  handle_interrupts();
  MpiTeam team(argc, argv);
  if (team.number() != 0) fall_silent();
  const End end = team.end(carry_out(argc, argv, &team));
  if (!end.message.empty()) fmt::print(stderr, "{}\n", end.message);
  // Otherwise, if another process ended with a code of its own, mpirun might end process 0 before it has printed.
  return team.number() == 0 ? static_cast<int>(end.code) : 0;
}
