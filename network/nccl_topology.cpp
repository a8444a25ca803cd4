// One host is read into named nodes and the bandwidths between them; then it is repeated.
//
// Example: two GPUs below one PCI switch, each with 12 NVLinks to an NVSwitch at 20 GB/s, are joined by links of 1920
// Gb/s to `nvswitch` and of 192 Gb/s (16 lanes of 16 GT/s) to the PCI switch. A message takes the fewest links, so the
// NVSwitch.
//
// The figures of bandwidth are NCCL's (src/graph/topo.h), in GB/s.

#include "network/nccl_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/sentences.h"
#include "base/text.h"
#include "base/xml_source.h"

namespace onceover::network {

namespace {

constexpr std::size_t most_of_a_host = 1024;
constexpr double bits = 8;           // of a byte
constexpr double local_link = 5000;  // GB/s, where nothing limits

/// GB/s of one NVLink in one direction.
double nvlink_speed(std::int64_t compute_capability) {
  struct Generation {
    std::int64_t from;
    double speed;
  };
  constexpr std::array generations{Generation{100, 40.1}, Generation{90, 20.6}, Generation{87, 20.0},
                                   Generation{86, 12.0},  Generation{70, 20.0}, Generation{60, 18.0},
                                   Generation{0, 20.0}};
  for (const Generation& g : generations)
    if (compute_capability >= g.from) return g.speed;
  return 0;
}

/// GB/s of a lane of PCI; as of generation 3 where the text isn't known, as NCCL takes it.
double lane_speed(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 11> known{{{"2.5 GT/s", 15},
                                                                       {"5 GT/s", 30},
                                                                       {"8 GT/s", 60},
                                                                       {"16 GT/s", 120},
                                                                       {"32 GT/s", 240},
                                                                       {"2.5 GT/s PCIe", 15},
                                                                       {"5.0 GT/s PCIe", 30},
                                                                       {"8.0 GT/s PCIe", 60},
                                                                       {"16.0 GT/s PCIe", 120},
                                                                       {"32.0 GT/s PCIe", 240},
                                                                       {"64.0 GT/s PCIe", 480}}};
  for (const auto& [name, hundreds_of_megabits] : known)
    if (name == text) return hundreds_of_megabits / 80;
  return 60.0 / 80;
}

/// A host, read from the elements.
class Host {
 public:
  explicit Host(const XmlSource& source) : source_(source) {}

  struct Gpu {
    std::int64_t rank;
    std::size_t node;
    int nvlinks = 0;  // neighbours
  };

  tl::expected<void, SourceError> read() {
    for (const XmlElement* element : source_.root().children()) TRY(read_cpu(*element));
    if (gpus_.empty()) return tl::unexpected(source_.error(source_.root(), "no GPU with a rank"));
    TRY(join_nvlinks());
    for (const auto& [from, bus] : pci_links_)
      if (const auto to = node_of_bus_.find(bus); to != node_of_bus_.end())
        bandwidth_[{from, to->second}] += local_link;
    for (const std::size_t a : cpus_)
      for (const std::size_t b : cpus_)
        if (a != b) bandwidth_[{a, b}] += cpu_speed_.at(a);
    std::stable_sort(gpus_.begin(), gpus_.end(), [](const Gpu& a, const Gpu& b) { return a.rank < b.rank; });
    return {};
  }

  const std::vector<Gpu>& gpus() const { return gpus_; }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::pair<std::size_t, double>>& cards() const { return cards_; }

  /// GB/s from node to node.
  const std::map<std::pair<std::size_t, std::size_t>, double>& bandwidth() const { return bandwidth_; }

 private:
  using Done = tl::expected<void, SourceError>;
  using Element = const XmlElement&;

  /// GPUs that the communicator doesn't use have no node.
  static constexpr std::size_t no_node = static_cast<std::size_t>(-1);

  struct Nvlink {
    const XmlElement* element;
    std::size_t gpu;
    std::size_t cpu;
    double speed;
  };

  std::size_t node(std::string name) {
    names_.push_back(std::move(name));
    return names_.size() - 1;
  }

