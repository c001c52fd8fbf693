// SPDX-License-Identifier: MIT
// expect: does not fit into a byte of the note for tools: number buffers, fragments and sums from 0 on
// target: gfx950
#include "sched/pipeline.h"

using namespace wt::sched;
constexpr operand x{256, 0};

constexpr auto kSchedule =
    pipeline_in_step(buffers{2}, cluster(copy(0, 1, 4), read(0, 256, 0, 8)), cluster(multiply(0, x, x)));

WT_KERNEL(64) kernel(int steps) {
  const auto copies = [](auto, int, wt::u32) WT_INLINE { return wt::list_of<4>([](auto) WT_INLINE {}); };
  const auto reads = [](auto, wt::u32) WT_INLINE { return wt::list_of<8>([](auto) WT_INLINE {}); };
  const auto multiplies = [](auto) WT_INLINE { return wt::list_of<1>([](auto) WT_INLINE {}); };
  run<kSchedule>(steps, lists{.copy = copies, .read = reads, .multiply = multiplies});
}
