// Which algorithms a library can be told to run, and by which settings. All list them except MPICH.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>

#include "base/process.h"
#include "base/result.h"
#include "base/text.h"
#include "live/sweep.h"

namespace onceover::live {

namespace {

/// The values of MPICH 4.0's MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM. MPICH can't list them in a form that a program
/// could read.
const std::map<std::string, std::vector<std::string>>& mpich_algorithms() {
  static const std::map<std::string, std::vector<std::string>> table{
      {"allreduce", {"nb", "smp", "recursive_doubling", "reduce_scatter_allgather"}},
      {"reduce", {"binomial", "nb", "smp", "reduce_scatter_gather"}},
      {"reduce-scatter", {"nb", "noncommutative", "pairwise", "recursive_doubling", "recursive_halving"}},
      {"reduce-scatter-block", {"nb", "noncommutative", "pairwise", "recursive_doubling", "recursive_halving"}},
      {"allgather", {"brucks", "nb", "recursive_doubling", "ring"}},
      {"allgatherv", {"brucks", "nb", "recursive_doubling", "ring"}},
      {"bcast", {"binomial", "nb", "smp", "scatter_recursive_doubling_allgather", "scatter_ring_allgather"}},
      {"gather", {"binomial", "nb"}},
      {"scatter", {"binomial", "nb"}},
      {"alltoall", {"brucks", "nb", "pairwise", "pairwise_sendrecv_replace", "scattered"}},
      {"alltoallv", {"nb", "pairwise_sendrecv_replace", "scattered"}},
      {"scan", {"nb", "smp", "recursive_doubling"}},
      {"exscan", {"nb", "recursive_doubling"}},
  };
  return table;
}

std::string with_underscores(std::string name, bool upper) {
  for (char& c : name) c = c == '-' ? '_' : upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
  return name;
}

Result<std::vector<Choice>> openmpi_choices(const SweepOptions& options) {
  const auto end = run_process({options.program, {"--settings"}}, {.seconds = 60});
  if (!end || end->exit_code != 0)
    return usage_error(fmt::format("--sweep: '{} --settings' doesn't run", options.program));
  std::vector<Choice> list;
  for (const std::string& collective : options.collectives) {
    const std::string variable = fmt::format("coll_tuned_{}_algorithm", with_underscores(collective, false));
    list.push_back({collective, "default", {}});
    std::istringstream lines(end->out);
    for (std::string name, number, algorithm; lines >> name >> number >> algorithm;)
      if (name == variable && number != "0")
        list.push_back({collective,
                        fmt::format("{} {}", number, algorithm),
                        {"OMPI_MCA_coll_tuned_use_dynamic_rules=1", fmt::format("OMPI_MCA_{}={}", variable, number)}});
  }
  return list;
}

/// What SimGrid answers to the name of an algorithm that it doesn't have: "Valid algorithms: default, lr, rab1." Those
/// that repeat the choices of another library stay; `automatic`, which tries all, goes.
std::vector<std::string> simgrid_algorithms(const std::string& program, const std::string& collective) {
  const std::string unknown = fmt::format("--cfg=smpi/{}:?", with_underscores(collective, false));
  const auto end = run_process({program, {"--p", "1", unknown}}, {.seconds = 60});
  constexpr std::string_view before = "Valid algorithms: ";
  std::vector<std::string> list;
  const std::size_t at = end ? end->errors.find(before) : std::string::npos;
  if (at == std::string::npos) return list;
  const std::string line = end->errors.substr(at + before.size(), end->errors.find(".\n", at) - at - before.size());
  for (std::string_view name : split(line, ',')) {
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    if (name != "default" && name != "automatic") list.emplace_back(name);
  }
  return list;
}

/// Each algorithm with a rank a host, four, and all on one.
Result<std::vector<Choice>> simgrid_choices(const SweepOptions& options) {
  std::vector<Choice> list;
  for (const std::string& collective : options.collectives) {
    auto names = simgrid_algorithms(options.program, collective);
    names.insert(names.begin(), "default");
    for (const std::string& name : names)
      for (const auto& [hosts, text] : {std::pair{"each", ""}, {"4", ", 4 ranks a host"}, {"one", ", one host"}}) {
        Choice choice{collective, name + text, {fmt::format("--hosts={}", hosts)}};
        if (name != "default")
          choice.settings.push_back(fmt::format("--cfg=smpi/{}:{}", with_underscores(collective, false), name));
        list.push_back(choice);
      }
  }
  return list;
}

/// The lines of `verify-mpi-gloo --settings`: a collective and an algorithm.
std::vector<Choice> gloo_choices(const SweepOptions& options) {
  std::vector<Choice> list;
  const auto end = run_process({options.program, {"--settings"}}, {.seconds = 60});
  std::istringstream lines(end ? end->out : "");
  for (std::string collective, algorithm; lines >> collective >> algorithm;)
    if (std::find(options.collectives.begin(), options.collectives.end(), collective) != options.collectives.end())
      list.push_back({collective, algorithm, {fmt::format("--algorithm={}", algorithm)}});
  return list;
}

std::vector<Choice> mpich_choices(const SweepOptions& options) {
  std::vector<Choice> list;
  for (const std::string& collective : options.collectives) {
    list.push_back({collective, "default", {}});
    const auto found = mpich_algorithms().find(collective);
    if (found == mpich_algorithms().end()) continue;
    for (const std::string& algorithm : found->second)
      list.push_back({collective,
                      algorithm,
                      {"MPIR_CVAR_DEVICE_COLLECTIVES=none", "MPIR_CVAR_COLLECTIVE_FALLBACK=print",
                       fmt::format("MPIR_CVAR_{}_INTRA_ALGORITHM={}", with_underscores(collective, true), algorithm)}});
  }
  return list;
}

}  // namespace

std::span<const std::string_view> swept_libraries() {
  static constexpr std::array<std::string_view, 4> all{"openmpi", "mpich", "simgrid", "gloo"};
  return all;
}

Result<std::vector<Choice>> choices(const SweepOptions& options) {
  if (options.library == "openmpi") return openmpi_choices(options);
  if (options.library == "simgrid") return simgrid_choices(options);
  if (options.library == "gloo") return gloo_choices(options);
  return mpich_choices(options);
}

}  // namespace onceover::live
