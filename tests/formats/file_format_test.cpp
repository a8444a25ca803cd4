#include "formats/file_format.h"

#include <catch2/catch.hpp>

namespace onceover::formats {

TEST_CASE("file formats: a file's is told by how it begins") {
  const auto name = [](std::string_view text) {
    const FileFormat* format = file_format_of(text);
    return format == nullptr ? "none" : format->name;
  };
  CHECK(name("\n<algo/>") == "MSCCL XML");
  CHECK(name("// c\nnum_ranks 1") == "GOAL");
  CHECK(name(" {") == "schedule file");
  CHECK(name("{\"name\":1, \"gpus\" : []}") == "MSCCL++");
  CHECK(name("{\"format\":1, \"gpus\" : []}") == "schedule file");
  CHECK(name("{\"algorithm\":\"gpus\"}") == "schedule file");
  CHECK(name("[") == "schedule file");
  CHECK(name("") == "none");
  CHECK(name("ring") == "none");
}

TEST_CASE("file formats: the table has the words of messages") {
  CHECK(program_format_names("or") == "MSCCL XML, GOAL or MSCCL++");
  CHECK(file_format_examples() ==
        "a JSON object {\"format\":\"onceover-schedule\", ..} or MSCCL XML, <algo ..>, or GOAL, num_ranks .., or "
        "MSCCL++, "
        "{\"name\":.., \"gpus\":..}");
}

}  // namespace onceover::formats
