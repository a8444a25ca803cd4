#include <algorithm>
#include <tuple>

#include "check/json.h"
#include "check/plan.h"

namespace check {

namespace {

constexpr Kind kinds[] = {
    {"copy", "", "L", "L", false},      {"put", "mp", "L+", "R+", true},        {"pws", "p", "L+", "R+", true},
    {"pwsf", "p", "L+", "R+", true},    {"get", "m", "R+", "L+", true},         {"re", "", "LL+", "L", false},
    {"res", "m", "LL+", "LR+", false},  {"rre", "m", "LR+", "L", false},        {"rres", "m", "LR+", "LR+", false},
    {"ppkt", "mp", "L+", "Q+", true},   {"rppkt", "mp", "P", "Q+", false},      {"cpkt", "", "L", "P", false},
    {"upkt", "", "P", "L", false},      {"repkt", "", "LP+", "L", false},       {"respkt", "m", "LP+", "LQ+", false},
    {"recpkt", "", "LP+", "LP", false}, {"recspkt", "m", "LP+", "LPQ+", false}, {"glres", "s", "W", "W", false},
    {"gstore", "s", "L", "W", false},   {"gstorepkt", "s", "P", "M", false},    {"nop", "", "", "", false},
    {"barrier", "", "", "", false},     {"sem_acquire", "", "", "", false},     {"sem_release", "", "", "", false},
    {"signal", "mp", "", "", false},    {"wait", "mp", "", "", false},          {"rlxsignal", "mp", "", "", false},
    {"rlxwait", "mp", "", "", false},   {"flush", "p", "", "", false},
};

/// What the runtime has room for.
constexpr std::size_t room_for_channels = 16, room_for_ids = 8, room_for_semaphores = 16, room_for_places = 10;

constexpr std::uint64_t most_chunks = 1 << 20;

struct Buffer {
  std::uint32_t rank;
  Space space;
  bool is_by_memory, is_by_port;  // may it be accessed so?
};

using Groups = std::vector<std::pair<Space, std::vector<std::uint32_t>>>;

/// What a block's operations name by position.
struct Lists {
  std::vector<std::uint32_t> memory, port;
  std::vector<Buffer> remote[2];  // by memory and port
  Groups groups;
};

Space space_of(const Json& json) {
  for (const auto& [letter, space] :
       {std::pair<std::string_view, Space>{"i", Space::input}, {"o", Space::output}, {"s", Space::scratch}})
    if (json.text() == letter) return space;
  json.wrong("i, o or s");
}

/// The letter of a type of channel in the table of kinds; a blank for none.
char channel_letter(const Json& json) {
  for (const auto& [word, letter] : {std::pair<std::string_view, char>{"memory", 'm'}, {"port", 'p'}, {"switch", 's'}})
    if (json.text() == word) return letter;
  if (json.text() == "none") return ' ';
  json.wrong("memory, port, switch or none");
}

template <class Item>
const Item& item(const std::vector<Item>& items, const Json& position) {
  if (items.empty()) position.wrong("something to choose from");
  return items[position.number(0, items.size() - 1)];
}

class PlanReader {
 public:
  explicit PlanReader(const Json& json) : json_(json) {}

  Plan read() {
    plan_.collective = json_["collective"].text();
    plan_.has_packet_room = json_["protocol"].text() == "LL";
    if (!plan_.has_packet_room && json_["protocol"].text() != "Simple") json_["protocol"].wrong("Simple or LL");
    plan_.is_in_place = json_["inplace"].truth();
    plan_.has_halves = flag("use_double_scratch_buffer");
    if (flag("reuse_resources")) json_.uncovered("scratch that plans share");
    plan_.alignment = number_or("buffer_alignment", 16);
    plan_.least_bytes = number_or("min_message_size", 0);
    plan_.most_bytes = number_or("max_message_size", UINT64_MAX);
    threads_ = number_or("num_threads_per_block", 1024);
    if (threads_ == 0 || threads_ > 1024) json_.wrong("1 to 1024 threads in a block");
    const auto& gpus = json_["gpus"].list();
    if (gpus.empty() || gpus.size() > 1024 || plan_.alignment == 0 || plan_.alignment % 16 != 0 ||
        plan_.alignment > UINT32_MAX)
      json_.wrong("GPUs, and an alignment of 16 bytes or a multiple");
    plan_.gpus.resize(gpus.size());
    for (std::size_t r = 0; r < gpus.size(); ++r) read_gpu(gpus[r].second, plan_.gpus[r], r);
    check_shape();
    std::vector<Groups> groups;
    for (std::size_t r = 0; r < gpus.size(); ++r) groups.push_back(groups_of(gpus[r].second, r));
    check_groups(json_, groups);
    for (std::size_t r = 0; r < gpus.size(); ++r) read_blocks(gpus[r].second, plan_.gpus[r], r, groups[r]);
    return std::move(plan_);
  }

