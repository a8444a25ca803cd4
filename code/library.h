// Libraries: the collectives inside MPICH, Open MPI and others, judged from a checkout of their source. A library of
// ours is a folder with stand-ins for what lies below the algorithms, and a table of the algorithms.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "code/executable.h"
#include "code/library_table.h"
#include "code/trials.h"

namespace onceover::code {

/// An algorithm as a checkout has it: its row of the table, or one that its pattern makes.
struct LibraryAlgorithm {
  LibraryRow row;
  bool is_known = true;  // in the table
  bool is_there = true;  // in the checkout
};

/// The values of settings: "k" is 3.
using SettingValues = std::map<std::string, std::int64_t>;

/// "k=3, piece=64"
std::string text_of(const SettingValues& values);

/// "k = 2, 3; chunk = 64": the values that were tried.
std::string tried_text(std::span<const SettingValues> choices);

/// The names of the libraries that the program brings.
std::vector<std::string> library_names();

class Library {
 public:
  /// A library that the program brings, by its name; or one of the user's, by the path of its folder, with a '/' in it.
  /// A checkout that lacks what every checkout has is malformed.
  static Result<Library> open(const std::string& name, const std::string& checkout);

  /// Every algorithm that the table or the checkout has, by name.
  const std::vector<LibraryAlgorithm>& algorithms() const { return algorithms_; }

  /// The one with that name, if it can be judged. It is malformed if this checkout hasn't got it.
  Result<const LibraryAlgorithm*> find(const std::string& name) const;

  const SelectionVocabulary& selection() const { return table_.selection; }

  /// What `--list` prints.
  std::string list_text() const;

  /// What to compile, with what `asked` says of files, how to compile and elements. The sources name files of this
  /// library, which must outlive them.
  Result<Sources> sources(const LibraryRow& row, const Sources& asked) const;

  /// All choices of values: those of `chosen`, NAME=LIST each, and otherwise what the row tries.
  static Result<std::vector<SettingValues>> choices(const LibraryRow& row, const std::vector<std::string>& chosen);

  /// An error in compiling an algorithm, with what this checkout has and the stand-in lacks by name.
  Failure explained(const Failure& failure, const LibraryRow& row) const;

  /// "mpich in CHECKOUT"
  std::string name_and_checkout() const;

  /// "bcast/circ_graph of mpich in CHECKOUT"
  std::string title(const LibraryRow& row) const;

 private:
  Library(std::string name, std::string checkout, ScratchFolder folder)
      : name_(std::move(name)), checkout_(std::move(checkout)), folder_(std::move(folder)) {}

  Result<void> read_table();
  void find_algorithms();
  void add_matching(const LibraryPattern& pattern);
  void add_found(const LibraryPattern& pattern, const std::string& path, const std::string& collective,
                 const std::string& name);
  LibraryAlgorithm* algorithm_named(const std::string& name);
  std::vector<std::string> files_below(const std::string& folder) const;
  Result<void> write_algorithm(const LibraryRow& row) const;
  std::string in_checkout(const std::string& path) const { return checkout_ + "/" + path; }

  std::string name_;
  std::string checkout_;
  ScratchFolder folder_;  // for what is written for an algorithm, and the files of a library that the program brings
  std::string own_;       // the library's folder
  LibraryTable table_;
  std::vector<LibraryAlgorithm> algorithms_;
};

/// What the domain of a row asks for in calls where the user doesn't say it.
struct DomainCalls {
  live::CallWords calls = {};
  bool avoids_in_place = false;
  std::optional<Hosts> hosts = {};
};

/// `said` is what the user says of calls. A row that takes any operator is called with both kinds, unless `is_quick`.
DomainCalls domain_calls(const LibraryRow& row, const live::CallWords& said, bool is_quick);

/// The trials, with each of the choices of values, whose calls share a process where they can.
std::vector<CodeTrial> with_values(std::span<const CodeTrial> trials, std::span<const SettingValues> choices);

/// How many choices may share a process with that number of ranks, so that its record stays small. `is_quick`: no long
/// messages are chosen.
std::size_t most_together(Rank ranks, bool is_quick);

}  // namespace onceover::code
