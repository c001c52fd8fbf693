// SPDX-License-Identifier: MIT
// expect: give lists{} a function `share`
// target: gfx942
#include "sched/pipeline.h"

using namespace wt::sched;

constexpr auto kSchedule = open_ended(waits_by_register(pipeline_in_step(
    buffers{3, 2}, cluster(multiply(0, kept(1), {0, 0}), read(1, 2, -1, 2)),
    cluster(multiply(1, {2, 1}, kept(1), -1), vector(0, {0}, {3})),
    cluster(multiply(2, made(3), kept(1)), share(1, 3, 0, 2), copy(0, 2, 4), read(0, 0, 1, 8)))));

// Nothing says how to share.
WT_KERNEL(64) kernel(int steps) {
  const auto none = [](auto op, auto...) WT_INLINE {
    return wt::list_of<op.value.events>([](auto) WT_INLINE {});
  };
  run<kSchedule>(steps, lists{.copy = none, .read = none, .multiply = none, .vector = none});
}
