// SPDX-License-Identifier: MIT
// expect: holds another step's or another buffer's data
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

// The fragment is read after it is multiplied.
constexpr auto kSchedule =
    pipeline_in_step(buffers{2}, cluster(multiply(0, x, x)), cluster(copy(0, 1, 4), read(0, 0, 0, 8)));
static_assert(check_schedule<kSchedule>());
