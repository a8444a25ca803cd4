// Reads MSCCL XML: algo, its gpus by id, their thread blocks by id, their steps in order.

#include <map>
#include <set>
#include <tuple>

#include "check/cursor.h"
#include "check/program.h"

namespace check {

namespace {

/// An element with its attributes and children.
class Xml {
 public:
  /// Reads a whole text, with elements up to 4 deep.
  static Xml read(const Text& text) {
    Cursor at(text);
    pass_blanks(at);
    at.expect("<");
    Xml root = element(at, 4);
    pass_blanks(at);
    if (!at.rest().empty()) at.malformed("expected the end of the file");
    return root;
  }

  std::string_view name() const { return name_; }
  const std::vector<Xml>& children() const { return children_; }
  const Cursor& at() const { return at_; }

  bool has(std::string_view key) const { return attributes_.contains(key); }
  std::string_view text(std::string_view key) const {
    const auto found = attributes_.find(key);
    if (found == attributes_.end()) at_.malformed("an attribute is missing here: " + std::string(key));
    return found->second;
  }

  /// A number from `least` to `most`; -1 may be the least.
  std::int64_t number(std::string_view key, std::int64_t least, std::int64_t most) const {
    const std::string_view word = text(key);
    const bool is_negative = least < 0 && word == "-1";
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool is_plain = error == std::errc{} && end == word.data() + word.size() && word[0] != '-' &&
                          (word[0] != '0' || word.size() == 1);
    if (!is_negative && (!is_plain || value < least || value > most))
      at_.malformed("a number is wrong here: " + std::string(key));
    return value;
  }

  /// The children, which have this name and the ids 0, 1, .. in any order.
  std::vector<const Xml*> by_id(std::string_view name) const {
    std::vector<const Xml*> found(children_.size(), nullptr);
    for (const Xml& child : children_) {
      if (child.name() == "copy") child.at().unproven("not covered: chunks that are copied before the start");
      if (child.name() != name) child.at().malformed("expected <" + std::string(name) + ">");
      const Xml*& place =
          found[static_cast<std::size_t>(child.number("id", 0, static_cast<std::int64_t>(children_.size()) - 1))];
      if (place != nullptr) child.at().malformed("this id stands twice");
      place = &child;
    }
    return found;
  }

 private:
  explicit Xml(const Cursor& at) : at_(at) {}

  static void pass_spaces(Cursor& at) { at.pass_any_of(" \t\r\n"); }

  /// Blanks, comments and what a prolog holds.
  static void pass_blanks(Cursor& at) {
    for (pass_spaces(at);; pass_spaces(at)) {
      const std::string_view end = at.skip("<!--") ? "-->" : at.skip("<?") ? "?>" : "";
      if (end.empty()) return;
      const std::size_t length = at.rest().find(end);
      if (length == std::string_view::npos) at.malformed("this has no end");
      at.pass(length + end.size());
    }
  }

  static std::string_view word(Cursor& at) {
    const std::string_view rest = at.rest();
    const std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:";
    const std::size_t length = std::min(rest.find_first_not_of(letters), rest.size());
    if (length == 0) at.malformed("expected a name");
    at.pass(length);
    return rest.substr(0, length);
  }

  static Xml element(Cursor& at, int depth) {
    Xml xml(at);
    if (depth == 0) at.malformed("elements lie too deep in each other");
    xml.name_ = word(at);
    for (pass_spaces(at); !at.rest().starts_with("/") && !at.rest().starts_with(">"); pass_spaces(at)) {
      const std::string_view key = word(at);
      at.expect("=\"");
      const std::string_view value = at.rest().substr(0, at.rest().find('"'));
      if (value.find_first_of("&<") != std::string_view::npos) at.unproven("not covered: this letter in a value");
      at.pass(value.size());
      at.expect("\"");
      if (!xml.attributes_.emplace(key, value).second) at.malformed("this attribute stands twice");
    }
    if (at.skip("/>")) return xml;
    at.expect(">");
    for (pass_blanks(at); !at.skip("</"); pass_blanks(at)) {
      at.expect("<");
      xml.children_.push_back(element(at, depth - 1));
    }
    at.expect(xml.name_);
    pass_spaces(at);
    at.expect(">");
    return xml;
  }

