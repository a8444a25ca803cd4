// Theorems about whole schedules that Coq's kernel accepts (proofs/coq), and the runs that each of them covers.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "proofs/routes/routed_schedule.h"

namespace onceover::proofs {

/// A theorem of proofs/coq.
struct KernelTheorem {
  std::string_view name;  // "swing_once"
  std::string_view file;  // "SwingAll.v"
  std::string_view says;  // in words and mathematics
  std::string_view coq;   // the statement, closed; a test has Coq compare it with the file
};

using Settings = std::map<std::string, std::string, std::less<>>;

/// A run of a row of the catalogue: what it is for, and the settings that the user gave.
struct RowRun {
  const Header& header;
  const Settings& settings;

  std::vector<Rank> sides() const { return header.sides(); }
  bool is_line() const { return sides().size() == 1; }
  bool is_single_lane() const { return header.lanes == 1; }

  /// The value of a setting; `preset` where the user gave none.
  std::string_view setting(std::string_view name, std::string_view preset) const;
};

/// Which runs of a row a theorem covers, and the schedule of the theorem's function for such a run.
struct KernelRow {
  std::string_view row;
  const KernelTheorem* theorem;
  std::string_view domain;  // which runs, in words
  std::span<const Collective> collectives;
  bool (*covers)(const RowRun&);                         // asked of runs of that row and collective only
  RoutedSchedule (*function)(const RowRun&);             // asked of runs that it covers only
  std::vector<Rank> (*owners)(const RowRun&) = nullptr;  // of a reduce-scatter's blocks; null: block mod ranks

  /// The owners of the blocks that the theorem is about; empty where they are block mod ranks, or don't matter.
  std::vector<Rank> owners_of(const RowRun& run) const;
};

/// A part of a row's domain that no theorem covers.
struct KernelGap {
  std::string_view row;
  std::string_view part;  // which runs, in words
  std::string_view why;   // without a full stop
  bool (*has)(const RowRun&);
};

/// All theorems that rows cite, all rows with theirs, and what is left of the rows.
std::span<const KernelTheorem> kernel_theorems();
std::span<const KernelRow> kernel_rows();
std::span<const KernelGap> kernel_gaps();

/// Those of one row of the catalogue.
std::vector<const KernelRow*> kernel_rows_of(std::string_view row);

/// Where a theorem of proofs/coq begins. The lines are read off the files when the program is built.
struct TheoryLine {
  std::string_view file;
  std::string_view name;
  int line;
};

std::span<const TheoryLine> theory_lines();

/// "proofs/coq/SwingAll.v:133".
std::string place_of(const KernelTheorem& theorem);

/// The first row that covers the run, or null. Owners other than the row's are covered by none.
const KernelRow* kernel_row(const RowRun& run);

/// The same, were the owners the row's.
const KernelRow* kernel_row_with_owners(const RowRun& run);

/// The function of Hierarchical.v for a run of that row: a product, of the part across the nodes and the one within.
/// Nothing if a part isn't one of the theorem's, or if there are more ranks than `most_routed`.
std::optional<RoutedSchedule> nodes_schedule(const RowRun& run);

}  // namespace onceover::proofs
