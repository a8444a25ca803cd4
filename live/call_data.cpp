#include "live/call_data.h"

#include <fmt/format.h>

#include <algorithm>

namespace onceover::live {

namespace {

constexpr std::byte guard{0xA5};

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
    : send(format, given(call, rank)), result(format, held_before(call, rank).size()), format_(format), rank_(rank) {
  for (std::size_t k = 0; k < send.elements(); ++k)
    format_.set_leaf(send.element(k), rank_, static_cast<std::uint32_t>(k));
  const auto held = held_before(call, rank);
  for (std::size_t k = 0; k < held.size(); ++k) {
    if (held[k])
      format_.set_leaf(result.element(k), rank_, *held[k]);
    else
      format_.clear(result.element(k));
  }
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
