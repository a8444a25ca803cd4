// Lint checks what a runtime's loader requires of each attribute; whether the algorithm is right is for the verifier.
// It goes on after a mistake, to report all at once. The profile holds what differs between runtimes.
//
// Example: a thread block whose second step has s="2" gives "s: expected 1 to 1, found '2'", because steps are numbered
// 0, 1, ..
//
// Some findings are about letters (msccl_lexis.cpp) or several steps together (msccl_steps.h), others about something
// that is missing, such as thread block 3. They aren't found in the order of the file, so all are sorted by place at
// the end.
//
// Each element is visited a fixed number of times, and at most 1000 findings are kept. O(n log n) for n elements,
// O(text) for the letters, and O(text) for each finding, whose line must be counted.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/result.h"
#include "base/stop.h"
#include "base/xml_source.h"
#include "formats/lint.h"
#include "formats/msccl_profile.h"
#include "formats/msccl_steps.h"

namespace onceover::formats {

namespace {

using Name = std::string_view;

constexpr std::size_t longest_msccl_name = 63;
constexpr std::ptrdiff_t most_attributes = 16;  // of an element; the runtimes ignore further ones

/// What one kind of element may hold; runtimes skip everything else.
struct Children {
  Name parent;
  Name child;
};
constexpr std::array<Children, 3> known_children{{{"algo", "gpu"}, {"gpu", "tb"}, {"tb", "step"}}};

constexpr std::array<Name, 3> buffers{"i", "o", "s"};
/// The attribute of a <gpu> with the size of each buffer.
constexpr std::array<const char*, 3> size_attributes{"i_chunks", "o_chunks", "s_chunks"};

template <class Range>
bool contains(const Range& range, std::string_view what) {
  return std::find(range.begin(), range.end(), what) != range.end();
}

/// Walks through the document and finds what a runtime would refuse.
class Linter {
 public:
  Linter(const XmlSource& source, const MscclProfile& profile) : source_(source), profile_(profile) {}

  std::vector<LintFinding> lint() {
    const XmlElement& algo = source_.root();
    if (algo.name != "algo") {
      find(algo, "", fmt::format("expected <algo>, found <{:.60}>", algo.name));
      return std::move(findings_);
    }
    if (const auto fault = lexical_fault(source_.text()))
      findings_.push_back({source_.error(fault->at, fault->why), false});
    lint_algo(algo);
    std::set<std::int64_t> ids;
    for (const XmlElement* gpu : algo.children("gpu")) {
      stop_point();
      lint_gpu(*gpu, ids);
    }
    const std::int64_t ranks = value(algo, "ngpus").value_or(0);
    for (std::int64_t id = 0; id < std::min<std::int64_t>(ranks, 1 << 14); ++id)
      if (ids.count(id) == 0) {
        find(algo, "", fmt::format("there is no <gpu id=\"{}\">; that rank would have nothing to do", id));
        break;
      }
    std::stable_sort(findings_.begin(), findings_.end(), [](const LintFinding& a, const LintFinding& b) {
      return std::pair(a.at.line, a.at.column) < std::pair(b.at.line, b.at.column);
    });
    return std::move(findings_);
  }

 private:
  void find(const XmlElement& element, std::string_view attribute, const std::string& message, bool is_note = false) {
    if (findings_.size() >= 1000) return;
    findings_.push_back(
        {attribute.empty() ? source_.error(element, message) : source_.error(element, attribute, message), is_note});
  }

  /// The number in an attribute; nothing if it isn't one, which is another check's finding.
  std::optional<std::int64_t> value(const XmlElement& element, std::string_view attribute) const {
    return whole_number(element.value(attribute));
  }

  void bound(const XmlElement& element, std::string_view attribute, std::int64_t least, std::int64_t most,
             std::string_view why) {
    if (!element.has(attribute)) return;  // if it is required, another check says that it is missing
    const auto number = value(element, attribute);
    if (!number || *number < least || *number > most)
      find(element, attribute,
           fmt::format("{}: expected {} to {}{}, found '{:.60}'", attribute, least, most, why,
                       element.value(attribute)));
  }

