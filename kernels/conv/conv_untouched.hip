// SPDX-License-Identifier: MIT
// Scales the pixels of a gradient of the images that no tap of the filters reaches, which some strides and
// dilations leave: there it is beta times what it was.
#include "conv_args.h"
#include "wavetile_device.h"

WT_DEVICE bool is_reached(const wt_conv_reach &of, unsigned pixel) {
  const unsigned u = pixel + of.pad, multiple = wt_divide(u, of.common);
  if (multiple * of.common.divisor != u) return false;
  const unsigned period = of.taps.period.divisor;
  const unsigned left = multiple - wt_divide(multiple, of.taps.period) * period;
  return static_cast<unsigned long long>(left) * of.inverse % period < of.taps.count;
}

// A wave takes a pixel at a time.
template <class T>
WT_DEVICE void scale_untouched(const wt_conv_untouched_args &args) {
  static constexpr int kWaves = WT_CONV_UNTOUCHED_THREADS / wt::target::kWaveLanes;
  const unsigned waves = static_cast<unsigned>(args.groups) * kWaves;
  for (unsigned pixel = wt::workgroup_x() * kWaves + wt::wave_id(); pixel < args.pixels; pixel += waves) {
    const unsigned row = wt_divide(pixel, args.in_w.size), image = wt_divide(row, args.in_h.size);
    if (is_reached(args.in_h, row - image * args.in_h.size.divisor) &&
        is_reached(args.in_w, pixel - row * args.in_w.size.divisor))
      continue;
    T *const dx = static_cast<T *>(args.dx) + static_cast<long long>(pixel) * args.channels;
    for (int c = wt::lane_id(); c < args.channels; c += wt::target::kWaveLanes) {
      dx[c] = wt::from_f32<T>(args.beta == 0.0f ? 0.0f : args.beta * wt::to_f32(dx[c]));
    }
  }
}

WT_KERNEL(WT_CONV_UNTOUCHED_THREADS) conv_untouched(wt_conv_untouched_args args) {
  switch (args.type) {
    case WT_KERNEL_F32: return scale_untouched<float>(args);
    case WT_KERNEL_BF16: return scale_untouched<wt::bf16>(args);
    default: return scale_untouched<wt::f16>(args);
  }
}
