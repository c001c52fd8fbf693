// SPDX-License-Identifier: MIT
// Calls printf and makes assertions in kernels.
#include "device.h"
#include "ops/printf.h"
#include "printf.h"

namespace {

// Returns the thread's number in a grid of any shape of work-group.
WT_DEVICE int flat_thread(int width, int height) {
  return static_cast<int>(__builtin_amdgcn_workitem_id_x()) +
         width * (static_cast<int>(__builtin_amdgcn_workitem_id_y()) +
                  height * static_cast<int>(__builtin_amdgcn_workitem_id_z()));
}

}  // namespace

WT_KERNEL(64) every_conversion() {
  if (wt::lane_id() == 7) wt::printf(OPS_PRINTF_FORMAT, OPS_PRINTF_ARGUMENTS);
}

// Some lanes of each wave print, and of them some more often than others.
WT_KERNEL(128) say(const char *word, int *written) {
  const int thread = wt::workgroup_x() * 128 + wt::thread_id();
  int bytes = 0;
  for (int i = 0; i < thread % 4; ++i) bytes += wt::printf("%s %d of thread %d\n", word, i, thread);
  written[thread] = bytes;
}

// Texts of any length, also as the format, to either stream; lanes differ in length.
WT_KERNEL(64) say_text(const char *texts, const int *first, int lanes, int to_error) {
  const int lane = wt::lane_id();
  if (lane >= lanes) return;
  if (to_error) {
    wt::printf_error("%s|\n", texts + first[lane]);
  } else {
    wt::printf("%s|%s|\n", texts + first[lane], texts + first[lanes - 1 - lane]);
  }
}

// More arguments than a packet holds, with texts between them.
WT_KERNEL(64) say_much(const char *word) {
  const int lane = wt::lane_id();
  if (lane % 32 != 3) return;
  wt::printf("%d %d %d %d %d %d %d|%d %s %d %g %s\n", lane, 1, 2, 3, 4, 5, 6, 7, word, 8,
             wt::to_f32(wt::bf16(9.5f)), word);
}

// Prints in a work-group of 8 x 4 x 4 threads.
WT_KERNEL(128) say_in_a_block() {
  const int thread = flat_thread(8, 4);
  if (thread % 37 == 5) wt::printf("thread %d\n", thread);
}

WT_KERNEL(64) at_most(int limit, int *done) {
  WT_ASSERT(wt::lane_id() < limit);
  done[wt::lane_id()] = 1;
}
