// repeatable: can a plan be called again? Judged by verify_plan.h.

#include "verifier/property.h"

namespace onceover::verifier {

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

}  // namespace onceover::verifier