 private:
  bool flag(std::string_view key) const { return json_.find(key) != nullptr && json_[key].truth(); }

  std::uint64_t number_or(std::string_view key, std::uint64_t otherwise) const {
    return json_.find(key) == nullptr ? otherwise : json_[key].number(0, UINT64_MAX);
  }

  std::uint32_t rank(const Json& json) const {
    return static_cast<std::uint32_t>(json.number(0, plan_.gpus.size() - 1));
  }

  void read_gpu(const Json& json, Gpu& gpu, std::uint64_t position) {
    json["id"].number(position, position);
    gpu.chunks[0] = json["input_chunks"].number(1, most_chunks);
    gpu.chunks[1] = json["output_chunks"].number(1, most_chunks);
    gpu.chunks[2] = json["scratch_chunks"].number(0, most_chunks);
    for (const auto& [_, channel] : json["channels"].list()) {
      const char type = channel_letter(channel["channel_type"]);
      if (type == 's') continue;
      if (type == ' ') channel.wrong("memory, port or switch");
      auto& channels = type == 'p' ? gpu.port : gpu.memory;
      for (const auto& [__, peer] : channel["connected_to"].list()) {
        const std::uint32_t to = rank(peer);
        const auto before =
            std::count_if(channels.begin(), channels.end(), [&](const Channel& c) { return c.peer == to; });
        if (to == position) peer.wrong("another GPU");
        channels.push_back({to, static_cast<std::uint32_t>(before)});
      }
    }
    if (const Json* semaphores = json.find("semaphores"))
      for (const auto& [_, semaphore] : semaphores->list())
        gpu.semaphores.push_back(semaphore["init_value"].number(0, INT32_MAX));
  }

  /// All GPUs have the chunks of the collective.
  void check_shape() const {
    const std::uint64_t in = plan_.gpus[0].chunks[0], out = plan_.gpus[0].chunks[1], n = plan_.gpus.size();
    for (const Gpu& gpu : plan_.gpus)
      if (gpu.chunks[0] != in || gpu.chunks[1] != out) json_.wrong("equally many chunks on all GPUs");
    const std::string_view what = plan_.collective;
    const bool fits = what == "allgather"                         ? out == in * n
                      : what == "reducescatter"                   ? in == out * n
                      : what == "alltoall"                        ? in == out && in % n == 0
                      : what == "allreduce" || what == "sendrecv" ? in == out
                                                                  : false;
    if (!fits) json_.uncovered("a collective that isn't known, or doesn't fit the chunks");
    if (plan_.is_in_place && what == "sendrecv")
      json_.uncovered("sendrecv in place, where nothing says what is shared");
    for (const Gpu& gpu : plan_.gpus)
      if (plan_.has_halves && gpu.chunks[2] != plan_.gpus[0].chunks[2])
        json_.uncovered("halves of scratch of different sizes");
  }

  /// The groups of a GPU, in its order.
  Groups groups_of(const Json& json, std::uint64_t position) const {
    Groups groups;
    for (const auto& [_, channel] : json["channels"].list())
      if (channel["channel_type"].text() == "switch")
        for (const auto& [__, group] : channel["rank_groups"].list()) {
          groups.push_back({space_of(channel["buffer_type"]), {}});
          for (const auto& [___, member] : group["ranks"].list()) groups.back().second.push_back(rank(member));
          auto& members = groups.back().second;
          std::sort(members.begin(), members.end());
          if (std::adjacent_find(members.begin(), members.end()) != members.end()) group.wrong("each GPU once");
          if (!std::binary_search(members.begin(), members.end(), position)) group.wrong("the GPU itself in its group");
        }
    return groups;
  }

