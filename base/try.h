// TRY: passes an error on.
#pragma once

#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace onceover::base {

template <class Value, class Error>
Value value_of(tl::expected<Value, Error>&& result) {
  if constexpr (!std::is_void_v<Value>) return *std::move(result);
}

}  // namespace onceover::base

/// The value of a tl::expected. If it holds an error, the enclosing function returns that error. For results without a
/// value, use it as a statement: TRY(check(x));
#define TRY(...)                                                                 \
  __extension__({                                                                \
    auto result_of_try = (__VA_ARGS__);                                          \
    if (!result_of_try) return tl::unexpected(std::move(result_of_try).error()); \
    ::onceover::base::value_of(std::move(result_of_try));                        \
  })
