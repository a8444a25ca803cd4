// `verify-mpi` under an MPI: mpirun starts a process for each rank.

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <exception>
#include <string>
#include <string_view>

#include "live/mpi/verify_mpi.h"

namespace onceover::live {

namespace {

std::string values_text(std::string_view variable, MPI_T_enum values) {
  std::array<char, 256> name{};
  int count = 0, length = static_cast<int>(name.size());
  if (MPI_T_enum_get_info(values, &count, name.data(), &length) != MPI_SUCCESS) return "";
  std::string text;
  for (int k = 0; k < count; ++k) {
    int value = 0;
    length = static_cast<int>(name.size());
    if (MPI_T_enum_get_item(values, k, &value, name.data(), &length) == MPI_SUCCESS)
      text += fmt::format("{} {} {}\n", variable, value, name.data());
  }
  return text;
}

/// The algorithms that the library can be told to run, a line "VARIABLE NUMBER NAME" for each. They come from its
/// control variables (MPI 4.0, section 15.3) called ..algorithm that name their values. Call this without MPI_Init.
std::string settings_text() {
  int provided = 0, count = 0;
  if (MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return "";
  MPI_T_cvar_get_num(&count);
  std::string text;
  for (int k = 0; k < count; ++k) {
    std::array<char, 256> name{};
    std::array<char, 4096> about{};
    int name_length = static_cast<int>(name.size()), about_length = static_cast<int>(about.size());
    int verbosity = 0, binding = 0, scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values = MPI_T_ENUM_NULL;
    const int error = MPI_T_cvar_get_info(k, name.data(), &name_length, &verbosity, &type, &values, about.data(),
                                          &about_length, &binding, &scope);
    if (error == MPI_SUCCESS && values != MPI_T_ENUM_NULL && std::string_view(name.data()).ends_with("algorithm"))
      text += values_text(name.data(), values);
  }
  MPI_T_finalize();
  return text;
}

ExitCode run_program(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--settings") {
    fmt::print("{}", settings_text());
    return ExitCode::ok;
  }
  return run_rank(argc, argv);
}

}  // namespace

}  // namespace onceover::live

int main(int argc, char** argv) {
  using namespace onceover::live;
  try {
    return static_cast<int>(run_program(argc, argv));
  } catch (const std::exception& e) {
    fmt::print(stderr, "verify-mpi: internal error: {}\n", e.what());
    return static_cast<int>(ExitCode::internal);
  }
}