  /// GPUs bind a group together, and each does so in its own order. So there must be one order of all groups that has
  /// each for all members at once.
  static void check_groups(const Json& json, const std::vector<Groups>& by_gpu) {
    std::vector<std::size_t> bound(by_gpu.size(), 0);
    const auto next = [&](std::size_t r) { return bound[r] < by_gpu[r].size() ? &by_gpu[r][bound[r]] : nullptr; };
    bool goes_on = true;
    while (goes_on) {
      goes_on = false;
      for (std::size_t r = 0; r < by_gpu.size(); ++r) {
        const auto* group = next(r);
        if (group == nullptr) continue;
        const bool all_here = std::all_of(group->second.begin(), group->second.end(),
                                          [&](std::uint32_t m) { return next(m) != nullptr && *next(m) == *group; });
        if (!all_here) continue;
        const auto members = group->second;
        for (const std::uint32_t m : members) ++bound[m];
        goes_on = true;
      }
    }
    for (std::size_t r = 0; r < by_gpu.size(); ++r)
      if (next(r) != nullptr) json["gpus"].wrong("groups that all their members have, in one order");
  }

  void read_blocks(const Json& json, Gpu& gpu, std::uint64_t position, const Groups& groups) {
    std::vector<Buffer> buffers;
    for (const auto& [_, buffer] : json["remote_buffers"].list()) buffers.push_back(remote_buffer(buffer, position));
    std::uint64_t id = 0;
    for (const auto& [_, block] : json["threadblocks"].list()) {
      block["id"].number(id, id);
      ++id;
      read_block(block, gpu, static_cast<std::uint32_t>(position), lists_of(block, gpu, groups, buffers));
    }
  }

  Buffer remote_buffer(const Json& json, std::uint64_t position) const {
    Buffer buffer{rank(json["rank"]), space_of(json["type"]), false, false};
    if (buffer.rank == position) json.wrong("a buffer of another GPU");
    for (const auto& [_, type] : json["access_channel_types"].list()) {
      buffer.is_by_memory |= channel_letter(type) == 'm';
      buffer.is_by_port |= channel_letter(type) == 'p';
    }
    return buffer;
  }

  static Lists lists_of(const Json& block, const Gpu& gpu, const Groups& groups, const std::vector<Buffer>& buffers) {
    Lists lists;
    for (const auto& [_, entry] : block["channels"].list()) {
      const char type = channel_letter(entry["channel_type"]);
      if (type == ' ') entry.wrong("memory, port or switch");
      for (const auto& [__, id] : entry["channel_ids"].list()) {
        if (type == 's') lists.groups.push_back(item(groups, id));
        if (type == 'p') lists.port.push_back(number_in(id, gpu.port.size()));
        if (type == 'm') lists.memory.push_back(number_in(id, gpu.memory.size()));
      }
    }
    if (const Json* refs = block.find("remote_buffer_refs"))
      for (const auto& [_, entry] : refs->list()) {
        const char type = channel_letter(entry["access_channel_type"]);
        if (type != 'm' && type != 'p') entry.wrong("memory or port");
        for (const auto& [__, id] : entry["remote_buffer_ids"].list()) {
          const Buffer& buffer = item(buffers, id);
          if (!(type == 'p' ? buffer.is_by_port : buffer.is_by_memory)) id.wrong("a buffer with such an access");
          lists.remote[type == 'p' ? 1 : 0].push_back(buffer);
        }
      }
    for (const std::size_t listed :
         {lists.memory.size(), lists.port.size(), lists.groups.size(), lists.remote[0].size(), lists.remote[1].size()})
      if (listed > room_for_channels) block.wrong("at most 16 channels or remote buffers of a type");
    return lists;
  }

