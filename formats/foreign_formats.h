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

/// Is the first element of XML called so?
bool begins_with_element(std::string_view text, std::string_view name);

/// Is it an object with a key that only schedule files or plans have, outermost? Looks at the first MiB at most.
bool has_key_of_ours(std::string_view text);

/// The beginning of a file, or all of it.
struct Beginning {
  std::string_view name;  // of the file
  std::string_view text;
  bool is_all;
};

/// May a file that doesn't look like ours be a damaged schedule or program? By its name (.json, .xml), if it
/// isn't whole, or by a key of schedules, such as "steps". Others' formats aren't, nor is whole JSON or XML without a
/// name of ours.
bool may_be_damaged(const Beginning& file);

}  // namespace onceover::formats
