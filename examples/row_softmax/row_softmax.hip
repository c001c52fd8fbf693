// SPDX-License-Identifier: MIT
// y = softmax(x) over the rows of a bf16 matrix, rows of any length: a row kernel of your own in a page.
// docs/guide/row_softmax.md explains it step by step.
#include <wavetile_device.h>

using wt::bf16;

// 256 threads share a row. They hold a slice of it at a time, 16 values per thread in chunks of 8: 16 bytes.
using threads = wt::team<256>;
using values = wt::team_row<threads::kThreads, 16, 8>;
using slice_of = wt::row_slice<values>;

WT_KERNEL(threads::kThreads)
row_softmax(const bf16 *x, bf16 *y, int columns, long long x_stride, long long y_stride) {
  WT_SHARED threads::memory memory;
  threads team(memory);
  x += wt::workgroup_x() * x_stride;
  y += wt::workgroup_x() * y_stride;

  // This is what this thread has seen: the largest entry, and the sum of exp(entry - largest).
  float largest = -3.4e38f, sum = 0;
  for (int first = 0; first < columns; first += values::kCapacity) {
    const slice_of slice(team.rank, columns, first);
    values v;
    load(v, x, slice);
    const float larger = max_own(v, slice, largest);
    const auto exponential = [&](float e) WT_INLINE { return wt::exp(e - larger); };
    map(v, exponential, v);
    sum = sum * wt::exp(largest - larger) + sum_own(v, slice);
    largest = larger;
  }

  // This is what the team has seen.
  const float of_row = team.max(largest);
  sum = team.sum(sum * wt::exp(largest - of_row));
  const float scale = sum == 0 ? 0 : wt::rcp(sum);  // 0: all entries are minus infinity

  for (int first = 0; first < columns; first += values::kCapacity) {
    const slice_of slice(team.rank, columns, first);
    values v;
    load(v, x, slice);
    const auto probability = [&](float e) WT_INLINE { return wt::exp(e - of_row) * scale; };
    map(v, probability, v);
    store(y, slice, v);
  }
}
