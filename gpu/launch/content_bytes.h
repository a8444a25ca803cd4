// Turns contents of a description into bytes with addresses in them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "gpu/launch/description.h"
#include "gpu/launch/launch.h"

namespace onceover::gpu {

/// Finds what an address refers to, with its `at` unset.
using Resolve = std::function<tl::expected<Relocation, SourceError>(const AddressText&, const Variables&)>;

/// The bytes of a number, or why it has none of this type.
tl::expected<std::vector<std::uint8_t>, std::string> encoded(ElementType type, double value);
tl::expected<std::vector<std::uint8_t>, std::string> encoded(ElementType type, std::int64_t value);

/// The bytes of a fill, in the type of its buffer.
tl::expected<std::vector<std::uint8_t>, SourceError> fill_bytes(const ScalarText& scalar, const BufferText& buffer,
                                                                const Variables& variables);

/// How the content lies in the bytes.
struct ContentShape {
  std::optional<std::uint64_t> bytes = {};    // how many there are; none: as many as the items take
  std::optional<std::uint64_t> untyped = {};  // the bytes of a number without a type; none: it must have one
  std::string_view what;                      // for messages: "argument 0"
};

/// All bytes of the content, each described once.
tl::expected<Bytes, SourceError> whole_bytes(const ContentText& content, const ContentShape& shape,
                                             const Variables& variables, const Resolve& resolve);

/// Bytes at an offset.
struct BytePiece {
  std::uint64_t offset;
  Bytes bytes;
};

/// The items of a content that needn't describe all bytes.
tl::expected<std::vector<BytePiece>, SourceError> pieces(const ContentText& content, const ContentShape& shape,
                                                         const Variables& variables, const Resolve& resolve);

}  // namespace onceover::gpu
