// SPDX-License-Identifier: MIT
// expect: a read uses a pointer that nothing advances: add advance_pointer, or read by the stage
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;

constexpr auto kSchedule = pipeline_in_step(buffers{2}, cluster(multiply(0, kept(1), {0, 0})),
                                            cluster(read(0, 0, 1, 8).by_pointer(0), copy(0, 2, 4)));
static_assert(check_schedule<kSchedule>());
