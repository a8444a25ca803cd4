// Gloo's older classes reduce by f(x, y, n), which does x = x + y, its functions by f(out, a, b, n), which does
// out = a + b. Both are called on the thread of the rank, so the rank's counts are the thread's.

#include "live/gloo/algorithms.h"

#include <gloo/allgather.h>
#include <gloo/allgather_ring.h>
#include <gloo/allgatherv.h>
#include <gloo/allreduce.h>
#include <gloo/allreduce_bcube.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/alltoall.h>
#include <gloo/alltoallv.h>
#include <gloo/broadcast.h>
#include <gloo/broadcast_one_to_all.h>
#include <gloo/gather.h>
#include <gloo/reduce.h>
#include <gloo/reduce_scatter.h>
#include <gloo/scatter.h>

#include <array>

namespace onceover::live {

namespace {

/// As ElementFormat(most_gloo_ranks) lays it out.
struct Element {
  alignas(4) std::array<std::byte, 16 + 8 * most_gloo_ranks> bytes;
};

thread_local const ElementFormat* format_of_rank = nullptr;
thread_local std::vector<std::uint32_t> joins_of_rank;

void join(Element* out, const Element* left, const Element* right, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    Element sum = right[k];  // `out` may be either of them
    format_of_rank->join(left[k].bytes.data(), sum.bytes.data());
    const std::uint32_t position = format_of_rank->position(sum.bytes.data());
    if (position < joins_of_rank.size()) ++joins_of_rank[position];
    out[k] = sum;
  }
}

void reduce_any(void* out, const void* left, const void* right, std::size_t n) {
  join(static_cast<Element*>(out), static_cast<const Element*>(left), static_cast<const Element*>(right), n);
}

void reduce_into(Element* x, const Element* y, std::size_t n) {
  join(x, x, y, n);
}

const gloo::ReductionFunction<Element> into(gloo::CUSTOM, &reduce_into);

Element* elements(CallBuffer& buffer) {
  return reinterpret_cast<Element*>(buffer.data());
}

std::vector<Element*> pointers(CallBuffer& buffer) {
  return {elements(buffer)};
}

/// The options that all functions have: the input, the result, and the tag.
template <typename Options>
Options options(const GlooCall& c) {
  Options options(c.context);
  options.setInput(elements(c.data.send), c.data.send.elements());
  options.setOutput(elements(c.data.result), c.data.result.elements());
  options.setTag(c.tag);
  return options;
}

template <gloo::AllreduceOptions::Algorithm algorithm>
void allreduce(const GlooCall& c) {
  auto all = options<gloo::AllreduceOptions>(c);
  all.setAlgorithm(algorithm);
  all.setReduceFunction(reduce_any);
  gloo::allreduce(all);
}

/// Runs one of the older classes, whose buffers other ranks may write to as long as they run.
template <typename Class, typename... Arguments>
void run_class(const GlooCall& c, Arguments&&... arguments) {
  const auto object = std::make_shared<Class>(c.context, std::forward<Arguments>(arguments)...);
  c.kept = object;
  object->run();
}

template <template <typename> class Class>
void allreduce_by_class(const GlooCall& c) {
  run_class<Class<Element>>(c, pointers(c.data.result), c.call.count, &into);
}

void reduce(const GlooCall& c) {
  gloo::ReduceOptions all(c.context);
  all.setInput(elements(c.data.send), c.data.send.elements());
  // Gloo wants room for the result on every rank.
  std::vector<Element> room(c.data.send.elements());
  const bool is_root = c.context->rank == c.call.root;
  all.setOutput(is_root ? elements(c.data.result) : room.data(), c.data.send.elements());
  all.setTag(c.tag);
  all.setRoot(c.call.root);
  all.setReduceFunction(reduce_any);
  gloo::reduce(all);
}

void reduce_scatter(const GlooCall& c) {
  std::vector<int> shares;
  for (Rank r = 0; r < c.call.ranks; ++r)
    shares.push_back(c.call.collective->kind == CallKind::reduce_scatter ? share(c.call, r) : c.call.count);
  run_class<gloo::ReduceScatterHalvingDoubling<Element>>(c, pointers(c.data.result),
                                                         static_cast<int>(c.data.result.elements()), shares, &into);
}

void broadcast(const GlooCall& c) {
  gloo::BroadcastOptions all(c.context);
  if (c.context->rank == c.call.root) all.setInput(elements(c.data.result), c.data.result.elements());
  all.setOutput(elements(c.data.result), c.data.result.elements());
  all.setTag(c.tag);
  all.setRoot(c.call.root);
  gloo::broadcast(all);
}

void broadcast_one_to_all(const GlooCall& c) {
  run_class<gloo::BroadcastOneToAll<Element>>(c, pointers(c.data.result), c.data.result.elements(), c.call.root);
}

void allgather(const GlooCall& c) {
  auto all = options<gloo::AllgatherOptions>(c);
  gloo::allgather(all);
}

void allgather_ring(const GlooCall& c) {
  const std::vector<const Element*> inputs{elements(c.data.send)};
  run_class<gloo::AllgatherRing<Element>>(c, inputs, elements(c.data.result), c.call.count);
}

void allgatherv(const GlooCall& c) {
  std::vector<std::size_t> counts;
  for (Rank r = 0; r < c.call.ranks; ++r) counts.push_back(given(c.call, r));
  gloo::AllgathervOptions all(c.context);
  all.setInput(elements(c.data.send), c.data.send.elements());
  all.setOutput(elements(c.data.result), counts);
  all.setTag(c.tag);
  gloo::allgatherv(all);
}

void alltoall(const GlooCall& c) {
  auto all = options<gloo::AlltoallOptions>(c);
  gloo::alltoall(all);
}

void alltoallv(const GlooCall& c) {
  const PlacedParts to = live::sent(c.call, c.context->rank), from = live::received(c.call, c.context->rank);
  std::vector<std::int64_t> sent, received;
  for (Rank r = 0; r < c.call.ranks; ++r) {
    sent.push_back(to.parts[static_cast<std::size_t>(r)].count);
    received.push_back(from.parts[static_cast<std::size_t>(r)].count);
  }
  gloo::AlltoallvOptions all(c.context);
  all.setInput(elements(c.data.send), sent);
  all.setOutput(elements(c.data.result), received);
  all.setTag(c.tag);
  gloo::alltoallv(all);
}

void gather(const GlooCall& c) {
  gloo::GatherOptions all(c.context);
  all.setInput(elements(c.data.send), c.data.send.elements());
  if (c.context->rank == c.call.root) all.setOutput(elements(c.data.result), c.data.result.elements());
  all.setTag(c.tag);
  all.setRoot(c.call.root);
  gloo::gather(all);
}

void scatter(const GlooCall& c) {
  gloo::ScatterOptions all(c.context);
  std::vector<Element*> parts;
  for (Rank r = 0; r < c.call.ranks && c.context->rank == c.call.root; ++r)
    parts.push_back(elements(c.data.send) + static_cast<std::ptrdiff_t>(r) * c.call.count);
  if (!parts.empty()) all.setInputs(parts, static_cast<std::size_t>(c.call.count));
  all.setOutput(elements(c.data.result), c.data.result.elements());
  all.setTag(c.tag);
  all.setRoot(c.call.root);
  gloo::scatter(all);
}

using Chosen = gloo::AllreduceOptions::Algorithm;

constexpr std::array rows{
    GlooAlgorithm{CallKind::allreduce, "default", false, allreduce<Chosen::UNSPECIFIED>},
    GlooAlgorithm{CallKind::allreduce, "ring", false, allreduce<Chosen::RING>},
    GlooAlgorithm{CallKind::allreduce, "bcube", false, allreduce<Chosen::BCUBE>},
    GlooAlgorithm{CallKind::allreduce, "AllreduceRing", true, allreduce_by_class<gloo::AllreduceRing>},
    GlooAlgorithm{CallKind::allreduce, "AllreduceRingChunked", true, allreduce_by_class<gloo::AllreduceRingChunked>},
    GlooAlgorithm{CallKind::allreduce, "AllreduceHalvingDoubling", true,
                  allreduce_by_class<gloo::AllreduceHalvingDoubling>},
    GlooAlgorithm{CallKind::allreduce, "AllreduceBcube", true, allreduce_by_class<gloo::AllreduceBcube>},
    GlooAlgorithm{CallKind::reduce, "default", false, reduce},
    GlooAlgorithm{CallKind::reduce_scatter, "default", true, reduce_scatter},
    GlooAlgorithm{CallKind::reduce_scatter_block, "default", true, reduce_scatter},
    GlooAlgorithm{CallKind::broadcast, "default", false, broadcast},
    GlooAlgorithm{CallKind::broadcast, "BroadcastOneToAll", false, broadcast_one_to_all},
    GlooAlgorithm{CallKind::allgather, "default", false, allgather},
    GlooAlgorithm{CallKind::allgather, "AllgatherRing", false, allgather_ring},
    GlooAlgorithm{CallKind::allgatherv, "default", false, allgatherv},
    GlooAlgorithm{CallKind::alltoall, "default", false, alltoall},
    GlooAlgorithm{CallKind::alltoallv, "default", false, alltoallv},
    GlooAlgorithm{CallKind::gather, "default", false, gather},
    GlooAlgorithm{CallKind::scatter, "default", false, scatter},
};

}  // namespace

std::span<const GlooAlgorithm> gloo_algorithms() {
  return rows;
}

std::vector<std::uint32_t> run_counted(const GlooAlgorithm& algorithm, const GlooCall& call,
                                       const ElementFormat& format) {
  format_of_rank = &format;
  const bool reduces = call.call.collective->reduces();
  joins_of_rank.assign(reduces ? call.data.send.elements() : 0, 0);
  algorithm.run(call);
  return std::move(joins_of_rank);
}

}  // namespace onceover::live
