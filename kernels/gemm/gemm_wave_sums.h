// SPDX-License-Identifier: MIT
// Defines what kernels for few rows share: waves that share K have sums of the same tile of C, which are
// added up in LDS in the end, in the order of the waves.
#ifndef WT_KERNELS_GEMM_WAVE_SUMS_H
#define WT_KERNELS_GEMM_WAVE_SUMS_H

#include "wavetile_device.h"

// What sums are added as: integers wrap.
template <class Sum>
struct gemm_term {
  using type = Sum;
};
template <>
struct gemm_term<wt::i32> {
  using type = wt::u32;
};

// Adds up the sums of BM x BN that WavesK consecutive waves have. WavesN such tiles lie side by side.
template <class Sum, int BM, int BN, int WavesK, int WavesN = 1>
struct gemm_wave_sums {
  // The sums of a row and of its neighbours, 16 bytes at a column each, lie in all banks.
  static constexpr wt::swizzle kSwizzle =
      BN < 32 ? wt::xor_bits(7, 2, 4) : wt::xor_bits(__builtin_ctz(BN * 4), 3, 4);
  using staged = wt::st<Sum, BM, BN, kSwizzle>;  // of a wave
  using four = wt::registers<Sum, 4>;

  // Calls put(sums, row, column) for each four columns of a row of all tiles, and of the first `rows` rows at
  // least. sums_of(wave) is the wave's `staged` in LDS.
  template <class CTile, class SumsOf, class Put>
  WT_DEVICE static void add(const CTile &c, int rows, const SumsOf &sums_of, const Put &put) {
    using terms = wt::registers<typename gemm_term<Sum>::type, 4>;
    wt::store(sums_of(wt::wave_id()), c, 0, 0);
    wt::barrier();
    static constexpr int kPerRow = BN / 4, kThreadsOfTile = WavesK * wt::target::kWaveLanes;
    // The waves of a tile read it: those of another have the same banks.
    const int tile = WavesN > 1 ? wt::wave_id() / WavesK : 0;
    const int thread = WavesN > 1 ? wt::thread_id() % kThreadsOfTile : wt::thread_id();
    const int all = (WavesN > 1 && rows < BM ? rows : BM) * kPerRow;
#pragma unroll 1
    for (int i = thread; i < all; i += kThreadsOfTile) {
      const int at = wt::swizzled<kSwizzle>(i * 16), first = tile * WavesK;
      terms total = sums_of(first).template at<terms>(at);
      wt::unrolled<WavesK - 1>([&](auto w)
                                   WT_INLINE { total += sums_of(first + w + 1).template at<terms>(at); });
      put(__builtin_bit_cast(four, total), i / kPerRow, tile * BN + i % kPerRow * 4);
    }
  }
};

// Runs the kernel. Skinny multiplies the tile of a work-group, by the arguments of its product.
template <class Skinny, class Args>
WT_DEVICE void gemm_of_few_rows(const Args &args) {
  WT_SHARED typename Skinny::lds memory[Skinny::kWaves];
  const Skinny work(args);
  typename Skinny::c_tile c;
  wt::zero(c);
  work.main_loop(c, memory[wt::wave_id()]);
  work.finish(args, c, memory);
}

#endif
