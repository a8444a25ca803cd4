// The reader of MSCCL XML: what it takes, and how it refuses the rest.

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/xml_source.h"
#include "formats/lint.h"
#include "formats/msccl_steps.h"
#include "formats/msccl_xml.h"
#include "formats/program.h"

namespace msccl_reader_test {

using namespace onceover::formats;

namespace {

const std::string step =
    R"(<step s="0" type="nop" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>)";
const std::string good =
    "<algo name=\"a\" nchunksperloop=\"1\" ngpus=\"1\" coll=\"allreduce\" inplace=\"1\" proto=\"Simple\">\n"
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

/// A file of one gpu with these thread blocks, each a list of `type, depid, deps, hasdep, rest`.
struct Line {
  std::string type;
  int depid = -1;
  int deps = -1;
  int hasdep = 0;
  int source = 0;
  int count = 1;
};

std::string blocks(const std::vector<std::vector<Line>>& all) {
  std::string text =
      "<algo name=\"a\" proto=\"LL\" nchannels=\"1\" nchunksperloop=\"2\" ngpus=\"1\" coll=\"allreduce\" "
      "inplace=\"1\">\n"
      "<gpu id=\"0\" i_chunks=\"2\" o_chunks=\"2\" s_chunks=\"4\">\n";
  for (std::size_t b = 0; b < all.size(); ++b) {
    text += "<tb id=\"" + std::to_string(b) + "\" send=\"-1\" recv=\"-1\" chan=\"0\">\n";
    for (std::size_t s = 0; s < all[b].size(); ++s) {
      const Line& l = all[b][s];
      auto put = [&](const char* name, const std::string& value) {
        text += std::string(" ") + name + "=\"" + value + "\"";
      };
      text += "<step";
      put("s", std::to_string(s));
      put("type", l.type);
      put("srcbuf", "s");
      put("srcoff", std::to_string(l.source));
      put("dstbuf", "o");
      put("dstoff", "0");
      put("cnt", std::to_string(l.count));
      put("depid", std::to_string(l.depid));
      put("deps", std::to_string(l.deps));
      put("hasdep", std::to_string(l.hasdep));
      text += "/>\n";
    }
    text += "</tb>\n";
  }
  return text + "</gpu></algo>\n";
}

std::vector<std::string> lint(const std::string& text, const char* profile = "msccl") {
  const auto found = lint_msccl("f.xml", text, *find_msccl_profile(profile));
  REQUIRE(found);
  std::vector<std::string> messages;
  for (const LintFinding& f : *found)
    messages.push_back(std::to_string(f.at.line) + (f.is_note ? ": note: " : ": ") + f.at.message);
  return messages;
}

bool is_loaded(const std::string& text, const char* profile = "msccl") {
  const auto found = lint_msccl("f.xml", text, *find_msccl_profile(profile));
  return found && std::all_of(found->begin(), found->end(), [](const LintFinding& f) { return f.is_note; });
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

TEST_CASE("msccl: a protocol says what is guaranteed, and a profile how much of it") {
  struct Case {
    std::string protocol, profile;
    Guarantees guarantees;
  };
  const Case cases[] = {
      {"Simple", "rccl", {true, true, true, 2}},   {"Simple", "msccl", {true, true, true, 2}},
      {"LL", "rccl", {false, false, false, 8}},    {"LL", "msccl", {true, false, false, 8}},
      {"LL", "azure", {true, false, false, 8}},    {"LL128", "rccl", {true, false, false, 8}},
      {"LL128", "msccl", {true, false, false, 8}},
  };
  for (const Case& expected : cases) {
    CAPTURE(expected.protocol, expected.profile);
    auto program = read_msccl("f.xml", with("proto=\"Simple\"", "proto=\"" + expected.protocol + "\""));
    REQUIRE(program);
    CHECK(program->runtime->protocol == expected.protocol);
    CHECK(program->runtime->profile == "rccl");
    CHECK_FALSE(program->runtime->is_chosen);
    CHECK(is_alike_on_all(*program->runtime) == (expected.protocol != "LL"));
    if (expected.profile == "rccl") CHECK(program->guarantees == expected.guarantees);
    set_profile(*program, *find_msccl_profile(expected.profile));
    CHECK(program->guarantees == expected.guarantees);
    CHECK(program->runtime->is_chosen);
    CHECK(text(*program->runtime) == expected.protocol + " on " + expected.profile);
  }
  const auto none = read_msccl("f.xml", with(" proto=\"Simple\"", ""));
  REQUIRE(none);
  CHECK(none->guarantees == Guarantees{false, false, false, 2});
  CHECK(none->notes.size() == 1);
  CHECK(refused(with("proto=\"Simple\"", "proto=\"LL129\"")) ==
        "f.xml:1:81: proto: expected Simple, LL, LL128, found 'LL129'; did you mean 'LL128'?");
  CHECK(refused(with("proto=\"Simple\"", "proto=\"\"")) == "f.xml:1:81: proto: expected Simple, LL, LL128, found ''");
  CHECK(find_msccl_profile("nccl") == nullptr);
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
  CHECK(refused(with("cnt=\"1\"", "cnt=\"12z\"")) ==  // also of a nop, whose count means nothing
        "f.xml:4:73: cnt: expected a whole number from -1 to 1048576, found '12z'");
  CHECK(refused(with(" s=\"0\"", " s=\"12z\"")) ==
        "f.xml:4:10: s: expected a whole number from 0 to 16777216, found '12z'");
  CHECK(refused(with(" s=\"0\"", " s=\" 0\"")) ==
        "f.xml:4:10: s: expected a whole number from 0 to 16777216, found ' 0'");
  CHECK(refused(with(" s=\"0\"", " s=\"00\"")) ==
        "f.xml:4:10: s: '00' begins with 0, so the runtimes read it as octal or hexadecimal; write it in decimal");
  CHECK(refused(with(" s=\"0\"", " s=\"0x0\"")) ==
        "f.xml:4:10: s: '0x0' begins with 0, so the runtimes read it as octal or hexadecimal; write it in decimal");
  CHECK(refused(with(" s=\"0\"", " s=\"&#48;\"")) ==
        "f.xml:4:10: s: expected a whole number from 0 to 16777216, found '&#48;'");
  CHECK(refused(with("ngpus=\"1\"", "ngpus=\"99999999999999999999\"")) ==
        "f.xml:1:42: ngpus: expected a whole number from 1 to 16384, found '99999999999999999999'");
  CHECK(refused(with("i_chunks=\"1\"", "i_chunks=\"x\"")) ==
        "f.xml:2:23: i_chunks: expected a whole number from 0 to 1048576, found 'x'");
  CHECK(refused(with("nchunksperloop=\"1\"", "nchunksperloop=\"1\" nchannels=\"-7\"")) ==
        "f.xml:1:46: nchannels: expected a whole number from 0 to 65536, found '-7'");
  CHECK(refused(with("dstoff=\"0\"", "dstoff=\"null\"")) ==
        "f.xml:4:65: dstoff: expected a whole number from -1 to 1048576, found 'null'");
  CHECK(refused(with("dstbuf=\"i\"", "dstbuf=\"z\"")) == "f.xml:4:54: dstbuf: expected i, o or s, found 'z'");
  CHECK(refused(with(" s=\"0\"", " s=\"1\"")) == "f.xml:4:10: s: expected 0, since steps count from 0 without gaps");
}

TEST_CASE("msccl: what is ambiguous is refused") {
  CHECK(refused(with("chan=\"0\"", "chan=\"0\" chan=\"1\"")) == "f.xml:3:41: the element has this attribute twice");
  CHECK(refused(good + good) == "f.xml:6:1: a second root; expected the end of the text");
  // "<!-->" begins a comment, and doesn't end it: what follows is hidden from one reader, and not from another.
  CHECK(refused("<!--><x><!-- -->" + good) == "f.xml:1:13: malformed XML: not well-formed (invalid token)");
  CHECK(refused(good + "True\n") ==
        "f.xml:6:1: text between elements; expected '<'. Was another program's output printed into the file?");
  CHECK(
      refused(with("\"nop\"", "\"ra\"")) ==
      "f.xml:4:19: type: one runtime's parser accepts 'ra', but nothing says what it does, and no compiler writes it");
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
        "f.xml:1:13: document types and entities are not read; expected an element");
  std::string deep;
  for (int k = 0; k < 300'000; ++k) deep += "<a>";
  CHECK(refused(deep) == "f.xml:1:301: more than 100 elements inside each other");
  CHECK(refused(std::string("\xFF\xFE<\0a\0", 6)) == "f.xml:1:1: this is UTF-16; expected UTF-8");
  CHECK(looks_like_xml(std::string_view("\0<\0a", 4)));
  CHECK(refused(std::string("\0<\0a", 4)).substr(0, 24) == "f.xml:1:1: a zero byte; ");
  CHECK(refused("<?xml version=\"1.0\" encoding=\"UTF-16\"?>" + good) == "f.xml:1:31: encoding: expected UTF-8");
  CHECK(refused("<?xml version=\"1.0\" encoding='utf-8'?>" + good) == "accepted");
  CHECK(refused("<?xml encoding?>" + good) != "");
  CHECK(refused(std::string("<\0a\0", 4)).substr(0, 24) == "f.xml:1:2: a zero byte; ");
  CHECK(refused("") == "f.xml:1:1: there is no element in it");
  CHECK(refused("<algo") == "f.xml:1:1: the tag doesn't end");
  CHECK(refused("<!-- <algo/>") == "f.xml:1:1: what begins here doesn't end");
  CHECK(refused("<algo name=\"") == "f.xml:1:1: an attribute's value doesn't end");
  CHECK(refused("<algo>") == "f.xml:1:7: the text ends inside an element; is the file cut?");
  CHECK(refused("</algo>") == "f.xml:1:2: malformed XML: not well-formed (invalid token)");
  CHECK(refused("<algo></gpu>") == "f.xml:1:9: expected </algo>");
  CHECK(refused("<algo>&lt;</algo>").starts_with("f.xml:1:7: text between elements"));
  CHECK(refused(with("coll=", "a = '<>' coll=")) == "f.xml:1:50: malformed XML: not well-formed (invalid token)");
  CHECK(refused(with("coll=\"allreduce\"", "a = '/>\"' coll=\n\t'custom'")).starts_with("f.xml:2:3: coll: nothing"));
}

TEST_CASE("msccl: a name holds nothing that a terminal obeys") {
  for (const char* order : {"\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6", "\xd8\x9c", "\xe2\x80\x8b", "\xe2\x80\x8f"}) {
    CAPTURE(order);
    const auto program = read_msccl("f.xml", with("name=\"a\"", std::string("name=\"a") + order + "b\""));
    REQUIRE_FALSE(program);
    CHECK(program.error().message == "name: control characters, or ones that turn the direction of text");
    CHECK(program.error().excerpt.find(order) == std::string::npos);
  }
}

TEST_CASE("msccl: a profile names what its runtime refuses, and where") {
  const std::string text = with("name=\"a\"", "name=\"a\" nchannels=\"1\"");
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
  CHECK(findings("msccl", good).size() == 1);
  std::string wide = text;
  wide.replace(wide.find("cnt=\"1\""), 7, "cnt=\"72\"");
  CHECK(findings("msccl", wide) == std::vector<std::string>{"4: cnt: expected 0 to 71, found '72'"});
  std::string channel = text;
  channel.replace(channel.find("chan=\"0\""), 8, "chan=\"1\"");
  CHECK(findings("msccl", channel) == std::vector<std::string>{"3: chan: expected 0 to 0, from nchannels, found '1'"});
}

TEST_CASE("msccl: nops are folded into the step behind them, as the runtimes fold them") {
  const std::string told = blocks({{{"cpy", -1, -1, 1}}, {{"cpy", -1, -1, 1}}, {{"nop", 0, 0}, {"cpy", 1, 0}}});
  CHECK(refused(told) == "accepted");
  CHECK(lint(told).empty());

  const std::string teller = blocks({{{"cpy"}, {"nop", -1, -1, 1}}, {{"cpy", 0, 1}}});
  const auto program = read_msccl("f.xml", teller);
  REQUIRE(program);
  CHECK(program->hangs.size() == 1);
  CHECK(lint(teller) ==
        std::vector<std::string>{"5: note: hasdep: the runtimes drop nops, so this one never tells that it is done"});

  const std::string uncounted = blocks({{{"nop"}, {"cpy", -1, -1, 1}}, {{"cpy", 0, 1}}});
  CHECK(refused(uncounted).substr(0, 63) == "f.xml:5:105: hasdep: the runtimes count this step as 0, since n");
  CHECK(!is_loaded(uncounted));
  CHECK(refused(blocks({{{"nop"}, {"cpy"}}})) == "accepted");

  const std::string chain = blocks({{{"cpy", -1, -1, 1}}, {{"nop", 0, 0}, {"cpy"}}});
  CHECK(refused(chain) == "accepted");
  CHECK(read_msccl("f.xml", chain)->notes ==
        std::vector<std::string>{"line 8: depid: the nops before this step wait, so the runtimes require this step to "
                                 "wait, too; move the last wait here; they refuse the file"});
  for (const char* profile : {"msccl", "rccl", "azure"}) CHECK(!is_loaded(chain, profile));

  const std::string last = blocks({{{"cpy", -1, -1, 0}}, {{"cpy"}, {"nop", 0, 0}}});
  CHECK(read_msccl("f.xml", last)->hangs.empty());
  CHECK(is_loaded(last));
}

TEST_CASE("msccl: reductions that the runtimes make one must stay what they are") {
  CHECK(refused(blocks({{{"cpy"}, {"re"}, {"re"}, {"re"}}})) == "accepted");
  const std::string uneven = blocks({{{"re", -1, -1, 0, 0, 2}, {"re", -1, -1, 0, 2, 1}}});
  CHECK(refused(uneven) ==
        "f.xml:5:72: cnt: the runtimes make this reduction and that before it one, of 1 chunk; that before it has 2");
  CHECK(!is_loaded(uneven));
  const std::string between = blocks({{{"cpy", -1, -1, 1}}, {{"re"}, {"nop", 0, 0}, {"re"}}});
  CHECK(refused(between) ==
        "f.xml:8:83: depid: the runtimes make the reductions around this nop one, which doesn't wait for it");
  CHECK(!is_loaded(between));
  CHECK(refused(blocks({{{"cpy", -1, -1, 1}}, {{"re"}, {"nop", 0, 0}, {"re", 0, 0}}})) == "accepted");
  CHECK(refused(blocks({{{"re", -1, -1, 1, 0, 2}, {"re", -1, -1, 0, 2, 1}}})) == "accepted");
}

TEST_CASE("msccl: what the runtimes' parser stumbles over") {
  CHECK(!lexical_fault("<!-- c -->\n<a b=\"1\"  c=\"2\" />\n"));
  auto at = [](std::string_view text) { return lexical_fault(text).value_or(LexicalFault{99, ""}).at; };
  CHECK(at("<a b='1'/>") == 4);
  CHECK(at("<?xml?><a/>") == 0);
  CHECK(at("<a>\t<b/></a>") == 3);
  CHECK(at("<a\nb=\"1\"/>") == 2);
  CHECK(at("\xEF\xBB\xBF<a/>") == 0);
  CHECK(at("<a b=\"" + std::string(256, 'x') + "\"/>") == 6);
  CHECK(at("<a b=\"" + std::string(255, 'x') + "\"/>") == 99);
  CHECK(at("<" + std::string(255, 'x') + "/>") == 1);
}

TEST_CASE("msccl: what verify refuses no profile calls loadable, unless the runtime takes it") {
  const std::string text = blocks({{{"cpy"}}});
  auto changed = [&](const std::string& what, const std::string& instead) {
    std::string other = text;
    const std::size_t at = other.find(what);
    REQUIRE(at != std::string::npos);
    return other.replace(at, what.size(), instead);
  };
  REQUIRE(is_loaded(text));
  for (const std::string& bad :
       {changed("hasdep=\"0\"", "hasdep=\"7\""), changed("\"cpy\"", "\"s\""), changed("\"cpy\"", "\"r\""),
        changed("send=\"-1\"", "send=\"0\""), changed("srcoff=\"0\"", "srcoff=\"4\""),
        changed("srcoff=\"0\"", "srcoff=\"zz\""), changed("srcoff=\"0\"", "srcoff=\"00\""),
        changed("depid=\"-1\" deps=\"-1\"", "depid=\"9\" deps=\"0\""), changed("s_chunks=\"4\"", "s_chunks=\"-4\""),
        changed("tb id=\"0\"", "tb id=\"1\""),
        changed("</tb>", "</tb><tb id=\"0\" send=\"-1\" recv=\"-1\" chan=\"0\"></tb>"),
        changed("srcbuf=\"s\"", "srcbuf=\"q\""), changed("cnt=\"1\"", "cnt=\"&#49;\""),
        changed("<step ", "<step a=\"1\" b=\"1\" c=\"1\" d=\"1\" e=\"1\" f=\"1\" g=\"1\" ")})
    for (const char* profile : {"msccl", "rccl", "azure"}) {
      INFO(bad);
      CHECK(!is_loaded(bad, profile));
    }
  CHECK(lint(changed("cnt=\"1\"", "cnt=\"0\"")) ==
        std::vector<std::string>{"4: note: cnt: the runtime accepts 0 and moves nothing; verify refuses 0"});
  CHECK(lint(changed("<tb ", "<foo/><tb ")) == std::vector<std::string>{"3: note: <foo> is skipped by the runtime"});
  CHECK(lint(changed("deps=\"-1\"", "deps=\"0\"")) ==
        std::vector<std::string>{"4: note: deps: the runtime ignores it, since depid is -1; verify refuses it"});
}

TEST_CASE("msccl: two <copy> to one chunk are refused") {
  const std::string copies = "<copy i_off=\"0\" o_off=\"0\"/><copy i_off=\"0\" o_off=\"0\"/>";
  CHECK(refused(with("<tb ", copies + "<tb ")) == "f.xml:3:51: o_off: a second <copy> to output chunk 0");
}

TEST_CASE("msccl: a program in single chunks has its waits at first pieces, and tells with the last") {
  const auto program =
      read_msccl("f.xml", blocks({{{"cpy", -1, -1, 1, 0, 2}}, {{"nop", 0, 0}, {"re", 0, 0, 0, 0, 2}}}));
  REQUIRE(program);
  CHECK(operations_in_single_chunks(*program) == 5);
  const Program cut = in_single_chunks(*program);
  REQUIRE(cut.operations.size() == 5);
  CHECK(cut.operations[1].source.first == 1);
  CHECK(cut.operations[1].target.count == 1);
  CHECK(cut.operations[1].number == 0);
  CHECK(cut.operations[4].target.first == 1);
  REQUIRE(cut.dependencies.size() == 2);
  CHECK(cut.dependencies[0].before == 1);
  CHECK(cut.dependencies[0].after == 2);
  CHECK(cut.dependencies[1].after == 3);
}

}  // namespace msccl_reader_test