  void join(std::size_t a, std::size_t b, double speed) {
    bandwidth_[{a, b}] += speed;
    bandwidth_[{b, a}] += speed;
  }

  tl::unexpected<SourceError> unknown(Element element, std::string_view expected) const {
    return tl::unexpected(source_.error(element, fmt::format("expected {}, found <{:.60}>", expected, element.name)));
  }

  /// Refuses a second child, which would be left out.
  Done check_alone(Element element, std::string_view expected) const {
    const auto children = element.children();
    return children.size() > 1 ? unknown(*children[1], expected) : Done();
  }

  Done read_cpu(Element element) {
    if (element.name != "cpu") return unknown(element, "<cpu>");
    const std::string host(element.value("host_hash"));
    if (!cpus_.empty() && host != host_)
      return tl::unexpected(source_.error(element, "host_hash", "the CPUs of one host, found another's"));
    host_ = host;
    if (cpus_.size() == most_of_a_host)
      return tl::unexpected(source_.error(element, fmt::format("more than {} CPUs", most_of_a_host)));
    const auto number = TRY(source_.number(element, "numaid", -1, 1 << 20));
    if (!numbers_of_cpus_.insert(number).second)
      return tl::unexpected(source_.error(element, "numaid", fmt::format("CPU {} is there twice", number)));
    const std::size_t cpu = node(fmt::format("cpu{}", number));
    cpu_speed_[cpu] = TRY(speed_between_cpus(element));
    cpus_.push_back(cpu);
    for (const XmlElement* child : element.children()) {
      const std::string_view name = child->name;
      if (name == "pci") {
        TRY(read_pci(*child, cpu, cpu));
      } else if (name == "nic") {
        TRY(read_nic(*child, cpu, local_link, fmt::format("nic{}", number)));
      } else {
        return unknown(*child, "<pci> or <nic>");
      }
    }
    return {};
  }

  tl::expected<double, SourceError> speed_between_cpus(Element element) const {
    const std::string_view arch = TRY(source_.text(element, "arch"));
    if (arch == "ppc64") return 32;
    if (arch == "arm64") return 6;
    if (arch != "x86_64") return local_link;
    const std::string_view vendor = TRY(source_.text(element, "vendor"));
    if (vendor == "AuthenticAMD") return 16;
    const bool is_intel = vendor == "GenuineIntel";
    if (!is_intel && vendor != "CentaurHauls" && vendor != "  Shanghai  ") return local_link;
    const auto family = TRY(source_.number(element, "familyid", 0, 1 << 20));
    const auto model = TRY(source_.number(element, "modelid", 0, 1 << 20));
    if (!is_intel) return family == 7 && model == 0x5B ? 9 : 6;
    if (family != 6) return 6;
    return model >= 0xCF ? 40 : model >= 0x8F ? 22 : model >= 0x55 ? 10 : 6;
  }

  Done read_pci(Element element, std::size_t parent, std::size_t cpu) {
    const std::string bus = lower(TRY(source_.text(element, "busid")));
    const std::string_view width_text = element.value("link_width");
    const auto width = width_text.empty() ? 0 : TRY(source_.number(element, "link_width", 0, 64));
    const double speed = (width == 0 ? 16 : static_cast<double>(width)) * lane_speed(element.value("link_speed"));
    if (const auto gpus = element.children("gpu"); !gpus.empty()) {
      TRY(check_alone(element, "one <gpu>"));
      return read_gpu(element, *gpus.front(), parent, cpu, speed);
    }
    if (const auto nics = element.children("nic"); !nics.empty()) {
      TRY(check_alone(element, "one <nic>"));
      return read_nic(*nics.front(), parent, speed, without_function(bus));
    }
    if (node_of_bus_.contains(bus))
      return tl::unexpected(source_.error(element, "busid", fmt::format("{} is there twice", bus)));
    const std::size_t here = node(bus);
    node_of_bus_[bus] = here;
    join(here, parent, speed);
    for (const XmlElement* child : element.children()) {
      const std::string_view name = child->name;
      if (name == "pcilink") {
        pci_links_.emplace_back(here, lower(TRY(source_.text(*child, "target"))));
        continue;
      }
      if (name != "pci") return unknown(*child, "<pci>, <gpu>, <nic> or <pcilink>");
      TRY(read_pci(*child, here, cpu));
    }
    return {};
  }

