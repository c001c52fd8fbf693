// SPDX-License-Identifier: MIT
// expect: the pattern ends before every micro-op is issued
#include "wavetile_device.h"

WT_KERNEL(64) multiply() {
  wt::rt_c<float, 16, 16> c = {};
  wt::rt_a<wt::bf16, 16, 128> a = {};
  wt::rt_b<wt::bf16, 16, 128> b = {};
  const auto naps = wt::list_of<5>([](auto) WT_INLINE { wt::s_nop<0>(); });
  wt::sched::interleave<"0 .">(mma_ABt_list(c, a, b), naps);
}
