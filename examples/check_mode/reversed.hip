// SPDX-License-Identifier: MIT
// Reverses each block of 256 numbers by way of LDS. With FORGET_WAIT or FORGET_BARRIER defined it makes a
// mistake that check mode finds: docs/guide/checking.md.
#include <wavetile_device.h>

constexpr int kThreads = 256, kWaveBytes = 4 * wt::target::kWaveLanes;

WT_KERNEL(kThreads) reversed(const float *x, float *y) {
  WT_SHARED float block[kThreads];
  const int thread = wt::thread_id(), first = kThreads * wt::workgroup_x();
  const wt::buffer memory = wt::make_buffer(x + first, sizeof block);
  wt::buffer_load_to_lds<4>(memory, 4 * thread, 0, wt::lds_place(block).byte(wt::wave_id() * kWaveBytes));
#ifndef FORGET_WAIT
  wt::wait_vmem<0>();  // the copies of this wave have landed
#endif
#ifndef FORGET_BARRIER
  wt::raw_barrier();  // and so have those of all waves
#endif
  y[first + thread] = block[kThreads - 1 - thread];
}
