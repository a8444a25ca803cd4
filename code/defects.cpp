#include "code/defects.h"

#include <algorithm>
#include <array>

#include "code/runtime/ledger.h"

namespace onceover::code {

namespace {

constexpr std::array<std::string_view, onceover_defects> texts{
    "the simulator's nonblocking reductions lose sums of derived datatypes",
    "the simulator's scans lose sums by operators that don't commute",
    "the simulator loses a persistent send of no data that is started again before it was received",
};

/// Which ranks wait for a message that may be lost.
std::vector<bool> first_waiting(const CallRecord& made) {
  std::vector<bool> waits(made.results.size(), false);
  for (const Waiting& waiting : made.waiting)
    for (const SentMessage& message : made.messages)
      if (message.may_be_lost && !message.received && message.dst == waiting.rank &&
          (waiting.src < 0 || waiting.src == message.src) && (waiting.tag < 0 || waiting.tag == message.tag))
        waits[static_cast<std::size_t>(waiting.rank)] = true;
  return waits;
}

}  // namespace

std::string_view defect_text(int number) {
  return texts[static_cast<std::size_t>(number)];
}

std::optional<std::string> missing_function(const std::string& errors) {
  constexpr std::string_view before = "Not yet implemented: ";
  const std::size_t at = errors.find(before);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t begin = errors.find("MPI_", at),
                    end = errors.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz", begin);
  if (begin == std::string::npos) return std::nullopt;
  return errors.substr(begin, end - begin);
}

bool may_wait_for_lost(const CallRecord& made) {
  const auto at = [](Rank rank) { return static_cast<std::size_t>(rank); };
  std::vector<bool> excused = first_waiting(made);
  if (std::find(excused.begin(), excused.end(), true) == excused.end()) return false;
  std::vector<bool> waits(excused.size(), false);  // for a message, and not in a collective of the simulator's
  for (const Waiting& waiting : made.waiting) waits[at(waiting.rank)] = true;
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const Waiting& waiting : made.waiting) {
      if (excused[at(waiting.rank)] || waiting.src < 0 || !excused[at(waiting.src)]) continue;
      excused[at(waiting.rank)] = is_new = true;
    }
  }
  for (std::size_t r = 0; r < excused.size(); ++r)
    if (waits[r] && !excused[r]) return false;
  return true;
}

}  // namespace onceover::code
