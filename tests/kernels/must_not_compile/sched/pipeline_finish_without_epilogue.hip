// SPDX-License-Identifier: MIT
// expect: an open-ended schedule, or one without ops that are ahead, has none: finish them after the run
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

// Nothing is ahead, so no iteration is known to be the last one.
constexpr auto kSchedule = pipeline_in_step(buffers{1}, cluster(copy(0, 0, 1)), cluster(read(0, 0, 0, 1)),
                                            cluster(multiply(0, x, x)));
WT_DEVICE auto list() {
  return wt::list_of<1>([](auto) WT_INLINE {});
}
WT_KERNEL(64) finishes(int steps) {
  run<kSchedule>(steps, lists{.copy = [](auto, int, wt::u32) WT_INLINE { return list(); },
                              .read = [](auto, wt::u32) WT_INLINE { return list(); },
                              .multiply = [](auto) WT_INLINE { return list(); },
                              .finish = [](auto) WT_INLINE { return list(); }});
}
