// The schedules of the theorems' functions as proofs/routes writes them, in the lines of proofs/coq/checker.
//
//   print_theorem_schedule ROW COLLECTIVE SIDES LANES [SETTING=VALUE ..]
//   print_theorem_schedule --batch     one such request a line of standard input
//   print_theorem_schedule --statements   each theorem: "File.name : statement", for Coq
//
// For example `swing allreduce 4x6 4` or `rabenseifner allgather 8 1 order=far`. ROW is of the catalogue, LANES a
// number, also one that the row doesn't offer. The setting `root` is the root. It prints "RANKS BLOCKS COLLECTIVE
// [ROOT]", then a line for each transfer, "STEP SRC DST OP BLOCK", and where the block lands if it is elsewhere; by
// step, then by rank, then by block: the order of checker/rows.ml. Exit code 2: no theorem covers the request.

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <sstream>

#include "proofs/routes/kernel.h"

namespace {

using namespace onceover::proofs;

std::vector<Rank> sides_of(const std::string& text) {
  std::vector<Rank> sides;
  std::istringstream in(text);
  for (std::string side; std::getline(in, side, 'x');) sides.push_back(std::stoi(side));
  return sides;
}

bool print(const std::vector<std::string>& words) {
  if (words.size() < 4) return false;
  Header header{.collective = *collective_named(words[1]),
                .ranks = 1,
                .shape = sides_of(words[2]),
                .lanes = std::stoi(words[3]),
                .algorithm = words[0]};
  for (const Rank side : header.shape) header.ranks *= side;
  Settings settings;
  for (std::size_t k = 4; k < words.size(); ++k) {
    const std::size_t sign = words[k].find('=');
    const std::string name = words[k].substr(0, sign), value = words[k].substr(sign + 1);
    if (name == "root")
      header.root = std::stoi(value);
    else
      settings[name] = value;
  }
  const RowRun run{header, settings};
  const KernelRow* row = kernel_row_with_owners(run);
  if (row == nullptr) return false;
  const RoutedSchedule schedule = row->function(run);
  fmt::memory_buffer out;
  const auto write = [&] {
    std::fwrite(out.data(), 1, out.size(), stdout);
    out.clear();
  };
  fmt::format_to(std::back_inserter(out), "{} {} {}{}\n", schedule.ranks, schedule.blocks, words[1],
                 is_rooted(header.collective) ? fmt::format(" {}", header.root) : "");
  const std::vector<Rank> owners = row->owners_of(run);
  if (!owners.empty()) fmt::format_to(std::back_inserter(out), "owners {}\n", fmt::join(owners, " "));
  if (schedule.scratch() > 0) fmt::format_to(std::back_inserter(out), "scratch {}\n", schedule.scratch());
  visit_moves(schedule, [&](const BlockMove& m) {
    fmt::format_to(std::back_inserter(out), FMT_COMPILE("{} {} {} {} {}"), m.step, m.src, m.dst, name(m.op), m.block);
    if (m.into != m.block) fmt::format_to(std::back_inserter(out), FMT_COMPILE(" {}"), m.into);
    out.push_back('\n');
    if (out.size() > 1 << 16) write();
  });
  write();
  return true;
}

bool print_batch() {
  bool all = true;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    all = print(words) && all;
  }
  return all;
}

bool print_statements() {
  for (const KernelTheorem& t : kernel_theorems())
    fmt::print("{}.{} : {}\n", t.file.substr(0, t.file.find('.')), t.name, t.coq);
  return true;
}

}  // namespace

int main(int count, char** values) {
  const std::vector<std::string> words(values + 1, values + count);
  const std::string first = words.empty() ? "" : words[0];
  const bool done = first == "--batch" ? print_batch() : first == "--statements" ? print_statements() : print(words);
  if (!done) std::fputs("no theorem covers it; see print_theorem_schedule.cpp\n", stderr);
  return done ? 0 : 2;
}
