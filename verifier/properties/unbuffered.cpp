// unbuffered: do messages come through even if no send is buffered? Judged by code/code_run.h for code over MPI.

#include "verifier/property.h"

namespace onceover::verifier {

const Property unbuffered_property{
    .id = "unbuffered",
    .asks =
        "code over MPI and GOAL: all ranks end even if no send is buffered, so that each send waits for its receive",
    .required_by_default = false,
    .matters =
        R"(A blocking send may return before its message is received, or wait for the receive: MPI leaves that to the library, which
usually buffers short messages and lets long ones wait. If two ranks first send to each other and then receive, they end only
because the library buffers. Such code deadlocks once messages are longer, or with another library.)",
    .example = "",
    .remedy = "Post the receive first, use MPI_Sendrecv, or let one of the two ranks receive before it sends.",
    .subjects = Subjects::messages,
};

}  // namespace onceover::verifier
