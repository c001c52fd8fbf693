// SPDX-License-Identifier: MIT
// expect: the addresses of a copy or a read are those of another step
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

// The advance behind the copy of step i + 1 prepares step i + 3, which leaves out step i + 2.
constexpr auto kSchedule =
    open_ended(pipeline_in_step(buffers{2}, cluster(multiply(0, kept(1), {0, 0})), cluster(copy(0, 1, 4)),
                                cluster(read(0, 0, 1, 8), advance(0, 3))));
static_assert(check_schedule<kSchedule>());
