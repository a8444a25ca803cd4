// FoldedOrder: what waits for what in a program, with operations that do alike drawn once.
//
// Operations are alike if they do the same, in ranks that do alike, and wait for, and are waited for by, as many
// operations that are alike. So what a picture of one of them shows is so of all: an arrow joins two of them wherever
// it joins the two that are drawn.
#pragma once

#include <string>
#include <vector>

#include "viz/drawn.h"
#include "viz/ink/picture.h"

namespace onceover::viz {

/// A program of any format, as such a picture knows it.
struct OrderedProgram {
  struct Operation {
    Rank rank;
    std::int32_t thread;
    std::string number;          // in the thread: "3"
    std::string words;           // what it does: "send"
    std::vector<Rank> from, to;  // the ranks whose data it takes; that take its data
  };

  /// A reason to wait, and its line.
  struct Reason {
    Stroke stroke;
    std::string words;  // for the key
    Heads heads = Heads::at_end;
  };

  /// The second waits for the first. Operations that `meet` wait for each other, and go on together.
  struct Wait {
    std::size_t before;
    std::size_t after;
    std::size_t reason;
    bool meet = false;
  };

  std::string title;
  std::string rank_word = "rank";      // "gpu"
  std::string thread_word = "thread";  // "block"
  std::string crossing = "messages";   // what goes from one rank to another
  std::string note = "";               // what else the picture says
  bool threads_are_ordered = true;     // do operations of a thread run one after the other?
  std::vector<Operation> operations;   // by rank, then thread, then in its order
  std::vector<Reason> reasons;
  std::vector<Wait> waits;  // besides the order of threads
};

/// No larger program is folded, so that a picture takes a second at most.
inline constexpr std::size_t most_operations_to_fold = 50'000;

/// Of the ranks that do alike, the lowest of `ranks` (ascending; empty: all) with its operations, those of threads that
/// do alike once; ranks side by side, time downward. Refused, as too large, if operations wait in a circle or more than
/// 400 would have to be drawn. O((operations + waits) log) for each round in which more operations turn out to differ.
Drawn<Picture> draw_folded(const OrderedProgram& program, const std::vector<Rank>& ranks, const Style& style);

}  // namespace onceover::viz
