// Description: what a launch file says, read and checked as far as it can be without the PTX.
//
// A description is about any number of ranks p and any size n; `concrete.h` makes a Launch of it for one p and one n.
// docs/gpu.md describes the format.
//
// Each formula and each name keeps its place in the file, so that mistakes that only the PTX, p or n show are reported
// there, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "base/source_text.h"
#include "gpu/element_type.h"
#include "gpu/engine.h"
#include "schedules/formula.h"
#include "schedules/types.h"

namespace onceover::gpu {

/// The most ranks that a launch has.
inline constexpr Rank most_launch_ranks = 64;

/// A file's name and text, and errors in it.
struct DescriptionText {
  std::string name = {};
  std::string text = {};

  tl::unexpected<SourceError> error(std::size_t offset, std::string_view message) const {
    return tl::unexpected(source_error(name, text, offset, message));
  }
};

/// Names and their values, for formulas.
class Variables {
 public:
  void set(std::string_view name, std::int64_t value);
  std::optional<std::int64_t> find(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, std::int64_t>> values_;
};

/// A formula, where it stands, and the names that it knows, in the order of its variables.
struct PlacedFormula {
  Formula formula;
  const DescriptionText* file;
  std::size_t offset;
  std::vector<std::string> names = {};

  /// Its value, or an error at its place in the file. All its names must have values.
  tl::expected<std::int64_t, SourceError> value(const Variables& variables) const;
};

/// What `for q in A..B` says: q is A, A + 1, .., B - 1.
struct Loop {
  std::string name = {};
  PlacedFormula begin;
  PlacedFormula end;
};

/// The rank of an address: a formula, or all ranks by multicast.
struct OnRank {
  std::optional<PlacedFormula> rank = {};  // none: multicast
};

/// "sig[k % 2]@q + 16": an address in a buffer, a table or a variable of the module.
struct AddressText {
  std::string name = {};
  const DescriptionText* file;
  std::size_t offset;                      // of the name
  std::optional<PlacedFormula> turn = {};  // which of several buffers that take turns; none: the call's
  OnRank on;
  std::optional<PlacedFormula> addend = {};  // in bytes
};

/// "u32 n / 4", "f32 -0.5", or without a type.
struct ScalarText {
  std::optional<ElementType> type = {};
  std::variant<PlacedFormula, double> value;
};

/// An item of a content: an address or a number, once or for each value of the loops.
struct Item {
  std::variant<AddressText, ScalarText> value;
  std::vector<Loop> loops = {};
  const DescriptionText* file;
  std::size_t offset;
};

/// Items that lie somewhere. Without a place, one follows the other.
struct PlacedItems {
  std::optional<PlacedFormula> at = {};  // in bytes; may use the names of the items' loops
  Item item;
};

/// Bytes as a description gives them.
struct ContentText {
  std::vector<PlacedItems> items = {};
  std::optional<std::uint8_t> rest = {};  // of bytes that no item describes
  const DescriptionText* file = nullptr;
  std::size_t offset = 0;
};

enum class BufferRole : std::uint8_t {
  input,     // new values before each call; must be the same after it
  output,    // holds nothing before each call, and is judged after it
  in_place,  // both
  memory,    // anything else: flags, staging
};

std::string_view name(BufferRole role);

struct BufferText {
  std::string name = {};
  const DescriptionText* file;
  std::size_t offset;  // of the name
  ElementType type = ElementType::u32;
  std::optional<PlacedFormula> count = {};
  BufferRole role = BufferRole::memory;
  std::optional<ScalarText> fill = {};        // of memory: what each element holds before the first call; none: nothing
  bool is_constant = false;                   // of memory: kernels only read it
  std::uint32_t turns = 1;                    // this many buffers take turns, one call each
  std::optional<ContentText> initial = {};    // written before the first call
  std::optional<ContentText> each_call = {};  // written by the host before each call
};

/// A table in device memory, one on each rank, which kernels only read.
struct TableText {
  std::string name = {};
  const DescriptionText* file;
  std::size_t offset;
  ContentText content = {};
};

struct ArgumentText {
  std::size_t position;
  std::size_t offset;  // of the key
  ContentText content = {};
  bool is_struct = false;  // given by offsets
};

struct ExtentText {
  std::vector<PlacedFormula> sides = {};  // 1 to 3
  std::size_t offset = 0;
};

struct KernelText {
  std::string entry = {};
  std::size_t entry_offset = 0;
  ExtentText grid = {};
  ExtentText block = {};
  std::optional<ExtentText> cluster = {};
  std::optional<PlacedFormula> shared = {};  // bytes of dynamic shared memory
  std::optional<PlacedFormula> only = {};    // the ranks that run it: those for which it isn't 0
  int stream = 0;
  std::vector<ArgumentText> arguments = {};
  std::size_t offset = 0;
};

/// "out = "allreduce(in)"": what a buffer must hold after each call.
struct ExpectText {
  std::string output = {};
  std::size_t offset;  // of the key
  std::string text = {};
  std::size_t text_offset;
  std::string input = {};  // of a rule: the input whose elements it is about
};

struct LetText {
  std::string name = {};
  PlacedFormula formula;
};

struct Description {
  std::shared_ptr<const DescriptionText> file;
  std::shared_ptr<const DescriptionText> layout_file;  // of a layout that it uses
  std::string ptx = {};                                // a path, relative to the description; or
  std::string source = {};                             // the same of CUDA C++
  std::size_t program_offset = 0;
  std::vector<Rank> ranks = {};
  std::vector<std::int64_t> sizes = {};  // n; one 0 if there is none
  bool has_sizes = false;
  std::uint32_t calls = 3;
  std::vector<LetText> lets = {};
  std::vector<BufferText> buffers = {};
  std::vector<TableText> tables = {};
  std::vector<KernelText> kernels = {};
  std::vector<ExpectText> expects = {};
  Grants grants;
  std::uint32_t seeds = 8;
  std::uint32_t resident_blocks = 0;
  std::vector<std::string> required = {};
  std::vector<std::string> waived = {};
};

/// What the user says besides a description.
struct DescriptionOverrides {
  bool has_program = false;      // the description needs none
  std::vector<Rank> ranks = {};  // instead of the description's, if there are any
  std::vector<std::int64_t> sizes = {};
};

/// Reads a description called `name`. The PTX isn't needed yet.
tl::expected<Description, SourceError> read_description(std::string name, std::string text,
                                                        const DescriptionOverrides& overrides = {});

/// Does the text begin like a description? Before its first table it has a key `ptx` or `source` with a text, or its
/// first table is one of a description alone, such as [buffer.in]. It needn't be right in other ways. O(text).
bool looks_like_description(std::string_view text);

/// The layouts that a description can name, with what they add, as TOML.
struct LaunchLayout {
  std::string_view name;
  std::string_view summary;
  std::string_view text;
};
std::span<const LaunchLayout> launch_layouts();

}  // namespace onceover::gpu
