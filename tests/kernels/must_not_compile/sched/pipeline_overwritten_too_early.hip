// SPDX-License-Identifier: MIT
// expect: give the buffer another stage
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

// The copy for the next step goes to the one stage, which is read beside it.
constexpr auto kSchedule =
    pipeline_in_step(buffers{1}, cluster(copy(0, 1, 4), read(0, 0, 0, 8)), cluster(multiply(0, x, x)));
static_assert(check_schedule<kSchedule>());
