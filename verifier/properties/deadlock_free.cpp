// deadlock-free: does every run of a program end? Judged by deadlock.h.

#include "verifier/property.h"

namespace onceover::verifier {

const Property deadlock_free_property{
    .id = "deadlock-free",
    .asks = "programs: every operation is carried out, with the FIFOs that there are",
    .required_by_default = true,
    .matters =
        R"(Ranks that wait for each other hang the job, often only at sizes or on machines where FIFOs hold less. A message must have a
sender, a receiver and one size; then a program ends, whatever the timing, exactly if its waits have no cycle. A connection
holds as many messages between sender and receiver as the runtimes of MSCCL XML do, or --fifo; 0 is rendezvous. The least
that suffices is reported.)",
    .example = R"(<algo name="crossed" proto="Simple" nchunksperloop="1" ngpus="2" coll="allreduce" inplace="1">
<gpu id="0" i_chunks="1" o_chunks="1" s_chunks="0">
<tb id="0" send="1" recv="1" chan="0">
<step s="0" type="rrc" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
<gpu id="1" i_chunks="1" o_chunks="1" s_chunks="0">
<tb id="0" send="0" recv="0" chan="0">
<step s="0" type="r" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
<step s="1" type="s" srcbuf="i" srcoff="0" dstbuf="i" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>
</tb>
</gpu>
</algo>
)",
    .remedy = "Let one of the ranks send first: here swap the steps of rank 1.",
    .subjects = Subjects::programs,
};

}  // namespace onceover::verifier
