// SPDX-License-Identifier: MIT
// expect: copy further ahead, or in an earlier cluster
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

// The copy of the step is issued beside its read.
constexpr auto kSchedule =
    pipeline_in_step(buffers{2}, cluster(copy(0, 0, 4), read(0, 0, 0, 8)), cluster(multiply(0, x, x)));
static_assert(check_schedule<kSchedule>());