  static std::uint32_t number_in(const Json& json, std::size_t size) {
    if (size == 0) json.wrong("something to choose from");
    return static_cast<std::uint32_t>(json.number(0, size - 1));
  }

  void read_block(const Json& block, Gpu& gpu, std::uint32_t position, const Lists& lists) {
    auto& operations = gpu.blocks.emplace_back();
    for (const auto& [_, json] : block["ops"].list()) operations.push_back(operation(json, gpu, position, lists));
    if (operations.size() > 64) block.wrong("at most 64 operations");
  }

  Operation operation(const Json& json, const Gpu& gpu, std::uint32_t here, const Lists& lists) {
    Operation o;
    o.name = json["name"].text();
    const Kind* kind =
        std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) { return k.name == o.name; });
    if (kind == std::end(kinds)) json.uncovered("this operation");
    o.name = kind->name, o.is_pairwise = kind->is_pairwise;
    check_keys(json, o.name);
    if (!kind->channels.empty()) {
      const char type = channel_letter(json["channel_type"]);
      if (kind->channels.find(type) == std::string_view::npos) json["channel_type"].wrong("a channel that it can use");
      o.is_port = type == 'p';
    } else if (const Json* unused = json.find("channel_type")) {
      channel_letter(*unused);  // the runtime reads it, too
    }
    o.is_relaxed = o.name.starts_with("rlx") && !o.is_port;
    if (o.is_port && o.name.ends_with("pkt")) json.uncovered("packets on a port channel");
    if (o.name.starts_with("rlx")) o.name.remove_prefix(3);
    if (!kind->sources.empty()) read_places(json, *kind, here, lists, o);
    if (o.name.starts_with("sem_")) {
      for (const auto& [_, id] : json["semaphore_ids"].list()) add_id(o, id, number_in(id, gpu.semaphores.size()));
    } else if (o.is_port || o.name == "signal" || o.name == "wait") {
      for (const auto& [_, id] : json["channel_ids"].list())
        add_id(o, id, item(o.is_port ? lists.port : lists.memory, id));
    }
    if (o.ids.size() > threads_) json.wrong("a thread for each channel or semaphore");
    if (o.is_port && !o.targets.empty()) check_port(json, gpu, o);
    if (o.name == "barrier") {
      o.barrier = static_cast<std::uint32_t>(json["barrier_id"].number(0, 15));
      o.barrier_blocks = static_cast<std::uint32_t>(json["num_threadblocks"].number(1, 1 << 16));
    }
    if (const Json* sum = json.find("reduce_op"); sum != nullptr && sum->text() != "sum") sum->wrong("sum");
    return o;
  }

  /// Fields of an operation overlap, and those of a key that comes later here hide what was read before.
  static void check_keys(const Json& json, std::string_view name) {
    static constexpr std::string_view in_order[] = {"barrier_id", "num_threadblocks", "semaphore_ids", "iter_context"};
    const std::size_t first = name == "nop" ? 4 : name == "barrier" ? 2 : name.starts_with("sem_") ? 3 : 0;
    for (std::size_t k = first; k < std::size(in_order); ++k)
      if (const Json* found = json.find(in_order[k])) found->wrong("no key that belongs to another operation");
    for (const auto& [key, room] : {std::pair<std::string_view, std::size_t>{"channel_ids", room_for_ids},
                                    {"semaphore_ids", room_for_semaphores},
                                    {"src_buff", room_for_places},
                                    {"dst_buff", room_for_places}})
      if (const Json* found = json.find(key); found != nullptr && found->list().size() > room)
        found->wrong("no more than the runtime has room for");
  }

  static void add_id(Operation& o, const Json& at, std::uint32_t id) {
    if (std::find(o.ids.begin(), o.ids.end(), id) != o.ids.end()) at.wrong("each once");
    o.ids.push_back(id);
  }

  static void check_port(const Json& json, const Gpu& gpu, const Operation& o) {
    bool fits = o.ids.size() == o.targets.size();
    for (std::size_t k = 0; fits && k < o.ids.size(); ++k) fits = gpu.port[o.ids[k]].peer == o.targets[k].ranks[0];
    if (!fits) json.wrong("a channel to the GPU of each target");
  }

