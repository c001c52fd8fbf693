// SPDX-License-Identifier: MIT
// From the group of each row to the rows of each group: whoever sees a group begin or end says so.
#include "grouped_args.h"
#include "wavetile_device.h"

WT_KERNEL(WT_GROUPED_RANGES_THREADS) grouped_ranges(wt_grouped_ranges_args args) {
  const int row = wt::workgroup_x() * WT_GROUPED_RANGES_THREADS + wt::thread_id();
  if (row >= args.rows) return;
  const int group = args.indices[row];
  if (group < 0 || group >= args.groups) return;
  if (row == 0 || args.indices[row - 1] != group) args.ranges[2 * group] = row;
  if (row == args.rows - 1 || args.indices[row + 1] != group) args.ranges[2 * group + 1] = row + 1;
}
