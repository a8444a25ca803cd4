#include "live/call_data.h"

#include <fmt/format.h>

#include <algorithm>

namespace onceover::live {

namespace {

constexpr std::byte guard{0xA5};

/// In place, a rank's own data is where its result will be. A broadcast has one buffer for both.
std::size_t in_place_length(const LiveCall& call, Rank rank) {
  const CallKind kind = call.collective->kind;
  const bool takes_input_whole = kind == CallKind::reduce_scatter || kind == CallKind::reduce_scatter_block;
  return (call.in_place && takes_input_whole) || kind == CallKind::broadcast || kind == CallKind::exscan
             ? given(call, rank)
             : 0;
}

}  // namespace

CallBuffer::CallBuffer(const ElementFormat& format, std::size_t elements)
    : format_(format), elements_(elements), bytes_((elements + 2) * format.size(), guard) {}

bool CallBuffer::is_sound() const {
  const auto untouched = [](std::byte b) { return b == guard; };
  const auto begin = bytes_.begin() + static_cast<std::ptrdiff_t>(format_.size());
  return std::all_of(bytes_.begin(), begin, untouched) &&
         std::all_of(begin + static_cast<std::ptrdiff_t>(bytes()), bytes_.end(), untouched);
}

CallData::CallData(const LiveCall& call, const ElementFormat& format, Rank rank)
    : send(format, given(call, rank)),
      result(format, std::max(wanted(call, rank), in_place_length(call, rank))),
      call_(call),
      format_(format),
      rank_(rank) {
  fill();
  if (call.in_place) fill_in_place();
}

void CallData::fill() {
  for (std::size_t k = 0; k < send.elements(); ++k)
    format_.set_leaf(send.element(k), rank_, static_cast<std::uint32_t>(k));
  for (std::size_t k = 0; k < result.elements(); ++k) format_.clear(result.element(k));
  if (call_.collective->kind == CallKind::broadcast && rank_ == call_.root)
    std::copy_n(send.data(), send.bytes(), result.data());
}

/// Puts each element that the rank gives at the place in the result where it, or its sum, will be.
void CallData::fill_in_place() {
  const CallKind kind = call_.collective->kind;
  if (kind == CallKind::alltoall || kind == CallKind::alltoallv) {
    std::copy_n(send.data(), send.bytes(), result.data());
    return;
  }
  if (call_.collective->reduces) {
    if (result.elements() >= send.elements()) std::copy_n(send.data(), send.bytes(), result.data());
    return;
  }
  const std::vector<Due> wanted = due(call_, rank_);
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (wanted[k].first == rank_) format_.set_leaf(result.element(k), rank_, wanted[k].position);
}

std::string CallData::fault() {
  if (!result.is_sound()) return fmt::format("rank {}: memory before or after the result was written", rank_);
  return is_send_unchanged() ? "" : fmt::format("rank {}: the send buffer was changed", rank_);
}

bool CallData::is_send_unchanged() {
  CallBuffer fresh(format_, 1);
  for (std::size_t k = 0; k < send.elements(); ++k) {
    format_.set_leaf(fresh.data(), rank_, static_cast<std::uint32_t>(k));
    if (!std::equal(fresh.data(), fresh.data() + fresh.bytes(), send.element(k))) return false;
  }
  return true;
}

}  // namespace onceover::live
