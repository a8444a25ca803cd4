// deterministic: does a running library add up in the same order in every call?

#include "verifier/property.h"

namespace onceover::verifier {

const Property deterministic_property{
    .id = "deterministic",
    .asks = "a running library adds up in the same order each time that it is called with the same data",
    .required_by_default = false,
    .matters =
        R"(MPI recommends strongly, and doesn't require, that a reduction gives the same result whenever it is applied to the same
arguments in the same order. A library that adds up what arrives first gives other floating-point bits from run to run, so runs
can't be repeated. A schedule has one order; only a running library can have several: verify-mpi calls it several times.)",
    .example = "",
    .remedy =
        "Have the library add up in the order of the ranks, not in that of arrival, or choose an algorithm that does.",
    .subjects = Subjects::libraries,
};

}  // namespace onceover::verifier
