// The table of a library: library.toml of its folder, which says what a checkout of it has and how that is called.
// docs/code-libraries.md describes the keys.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "live/live_call.h"

namespace onceover::code {

/// A number that an algorithm takes besides, or that a variable of its library gives.
struct LibrarySetting {
  std::string name;
  std::int64_t least = 0;
  std::int64_t most = 0;
  std::vector<std::int64_t> tried;  // where the user says nothing
};

/// For which numbers of ranks an algorithm is meant.
enum class RanksDomain : std::uint8_t { any, power_of_two, even, two, two_or_more, three_or_more };

/// "any", "power of two", ..
std::string_view name(RanksDomain domain);

/// Is the number one of them?
bool contains(RanksDomain domain, Rank ranks);

/// Is an algorithm meant to be called in place?
enum class InPlaceDomain : std::uint8_t { both, never, always };

/// A row: an algorithm of the library.
struct LibraryRow {
  std::string name;                                  // "bcast/circ_graph"
  const live::LiveCollective* collective = nullptr;  // null only where `why` is set
  std::string file = {};                             // of the checkout; empty: as the pattern has it
  std::string function = {};                         // empty: as the pattern has it
  std::vector<std::string> with = {};                // further files of the checkout
  std::string arguments = {};                        // behind those of the collective, in C
  std::vector<LibrarySetting> settings = {};
  std::string flags = {};
  RanksDomain ranks = RanksDomain::any;
  InPlaceDomain in_place = InPlaceDomain::both;
  bool commutes = false;    // only operators that commute
  std::string layout = {};  // of counts that differ from rank to rank, as --layout has it; empty: every one
  std::string hosts = {};   // on which hosts ranks must be, as --hosts has it; empty: on any
  std::string count = {};   // the counts that are tried where the user says nothing; empty: the usual ones
  std::vector<std::string> selected_if = {};  // conditions of a selection file that hold for all calls it is meant for
  std::string why = {};                       // not empty: it isn't judged, for this reason
};

/// What a row says of its domain: "p power of two; not in place; operators that commute; k = 2, 3 (2..64)".
std::string domain_text(const LibraryRow& row);

/// "p = 3, 5 (it is meant for p even)": those of the numbers of ranks that are outside an algorithm's domain; empty if
/// none is.
std::string left_out_text(const LibraryRow& row, std::span<const Rank> ranks);

/// What isn't tried of an algorithm: other values of its settings, and ranks outside its domain.
std::vector<std::string> not_tried(const LibraryRow& row, std::span<const Rank> ranks);

/// Where a library keeps algorithms of one kind: "src/coll/{collective}/{collective}_intra_{name}.c".
struct LibraryPattern {
  std::string files;
  std::string function;  // {Collective} begins with a capital
  std::string name;      // "{collective}/{name}"
  std::string flags = {};
  const live::LiveCollective* collective = nullptr;  // null: as {collective} says
  std::vector<LibrarySetting> settings = {};         // of each algorithm, besides its own
  std::string why = {};                              // not empty: nothing of this kind is judged, for this reason
};

/// What a library's selection files are made of: condition "avg_msg_size" is defined for bcast, ..
struct SelectionVocabulary {
  std::vector<std::string> collectives = {};  // that a file must have a branch for
  std::map<std::string, std::vector<std::string>> conditions = {};
};

struct LibraryTable {
  std::string about;                                // one line
  std::string made_for;                             // the version that it was made for
  std::string needs;                                // a file that every checkout has
  std::vector<std::string> files = {};              // of the folder, which are compiled with each algorithm
  std::vector<std::string> include = {};            // of the folder
  std::vector<std::string> checkout_include = {};   // of the checkout
  std::map<std::string, std::string> headers = {};  // by paths of the library's own: what stands in for them
  std::string flags = {};
  std::vector<LibraryPattern> patterns = {};
  std::vector<LibraryRow> rows = {};   // ascending by name
  SelectionVocabulary selection = {};  // without collectives: the library has no such files
};

/// Numbers and ranges from 0 on: "1..4,8". At most 1000.
Result<std::vector<std::int64_t>> parse_setting_values(const std::string& text);

/// Reads a table. `name` is for errors.
Result<LibraryTable> read_library_table(const std::string& name, const std::string& text);

}  // namespace onceover::code
