#include "subjects/input_kind.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "formats/foreign_formats.h"

namespace onceover::subjects {

TEST_CASE("kinds of input: a file's is told by how it begins") {
  const auto name = [](std::string_view text) {
    const InputKind* format = input_kind_of(text);
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

TEST_CASE("kinds of input: those of other tools are named") {
  const auto error = [](std::string_view text) {
    const InputKind* format = input_kind_of(text);
    if (format == nullptr) return std::string("none");
    const auto content = format->read("f", text);
    return content ? std::string("read") : content.error().message;
  };
  const auto is_named = [&](std::string_view text, const std::string& what) {
    CAPTURE(text);
    CHECK(error(text) == "this is " + what + ", which I don't read");
  };
  is_named(R"({"1-Epoch_Duration": 0.5, "7-Flows": []})", "a TE-CCL schedule");
  is_named("\xEF\xBB\xBF{\"steps\": [{\"sends\": [[0, 0, 1]]}],\n \"sccl_type\" : \"algorithm\"}", "an SCCL algorithm");
  is_named(R"({"nodes": [{"name": "\"format\""}], "version": "0.0.4"})", "a Chakra trace");
  is_named(std::string_view("\x07\n\x05"
                            "0.0.4\x12",
                            9),
           "a Chakra trace");
  is_named(R"({"version": "2.9", "entries": []})", "a dump of PyTorch's flight recorder");
  is_named("\x80\x04\x95", "a Python pickle, such as PyTorch's flight recorder writes");
  is_named("<?xml version=\"1.0\"?>\n<!-- made > by hand -->\n<trees>\n</trees>", "a ForestColl schedule");
  CHECK(error("<graphs version=\"1\"/>") == "this is a graph file of NCCL, which I don't read here; give it to --ways");
  CHECK(error(" <system>") == "this is a topology file of NCCL, which I don't read here; give it to --topology");
  CHECK(error("<graphml/>") == "this is a network in GraphML, which I don't read here; give it to --topology");
  CHECK(error("digraph {a -> b}") == "this is a network in DOT, which I don't read here; give it to --topology");
  CHECK(error("// By nvcc\n.version 7.5\n") ==
        "this is PTX, which I don't read here; write: verify gpu FILE --launch LAUNCH.toml");
  CHECK(error("[[check]]\n") == "this is a gate file, which I don't read here; write: verify gate FILE");
  CHECK(error("#include <mpi.h>") == "this is C, which I don't read here; write: verify code FILE");
  // Keys of others inside an object, or beside ours, mean nothing.
  for (const std::string_view text :
       {R"({"format": "onceover-schedule", "version": 1, "nodes": []})", R"({"steps": [{"sccl_type": 1}]})",
        R"({"version": 1, "nodes": [], "format": "x"})", R"({"name": "nodes", "version": 1})", "{\"nodes\"", "<graph/>",
        "num_ranks 2"})
    CHECK(foreign_format_of(text) == nullptr);
}

TEST_CASE("kinds of input: the table has the words of messages") {
  std::vector<std::string_view> names, examples;
  for (const InputKind* kind : input_kinds)
    if (kind->holds_program) {
      names.push_back(kind->name);
      examples.push_back(kind->example);
    }
  const std::string_view last = names.back();
  names.pop_back();
  CHECK(program_kind_names("or") == fmt::format("{} or {}", fmt::join(names, ", "), last));
  CHECK(input_kind_examples() == fmt::format("{} or {}", schedule_file_kind.example, fmt::join(examples, ", or ")));
}

TEST_CASE("kinds of input: docs/formats.md lists them") {
  std::ifstream file(ONCEOVER_SOURCE "/docs/formats.md");
  const std::string page(std::istreambuf_iterator<char>(file), {});
  for (const InputKind* kind : input_kinds) {
    const std::string_view what = kind == &schedule_file_kind ? kind->name : kind->what;
    CHECK_THAT(page, Catch::Contains(fmt::format("\n| [{}](", what.substr(what.starts_with("a ") ? 2 : 0))));
  }
}

}  // namespace onceover::subjects
