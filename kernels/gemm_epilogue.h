// SPDX-License-Identifier: MIT
// The end of a tiled GEMM. Straight from the registers, 16 bytes per store, when C is alpha times the product
// and its rows are aligned; through LDS, four columns per thread, for everything else: beta, scales, bias,
// activation, odd columns, unaligned rows. The second costs two passes over LDS and two barriers per
// quadrant.
#ifndef WT_KERNELS_GEMM_EPILOGUE_H
#define WT_KERNELS_GEMM_EPILOGUE_H

#include "gemm_args.h"
#include "wavetile_device.h"

// C of one work-group's part of K and batch.
struct gemm_output {
  const wt_gemm_args &args;
  char *c;

  WT_DEVICE explicit gemm_output(const wt_gemm_args &arguments) : args(arguments) {
    const long long first = wt::workgroup_z() * args.c_batch + wt::workgroup_y() * args.c_part;
    const bool wide = args.type_c == WT_KERNEL_F32 || args.type_c == WT_KERNEL_I32;
    c = static_cast<char *>(args.c) + first * (wide ? 4 : 2);
  }

  template <class Out>
  WT_DEVICE wt::gl<Out> matrix() const {
    return {reinterpret_cast<Out *>(c), args.c_row, 1, args.m, args.n};
  }

  // Whether tiles of `tall` rows may go out straight from the registers: nothing but alpha is to be applied,
  // and rows suit row_writer.
  WT_DEVICE bool is_direct(int tall) const {
    const bool plain = args.beta == 0.0f && !args.row_scale && !args.column_scale && !args.bias &&
                       args.activation == WT_KERNEL_IDENTITY;
    switch (args.type_c) {
      case WT_KERNEL_F32: return plain && wt::row_store_fits(matrix<float>(), tall);
      case WT_KERNEL_I32: return plain && args.alpha == 1.0f && wt::row_store_fits(matrix<wt::i32>(), tall);
      default: return plain && wt::row_store_fits(matrix<wt::bf16>(), tall);
    }
  }

  // Writes up to four columns of row r, from `column` on, from their sums.
  template <class Sums>
  WT_DEVICE void put(Sums sums, int r, int column) const {
    if (r >= args.m) return;
    switch (args.type_c) {
      case WT_KERNEL_F32: return put_as<float>(sums, r, column);
      case WT_KERNEL_BF16: return put_as<wt::bf16>(sums, r, column);
      case WT_KERNEL_F16: return put_as<wt::f16>(sums, r, column);
      default: return put_as<wt::i32>(sums, r, column);
    }
  }

 private:
  template <class Out, class Sums>
  WT_DEVICE void put_as(Sums sums, int r, int column) const {
    Out *to = reinterpret_cast<Out *>(c) + r * args.c_row + column;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (column + i < args.n) to[i] = value(sums[i], r, column + i, to + i);
    }
  }

  // The epilogue of one element; `old` is read only with beta.
  template <class Out, class Sum>
  WT_DEVICE Out value(Sum sum, int r, int column, const Out *old) const {
    if constexpr (__is_same(Out, wt::i32)) {
      // Integers stay integers, and wrap. The host has made sure that alpha and beta are whole numbers.
      const unsigned product =
          static_cast<unsigned>(static_cast<int>(args.alpha)) * static_cast<unsigned>(sum);
      const unsigned before = args.beta == 0.0f ? 0u : static_cast<unsigned>(*old);
      return static_cast<int>(product + static_cast<unsigned>(static_cast<int>(args.beta)) * before);
    } else {
      float x = static_cast<float>(sum) * args.alpha;
      if (args.row_scale) x *= args.row_scale[r];
      if (args.column_scale) x *= args.column_scale[column];
      if (args.beta != 0.0f) x = __builtin_fmaf(args.beta, wt::to_f32(*old), x);
      if (args.bias) x += args.bias[column];
      return wt::from_f32<Out>(activated(x));
    }
  }

  WT_DEVICE float activated(float x) const {
    switch (args.activation) {
      case WT_KERNEL_RELU: return wt::relu(x);
      case WT_KERNEL_GELU: return wt::gelu(x);
      case WT_KERNEL_SILU: return wt::silu(x);
      default: return x;
    }
  }
};

// A quadrant of C in LDS, as sums of T: written by rt_ct fragments, read by rows.
template <class T, int Rows, int Columns>
using gemm_staged = wt::st<T, Rows, Columns, wt::xor_bits(__builtin_ctz(Columns * 4), 3, 4)>;

// Stores the wave's parts of the four quadrants from the registers.
template <class Out, class Frame>
WT_DEVICE void store_directly(const Frame &f, const gemm_output &out, typename Frame::accumulators &c) {
  wt::unrolled<4>([&](auto quadrant) WT_INLINE {
    constexpr int kI = quadrant / 2, kJ = quadrant % 2;
    const typename Frame::c_tile tile = wt::release(c[kI][kJ]);
    const wt::row_writer<Out, typename Frame::c_tile> writer(out.matrix<Out>().from(
        f.row + kI * Frame::kTileM / 2 + f.wave_m, f.column + kJ * Frame::kTileN / 2 + f.wave_n));
    issue_all(writer.stores(tile, out.args.alpha));
  });
}

template <class Frame>
WT_DEVICE void store_through_lds(const Frame &f, const gemm_output &out, typename Frame::accumulators &c,
                                 typename Frame::staged &staged) {
  constexpr int kColumns = Frame::kTileN / 2, kRows = Frame::kTileM / 2, kPerRow = kColumns / 4;
  using sums = wt::registers<typename Frame::sum, 4>;
  wt::unrolled<4>([&](auto quadrant) WT_INLINE {
    constexpr int kI = quadrant / 2, kJ = quadrant % 2;
    wt::barrier();  // before what was read there is overwritten
    wt::store(staged, wt::release(c[kI][kJ]), f.wave_m, f.wave_n);
    wt::barrier();
#pragma unroll 1
    for (int i = wt::thread_id(); i < kRows * kPerRow; i += Frame::kThreads) {
      const int r = i / kPerRow, column = i % kPerRow * 4;
      out.put(staged.template at<sums>(wt::swizzled<Frame::staged::kSwizzle>(i * 16)), f.row + kI * kRows + r,
              f.column + kJ * kColumns + column);
    }
  });
}

template <class Frame>
WT_DEVICE void store_result(const Frame &f, const wt_gemm_args &args, typename Frame::accumulators &c,
                            typename Frame::staged &staged) {
  const gemm_output out(args);
  if (!out.is_direct(Frame::kTileM)) return store_through_lds(f, out, c, staged);
  switch (args.type_c) {
    case WT_KERNEL_F32: return store_directly<float>(f, out, c);
    case WT_KERNEL_BF16: return store_directly<wt::bf16>(f, out, c);
    case WT_KERNEL_F16: return store_directly<wt::f16>(f, out, c);
    default:
      if constexpr (__is_same(typename Frame::sum, wt::i32)) store_directly<wt::i32>(f, out, c);
  }
}

#endif