  template <class Range>
  void require(const XmlElement& element, const Range& names) {
    const auto begin = element.attributes.begin(), end = element.attributes.end();
    for (const std::string_view name : names) {
      const auto found = std::find_if(begin, end, [&](const auto& a) { return a.name == name; });
      if (found == end)
        find(element, "",
             fmt::format("<{}> has no attribute {}, which {} requires", element.name, name, profile_.runtime));
      else if (const auto place = std::distance(begin, found); place >= most_attributes)
        find(element, name,
             fmt::format("{} is attribute {} of <{}>, but {} keeps only {}", name, place + 1, element.name,
                         profile_.runtime, most_attributes));
    }
    note_skipped(element);
  }

  /// Notes elements that the runtime skips; <copy> has its own note.
  void note_skipped(const XmlElement& parent) {
    const auto* row = std::find_if(known_children.begin(), known_children.end(),
                                   [&](const Children& c) { return c.parent == parent.name; });
    for (const XmlElement* child : parent.children()) {
      if (child->name == "copy" || (row != known_children.end() && child->name == row->child)) continue;
      find(*child, "", fmt::format("<{:.60}> is skipped by the runtime", child->name), true);
      return;
    }
  }

  template <class Range>
  void choose(const XmlElement& element, std::string_view attribute, const Range& names) {
    const XmlAttribute* given = element.find(attribute);
    if (given != nullptr && !contains(names, given->value))
      find(element, attribute,
           fmt::format("{}: {} knows {}; found '{:.60}'", attribute, profile_.runtime, fmt::join(names, ", "),
                       given->value));
  }

  void lint_algo(const XmlElement& algo) {
    require(algo, profile_.algo_attributes);
    choose(algo, "proto", msccl_protocols());
    choose(algo, "coll", profile_.collectives);
    bound(algo, "nchannels", 1, msccl_channels, "");
    bound(algo, "nchunksperloop", 1, INT32_MAX, "");
    bound(algo, "ngpus", 1, INT32_MAX, "");
    bound(algo, "inplace", 0, 1, "");
    bound(algo, "outofplace", 0, 1, "");
    bound(algo, "minBytes", 0, INT64_MAX, "");
    bound(algo, "maxBytes", 0, INT64_MAX, "");
    if (profile_.name == "msccl" && algo.value("name").size() > longest_msccl_name)
      find(algo, "name", fmt::format("name: at most {} bytes", longest_msccl_name));
    if (algo.has("nthreads") && value(algo, "nthreads").value_or(1) % 32 != 0)
      find(algo, "nthreads", "nthreads: expected a multiple of 32");
    const auto least = value(algo, "minBytes"), most = value(algo, "maxBytes");
    if (least && most && *least > *most && *most != 0)
      find(algo, "maxBytes", "maxBytes is less than minBytes, so the file is never used");
    gpus_ = std::ssize(algo.children("gpu"));
    nchannels_ = value(algo, "nchannels").value_or(msccl_channels);
    chunks_ = value(algo, "nchunksperloop").value_or(0);
    ranks_ = value(algo, "ngpus").value_or(0);
    coll_ = algo.value("coll");
  }

  void lint_gpu(const XmlElement& gpu, std::set<std::int64_t>& ids) {
    require(gpu, msccl_gpu_attributes);
    bound(gpu, "id", 0, std::max<std::int64_t>(ranks_ - 1, 0), "");
    for (const char* size : size_attributes) bound(gpu, size, 0, INT32_MAX, "");
    if (const auto id = value(gpu, "id"); id && !ids.insert(*id).second)
      find(gpu, "id", fmt::format("a second gpu {}", *id));
    if (profile_.checks_chunks) {
      check_chunks(gpu, "i_chunks", coll_ == "allgather" ? ranks_ : 1);
      check_chunks(gpu, "o_chunks", coll_ == "reduce_scatter" ? ranks_ : 1);
    }
    if (const auto copies = gpu.children("copy"); !copies.empty())
      find(*copies.front(), "", "<copy>: the runtime skips it, so the chunk isn't moved before the start", true);
    std::int64_t nodes = 1 + gpus_, blocks = 0;
    std::map<std::int64_t, std::int64_t> on_channel;
    std::set<std::string> used;
    const std::set<std::int64_t> blocks_there = lint_block_ids(gpu);
    for (const XmlElement* tb : gpu.children("tb")) {
      nodes += 1 + lint_tb(gpu, *tb, used, blocks_there);
      if (++blocks == profile_.thread_blocks + 1)
        find(*tb, "", fmt::format("more than {} thread blocks of a gpu", profile_.thread_blocks));
      if (const auto channel = value(*tb, "chan"); channel && ++on_channel[*channel] == profile_.on_a_channel + 1)
        find(*tb, "chan", fmt::format("more than {} thread blocks on channel {}", profile_.on_a_channel, *channel));
    }
    if (nodes > profile_.nodes)
      find(gpu, "",
           fmt::format("{} elements (algo, all gpus, its thread blocks and steps), but the runtime has room for {}",
                       nodes, profile_.nodes));
  }

