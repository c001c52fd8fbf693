// SPDX-License-Identifier: MIT
// Ends a tiled GEMM. C is stored straight from the registers, 16 bytes per store, when it is alpha times the
// product and its rows are aligned. Everything else goes through LDS, four columns per thread: beta, scales,
// bias, activation, odd columns, unaligned rows. That path costs two passes over LDS and two barriers per
// quadrant.
#ifndef WT_KERNELS_GEMM_EPILOGUE_H
#define WT_KERNELS_GEMM_EPILOGUE_H

#include "gemm_args.h"
#include "wavetile_device.h"

// Describes the matrix C that a work-group writes: its batch member's, and its part's where K is split.
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
    // It is written out: with a call of row_major here, the compiler orders blocks of many kernels otherwise.
    return {reinterpret_cast<Out *>(c), args.c_row, 1, args.m, args.n};
  }

  // Returns C from the first element of the wave's part of quadrant (i, j) on.
  template <class Out, class Frame>
  WT_DEVICE wt::gl<Out> part(const Frame &f, int i, int j) const {
    return matrix<Out>().from(f.row + i * Frame::kTileM / 2 + f.wave_m,
                              f.column + j * Frame::kTileN / 2 + f.wave_n);
  }

  // Returns whether tiles of `tall` rows may go out straight from the registers: nothing but alpha is to be
  // applied, and rows suit row_writer.
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
    if (r >= args.m || column >= args.n) return;
    const int count = args.n - column;
    switch (args.type_c) {
      case WT_KERNEL_F32: return put_as<float>(sums, r, column, count);
      case WT_KERNEL_BF16: return put_as<wt::bf16>(sums, r, column, count);
      case WT_KERNEL_F16: return put_as<wt::f16>(sums, r, column, count);
      default: return put_integers(sums, r, column, count);
    }
  }

  // Returns up to four columns from `column` on with the bias and the activation applied to them.
  WT_DEVICE wt::f32x4 finished(wt::f32x4 x, int column, int count) const {
    if (args.bias) x += four(args.bias + column, count);
    switch (args.activation) {
      case WT_KERNEL_RELU: return wt::relu(x);
      case WT_KERNEL_GELU: return wt::gelu(x);
      case WT_KERNEL_SILU: return wt::silu(x);
      default: return x;
    }
  }

 private:
  template <class Out>
  WT_DEVICE Out *place(int r, int column) const {
    return reinterpret_cast<Out *>(c) + r * args.c_row + column;
  }

  // Returns the columns that exist of four; the others read the first instead.
  template <class T>
  WT_DEVICE static wt::f32x4 four(const T *from, int count) {
    wt::f32x4 values;
    wt::unrolled<4>([&](auto i) WT_INLINE { values[i.value] = wt::to_f32(from[i < count ? i : 0]); });
    return values;
  }

  template <class Out, class Sums>
  WT_DEVICE void put_as(Sums sums, int r, int column, int count) const {
    Out *to = place<Out>(r, column);
    wt::f32x4 x = __builtin_convertvector(sums, wt::f32x4) * args.alpha;
    if (args.row_scale) x *= args.row_scale[r];
    if (args.column_scale) x *= four(args.column_scale + column, count);
    if (args.beta != 0.0f) x = __builtin_elementwise_fma(wt::f32x4{} + args.beta, four(to, count), x);
    x = finished(x, column, count);
    wt::registers<Out, 4> rounded;
    wt::unrolled<4>([&](auto i) WT_INLINE { rounded[i.value] = wt::from_f32<Out>(x[i.value]); });
    store_four(to, rounded, count);
  }

  // Stores the columns that exist of four, in one instruction where all do, whatever their alignment.
  template <class Out>
  WT_DEVICE static void store_four(Out *to, wt::registers<Out, 4> values, int count) {
    if (count >= 4) return wt::global_store(to, values);
    wt::unrolled<3>([&](auto i) WT_INLINE {
      if (i < count) to[i] = values[i.value];
    });
  }

  // Integer sums are not converted to f32, and they wrap. The host has made sure that alpha and beta are
  // whole numbers.
  template <class Sums>
  WT_DEVICE void put_integers(Sums sums, int r, int column, int count) const {
    unsigned *to = place<unsigned>(r, column);
    const unsigned alpha = static_cast<unsigned>(static_cast<int>(args.alpha));
    const unsigned beta = static_cast<unsigned>(static_cast<int>(args.beta));
    wt::unrolled<4>([&](auto i) WT_INLINE {
      if (i < count) {
        to[i] = alpha * static_cast<unsigned>(sums[i.value]) + (beta == 0 ? 0 : beta * to[i]);
      }
    });
  }
};

