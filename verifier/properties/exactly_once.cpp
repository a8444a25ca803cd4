// exactly-once: does each contribution arrive once where it must? The execution itself judges this, in verify.cpp.

#include <fmt/format.h>

#include "verifier/property.h"

namespace onceover::verifier {

std::string postcondition_text(Collective collective, Rank root) {
  auto who = [&](Holders holders) -> std::string {
    switch (holders) {
      case Holders::everyone: return "every rank";
      case Holders::owner: return "its owner";
      case Holders::root: return fmt::format("rank {}", root);
      case Holders::origin: return "its origin";
    }
    return "";
  };
  const Contract& c = contract(collective);
  const std::string what =
      c.begins == Holders::everyone ? "each rank's contribution" : fmt::format("the contribution of {}", who(c.begins));
  return fmt::format("{} to every block reaches {} exactly once", what, who(c.ends));
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
