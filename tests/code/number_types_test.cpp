// Types of numbers, replaced in texts as a preprocessor leaves them.

#include <catch2/catch.hpp>

#include "code/compiled_headers.h"

namespace onceover::code {

namespace {

const std::vector<NumberType> own_type{{"value_t", "MPI_INT"}};

std::string replaced(const std::string& text) {
  NumberTypes types(own_type);
  return types.replaced(text);
}

}  // namespace

TEST_CASE("number types: what names a type and its datatype", "[code]") {
  CHECK(parse_number_type("value_t=MPI_INT") == NumberType{"value_t", "MPI_INT"});
  CHECK(parse_number_type("int32_t") == NumberType{"int32_t", "MPI_INT32_T"});
  CHECK(parse_number_type("int32_t=MPI_INT") == NumberType{"int32_t", "MPI_INT"});
  for (const char* wrong : {"", "value_t", "value_t=", "value_t=INT", "int=MPI_INT", "unsigned=MPI_UNSIGNED",
                            "a b=MPI_INT", "=MPI_INT", "value_t=MPI_INT;"})
    CHECK_FALSE(parse_number_type(wrong));
}

TEST_CASE("number types: typedefs go, and lines stay", "[code]") {
  CHECK(replaced("typedef int onceover_value_t;\nint x;\n") == "                             \nint x;\n");
  CHECK(replaced("using onceover_value_t = int;") == std::string(29, ' '));
  CHECK(replaced("typedef long\n  onceover_value_t;\ny") == "            \n                   \ny");
  for (const char* kept : {"typedef onceover_value_t *vector_t;", "using vector_t = onceover_value_t;",
                           "onceover_value_t x;", "typedef int onceover_value_tt;", "mytypedef int onceover_value_t;",
                           "typedef onceover_number onceover_value_t;"})
    CHECK(replaced(kept) == kept);
}

TEST_CASE("number types: headers of the system stay as they are", "[code]") {
  const std::string system = "# 1 \"/usr/include/a.h\" 1 3\ntypedef int onceover_value_t;\n";
  CHECK(replaced(system) == system);
  CHECK(replaced(system + "# 2 \"own.c\" 2\ntypedef int onceover_value_t;\n") ==
        system + "# 2 \"own.c\" 2\n                             \n");
}

TEST_CASE("number types: a type that no text has is missing", "[code]") {
  const std::string header = "typedef onceover_number onceover_value_t;\n";
  NumberTypes types(own_type);
  types.replaced(header + "int x;\n");
  CHECK(types.missing() == "value_t");
  types.replaced(header + "onceover_value_t x;\n");
  CHECK_FALSE(types.missing());
}

TEST_CASE("number types: macros of the user's are told by their line", "[code]") {
  const NumberTypes types(own_type);
  CHECK(types.macro_in("a.c:1: warning: other\na.c:3: warning: \"value_t\" redefined\n 3 | #define") ==
        "a.c:3: warning: \"value_t\" redefined");
  CHECK_FALSE(types.macro_in("a.c:1: warning: other\n"));
}

}  // namespace onceover::code
