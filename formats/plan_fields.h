// PlanFields: reads the fields of MSCCL++'s JSON, with their ranges, or says what is wrong where.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "base/placed_json.h"
#include "base/try.h"

namespace onceover::formats {

/// What is wrong, and the byte where.
struct PlanFault {
  std::size_t offset;
  std::string message;
};

template <class Value>
using PlanResult = tl::expected<Value, PlanFault>;

inline tl::unexpected<PlanFault> plan_fault(const PlacedJson& at, std::string message) {
  return tl::unexpected(PlanFault{at.offset(), std::move(message)});
}

/// The value of a key that must be there; the error names the object as `what`.
PlanResult<const PlacedJson*> plan_field(const PlacedJson& object, std::string_view key, std::string_view what);

/// A whole number from `least` to `most`, called `what` in errors.
PlanResult<std::uint64_t> plan_number(const PlacedJson& value, std::string_view what, std::uint64_t least,
                                      std::uint64_t most);

/// The same in 31 bits, of a key that must be there.
PlanResult<std::int32_t> plan_count(const PlacedJson& object, std::string_view key, std::int32_t least,
                                    std::int32_t most);

PlanResult<std::string> plan_text(const PlacedJson& object, std::string_view key, std::string_view what);
PlanResult<bool> plan_truth(const PlacedJson& object, std::string_view key, bool otherwise);

/// The elements of a list of at most `most`; with `is_optional`, none if the key is missing.
PlanResult<std::span<const PlacedJson>> plan_list(const PlacedJson& object, std::string_view key, std::size_t most,
                                                  bool is_optional = false);

}  // namespace onceover::formats
