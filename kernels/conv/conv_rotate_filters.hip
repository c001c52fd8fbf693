// SPDX-License-Identifier: MIT
// Filters for the gradient by the images, which is a convolution itself, or one for each phase: of the
// gradient of the result, with channels and filters exchanged and the taps rotated by 180 degrees.
#include "conv_args.h"
#include "wavetile_device.h"

// Where a tap goes along one direction: its phase has `taps` taps, of which it becomes number `rotated`, and
// the phases before it have `before`.
struct rotated_tap {
  int taps, rotated, before;

  WT_DEVICE rotated_tap(const wt_conv_taps &of, unsigned tap) {
    const int period = of.period.divisor, nth = wt_divide(tap, of.period), phase = tap - nth * period;
    const int all = wt_divide(of.count, of.period), left = of.count - all * period;
    taps = all + (phase < left ? 1 : 0);
    rotated = taps - 1 - nth;
    before = phase * all + (phase < left ? phase : left);
  }
};

// T has the size of an element.
template <class T>
WT_DEVICE void rotate_filters(const wt_conv_rotate_args &args) {
  const unsigned count = args.k.divisor;
  const long long taps = static_cast<long long>(args.in_h.count) * args.in_w.count;
  const unsigned i = static_cast<unsigned>(wt::workgroup_x()) * WT_CONV_ROTATE_THREADS + wt::thread_id();
  if (i >= taps * count) return;
  const unsigned tap = wt_divide(i, args.k), k = i - tap * count, r = wt_divide(tap, args.columns);
  const rotated_tap h(args.in_h, r), w(args.in_w, tap - r * args.columns.divisor);
  const long long before = static_cast<long long>(h.before) * args.in_w.count + h.taps * w.before;
  const long long from = k * taps + tap;
  for (int c = wt::workgroup_y(); c < args.channels; c += args.groups) {
    const long long to =
        before * args.channels + (static_cast<long long>(c) * h.taps + h.rotated) * w.taps + w.rotated;
    static_cast<T *>(args.rotated)[to * count + k] =
        static_cast<const T *>(args.filters)[from * args.channels + c];
  }
}

WT_KERNEL(WT_CONV_ROTATE_THREADS) conv_rotate_filters_8(wt_conv_rotate_args args) {
  rotate_filters<unsigned char>(args);
}
WT_KERNEL(WT_CONV_ROTATE_THREADS) conv_rotate_filters_16(wt_conv_rotate_args args) {
  rotate_filters<unsigned short>(args);
}
