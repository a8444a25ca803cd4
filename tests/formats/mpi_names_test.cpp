#include <catch2/catch.hpp>

#include "formats/mpi_writer.h"

namespace mpi_names_test {

using namespace onceover::formats;

TEST_CASE("names that C, its library, MPI or the file has are refused") {
  auto refusal = [](const std::string& name) { return mpi_name_refusal(name).value_or("free"); };
  for (const std::string name : {"while", "restrict", "main", "_x", "nullptr", "xor"})
    CHECK(refusal(name) == "'" + name + "' is C's own");
  for (const std::string name : {"printf", "strtoull", "sinf", "EINVAL", "SIGINT", "NULL", "int16_t", "INT_MAX",
                                 "write", "atomic_load", "abort", "FILE", "time"})
    CHECK(refusal(name) == "'" + name + "' is the C library's");
  for (const std::string name : {"MPI_Allreduce", "PMPI_Send", "MPIX_Query", "ompi_mpi_op_sum"})
    CHECK(refusal(name) == "'" + name + "' is MPI's");
  for (const std::string name : {"exchange", "RANKS", "run_steps", "join", "count"})
    CHECK(refusal(name) == "'" + name + "' is a name that the file uses itself");
  for (const std::string name : {"7up", "", "a-b", "a b"}) CHECK(refusal(name) == "'" + name + "' is not a name in C");
  for (const std::string name : {"swing_allreduce_p7", "allreduce", "print_all", "E_sum", "SWING", "swing", "f", "l"})
    CHECK(refusal(name) == "free");
}

TEST_CASE("the name that a file gets by itself is never refused") {
  Header header;
  header.ranks = 4;
  for (const std::string algorithm : {"swing", "", "3-2", "_x", "MPI-x", "printf", "ompi_x", "FE-x"}) {
    header.algorithm = algorithm;
    CAPTURE(algorithm);
    CHECK_FALSE(mpi_name_refusal(mpi_function_name(header)));
  }
}

}  // namespace mpi_names_test
