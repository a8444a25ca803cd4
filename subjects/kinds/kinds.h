// The rows of input_kind.h's table that have a file of their own here.
#pragma once

#include "subjects/input_kind.h"

namespace onceover::subjects {

extern const InputKind msccl_xml_kind;
extern const InputKind goal_kind;
extern const InputKind plan_kind;
extern const InputKind gpu_launch_kind;

}  // namespace onceover::subjects
