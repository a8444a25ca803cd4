// The reader of MSCCL XML: what it takes, and how it refuses the rest.

#include "schedules/msccl_reader.h"

#include <catch2/catch.hpp>

#include "schedules/msccl_lint.h"

using namespace onceover;

namespace {

const std::string step =
    R"(<step s="0" type="nop" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>)";
const std::string good =
    "<algo name=\"a\" nchunksperloop=\"1\" ngpus=\"1\" coll=\"allreduce\" inplace=\"1\">\n"
    "<gpu id=\"0\" i_chunks=\"1\" o_chunks=\"1\" s_chunks=\"0\">\n"
    "<tb id=\"0\" send=\"-1\" recv=\"-1\" chan=\"0\">\n" +
    step + "\n</tb></gpu></algo>\n";

std::string with(std::string what, const std::string& instead) {
  std::string text = good;
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), instead);
}

/// The place and the message of the error, without the excerpt.
std::string refused(const std::string& text) {
  const auto program = read_msccl("f.xml", text);
  if (program) return "accepted";
  const std::string all = program.error().render();
  return all.substr(0, all.find('\n'));
}

}  // namespace

TEST_CASE("msccl: a file is read with its lines, and a byte order mark is skipped") {
  for (const std::string& text : {good, "\xEF\xBB\xBF" + good, "<?xml version=\"1.0\"?><!-- c -->" + good}) {
    const auto program = read_msccl("f.xml", text);
    REQUIRE(program);
    CHECK(program->operations.size() == 1);
    CHECK(program->operations[0].line == 4);
    CHECK(program->in_place);
    CHECK(program->notes.empty());
  }
}

TEST_CASE("msccl: unknown attributes are notes, with the nearest known one") {
  const auto program = read_msccl("f.xml", with("inplace", "redop=\"sum\" outofplce=\"1\" inplace"));
  REQUIRE(program);
  REQUIRE(program->notes.size() == 2);
  CHECK(program->notes[0] == "attribute redop of <algo> (line 1) is ignored, as the runtimes do");
  CHECK(program->notes[1] ==
        "attribute outofplce of <algo> (line 1) is ignored, as the runtimes do; did you mean 'outofplace'?");
}

TEST_CASE("msccl: numbers are whole numbers in bounds, at their place") {
  CHECK(refused(with("cnt=\"1\"", "cnt=\"12z\"")) == "accepted");  // of a nop, whose count means nothing
  CHECK(refused(with(" s=\"0\"", " s=\"12z\"")) ==
        "f.xml:4:10: s: expected a whole number from 0 to 16777216, found '12z'");
  CHECK(refused(with(" s=\"0\"", " s=\" 0\"")) ==
        "f.xml:4:10: s: expected a whole number from 0 to 16777216, found ' 0'");
  CHECK(refused(with("ngpus=\"1\"", "ngpus=\"99999999999999999999\"")) ==
        "f.xml:1:42: ngpus: expected a whole number from 1 to 16384, found '99999999999999999999'");
  CHECK(refused(with(" s=\"0\"", " s=\"1\"")) == "f.xml:4:10: s: expected 0, since steps count from 0 without gaps");
}

TEST_CASE("msccl: what is ambiguous is refused") {
  CHECK(refused(with("chan=\"0\"", "chan=\"0\" chan=\"1\"")) == "f.xml:3:47: attribute chan stands twice in <tb>");
  CHECK(refused(good + good) == "f.xml:6:1: a second root; expected the end of the text");
  CHECK(refused(good + "True\n") ==
        "f.xml:6:1: text between elements; expected '<'. Was another program's output printed into the file?");
  CHECK(refused(with("\"nop\"", "\"ra\"")) ==
        "f.xml:4:19: type: 'ra' is in one runtime's parser, but nothing says what it does; no compiler writes it");
  CHECK(refused(with("\"nop\"", "\"s\"")) == "f.xml:4:19: type: this sends, but send of the thread block is -1");
  CHECK(refused(with("depid=\"-1\"", "depid=\"0\"")) ==
        "f.xml:4:83: depid and deps: expected both or neither to be -1");
  CHECK(refused(with("id=\"0\"", "id=\"1\"")) == "f.xml:2:10: id: expected a whole number from 0 to 0, found '1'");
  CHECK(refused(with("ngpus=\"1\"", "ngpus=\"2\"")) == "f.xml:1:2: there is no <gpu id=\"1\">");
  CHECK(refused(with("\"allreduce\"", "\"custom\"")).substr(0, 61) ==
        "f.xml:1:51: coll: nothing says what 'custom' must deliver; th");
  CHECK(refused(with("<tb ", "<bt ")) != "accepted");
  CHECK(refused(with("inplace=\"1\"", "")) == "f.xml:1:2: <algo> has no attribute inplace");
}

TEST_CASE("msccl: hostile texts are refused in bounds") {
  CHECK(refused("<!DOCTYPE a [<!ENTITY b \"bb\">]><algo/>") ==
        "f.xml:1:1: document types, entities and CDATA are no part of the format; expected an element");
  std::string deep;
  for (int k = 0; k < 300'000; ++k) deep += "<a>";
  CHECK(refused(deep) == "f.xml:1:49: more than 16 elements inside each other");
  CHECK(refused(std::string("\xFF\xFE<\0a\0", 6)) == "f.xml:1:1: this is UTF-16; expected UTF-8");
  CHECK(refused(std::string("<\0a\0", 4)).substr(0, 24) == "f.xml:1:2: a zero byte; ");
  CHECK(refused("") == "f.xml:1:1: there is no element in it; expected <algo ..>");
  CHECK(refused("<algo") == "f.xml:1:1: the tag doesn't end");
  CHECK(refused("<algo name=\"") == "f.xml:1:1: an attribute's value doesn't end");
  CHECK(refused("<algo>") == "f.xml:1:7: the text ends inside an element; is the file cut?");
  CHECK(refused("</algo>") == "f.xml:1:1: an end tag without its element");
  CHECK(refused("<algo></gpu>").substr(0, 6) == "f.xml:");
}

TEST_CASE("msccl: a profile names what its runtime refuses, and where") {
  const std::string text = with("name=\"a\"", "name=\"a\" proto=\"LL\" nchannels=\"1\"");
  auto findings = [&](const char* profile, const std::string& of) {
    const auto found = lint_msccl("f.xml", of, *find_msccl_profile(profile));
    REQUIRE(found);
    std::vector<std::string> messages;
    for (const LintFinding& f : *found) messages.push_back(std::to_string(f.at.line) + ": " + f.at.message);
    return messages;
  };
  CHECK(findings("msccl", text).empty());
  CHECK(findings("rccl", text) ==
        std::vector<std::string>{"1: <algo> has no attribute outofplace, which ROCm RCCL (2024) requires",
                                 "1: <algo> has no attribute minBytes, which ROCm RCCL (2024) requires",
                                 "1: <algo> has no attribute maxBytes, which ROCm RCCL (2024) requires"});
  CHECK(findings("msccl", good).size() == 2);
  std::string wide = text;
  wide.replace(wide.find("cnt=\"1\""), 7, "cnt=\"72\"");
  CHECK(findings("msccl", wide) == std::vector<std::string>{"4: cnt: expected 0 to 71, found '72'"});
  std::string channel = text;
  channel.replace(channel.find("chan=\"0\""), 8, "chan=\"1\"");
  CHECK(findings("msccl", channel) == std::vector<std::string>{"3: chan: expected 0 to 0, from nchannels, found '1'"});
}
