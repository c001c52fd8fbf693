// SPDX-License-Identifier: MIT
// How the threads of a launch share places that stand in lines.
#ifndef WT_KERNELS_EACH_OF_LINES_H
#define WT_KERNELS_EACH_OF_LINES_H

#include <wavetile_device.h>

// There are args.slow lines of args.fast places. Calls f(slow, fast) for those of this thread: with the
// numbers t, t + args.threads, t + 2 * args.threads, ... for thread t of a launch of args.threads threads,
// Threads of them in a work-group.
template <int Threads, class Args, class F>
WT_DEVICE void each_of_lines(const Args &args, const F &f) {
  const auto own = static_cast<unsigned>(wt::workgroup_x() * Threads + wt::thread_id());
  unsigned slow = own / args.fast, fast = own % args.fast;
  while (slow < args.slow) {
    f(slow, fast);
    slow += args.threads / args.fast, fast += args.threads % args.fast;
    if (fast >= args.fast) fast -= args.fast, ++slow;
  }
}

#endif