  Done read_gpu(Element pci, Element element, std::size_t parent, std::size_t cpu, double speed) {
    const std::string bus = lower(pci.value("busid"));
    if (!gpu_of_bus_.emplace(bus, no_node).second)
      return tl::unexpected(source_.error(pci, "busid", fmt::format("{} is there twice", bus)));
    const auto rank = element.has("rank") ? TRY(source_.number(element, "rank", -1, 1 << 20)) : -1;
    if (rank < 0) return {};
    const auto is_same = [&](const Gpu& gpu) { return gpu.rank == rank; };
    if (std::any_of(gpus_.begin(), gpus_.end(), is_same))
      return tl::unexpected(source_.error(element, "rank", fmt::format("rank {} is there twice", rank)));
    if (gpus_.size() == most_of_a_host)
      return tl::unexpected(source_.error(element, fmt::format("more than {} GPUs", most_of_a_host)));
    const auto capability = TRY(source_.number(element, "sm", 0, 1000));
    const std::size_t here = node(fmt::format("gpu{}", rank));
    gpu_of_bus_[bus] = here;
    join(here, parent, speed);
    for (const XmlElement* child : element.children()) {
      const std::string_view name = child->name;
      if (name == "nvlink") {
        const auto count = TRY(source_.number(*child, "count", 1, 1024));
        nvlinks_.push_back({child, gpus_.size(), cpu, static_cast<double>(count) * nvlink_speed(capability)});
      } else if (name == "c2c") {
        const auto count = TRY(source_.number(*child, "count", 1, 1024));
        const auto megabytes = TRY(source_.number(*child, "bw", 1, 1 << 30));
        join(here, cpu, static_cast<double>(count * megabytes) / 1000);
      } else {
        return unknown(*child, "<nvlink> or <c2c>");
      }
    }
    gpus_.push_back({rank, here});
    return {};
  }

