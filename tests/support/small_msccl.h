// Small MSCCL files to build and change.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "namespaces.h"

namespace onceover::support {

struct SmallStep {
  std::string type;
  char src_buffer = 'i';
  int src = 0;
  char dst_buffer = 'i';
  int dst = 0;
  int count = 1;
  int dep_thread = -1;
  int dep_step = -1;
};

struct SmallThread {
  int send = -1;
  int recv = -1;
  int channel = 0;
  std::vector<SmallStep> steps = {};
};

struct SmallMsccl {
  std::string collective = "allreduce";
  std::string protocol = "Simple";
  int chunks = 1;
  int scratch = 0;
  bool in_place = true;
  std::vector<std::vector<SmallThread>> gpus = {};

  /// The file. hasdep is 1 where some step waits.
  std::string text() const;
};

/// A ring allreduce with one thread block a rank.
SmallMsccl small_ring(int ranks);

/// The same with one thread block that sends and one that receives, and waits between them. That a chunk is sent before
/// it is received again, only messages by way of the other ranks ensure.
SmallMsccl small_split_ring(int ranks);

/// Every rank sends all to all others, into scratch memory, and adds up: thread blocks that wait for each other.
SmallMsccl small_pairs(int ranks);

/// Messages between random ranks, received in the order in which they are sent, with random waits: few are right.
SmallMsccl random_msccl(std::mt19937& random);

/// Data that is passed on along random ways, in operations that receive and send, in one or several chunks at once,
/// with random waits and sums: few are right, many race only where little is guaranteed.
SmallMsccl random_relays(std::mt19937& random);

/// One step dropped, two swapped, another peer, another offset or buffer, or a wait dropped.
SmallMsccl changed(SmallMsccl file, std::mt19937& random);

}  // namespace onceover::support
