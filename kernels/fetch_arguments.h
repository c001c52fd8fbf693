// SPDX-License-Identifier: MIT
// The arguments of a kernel come from memory, and the compiler loads each where it is used first. A load that
// touches another line waits for memory anew, in the first lines of a kernel, when there is nothing else to
// do.
#ifndef WT_KERNELS_FETCH_ARGUMENTS_H
#define WT_KERNELS_FETCH_ARGUMENTS_H

#include "wavetile_device.h"

// The scalar cache has lines of this many bytes (ROCm, rocprofiler-compute, documentation of the sL1D cache).
inline constexpr int kScalarLineBytes = 64;

template <class Int, Int... Line>
struct argument_lines {
  WT_DEVICE static void fetch() {
    // What waits for other arguments must not come between these loads.
    wt::sched_barrier();
    const int all = (wt::read_arguments<int>(static_cast<int>(Line) * kScalarLineBytes) ^ ...);
    wt::sched_barrier();
    wt::have_uniform(all);
  }
};

// Brings the first Bytes of the kernel's arguments to the scalar cache, with one wait for all of them.
template <int Bytes>
WT_DEVICE void fetch_arguments() {
  static constexpr int kLines = (Bytes - 1) / kScalarLineBytes + 1;
  if constexpr (kLines > 1) __make_integer_seq<argument_lines, int, kLines>::fetch();
}

#endif
