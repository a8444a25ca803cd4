#include "small_msccl.h"

#include <fmt/format.h>

#include <cstdlib>
#include <set>

namespace onceover::support {

namespace {

int pick(std::mt19937& random, std::size_t n) {
  return static_cast<int>(random() % n);
}

/// The thread block of a gpu that sends to, or receives from, a peer.
SmallThread& thread_to(std::vector<SmallThread>& gpu, int SmallThread::*way, int peer) {
  for (SmallThread& t : gpu)
    if (t.*way == peer) return t;
  gpu.push_back({});
  gpu.back().*way = peer;
  return gpu.back();
}

}  // namespace

std::string SmallMsccl::text() const {
  std::string text =
      fmt::format("<algo name=\"small\"{} nchunksperloop=\"{}\" ngpus=\"{}\" coll=\"{}\" inplace=\"{}\">\n",
                  protocol.empty() ? "" : fmt::format(" proto=\"{}\"", protocol), chunks, gpus.size(), collective,
                  in_place ? 1 : 0);
  for (std::size_t g = 0; g < gpus.size(); ++g) {
    std::set<std::pair<int, int>> told;
    for (const auto& t : gpus[g])
      for (const auto& s : t.steps) told.insert({s.dep_thread, s.dep_step});
    text += fmt::format("<gpu id=\"{}\" i_chunks=\"0\" o_chunks=\"0\" s_chunks=\"{}\">\n", g, scratch);
    for (std::size_t t = 0; t < gpus[g].size(); ++t) {
      const SmallThread& tb = gpus[g][t];
      text += fmt::format("<tb id=\"{}\" send=\"{}\" recv=\"{}\" chan=\"{}\">\n", t, tb.send, tb.recv, tb.channel);
      for (std::size_t s = 0; s < tb.steps.size(); ++s) {
        const SmallStep& x = tb.steps[s];
        text += fmt::format(
            "<step s=\"{}\" type=\"{}\" srcbuf=\"{}\" srcoff=\"{}\" dstbuf=\"{}\" dstoff=\"{}\" cnt=\"{}\" "
            "depid=\"{}\" "
            "deps=\"{}\" hasdep=\"{}\"/>\n",
            s, x.type, x.src_buffer, x.src, x.dst_buffer, x.dst, x.count, x.dep_thread, x.dep_step,
            told.count({static_cast<int>(t), static_cast<int>(s)}));
      }
      text += "</tb>\n";
    }
    text += "</gpu>\n";
  }
  return text + "</algo>\n";
}

SmallMsccl small_ring(int ranks) {
  SmallMsccl file{.chunks = ranks};
  for (int r = 0; r < ranks; ++r) {
    SmallThread tb{.send = (r + 1) % ranks, .recv = (r + ranks - 1) % ranks};
    for (int k = 0; k < 2 * (ranks - 1); ++k) {
      const int out = (r - k + 2 * ranks) % ranks, in = (r - k - 1 + 2 * ranks) % ranks;
      tb.steps.push_back({.type = "s", .src = out, .dst = out});
      tb.steps.push_back({.type = k < ranks - 1 ? "rrc" : "r", .src = in, .dst = in});
    }
    file.gpus.push_back({tb});
  }
  return file;
}

SmallMsccl small_split_ring(int ranks) {
  SmallMsccl file = small_ring(ranks);
  for (auto& gpu : file.gpus) {
    const SmallThread both = gpu[0];
    SmallThread sender{.send = both.send}, receiver{.recv = both.recv};
    for (std::size_t s = 0; s < both.steps.size(); s += 2) {
      SmallStep send = both.steps[s];
      if (s > 0) send.dep_thread = 1, send.dep_step = static_cast<int>(s / 2) - 1;
      sender.steps.push_back(send);
      receiver.steps.push_back(both.steps[s + 1]);
    }
    gpu = {sender, receiver};
  }
  return file;
}

SmallMsccl small_pairs(int ranks) {
  SmallMsccl file{.scratch = ranks};
  for (int r = 0; r < ranks; ++r) {
    std::vector<SmallThread> gpu;
    for (int q = 0; q < ranks; ++q) {
      if (q == r) continue;
      SmallThread tb{.send = q, .recv = q};
      tb.steps.push_back({.type = "s"});
      tb.steps.push_back({.type = "r", .dst_buffer = 's', .dst = q});
      gpu.push_back(tb);
    }
    // All sends of the input must be over before anything is added to it.
    for (int t = 1; t < ranks - 1; ++t) gpu[0].steps.push_back({.type = "nop", .dep_thread = t, .dep_step = 1});
    for (int q = 0; q < ranks; ++q)
      if (q != r) gpu[0].steps.push_back({.type = "re", .src_buffer = 's', .src = q});
    file.gpus.push_back(gpu);
  }
  return file;
}

SmallMsccl random_msccl(std::mt19937& random) {
  SmallMsccl file;
  const int ranks = 2 + pick(random, 2);
  file.collective = pick(random, 4) == 0 ? "allgather" : "allreduce";
  file.chunks = file.collective == "allgather" ? ranks : 1 + pick(random, 2);
  file.scratch = 1;
  file.in_place = pick(random, 3) > 0;
  file.gpus.resize(static_cast<std::size_t>(ranks));
  auto offset = [&](char buffer) {
    return buffer == 's'
               ? 0
               : pick(random,
                      buffer == 'i' && file.collective == "allgather" ? 1 : static_cast<std::size_t>(file.chunks));
  };
  auto buffer = [&] { return "iooos"[pick(random, 5)]; };
  const int messages = 2 + pick(random, 4);
  for (int m = 0; m < messages; ++m) {
    const int src = pick(random, static_cast<std::size_t>(ranks)),
              dst = (src + 1 + pick(random, static_cast<std::size_t>(ranks - 1))) % ranks;
    SmallStep send{.type = "s", .src_buffer = "iio"[pick(random, 3)]};
    send.src = offset(send.src_buffer);
    SmallStep take{.type = pick(random, 2) == 0 ? "r" : "rrc", .dst_buffer = buffer()};
    take.dst = offset(take.dst_buffer);
    take.src_buffer = pick(random, 2) == 0 ? take.dst_buffer : 'i';
    take.src = take.src_buffer == take.dst_buffer ? take.dst : offset('i');
    thread_to(file.gpus[static_cast<std::size_t>(src)], &SmallThread::send, dst).steps.push_back(send);
    auto& gpu = file.gpus[static_cast<std::size_t>(dst)];
    SmallThread* receiver = nullptr;
    for (SmallThread& t : gpu)
      if (t.recv == src) receiver = &t;
    for (SmallThread& t : gpu)
      if (receiver == nullptr && t.recv < 0 && pick(random, 2) == 0) (receiver = &t)->recv = src;
    if (receiver == nullptr) receiver = &thread_to(gpu, &SmallThread::recv, src);
    receiver->steps.push_back(take);
  }
  for (auto& gpu : file.gpus)
    for (auto& tb : gpu)
      for (auto& step : tb.steps) {
        if (pick(random, 3) > 0) continue;
        step.dep_thread = pick(random, gpu.size());
        const auto& other = gpu[static_cast<std::size_t>(step.dep_thread)].steps;
        if (other.empty())
          step.dep_thread = -1;
        else
          step.dep_step = pick(random, other.size());
      }
  return file;
}

namespace {

/// Where a step reads and stores: one run of chunks, or two that don't overlap.
void place(SmallStep& step, int count, int chunks, std::mt19937& random) {
  auto offset = [&] { return pick(random, 2) * pick(random, static_cast<std::size_t>(chunks - count + 1)); };
  step.count = count;
  step.src = offset();
  step.dst = offset();
  if (std::abs(step.src - step.dst) < count) step.dst = step.src;
}

void add_local_steps(SmallMsccl& file, std::mt19937& random) {
  for (auto& gpu : file.gpus) {
    if (pick(random, 3) == 0) gpu.push_back({});
    for (SmallThread& tb : gpu)
      for (int k = pick(random, 2); k > 0; --k) {
        SmallStep step{.type = pick(random, 2) == 0 ? "re" : "cpy"};
        place(step, 1 + pick(random, static_cast<std::size_t>(file.chunks)), file.chunks, random);
        if (pick(random, 2) == 0) step.src_buffer = 's';
        if (pick(random, 2) == 0) step.dst_buffer = 's';
        tb.steps.push_back(step);
      }
  }
}

/// A third of the steps wait for some step of another thread block.
void add_waits(SmallMsccl& file, std::mt19937& random) {
  for (auto& gpu : file.gpus)
    for (auto& tb : gpu)
      for (auto& step : tb.steps) {
        const int other = pick(random, gpu.size());
        const auto& steps = gpu[static_cast<std::size_t>(other)].steps;
        if (pick(random, 3) > 0 || &gpu[static_cast<std::size_t>(other)] == &tb || steps.empty()) continue;
        step.dep_thread = other;
        step.dep_step = pick(random, steps.size());
      }
}

}  // namespace

SmallMsccl random_relays(std::mt19937& random) {
  const int chunks = 1 + pick(random, 3), ranks = 2 + pick(random, 2);
  SmallMsccl file{.chunks = chunks, .scratch = chunks};
  file.gpus.resize(static_cast<std::size_t>(ranks));
  const int ways = 1 + pick(random, 4) / 3;
  for (int channel = 0; channel < ways; ++channel) {
    const int count = 1 + pick(random, static_cast<std::size_t>(chunks)), hops = 2 + pick(random, 2);
    int at = pick(random, static_cast<std::size_t>(ranks)), from = -1, home = at;
    const bool is_relay_home = pick(random, 2) == 0;
    for (int hop = 0; hop <= hops; ++hop) {
      int to = hop == hops ? -1 : (at + 1 + pick(random, static_cast<std::size_t>(ranks - 1))) % ranks;
      if (hop == 1 && is_relay_home) home = at;
      if (hop + 1 == hops && at != home) to = home;
      const char* relay[] = {"rcs", "rrs", "rrcs"};
      const char* take[] = {"r", "rrc"};
      SmallStep step{.type = hop == 0 ? "s" : hop < hops ? relay[pick(random, 3)] : take[pick(random, 2)]};
      place(step, count, chunks, random);
      file.gpus[static_cast<std::size_t>(at)].push_back(
          {.send = to, .recv = from, .channel = channel, .steps = {step}});
      from = at;
      at = to;
    }
  }
  if (pick(random, 2) == 0) add_local_steps(file, random);
  add_waits(file, random);
  return file;
}

SmallMsccl changed(SmallMsccl file, std::mt19937& random) {
  auto& gpu = file.gpus[static_cast<std::size_t>(pick(random, file.gpus.size()))];
  if (gpu.empty()) return file;
  SmallThread& tb = gpu[static_cast<std::size_t>(pick(random, gpu.size()))];
  if (tb.steps.empty()) return file;
  const int at = pick(random, tb.steps.size());
  SmallStep& step = tb.steps[static_cast<std::size_t>(at)];
  switch (pick(random, 6)) {
    case 0: tb.steps.erase(tb.steps.begin() + at); break;
    case 1: std::swap(step, tb.steps[static_cast<std::size_t>(pick(random, tb.steps.size()))]); break;
    case 2: (pick(random, 2) == 0 ? tb.send : tb.recv) = pick(random, file.gpus.size()); break;
    case 3: (pick(random, 2) == 0 ? step.src : step.dst) = pick(random, static_cast<std::size_t>(file.chunks)); break;
    case 4: step.dep_thread = step.dep_step = -1; break;
    default:
      step.type = std::vector<std::string>{
          "s", "r", "rcs", "rrc", "rrs", "rrcs", "cpy", "re", "nop"}[static_cast<std::size_t>(pick(random, 9))];
  }
  return file;
}

}  // namespace onceover::support
