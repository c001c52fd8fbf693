// SPDX-License-Identifier: MIT
// expect: an advance is for a pointer that no read uses: give reads by_pointer, or leave it out
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

constexpr auto kSchedule =
    pipeline_in_step(buffers{2}, cluster(multiply(0, kept(1), {0, 0}), advance_pointer(0, 0, 1)),
                     cluster(read(0, 0, 1, 8), copy(0, 2, 4)));
static_assert(check_schedule<kSchedule>());
