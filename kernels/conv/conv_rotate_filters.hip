// SPDX-License-Identifier: MIT
// Prepares filters for the gradient of the images, which is a convolution itself, or one for each phase: of
// the gradient of the result, with channels and filters exchanged and the taps rotated by 180 degrees.
#include "conv_args.h"
#include "wavetile_device.h"

// Says where a tap goes along one direction: its phase has `taps` taps, of which it becomes number `rotated`,
// and the phases before it have `before`.
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

// T has the size of an element. A work-group transposes a tile of filters and channels of one tap by way of
// LDS, so that both loads and stores are of whole rows of the tile. A row is a dword longer, so that columns
// lie in all banks.
template <class T>
WT_DEVICE void rotate_filters(const wt_conv_rotate_args &args) {
  static constexpr int kSide = WT_CONV_ROTATE_SIDE, kWaves = WT_CONV_ROTATE_THREADS / wt::target::kWaveLanes;
  static_assert(kSide == wt::target::kWaveLanes, "a wave moves a row of the tile");
  WT_SHARED T tile[kSide][kSide + 4 / sizeof(T)];
  const T *from = static_cast<const T *>(args.filters);
  T *to = static_cast<T *>(args.rotated);
  const unsigned tap = wt_divide(wt::workgroup_x(), args.tiles), r = wt_divide(tap, args.columns);
  const rotated_tap h(args.in_h, r), w(args.in_w, tap - r * args.columns.divisor);
  const long long taps = static_cast<long long>(args.in_h.count) * args.in_w.count;
  const long long before = static_cast<long long>(h.before) * args.in_w.count + h.taps * w.before;
  const int k0 = static_cast<int>(wt::workgroup_x() - tap * args.tiles.divisor) * kSide;
  const int lane = wt::lane_id(), wave = wt::wave_id();
  for (int c0 = wt::workgroup_y() * kSide; c0 < args.channels; c0 += args.groups * kSide) {
    T held[kSide / kWaves];
    wt::unrolled<kSide / kWaves>([&](auto i) WT_INLINE {
      const int k = k0 + wave + i * kWaves, c = c0 + lane;
      const bool exists = k < args.filter_count && c < args.channels;
      held[i] = exists ? from[(k * taps + tap) * args.channels + c] : 0;
    });
    wt::barrier();  // before what was read there is overwritten
    wt::unrolled<kSide / kWaves>([&](auto i) WT_INLINE { tile[wave + i * kWaves][lane] = held[i]; });
    wt::barrier();
    wt::unrolled<kSide / kWaves>([&](auto i) WT_INLINE {
      const int c = c0 + wave + i * kWaves, k = k0 + lane;
      const long long row =
          before * args.channels + (static_cast<long long>(c) * h.taps + h.rotated) * w.taps + w.rotated;
      if (k < args.filter_count && c < args.channels) {
        to[row * args.filter_count + k] = tile[lane][wave + i * kWaves];
      }
    });
  }
}

WT_KERNEL(WT_CONV_ROTATE_THREADS) conv_rotate_filters_8(wt_conv_rotate_args args) {
  rotate_filters<unsigned char>(args);
}
WT_KERNEL(WT_CONV_ROTATE_THREADS) conv_rotate_filters_16(wt_conv_rotate_args args) {
  rotate_filters<unsigned short>(args);
}
