// balanced: does a plan wait for all signals that it gives? Judged by verify_plan.h.

#include "verifier/property.h"

namespace onceover::verifier {

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

}  // namespace onceover::verifier
