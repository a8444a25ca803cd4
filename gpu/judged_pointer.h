// A pointer to a judged description, for those who only pass it on; description_judge.h has what it points to.
#pragma once

#include <memory>

namespace onceover::gpu {

struct JudgedDescription;
using JudgedPointer = std::shared_ptr<const JudgedDescription>;

}  // namespace onceover::gpu
