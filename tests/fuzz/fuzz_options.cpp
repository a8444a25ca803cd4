// Fuzz target: the texts of options. A list of ranks or a torus that is accepted holds numbers in range and is written
// and read back the same; limits, sizes, topologies and the gate's limits are accepted or refused in few words.

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/resource_limits.h"
#include "network/topology.h"
#include "subjects/comparison.h"
#include "subjects/limit.h"
#include "subjects/network_plan.h"
#include "subjects/rank_list.h"
#include "subjects/subject.h"

namespace {

using namespace onceover::gate;

void require(bool holds) {
  if (!holds) std::abort();
}

/// Messages repeat the text at most.
void require_few_words(const std::string& message, const std::string& text) {
  require(message.size() <= 3 * text.size() + 2000);
}

void try_rank_list(const std::string& text) {
  const auto ranks = parse_rank_list(text);
  if (!ranks) return require_few_words(ranks.error().message, text);
  require(!ranks->empty() && ranks->front() >= 1 && std::is_sorted(ranks->begin(), ranks->end()));
  std::string written = rank_list_text(*ranks);
  std::erase(written, ' ');
  const auto again = parse_rank_list(written);
  require(again && *again == *ranks);
}

void try_torus(const std::string& text) {
  const auto sides = parse_torus(text);
  if (!sides) return require_few_words(sides.error().message, text);
  require(!sides->empty() && *std::min_element(sides->begin(), sides->end()) >= 1);
}

void try_sizes(const std::string& text) {
  if (const auto messages = parse_message_sizes(text)) require(messages->value.least <= messages->value.most);
  const auto sizes = parse_sizes(text);
  if (!sizes) return require_few_words(sizes.error().message, text);
  require(!sizes->empty() && *std::min_element(sizes->begin(), sizes->end()) > 0);
}

void try_limits(const std::string& text) {
  const auto time = parse_time_limit(text);
  require(time ? time->count() >= 1 : !time.error().empty());
  const auto memory = parse_memory_limit(text);
  require(memory ? *memory >= 1 && *memory <= std::uint64_t{1} << 60 : !memory.error().empty());
  const auto number = parse_number("--flag", text, -1, 1);
  require(!number || (*number >= -1 && *number <= 1));
}

void try_named(const std::string& text) {
  if (const auto setting = parse_setting(text))
    require(setting->text() == text);
  else
    require_few_words(setting.error().message, text);
  if (const auto contenders = parse_contenders(text); !contenders) require_few_words(contenders.error().message, text);
  if (const auto lanes = parse_lanes(text)) require(name(*lanes) == text);
  if (const auto routing = parse_routing(text)) require(name(*routing) == text);
  if (const auto ports = parse_ports(text)) require(ports->value >= 1 && ports->value <= 1024);
  if (const auto peer = parse_peer(text)) require(peer->text() == text);
}

void try_gate_limit(const std::string& text) {
  const auto limit = Limit::parse(text);
  if (!limit) return require(limit.error().render().size() <= 2000);
  Measures measures;
  require(limit->judge(measures).verdict != Verdict::fail || limit->judge(measures).is_undefined ||
          !limit->judge(measures).summary.empty());
  const auto again = Limit::parse(limit->text());
  require(again && again->text() == limit->text());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try_rank_list(text);
  try_torus(text);
  try_sizes(text);
  try_limits(text);
  try_gate_limit(text);
  try_named(text);
  if (const auto topology = parse_topology(text); !topology) require_few_words(topology.error(), text);
  return 0;
}
