// The rows of properties that have no judge of their own here: executions judge them, of a schedule (verify.cpp), of a
// program or plan (programs/), of code over MPI (code/) and of running libraries (live/).

#include <fmt/format.h>

#include "verifier/property.h"

namespace onceover::verifier {

/// Judged by the survey and the execution, in verify.cpp.
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

/// Judged by the execution, in verify.cpp.
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

/// Judged by programs/verify_program.h.
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

/// Judged by programs/verify_program.h.
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

/// Judged by programs/verify_program.h.
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

/// Judged by programs/verify_plan.h.
const Property balanced_property{
    .id = "balanced",
    .asks = "plans of MSCCL++: every signal of a channel has its wait, and every release of a semaphore its acquire",
    .required_by_default = true,
    .matters =
        R"(Counters of channels and semaphores live on from one call to the next. A signal that nobody waits for lets a wait of the next
call pass before it should, and every call after it. The first call may be right, so tests don't show it.)",
    .example = R"({"name":"drift", "collective":"test", "protocol":"Simple", "inplace":false, "gpus":[
{"id":0, "input_chunks":1, "output_chunks":1, "scratch_chunks":0,
 "channels":[{"channel_type":"memory", "connected_to":[1]}],
 "remote_buffers":[],
 "threadblocks":[{"id":0, "channels":[{"channel_type":"memory", "channel_ids":[0]}],
  "remote_buffer_refs":[], "ops":[
   {"name":"signal", "channel_type":"memory", "channel_ids":[0]},
   {"name":"signal", "channel_type":"memory", "channel_ids":[0]}]}]},
{"id":1, "input_chunks":1, "output_chunks":1, "scratch_chunks":0,
 "channels":[{"channel_type":"memory", "connected_to":[0]}],
 "remote_buffers":[],
 "threadblocks":[{"id":0, "channels":[{"channel_type":"memory", "channel_ids":[0]}],
  "remote_buffer_refs":[], "ops":[
   {"name":"wait", "channel_type":"memory", "channel_ids":[0]}]}]}]}
)",
    .remedy = R"(Let gpu 1 wait twice, or gpu 0 signal once.)",
    .subjects = Subjects::plans,
};

/// Judged by programs/verify_plan.h.
const Property repeatable_property{
    .id = "repeatable",
    .asks =
        "plans of MSCCL++: calls of one size in a row are as right as the first, however far ranks run ahead of each "
        "other",
    .required_by_default = true,
    .matters =
        R"(A rank may be in the next call while another is still in this one. If it may write to memory that the other hasn't read yet,
or to an output whose user hasn't done with it, the result is wrong only now and then. Packets need a second half of scratch, or
something that holds their sender back. Puts need a handshake first.)",
    .example = R"({"name":"early", "collective":"sendrecv", "protocol":"Simple", "inplace":false, "gpus":[
{"id":0, "input_chunks":1, "output_chunks":1, "scratch_chunks":0,
 "channels":[{"channel_type":"memory", "connected_to":[1]}],
 "remote_buffers":[{"rank":1, "type":"o", "access_channel_types":["memory"]}],
 "threadblocks":[{"id":0, "channels":[{"channel_type":"memory", "channel_ids":[0]}],
  "remote_buffer_refs":[{"access_channel_type":"memory", "remote_buffer_ids":[0]}], "ops":[
   {"name":"put", "channel_type":"memory", "src_buff":[{"type":"i", "index":0, "size":1}],
    "dst_buff":[{"buffer_id":0, "index":0, "size":1}]},
   {"name":"nop"},
   {"name":"signal", "channel_type":"memory", "channel_ids":[0]},
   {"name":"wait", "channel_type":"memory", "channel_ids":[0]}]}]},
{"id":1, "input_chunks":1, "output_chunks":1, "scratch_chunks":0,
 "channels":[{"channel_type":"memory", "connected_to":[0]}],
 "remote_buffers":[{"rank":0, "type":"o", "access_channel_types":["memory"]}],
 "threadblocks":[{"id":0, "channels":[{"channel_type":"memory", "channel_ids":[0]}],
  "remote_buffer_refs":[{"access_channel_type":"memory", "remote_buffer_ids":[0]}], "ops":[
   {"name":"put", "channel_type":"memory", "src_buff":[{"type":"i", "index":0, "size":1}],
    "dst_buff":[{"buffer_id":0, "index":0, "size":1}]},
   {"name":"nop"},
   {"name":"signal", "channel_type":"memory", "channel_ids":[0]},
   {"name":"wait", "channel_type":"memory", "channel_ids":[0]}]}]}]}
)",
    .remedy =
        R"(Let each GPU signal and wait before it puts, with a nop behind the wait: then the other has entered the call.)",
    .subjects = Subjects::plans,
};

/// Judged by code/code_run.h for code over MPI.
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

/// Judged by live/judge.h.
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