  /// Ports of one card, which differ in their function only, are one node on one link.
  Done read_nic(Element element, std::size_t parent, double speed, const std::string& name) {
    const auto known = node_of_nic_.find(name);
    const std::size_t here = known == node_of_nic_.end() ? node(name) : known->second;
    if (known == node_of_nic_.end()) join(here, parent, speed);
    node_of_nic_[name] = here;
    for (const XmlElement* child : element.children()) {
      const std::string_view what = child->name;
      if (what == "gin" || what == "rma") continue;  // other uses of the same card
      if (what != "net") return unknown(*child, "<net>");
      const auto number = TRY(source_.number(*child, "dev", -1, 1 << 20));
      if (number < 0) continue;
      if (!numbers_of_cards_.insert(number).second)
        return tl::unexpected(source_.error(*child, "dev", fmt::format("card {} is there twice", number)));
      const auto megabits = child->has("speed") ? TRY(source_.number(*child, "speed", -1, 1 << 30)) : 0;
      const double card = static_cast<double>(megabits > 0 ? megabits : 10'000) / 8000;
      const std::size_t net = node(fmt::format("net{}", number));
      join(net, here, card);
      cards_.emplace_back(net, card);
    }
    return {};
  }

  Done join_nvlinks() {
    std::optional<std::size_t> nvswitch;
    for (const Nvlink& link : nvlinks_) {
      Gpu& gpu = gpus_[link.gpu];
      const std::string_view target = TRY(source_.text(*link.element, "tclass"));
      ++gpu.nvlinks;
      if (target.starts_with("0x03")) {
        const std::string bus = lower(TRY(source_.text(*link.element, "target")));
        const auto other = gpu_of_bus_.find(bus);
        if (other == gpu_of_bus_.end())
          return tl::unexpected(source_.error(*link.element, "target", fmt::format("no GPU at {}", bus)));
        if (other->second == no_node)
          --gpu.nvlinks;
        else
          bandwidth_[{gpu.node, other->second}] += link.speed;
      } else if (target == "0x068001") {
        join(gpu.node, link.cpu, link.speed);
      } else {
        if (!nvswitch) nvswitch = node("nvswitch");
        join(gpu.node, *nvswitch, link.speed);
      }
    }
    return {};
  }

  /// "0000:20:00" of "0000:20:00.1".
  static std::string without_function(const std::string& bus) { return bus.substr(0, bus.find('.')); }

  static std::string lower(std::string_view text) {
    std::string small(text);
    std::transform(small.begin(), small.end(), small.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
    return small;
  }

  const XmlSource& source_;
  std::string host_;
  std::vector<std::string> names_;
  std::vector<Gpu> gpus_;
  std::vector<std::size_t> cpus_;
  std::map<std::size_t, double> cpu_speed_;
  std::map<std::string, std::size_t> node_of_bus_;  // of PCI switches
  std::map<std::string, std::size_t> node_of_nic_;
  std::map<std::string, std::size_t> gpu_of_bus_;
  std::vector<std::pair<std::size_t, std::string>> pci_links_;
  std::set<std::int64_t> numbers_of_cpus_, numbers_of_cards_;
  std::vector<std::pair<std::size_t, double>> cards_;
  std::vector<Nvlink> nvlinks_;
  std::map<std::pair<std::size_t, std::size_t>, double> bandwidth_;
};

/// Several equal hosts and the switch that joins their cards.
class Hosts {
 public:
  Hosts(const Host& host, Rank count, const LinkSpeeds& speeds)
      : host_(host), count_(count), speeds_(speeds), rank_of_(host.names().size(), -1) {
    for (std::size_t r = 0; r < host.gpus().size(); ++r) rank_of_[host.gpus()[r].node] = static_cast<Rank>(r);
    others_ = static_cast<Node>(rank_of_.size() - host.gpus().size());
    Node next = 0;
    for (const Rank rank : rank_of_) other_.push_back(rank < 0 ? next++ : -1);
  }

  Network network(std::string name) const {
    const Rank ranks = count_ * gpus();
    const Node nodes = ranks + count_ * others_ + (count_ > 1 ? 1 : 0);
    std::vector<LinkData> links;
    std::vector<std::string> names(static_cast<std::size_t>(nodes), "network");
    for (Rank host = 0; host < count_; ++host) {
      for (const auto& [ends, speed] : host_.bandwidth())
        add(links, number(host, ends.first), number(host, ends.second), speed);
      if (count_ > 1)
        for (const auto& [card, speed] : host_.cards()) {
          add(links, number(host, card), nodes - 1, speed);
          add(links, nodes - 1, number(host, card), speed);
        }
      const std::string prefix = count_ > 1 ? fmt::format("host{}.", host) : "";
      for (std::size_t k = 0; k < rank_of_.size(); ++k)
        names[static_cast<std::size_t>(number(host, k))] = prefix + host_.names()[k];
    }
    Network made(std::move(name), ranks, nodes, ports(), std::move(links));
    made.name_nodes(std::move(names));
    std::vector<bool> forwards(static_cast<std::size_t>(nodes), true);
    std::fill_n(forwards.begin(), ranks, false);
    made.set_forwards(std::move(forwards));
    return made;
  }

 private:
  Rank gpus() const { return static_cast<Rank>(host_.gpus().size()); }

  Node number(Rank host, std::size_t node) const {
    const Rank rank = rank_of_[node];
    return rank >= 0 ? host * gpus() + rank : count_ * gpus() + host * others_ + other_[node];
  }

  void add(std::vector<LinkData>& links, Node from, Node to, double gigabytes) const {
    LinkData link = speeds_.link(from, to);
    link.bandwidth = gigabytes * bits;
    links.push_back(link);
  }

  /// A GPU sends at a time on all its NVLinks to others, or else one message.
  int ports() const {
    int most = 1;
    for (const Host::Gpu& gpu : host_.gpus()) most = std::max(most, gpu.nvlinks);
    return most;
  }

  const Host& host_;
  Rank count_;
  const LinkSpeeds& speeds_;
  std::vector<Rank> rank_of_;  // by node of the host; -1: it is no GPU
  std::vector<Node> other_;    // by node of the host: its number among those that are no GPUs
  Node others_ = 0;
};

}  // namespace

tl::expected<Network, SourceError> read_nccl_topology(std::string_view text, std::string_view name,
                                                      const LinkSpeeds& speeds, Rank ranks) {
  const auto source = TRY(XmlSource::parse(name, text));
  if (source.root().name != "system") return tl::unexpected(source.error(source.root(), "expected <system>"));
  Host host(source);
  TRY(host.read());
  const Rank hosts = std::max(1, ranks / static_cast<Rank>(host.gpus().size()));
  const std::int64_t links_of_host = std::ssize(host.bandwidth()) + 2 * std::ssize(host.cards());
  const auto nodes_of_host = static_cast<std::int64_t>(host.names().size());
  if (std::max(links_of_host, nodes_of_host) * hosts > most_links)
    return tl::unexpected(
        source.error(source.root(), fmt::format("{} hosts have more than {} links or nodes", hosts, most_links)));
  Network network = Hosts(host, hosts, speeds).network(std::string(name));
  if (const auto cut = network.unreachable())
    return tl::unexpected(source.error(
        source.root(), fmt::format("rank {} can't reach rank {}{}", cut->first, cut->second,
                                   hosts > 1 && host.cards().empty() ? ": there is no <net> between hosts" : "")));
  return network;
}

namespace {

/// The number of a card, which NCCL writes in hexadecimal behind "0x", or, in older versions, in decimal.
std::optional<std::int64_t> card_number(std::string_view text) {
  const bool is_hexadecimal = text.starts_with("0x");
  if (is_hexadecimal) text.remove_prefix(2);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, is_hexadecimal ? 16 : 10);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The names of all cards of the network with their numbers: "host1.net0".
std::vector<std::pair<std::string, std::int64_t>> cards_of(const Network& network) {
  std::vector<std::pair<std::string, std::int64_t>> cards;
  for (Node node = network.ranks(); node < network.nodes(); ++node) {
    const std::string& name = network.name_in_file(node);
    const std::size_t last = name.rfind('.') == std::string::npos ? 0 : name.rfind('.') + 1;
    if (!std::string_view(name).substr(last).starts_with("net")) continue;
    if (const auto number = parse_whole<std::int64_t>(std::string_view(name).substr(last + 3)))
      cards.emplace_back(name, *number);
  }
  return cards;
}

}  // namespace

tl::expected<std::string, SourceError> ways_of_nccl_graph(std::string_view text, std::string_view name,
                                                          const Network& network, int lanes,
                                                          std::string_view schedule) {
  const auto source = TRY(XmlSource::parse(name, text));
  const auto cards = cards_of(network);
  const auto graphs = source.root().children("graph");
  const auto graph = std::find_if(graphs.begin(), graphs.end(), [](const auto* g) { return g->value("id") == "0"; });
  if (graph == graphs.end())
    return tl::unexpected(source.error(source.root(), "no <graph> with id 0, which has the rings"));
  std::string rules;
  int lane = 0;
  for (const XmlElement* channel : (*graph)->children("channel")) {
    if (lane == lanes) break;
    std::set<std::int64_t> taken;
    for (const XmlElement* net : channel->children("net")) {
      const auto number = card_number(TRY(source.text(*net, "dev")));
      const auto is_it = [&](const auto& card) { return card.second == number; };
      if (std::none_of(cards.begin(), cards.end(), is_it))
        return tl::unexpected(source.error(*net, "dev", fmt::format("{} has no such card", network.name())));
      taken.insert(*number);
    }
    if (taken.empty()) return tl::unexpected(source.error(*channel, "no <net>: a channel on one host takes no card"));
    std::string avoided;
    for (const auto& [card, number] : cards)
      if (!taken.contains(number)) avoided += " " + card;
    if (!avoided.empty()) rules += fmt::format("lane {} avoids{}\n", lane, avoided);
    ++lane;
  }
  if (lane < lanes)
    return tl::unexpected(
        source.error(**graph, fmt::format("{}, {} has {}", counted(static_cast<std::uint64_t>(lane), "channel"),
                                          schedule, counted(static_cast<std::uint64_t>(lanes), "lane"))));
  return rules;
}

}  // namespace onceover::network
