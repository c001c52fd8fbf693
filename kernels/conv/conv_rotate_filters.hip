// SPDX-License-Identifier: MIT
// Filters for the gradient by the images, which is a convolution itself: of the gradient of the result, with
// channels and filters exchanged and the taps rotated by 180 degrees.
#include "conv_args.h"
#include "wavetile_device.h"

// T has the size of an element.
template <class T>
WT_DEVICE void rotate_filters(const wt_conv_rotate_args &args) {
  const unsigned count = args.k.divisor, elements = args.taps * count;
  const unsigned i = static_cast<unsigned>(wt::workgroup_x()) * WT_CONV_ROTATE_THREADS + wt::thread_id();
  if (i >= elements) return;
  const unsigned tap = wt_divide(i, args.k), k = i - tap * count;
  const long long from = static_cast<long long>(k) * args.taps + (args.taps - 1 - tap);
  for (int c = wt::workgroup_y(); c < args.channels; c += args.groups) {
    static_cast<T *>(args.rotated)[static_cast<long long>(c) * elements + i] =
        static_cast<const T *>(args.filters)[from * args.channels + c];
  }
}

WT_KERNEL(WT_CONV_ROTATE_THREADS) conv_rotate_filters_8(wt_conv_rotate_args args) {
  rotate_filters<unsigned char>(args);
}
WT_KERNEL(WT_CONV_ROTATE_THREADS) conv_rotate_filters_16(wt_conv_rotate_args args) {
  rotate_filters<unsigned short>(args);
}