  Cursor at_;
  std::string_view name_;
  std::map<std::string_view, std::string_view> attributes_;
  std::vector<Xml> children_;
};

constexpr std::int64_t most_msccl_number = std::int64_t{1} << 20;

struct MscclKind {
  std::string_view name;
  bool receives, sends, reads, stores, adds;
};

constexpr MscclKind msccl_kinds[] = {
    {"s", false, true, true, false, false},     {"r", true, false, false, true, false},
    {"rcs", true, true, false, true, false},    {"rrc", true, false, true, true, true},
    {"rrs", true, true, true, false, true},     {"rrcs", true, true, true, true, true},
    {"cpy", false, false, true, true, false},   {"re", false, false, true, true, true},
    {"nop", false, false, false, false, false},
};

class MscclFile {
 public:
  explicit MscclFile(const Xml& algo) : algo_(algo) {}

  ProgramFile read() {
    if (algo_.name() != "algo") algo_.at().malformed("expected <algo>");
    const std::int64_t gpus = algo_.number("ngpus", 1, 1 << 14);
    file_.ranks.resize(static_cast<std::size_t>(gpus));
    file_.chunks = static_cast<std::uint64_t>(algo_.number("nchunksperloop", 1, most_msccl_number));
    file_.collective = algo_.text("coll");
    if (file_.collective == "reduce_scatter" || file_.collective == "reducescatter")
      file_.collective = "reduce-scatter";
    read_places();
    if (algo_.has("proto")) file_.protocol = algo_.text("proto");
    file_.size_buffers(algo_.at());
    const auto found = algo_.by_id("gpu");
    if (found.size() != file_.ranks.size()) algo_.at().malformed("expected one <gpu> for each of ngpus");
    for (std::size_t r = 0; r < found.size(); ++r) read_gpu(r, *found[r]);
    file_.connections = connections_.size();
    return std::move(file_);
  }

 private:
  void read_places() {
    const bool is_in = algo_.number("inplace", 0, 1) == 1;
    const bool is_out = algo_.has("outofplace") && algo_.number("outofplace", 0, 1) == 1;
    file_.places = {is_in};
    if (is_in && is_out) file_.places.push_back(false);
  }

  void read_gpu(std::size_t rank, const Xml& gpu) {
    RankSteps& own = file_.ranks[rank];
    own.chunks[2] = static_cast<std::uint64_t>(gpu.number("s_chunks", 0, most_msccl_number));
    const auto blocks = gpu.by_id("tb");
    steps_.clear();
    for (const Xml* block : blocks) {
      steps_.emplace_back();
      own.threads.emplace_back();
      const std::size_t to = connection(rank, *block, "send"), from = connection(rank, *block, "recv");
      for (const Xml& step : block->children()) read_step(own, step, from, to);
    }
    for (std::size_t t = 0; t < steps_.size(); ++t)
      for (std::size_t s = 0; s < steps_[t].size(); ++s) read_wait(own, t, s);
    for (const auto& thread : steps_) check_folding(thread);
  }

  /// The connection from one rank to another on a channel; each end of it is in one thread block.
  std::size_t connection(std::size_t rank, const Xml& block, std::string_view end) {
    const std::int64_t peer = block.number(end, -1, static_cast<std::int64_t>(file_.ranks.size()) - 1);
    const std::int64_t channel = block.number("chan", 0, 1 << 16);
    if (peer < 0) return no_connection;
    const auto other = static_cast<std::size_t>(peer);
    if (other == rank) block.at().malformed("a gpu can't be its own peer");
    const bool sends = end == "send";
    if (!ends_.emplace(rank, other, channel, sends).second)
      block.at().malformed("a second thread block at this end of the connection");
    const auto name = std::tuple(sends ? rank : other, sends ? other : rank, channel);
    return connections_.emplace(name, connections_.size()).first->second;
  }