  /// The ids of thread blocks must be 0, 1, ..
  std::set<std::int64_t> lint_block_ids(const XmlElement& gpu) {
    std::set<std::int64_t> ids;
    for (const XmlElement* tb : gpu.children("tb"))
      if (const auto id = value(*tb, "id"); id && !ids.insert(*id).second)
        find(*tb, "id", fmt::format("a second <tb id=\"{}\">", *id));
    for (std::int64_t id = 0; id < static_cast<std::int64_t>(ids.size()); ++id)
      if (ids.count(id) == 0) {
        find(gpu, "", fmt::format("there is no <tb id=\"{}\">", id));
        break;
      }
    return ids;
  }

  void check_chunks(const XmlElement& gpu, std::string_view attribute, std::int64_t parts) {
    const auto number = value(gpu, attribute);
    if (number && *number > 0 && *number <= INT32_MAX && *number * parts != chunks_)
      find(gpu, attribute,
           fmt::format("{}: expected 0 or {}, from nchunksperloop; found {}", attribute,
                       parts > 0 ? chunks_ / parts : 0, *number));
  }

  /// Checks a thread block and returns how many steps it has.
  std::int64_t lint_tb(const XmlElement& gpu, const XmlElement& tb, std::set<std::string>& used,
                       const std::set<std::int64_t>& blocks) {
    require(tb, msccl_tb_attributes);
    bound(tb, "id", 0, profile_.thread_blocks - 1, "");
    bound(tb, "chan", 0, std::min<std::int64_t>(nchannels_, msccl_channels) - 1, ", from nchannels");
    for (const char* way : {"send", "recv"}) {
      bound(tb, way, -1, ranks_ - 1, "");
      if (const auto peer = value(tb, way); peer && peer == value(gpu, "id"))
        find(tb, way, fmt::format("{}: gpu {} can't be its own peer", way, *peer));
      const std::string connection = fmt::format("{} {:.20} {:.20}", way, tb.value(way), tb.value("chan"));
      if (value(tb, way).value_or(-1) >= 0 && !used.insert(connection).second)
        find(tb, way, fmt::format("{}: another thread block has the same peer and channel", way));
    }
    std::int64_t steps = 0;
    for (const XmlElement* step : tb.children("step")) {
      lint_step(gpu, tb, *step, steps);
      lint_wait(*step, blocks);
      if (++steps == profile_.steps + 1)
        find(*step, "s", fmt::format("more than {} steps in a thread block", profile_.steps));
    }
    lint_folding(tb);
    return steps;
  }

  void lint_step(const XmlElement& gpu, const XmlElement& tb, const XmlElement& step, std::int64_t position) {
    require(step, msccl_step_attributes);
    bound(step, "s", position, position, "");
    bound(step, "cnt", 0, profile_.count, "");
    bound(step, "hasdep", 0, 1, "");
    choose(step, "srcbuf", buffers);
    choose(step, "dstbuf", buffers);
    const std::string_view type = step.value("type");
    const auto instruction = msccl_instruction(type);
    if (step.has("type") && !instruction && !(type == "ra" && profile_.name == "msccl"))
      find(step, "type", fmt::format("type: '{:.60}' is not a step type", type));
    if (instruction) lint_instruction(gpu, tb, step, *instruction);
    const bool is_full = instruction && receives(*instruction) && instruction != Instruction::receive;
    if (is_full && profile_.may_lack_reductions && !noted_full_) {
      noted_full_ = true;
      find(step, "type", fmt::format("type: kernels built without the full operations can't run {}", type), true);
    }
  }