// Names a quadrant of C in LDS, as sums of T: written by rt_ct fragments, read by rows.
template <class T, int Rows, int Columns>
using gemm_staged = wt::st<T, Rows, Columns, wt::xor_bits(__builtin_ctz(Columns * 4), 3, 4)>;

// Gives the order of the rows and columns of a frame's quadrants. A frame that has another than the natural
// one says so by kRowOrder.
template <class Frame>
constexpr wt::row_order gemm_row_order = wt::row_order::natural;
template <class Frame>
  requires requires { Frame::kRowOrder; }
constexpr wt::row_order gemm_row_order<Frame> = Frame::kRowOrder;

// Stores the wave's parts of the four quadrants from the registers.
template <class Out, class Frame>
WT_DEVICE void store_directly(const Frame &f, const gemm_output &out, typename Frame::accumulators &c) {
  wt::unrolled<4>([&](auto quadrant) WT_INLINE {
    constexpr int kI = quadrant / 2, kJ = quadrant % 2;
    const typename Frame::c_tile tile = wt::release(c[kI][kJ]);
    const wt::row_writer<Out, typename Frame::c_tile, gemm_row_order<Frame>> writer(out.part<Out>(f, kI, kJ));
    issue_all(writer.stores(tile, out.args.alpha));
  });
}

// Brings the quadrants to LDS one after the other, and calls store(i, j) for each, which takes the quadrant
// from there.
template <class Frame, class Store>
WT_DEVICE void stage_quadrants(const Frame &f, typename Frame::accumulators &c,
                               typename Frame::staged &staged, const Store &store) {
  wt::unrolled<4>([&](auto quadrant) WT_INLINE {
    constexpr int kI = quadrant / 2, kJ = quadrant % 2;
    wt::barrier();  // before what was read there is overwritten
    wt::store(staged, wt::release(c[kI][kJ]), f.wave_m, f.wave_n);
    wt::barrier();
    store(wt::index<kI>{}, wt::index<kJ>{});
  });
}

// Stores the tile by way of LDS: put(sums, row, column) takes four columns of a row of C.
template <class Frame, class Put>
WT_DEVICE void store_through_lds(const Frame &f, typename Frame::accumulators &c,
                                 typename Frame::staged &staged, const Put &put) {
  constexpr int kColumns = Frame::kTileN / 2, kRows = Frame::kTileM / 2, kPerRow = kColumns / 4;
  using sums = wt::registers<typename Frame::sum, 4>;
  stage_quadrants(f, c, staged, [&](auto i_of, auto j_of) WT_INLINE {
    constexpr int kI = i_of, kJ = j_of;
#pragma unroll 1
    for (int i = wt::thread_id(); i < kRows * kPerRow; i += Frame::kThreads) {
      const int row = wt::ordered_row<gemm_row_order<Frame>>(i / kPerRow);
      const int column = wt::ordered_row<gemm_row_order<Frame>>(i % kPerRow * 4);
      put(staged.template at<sums>(wt::swizzled<Frame::staged::kSwizzle>(i * 16)), f.row + kI * kRows + row,
          f.column + kJ * kColumns + column);
    }
  });
}

template <class Frame>
WT_DEVICE void store_result(const Frame &f, const wt_gemm_args &args, typename Frame::accumulators &c,
                            typename Frame::staged &staged) {
  const gemm_output out(args);
  if (!out.is_direct(Frame::kTileM)) {
    return store_through_lds(f, c, staged,
                             [&](auto sums, int row, int column) WT_INLINE { out.put(sums, row, column); });
  }
  switch (args.type_c) {
    case WT_KERNEL_F32: return store_directly<float>(f, out, c);
    case WT_KERNEL_BF16: return store_directly<wt::bf16>(f, out, c);
    case WT_KERNEL_F16: return store_directly<wt::f16>(f, out, c);
    default:
      if constexpr (__is_same(typename Frame::sum, wt::i32)) store_directly<wt::i32>(f, out, c);
  }
}

#endif
