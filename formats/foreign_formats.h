// Formats that people have and that nobody here reads, recognised so that a message can name them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/namespaces.h"

namespace onceover::formats {

/// A row: what such a text is, and what to do with it.
struct ForeignFormat {
  enum class Kind : std::uint8_t { of_other_tools, network, of_other_commands };

  std::string_view what;    // "a TE-CCL schedule"
  std::string_view advice;  // "give it to --topology", or empty: nothing here reads it
  Kind kind = Kind::of_other_tools;

  /// Does the text begin like this format?
  bool (*looks_like)(std::string_view text);

  /// "this is a TE-CCL schedule, which I don't read".
  std::string message() const;
};

/// The first format that the text looks like, or null. Looks at its first MiB at most; of a schedule file or MSCCL XML
/// only at the beginning.
const ForeignFormat* foreign_format_of(std::string_view text);

/// Does the text look like a schedule or program, as far as its outermost names tell? Stricter than what a reader is
/// asked for: a JSON object without a "format" isn't a schedule file that lacks one.
bool is_likely_ours(std::string_view text);

}  // namespace onceover::formats