  void lint_instruction(const XmlElement& gpu, const XmlElement& tb, const XmlElement& step, Instruction instruction) {
    if (sends(instruction) && value(tb, "send") == -1)
      find(step, "type", "type: this sends, but send of the thread block is -1");
    if (receives(instruction) && value(tb, "recv") == -1)
      find(step, "type", "type: this receives, but recv of the thread block is -1");
    if (instruction != Instruction::wait && value(step, "cnt") == 0)
      find(step, "cnt", "cnt: the runtime accepts 0 and moves nothing; verify refuses 0", true);
    // The runtimes check neither operand of rrc.
    if (reads_source(instruction) && instruction != Instruction::receive_reduce)
      bound_offset(gpu, step, "srcbuf", "srcoff");
    if (stores(instruction) && instruction != Instruction::receive_reduce) bound_offset(gpu, step, "dstbuf", "dstoff");
  }

  /// Checks, as the runtimes do, that the first chunk exists.
  void bound_offset(const XmlElement& gpu, const XmlElement& step, std::string_view buffer, std::string_view offset) {
    const auto* at = std::find(buffers.begin(), buffers.end(), step.value(buffer));
    if (at == buffers.end()) return;
    const char* size = size_attributes[static_cast<std::size_t>(at - buffers.begin())];
    if (const auto chunks = value(gpu, size)) bound(step, offset, -1, *chunks - 1, fmt::format(", from {}", size));
  }

  void lint_wait(const XmlElement& step, const std::set<std::int64_t>& blocks) {
    bound(step, "depid", -1, INT32_MAX, "");
    bound(step, "deps", -1, INT32_MAX, "");
    const std::int64_t block = value(step, "depid").value_or(-1);
    if (block >= 0 && blocks.count(block) == 0)
      find(step, "depid", fmt::format("depid: there is no thread block {}; the wait would never end", block));
    if (block < 0 && value(step, "deps").value_or(-1) >= 0)
      find(step, "deps", "deps: the runtime ignores it, since depid is -1; verify refuses it", true);
  }

  void lint_folding(const XmlElement& tb) {
    std::vector<MscclStep> steps;
    std::vector<const XmlElement*> elements;
    for (const XmlElement* each : tb.children("step")) {
      const XmlElement& step = *each;
      elements.push_back(each);
      steps.push_back({msccl_instruction(step.value("type")).value_or(Instruction::send),
                       range(step, "srcbuf", "srcoff"), range(step, "dstbuf", "dstoff"),
                       value(step, "depid").value_or(-1) >= 0, value(step, "hasdep") == 1});
    }
    for (const FoldingFault& fault : folding_faults(steps))
      find(*elements[fault.step], fault.attribute, fault.why, fault.kind == FoldingFault::Kind::dropped);
  }

  ChunkRange range(const XmlElement& step, std::string_view buffer, std::string_view offset) const {
    const auto* at = std::find(buffers.begin(), buffers.end(), step.value(buffer));
    return {static_cast<Buffer>(at - buffers.begin()), small(step, offset), small(step, "cnt")};
  }
  std::int32_t small(const XmlElement& step, std::string_view attribute) const {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(value(step, attribute).value_or(0), -1, INT32_MAX));
  }

  const XmlSource& source_;
  const MscclProfile& profile_;
  std::vector<LintFinding> findings_;
  std::int64_t gpus_ = 0;
  std::int64_t nchannels_ = msccl_channels;
  std::int64_t chunks_ = 0;
  std::int64_t ranks_ = 0;
  std::string coll_;
  bool noted_full_ = false;
};

}  // namespace

tl::expected<std::vector<LintFinding>, SourceError> lint_msccl(std::string_view name, std::string_view text,
                                                               const MscclProfile& profile) {
  const auto source = TRY(XmlSource::parse(name, text));
  return Linter(source, profile).lint();
}

}  // namespace onceover::formats
