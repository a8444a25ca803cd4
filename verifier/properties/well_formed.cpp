// well-formed: does the schedule have a defined result? The survey and the execution judge this, in verify.cpp.

#include "verifier/property.h"

namespace onceover::verifier {

const Property well_formed_property{
    .id = "well-formed",
    .asks =
        "ranks and blocks in range; no transfer from a rank to itself; nothing sent that is not held; no write "
        "conflict",
    .required_by_default = true,
    .matters =
        R"(A schedule that sends what a rank doesn't hold, or writes one block twice in a step by copies, has no defined result: what
comes out depends on memory that nobody set or on who comes first. All transfers of a step read the state that the step began
with; several reductions into one block of a rank are fine, a copy and any other write are not.)",
    .example = R"({"format":"onceover-schedule","version":1,"collective":"broadcast","ranks":3,"blocks":1,"root":0,
"steps":[
[{"src":0,"dst":1,"blocks":[0],"op":"copy"}, {"src":1,"dst":2,"blocks":[0],"op":"copy"}]
]}
)",
    .remedy = "A rank can send on what it receives at the next step at the earliest: here rank 1 at step 1.",
};

}  // namespace onceover::verifier
