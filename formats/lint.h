// Lint: would a runtime load a file, and what does it make of it? One function for each format.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "base/namespaces.h"
#include "base/source_text.h"
#include "formats/msccl_profile.h"

namespace onceover::formats {

/// A place in a file that a runtime refuses, or that the file's user should know about.
struct LintFinding {
  SourceError at;
  bool is_note = false;    // the file is loaded all the same
  bool is_silent = false;  // the file is loaded without a word, and its run goes wrong
};

/// The first 1000 findings, in the order of the file; only the first of one kind in each element. A text that isn't XML
/// is an error.
tl::expected<std::vector<LintFinding>, SourceError> lint_msccl(std::string_view name, std::string_view text,
                                                               const MscclProfile& profile);

inline constexpr std::string_view plan_profile = "mscclpp";
inline constexpr std::string_view plan_runtime = "MSCCL++ of August 2026";

/// The first 1000 findings, in the order of the file: what makes the runtime refuse the plan; what it takes silently,
/// and then goes wrong; and, as notes, what it does otherwise than documented. A text that isn't JSON is an error.
/// O(text), and O(text) for each finding, whose line must be counted.
tl::expected<std::vector<LintFinding>, SourceError> lint_plan(std::string_view name, std::string_view text);

/// A place that a runtime's parser can't read, and why.
struct LexicalFault {
  std::size_t at;
  std::string why;
};

/// The first such place in a text that is well-formed XML. All runtimes have the same parser, from NCCL: between
/// elements there are only spaces and ends of lines; one space separates attributes, which end with a double quote;
/// names have at most 254 bytes and values 255. O(text).
std::optional<LexicalFault> lexical_fault(std::string_view text);

}  // namespace onceover::formats
