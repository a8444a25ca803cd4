// Record: what ranks of a program did during its calls, read from the ledger that they wrote.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "schedules/types.h"
#include "verifier/terms.h"

namespace onceover::code {

/// Number of a shape: what was joined, whatever the position (runtime/ledger.h).
using Shape = std::uint32_t;

/// Elements of one shape at consecutive positions.
struct ElementRun {
  Shape shape;
  std::uint32_t position;
  std::uint32_t length;
};

/// Number of a place in the program; 0: unknown.
using Site = std::size_t;

/// What became of a send or of a receive.
struct Posting {
  Site site = 0;
  std::size_t posted = 0;    // when: the place of the event among all of its call
  std::size_t complete = 0;  // 0: never
};

/// Elements that a rank joined at once, and the first pair of operands that make no sum.
struct Sum {
  Rank rank;
  Site site;
  std::size_t when;  // as of a Posting
  std::vector<ElementRun> runs = {};
  std::optional<std::array<ElementRun, 2>> odd = {};
};

/// A collective of the simulator's that a rank is in.
struct InCollective {
  Site site;
  std::string name;  // "MPI_Allreduce on MPI_COMM_WORLD"
};

/// A message that was sent.
struct SentMessage {
  Rank src;
  Rank dst;
  int tag;
  Posting sent;
  std::optional<Posting> received;  // nothing: never
  bool was_changed = false;         // did the buffer change before the send was complete?
  bool is_on_world = false;         // on MPI_COMM_WORLD, which isn't the communicator of the call
  std::vector<ElementRun> elements;
  bool may_be_lost = false;  // by the simulator: see onceover_lost_starts
};

/// A receive that no message came for, or a wait that didn't end.
struct Waiting {
  Rank rank;
  Rank src;  // -1: any
  int tag;
  Site site;
  bool is_on_world = false;
};

/// Memory that a rank used and that isn't its own; the call ends there.
struct Beyond {
  Rank rank;
  Site site;
  std::string text;  // "reads memory 0 bytes behind its result"
};

/// A rank met a defect of the simulator.
struct Met {
  Rank rank;
  int defect;  // of onceover_defect, in runtime/ledger.h
  Site site;
};

/// A call on all ranks.
struct CallRecord {
  int number;
  std::vector<SentMessage> messages = {};                // in the order of their sends
  std::vector<Waiting> waiting = {};                     // receives that weren't complete when the call ended
  std::size_t unseen = 0;                                // receives of messages whose sends weren't seen
  std::map<Site, std::size_t> sum_sites = {};            // how often each adds up
  std::vector<Sum> sums = {};                            // in their order
  std::vector<std::optional<InCollective>> inside = {};  // by rank
  std::vector<std::map<Term, std::vector<ElementRun>>> joins = {};     // by rank, then by sum: where it was made
  std::vector<std::optional<std::vector<ElementRun>>> results = {};    // by rank; nothing: the rank didn't get so far
  std::vector<std::optional<std::vector<std::int64_t>>> numbers = {};  // by rank, in place of results; see digits.h
  std::vector<std::string> faults = {};
  std::optional<Beyond> beyond = {};
  std::vector<Met> met = {};
  std::vector<Site> functions = {};  // that ran, in the order in which they were entered first
  std::vector<Site> last_site = {};  // by rank: of its last send, receive or wait; 0: none
  Rank last_rank = 0;                // which wrote down something last
};

/// All calls of one run.
struct Record {
  explicit Record(Rank ranks) : terms(ranks) {}

  TermTable terms;
  std::vector<Term> term_of;  // by shape; `nothing` for what is no sum
  struct Operands {
    Shape left;
    Shape right;
  };
  std::vector<Operands> operands;                     // by shape; of sums
  std::vector<std::vector<std::uint64_t>> sites{{}};  // by number: return addresses in the program, innermost first
  std::vector<CallRecord> calls;
  Rank ended = 0;  // how many ranks made all calls

  Rank ranks() const { return terms.ranks(); }
  bool is_term(Shape shape) const { return term_of[shape] != Term::nothing; }
};

/// Reads a ledger. A ledger that breaks its own rules is an internal error. O(ledger).
Result<Record> read_record(const std::string& path, Rank ranks);

}  // namespace onceover::code