  void read_step(RankSteps& own, const Xml& xml, std::size_t from, std::size_t to) {
    if (xml.name() != "step") xml.at().malformed("expected <step>");
    std::vector<Step>& thread = own.threads.back();
    xml.number("s", static_cast<std::int64_t>(thread.size()), static_cast<std::int64_t>(thread.size()));
    const auto* kind = std::find_if(std::begin(msccl_kinds), std::end(msccl_kinds),
                                    [&](const MscclKind& k) { return k.name == xml.text("type"); });
    if (kind == std::end(msccl_kinds)) xml.at().malformed("expected a type that is known");
    Step step{.adds = kind->adds};
    if ((kind->receives && from == no_connection) || (kind->sends && to == no_connection))
      xml.at().malformed("the thread block has no peer for this");
    if (kind->receives) step.from = from;
    if (kind->sends) step.to = to;
    if (kind->reads || kind->stores) {
      const auto count = static_cast<std::uint64_t>(xml.number("cnt", 1, most_msccl_number));
      step.parts.resize(1);
      if (kind->reads) step.parts[0].source = range(xml, "srcbuf", "srcoff", count);
      if (kind->stores) step.parts[0].target = range(xml, "dstbuf", "dstoff", count);
    }
    thread.push_back(std::move(step));
    steps_.back().push_back(&xml);
  }

  static Chunks range(const Xml& xml, std::string_view buffer, std::string_view offset, std::uint64_t count) {
    const std::string_view name = xml.text(buffer);
    if (name != "i" && name != "o" && name != "s") xml.at().malformed("expected buffer i, o or s");
    return {name == "i"   ? ChunksOf::input
            : name == "o" ? ChunksOf::output
                          : ChunksOf::scratch,
            static_cast<std::uint64_t>(xml.number(offset, 0, most_msccl_number)), count};
  }

  bool tells(std::size_t thread, std::size_t step) const {
    const Xml& xml = *steps_[thread][step];
    return xml.number("hasdep", 0, 1) == 1 && xml.text("type") != "nop";
  }

  /// A wait ends with the first step, from the one that it names, that tells others.
  void read_wait(RankSteps& own, std::size_t t, std::size_t s) const {
    const Xml& xml = *steps_[t][s];
    const std::int64_t block = xml.number("depid", -1, most_msccl_number);
    const std::int64_t first = xml.number("deps", -1, most_msccl_number);
    if ((block < 0) != (first < 0)) xml.at().malformed("depid and deps: expected both or neither to be -1");
    if (block < 0) return;
    const auto other = static_cast<std::size_t>(block);
    if (other >= steps_.size()) xml.at().malformed("there is no such thread block");
    auto step = static_cast<std::size_t>(first);
    while (step < steps_[other].size() && !tells(other, step)) ++step;
    if (step >= steps_[other].size()) xml.at().unproven("this waits for a step that tells nobody");
    own.threads[t][s].waits.push_back({other, step, false});
  }

  /// Runtimes drop nops and join reductions. What is covered means the same to them.
  static void check_folding(const std::vector<const Xml*>& thread) {
    for (std::size_t k = 0; k < thread.size(); ++k) {
      const Xml& xml = *thread[k];
      const Xml* next = k + 1 < thread.size() ? thread[k + 1] : nullptr;
      const auto waits = [](const Xml& step) { return step.number("depid", -1, most_msccl_number) >= 0; };
      const bool is_kept = next != nullptr && waits(xml) && waits(*next) && xml.number("hasdep", 0, 1) == 0;
      if (xml.text("type") == "nop" && !is_kept) xml.at().unproven("not covered: this nop");
      if (next == nullptr || xml.text("type") != "re" || xml.number("hasdep", 0, 1) == 1) continue;
      const bool is_joined = next->text("type") == "re" && !waits(*next) &&
                             xml.text("srcbuf") == next->text("srcbuf") && xml.text("dstbuf") == next->text("dstbuf") &&
                             xml.text("dstoff") == next->text("dstoff");
      if (is_joined && xml.text("cnt") != next->text("cnt"))
        next->at().unproven("not covered: reductions of different counts that runtimes join");
    }
  }

  const Xml& algo_;
  ProgramFile file_;
  std::map<std::tuple<std::size_t, std::size_t, std::int64_t>, std::size_t> connections_;
  std::set<std::tuple<std::size_t, std::size_t, std::int64_t, bool>> ends_;
  std::vector<std::vector<const Xml*>> steps_;  // of the current gpu
};

}  // namespace

ProgramFile read_msccl(const Text& text) {
  const Xml algo = Xml::read(text);
  return MscclFile(algo).read();
}

}  // namespace check
