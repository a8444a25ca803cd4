#include "live/mpi/interposed.h"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/rows.h"

namespace onceover::live {

namespace {

/// The library that defines a function: its address, and its file.
std::optional<Dl_info> library_of(const std::string& function) {
  Dl_info info{};
  void* const address = dlsym(RTLD_DEFAULT, function.c_str());
  if (address == nullptr || dladdr(address, &info) == 0) return std::nullopt;
  return info;
}

/// "MPI_Ireduce_scatter" for "ireduce-scatter".
std::string function_of(const LiveCall& call) {
  std::string name = call.name();
  std::replace(name.begin(), name.end(), '-', '_');
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  return "MPI_" + name;
}

}  // namespace

std::vector<Interposed> interposed(const std::vector<LiveCall>& calls) {
  auto functions = mapped(calls, function_of);
  std::sort(functions.begin(), functions.end());
  functions.erase(std::unique(functions.begin(), functions.end()), functions.end());
  std::vector<Interposed> list;
  for (const std::string& function : functions) {
    const auto called = library_of(function), own = library_of("P" + function);
    if (called && own && called->dli_fbase != own->dli_fbase) list.push_back({function, called->dli_fname});
  }
  return list;
}

}  // namespace onceover::live
