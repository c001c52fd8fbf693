// SPDX-License-Identifier: MIT
// expect: which vmcnt cannot count
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

constexpr auto kSchedule =
    pipeline_in_step(buffers{8}, cluster(copy(0, 7, 16), read(0, 0, 0, 8)), cluster(multiply(0, x, x)));
static_assert(check_schedule<kSchedule>());
