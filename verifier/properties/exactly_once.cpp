// exactly-once: does each contribution arrive once where it must? The execution itself judges this, in verify.cpp.

#include <fmt/format.h>

#include "verifier/property.h"

namespace onceover::verifier {

std::string postcondition_text(Collective collective, Rank root) {
  auto told = [&]() -> std::string {
    switch (collective) {
      case Collective::allreduce: return "each rank's contribution reaches every rank";
      case Collective::reduce_scatter: return "each rank's contribution to a block reaches the block's owner";
      case Collective::reduce: return fmt::format("each rank's contribution reaches rank {}", root);
      case Collective::allgather: return "every rank gets each owner's block";
      case Collective::broadcast: return fmt::format("every rank gets each block of rank {}", root);
      case Collective::scatter: return fmt::format("each owner gets its block from rank {}", root);
      case Collective::gather: return fmt::format("rank {} gets each owner's block", root);
      case Collective::alltoall: return "each rank gets each rank's block for it";
    }
    return "";
  };
  return told() + " exactly once";
}

const Property exactly_once_property{
    .id = "exactly-once",
    .asks = "the collective's promise: each contribution arrives once where it must",
    .required_by_default = true,
    .matters =
        R"(This is what the collective is for. A contribution that counts twice or is lost makes a wrong sum, and a test with random
numbers finds that only for the p that it tries. The counterexample shows the ways that the contribution took.)",
    .example = R"({"format":"onceover-schedule","version":1,"collective":"reduce","ranks":3,"blocks":1,"root":0,
"steps":[
[{"src":2,"dst":1,"blocks":[0],"op":"reduce"}, {"src":2,"dst":0,"blocks":[0],"op":"reduce"}],
[{"src":1,"dst":0,"blocks":[0],"op":"reduce"}]
]}
)",
    .remedy = "Leave out one of the ways: here one of rank 2's two transfers.",
};

}  // namespace onceover::verifier
