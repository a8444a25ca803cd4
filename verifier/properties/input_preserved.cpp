// input-preserved: does an out-of-place program leave its user's input alone? Judged by verify_program.cpp.

#include "verifier/property.h"

namespace onceover::verifier {

const Property input_preserved_property{
    .id = "input-preserved",
    .asks = "programs: out of place, no operation writes to an input",
    .required_by_default = true,
    .matters =
        R"(Who calls a collective with two buffers keeps the first: to MPI and NCCL it is constant, and programs read it again. A program
that adds up in it gives the right result once, and the next call, or code that reads the input, has something else. In place
nobody asks for this, for there the result takes the input's place.)",
    .example = R"(<algo name="careless" proto="Simple" nchunksperloop="1" ngpus="2" coll="reduce" inplace="0">
<gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0">
<tb id="0" send="-1" recv="1" chan="0">
<step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="cpy" srcbuf="i" srcoff="0" dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
<gpu id="1" i_chunks="1" o_chunks="1" s_chunks="0">
<tb id="0" send="0" recv="-1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
</algo>
)",
    .remedy = R"(Add up elsewhere: here dstbuf="o" in step 0 of rank 0, and no step 1.)",
    .subjects = Subjects::programs,
};

}  // namespace onceover::verifier
