// SPDX-License-Identifier: MIT
// expect: give lists{} a function `multiply`
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{0, 0};

constexpr auto kSchedule =
    pipeline_in_step(buffers{2}, cluster(copy(0, 1, 2), read(0, 0, 0, 8)), cluster(multiply(0, x, x)));

// Nothing says how to multiply.
WT_KERNEL(64) kernel(int steps) {
  const auto copies = [](auto, int, wt::u32) WT_INLINE { return wt::list_of<2>([](auto) WT_INLINE {}); };
  const auto reads = [](auto, wt::u32) WT_INLINE { return wt::list_of<8>([](auto) WT_INLINE {}); };
  run<kSchedule>(steps, lists{.copy = copies, .read = reads});
}
