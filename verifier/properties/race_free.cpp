// race-free: are all accesses to a chunk ordered? Judged by races.h.

#include "verifier/property.h"

namespace onceover::verifier {

const Property race_free_property{
    .id = "race-free",
    .asks = "programs: two operations that use the same chunk, one of them to write it, come in one order in every run",
    .required_by_default = true,
    .matters =
        R"(Thread blocks of a rank run side by side. What orders their operations are waits on each other and messages, also through
other ranks; the time that things usually take does not. If nothing orders a write and another access, the result depends on
the timing, and tests may never show it. Room in FIFOs is no order to rely on, since other machines have more. What has been
read and stored when an operation has ended depends on the protocol, and on the runtime (--profile).)",
    .example = R"(<algo name="hasty" proto="Simple" nchunksperloop="1" ngpus="2" coll="allreduce" inplace="1">
<gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0">
<tb id="0" send="-1" recv="1" chan="0">
<step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
<tb id="1" send="1" recv="-1" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
<gpu id="1" i_chunks="1" o_chunks="1" s_chunks="0">
<tb id="0" send="0" recv="0" chan="0">
<step s="0" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
</algo>
)",
    .remedy =
        R"(Let the one wait for the other: here hasdep="1" in rank 0's thread block 0, and depid="0" deps="0" in its
thread block 1.)",
    .subjects = Subjects::programs,
};

}  // namespace onceover::verifier