  void read_places(const Json& json, const Kind& kind, std::uint32_t here, const Lists& lists, Operation& o) {
    o.sources = places(json["src_buff"], kind.sources, here, lists, o.is_port);
    o.targets = places(json["dst_buff"], kind.targets, here, lists, o.is_port);
    for (const Place& place : o.sources)
      if (o.is_port && here > 0 && moves_with_rank(place.space))
        json.wrong("sources that a port channel finds in place");
    if (kind.is_pairwise && o.sources.size() != o.targets.size()) json.wrong("as many sources as targets");
    const Space first = o.sources[0].space;
    for (const auto* all : {&o.sources, &o.targets})
      for (const Place& place : *all)
        if (place.size != o.sources[0].size) json.wrong("places of one size");
    if ((o.name == "put" || o.name == "ppkt") && !o.is_port)
      for (const Place& place : o.sources)
        if (place.space != first) json.wrong("sources in one buffer");
    if (const Json* info = json.find("tbg_info")) {
      o.parts = (*info)["tbg_size"].number(1, 1 << 16);
      o.part = (*info)["tb_id"].number(0, o.parts - 1);
    }
  }

  std::vector<Place> places(const Json& list, std::string_view letters, std::uint32_t here, const Lists& lists,
                            bool is_port) const {
    std::vector<Place> all;
    const bool repeats = letters.back() == '+';
    if (repeats) letters.remove_suffix(1);
    for (const auto& [_, json] : list.list()) {
      if (all.size() >= letters.size() && !repeats) json.wrong("fewer places");
      all.push_back(place(json, letters[std::min(all.size(), letters.size() - 1)], here, lists, is_port));
    }
    if (all.size() < letters.size()) list.wrong("another number of places");
    return all;
  }

  /// In place, does the buffer begin elsewhere on each GPU? Accesses to a peer's buffer use the caller's own begin.
  bool moves_with_rank(Space space) const {
    if (!plan_.is_in_place) return false;
    return plan_.collective == "allgather"       ? space == Space::input
           : plan_.collective == "reducescatter" ? space == Space::output
                                                 : false;
  }

  Place place(const Json& json, char letter, std::uint32_t here, const Lists& lists, bool is_port) const {
    Place p{{here},
            Space::input,
            json["index"].number(0, INT32_MAX),
            json["size"].number(1, INT32_MAX),
            false,
            letter == 'P' || letter == 'Q' || letter == 'M'};
    const bool is_remote = letter == 'R' || letter == 'Q', is_group = letter == 'W' || letter == 'M';
    if ((!is_remote && json.find("buffer_id") != nullptr) || (!is_group && json.find("switch_channel_id") != nullptr))
      json.wrong("one kind of place");
    if (is_remote) {
      const Buffer& buffer = item(lists.remote[is_port ? 1 : 0], json["buffer_id"]);
      p.ranks = {buffer.rank}, p.space = buffer.space;
    } else if (is_group) {
      std::tie(p.space, p.ranks) = item(lists.groups, json["switch_channel_id"]);
    } else {
      p.space = space_of(json["type"]), p.is_local = true;
    }
    if (p.holds_packets && p.space != Space::scratch) json.wrong("packets in scratch");
    if (!p.is_local && moves_with_rank(p.space)) json.wrong("a buffer that begins at one place on all GPUs");
    for (const std::uint32_t rank : p.ranks) {
      const std::uint64_t chunks = plan_.gpus[rank].chunks[static_cast<int>(p.space)];
      const std::uint64_t room = p.holds_packets && plan_.has_packet_room ? 2 * chunks : chunks;
      if ((p.holds_packets ? 2 : 1) * (p.index + p.size) > room) json.wrong("chunks that there are");
    }
    return p;
  }

  const Json& json_;
  Plan plan_ = {};
  std::uint64_t threads_ = 0;  // of a block
};

}  // namespace

Plan read_plan(const Text& text) {
  const Json json = Json::read(text);
  return PlanReader(json).read();
}

}  // namespace check
