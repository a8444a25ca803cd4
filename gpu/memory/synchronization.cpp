#include "gpu/memory/synchronization.h"

#include <algorithm>

namespace onceover::gpu {
namespace {

/// Adds a release unless one of the same thread and scopes is there; the later one then stays.
void add_release(std::vector<Release>& releases, const Release& release) {
  for (Release& known : releases) {
    if (known.thread != release.thread || known.first_scope != release.first_scope ||
        known.is_boundary != release.is_boundary)
      continue;
    if (known.moment < release.moment) known = release;
    return;
  }
  releases.push_back(release);
}

}  // namespace

Releases Synchronization::write(ThreadSync& sync, std::uint32_t thread, Order order, Scope scope,
                                const Releases& before, bool continues) const {
  if (gpu::releases(order)) fold(sync);
  std::vector<Release> releases;
  if (gpu::releases(order)) releases.push_back({sync.clock, sync.reads, thread, sync.now, sync.now, scope, false});
  for (std::size_t at = 0; at < sync.fences.size(); ++at) {
    const ThreadSync::Fence& fence = sync.fences[at];
    if (fence.clock != nullptr)
      add_release(releases,
                  {fence.clock, fence.reads, thread, fence.moment, fence.moment, static_cast<Scope>(at), false});
  }
  if (has_boundary_) releases.push_back({sync.launch, sync.reads, thread, Moment{}, sync.now, scope, true});
  if (before != nullptr)
    for (const Release& release : *before)
      // A later strong write of the thread that released, to the same place, is part of the pattern.
      if (continues || release.thread == thread) add_release(releases, release);
  if (releases.empty()) return nullptr;
  return std::make_shared<const std::vector<Release>>(std::move(releases));
}

void Synchronization::read(ThreadSync& sync, std::uint32_t thread, Order order, Scope scope,
                           const Releases& releases) const {
  if (releases == nullptr) return;
  for (const Release& release : *releases) {
    if (release.thread == thread) continue;
    const bool is_strong =
        seats_.includes(release.first_scope, release.thread, thread) && seats_.includes(scope, thread, release.thread);
    if ((release.is_boundary || acquires(order)) && is_strong)
      acquire(sync, release);
    else if (!release.is_boundary)
      add_release(sync.pending, release);
  }
}

void Synchronization::observe(ThreadSync& sync, const SingleWrite& write) const {
  constexpr std::size_t most = 4096;  // forgetting some may show a race that isn't, never hide one
  if (sync.clock->knows(seats_, write.thread, write.moment)) return;
  const auto recent = sync.observed.size() < 16 ? sync.observed.begin() : sync.observed.end() - 16;
  if (std::find(recent, sync.observed.end(), write) != sync.observed.end()) return;
  if (sync.observed.size() >= most) sync.observed.erase(sync.observed.begin(), sync.observed.begin() + most / 2);
  sync.observed.push_back(write);
}

bool Synchronization::knows_coherent(const ThreadSync& sync, std::uint32_t writer, Moment moment) const {
  const auto is_it = [&](const SingleWrite& write) { return write.thread == writer && write.moment == moment; };
  return sync.clock->knows_coherent(seats_, writer, moment) ||
         std::any_of(sync.observed.begin(), sync.observed.end(), is_it);
}

void Synchronization::fold(ThreadSync& sync) const {
  if (sync.observed.empty()) return;
  const bool is_shared = sync.reads == sync.clock;
  auto clock = std::make_shared<Clock>(*sync.clock);
  clock->learn_writes(seats_, sync.observed);
  sync.observed.clear();
  sync.clock = std::move(clock);
  if (is_shared) sync.reads = sync.clock;
}

void Synchronization::fence(ThreadSync& sync, std::uint32_t thread, Scope scope) const {
  fold(sync);
  std::vector<Release> kept;
  for (const Release& release : sync.pending) {
    if (seats_.includes(release.first_scope, release.thread, thread) && seats_.includes(scope, thread, release.thread))
      acquire(sync, release);
    else
      kept.push_back(release);
  }
  sync.pending = std::move(kept);
  sync.fences[static_cast<std::size_t>(scope)] = {sync.clock, sync.reads, sync.now};
  ++sync.now.tick;
}

void Synchronization::acquire(ThreadSync& sync, const Release& release) const {
  sync.clock = joined(seats_, sync.clock, release.clock, release.thread, release.moment);
  if (!has_boundary_) {
    sync.reads = sync.clock;
    return;
  }
  sync.reads = joined(seats_, sync.reads, release.reads, release.thread, release.read_moment);
  sync.reads = joined(seats_, sync.reads, sync.clock, release.thread, release.moment);
}

}  // namespace onceover::gpu
