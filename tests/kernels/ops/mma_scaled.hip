// SPDX-License-Identifier: MIT
// Products of register tiles with block scales: every pair of MX formats, fragments of 16 and of 32 rows, of
// one and of two MFMAs, C as it is and transposed; and bf16 by
// 4-bit floats. Tiles come from LDS, packed, by the readers of a kernel.
#include <wavetile_device.h>

#include "mma_scaled.h"

namespace {

using namespace wt;

constexpr int kSize = WT_MMA_SCALED_SIZE;

enum class held { as_c, as_ct, as_pinned };
template <held How, int Rows>
struct sums_of {
  using type = rt_c<float, kSize, kSize, Rows>;
};
template <int Rows>
struct sums_of<held::as_ct, Rows> {
  using type = rt_ct<float, kSize, kSize, Rows>;
};

template <int Rows>
struct sums_of<held::as_pinned, Rows> {
  using type = pinned_t<rt_ct<float, kSize, kSize, Rows>>;
};

template <class T, int Rows, int Depth>
struct operand_side {
  using layout = scaled_operand<T, Depth, Rows>;
  using tile = st<T, kSize, Depth, swizzle_for_layout<T, layout, Depth>>;
  using scale_rows = st<e8m0, kSize, Depth / kScaleBlock>;
  using fragments = rt<T, kSize, Depth, layout>;
  using scales = rs<fragments>;

  WT_DEVICE static void load_from(const unsigned char *q, const unsigned char *scale, tile &in_lds,
                                  scale_rows &scales_in_lds, int rows, int blocks) {
    const int bytes = blocks * kScaleBlock * kBits<T> / 8;
    load_masked_blocks<64>(in_lds, row_major(q, rows, bytes));
    load_masked_scales<64, kSize>(scales_in_lds, 0, scale_matrix{scale, blocks, rows, blocks});
  }
  WT_DEVICE static void read(fragments &to, scales &to_scales, tile &in_lds, scale_rows &scales_in_lds) {
    load(to, lds_reader<tile, layout>(0).at(in_lds));
    issue_all(scale_reader<scale_rows, scales>(scales_in_lds, 0).reads(to_scales));
  }
};

template <class A, class B, int Rows, int Depth, held How>
WT_DEVICE void multiply(const mma_scaled_args &args) {
  using side_a = operand_side<A, Rows, Depth>;
  using side_b = operand_side<B, Rows, Depth>;
  WT_SHARED typename side_a::tile tile_a;
  WT_SHARED typename side_b::tile tile_b;
  WT_SHARED typename side_a::scale_rows rows_a;
  WT_SHARED typename side_b::scale_rows rows_b;
  side_a::load_from(args.a, args.a_scale, tile_a, rows_a, args.m, args.blocks);
  side_b::load_from(args.b, args.b_scale, tile_b, rows_b, args.n, args.blocks);
  barrier();
  typename side_a::fragments a;
  typename side_a::scales sa;
  typename side_b::fragments b;
  typename side_b::scales sb;
  side_a::read(a, sa, tile_a, rows_a);
  side_b::read(b, sb, tile_b, rows_b);
  typename sums_of<How, Rows>::type c;
  zero(c);
  mma_ABt(c, a, sa, b, sb);
  store(row_major(args.c, args.m, args.n), c, 0, 0);
}

// Does the same for A without scales.
template <class A, class B, int Rows, int Depth, held How>
WT_DEVICE void multiply_widened(const mma_scaled_args &args) {
  using layout = scaled_operand<A, Depth, Rows>;
  using side_b = operand_side<B, Rows, Depth>;
  using a_lds = st<A, kSize, Depth, swizzle_for_layout<A, layout, Depth>>;
  WT_SHARED a_lds tile_a;
  WT_SHARED typename side_b::tile tile_b;
  WT_SHARED typename side_b::scale_rows rows_b;
  const int bytes = args.blocks * kScaleBlock * kBits<A> / 8;
  load_masked_blocks<64>(tile_a, row_major(args.a, args.m, bytes));
  side_b::load_from(args.b, args.b_scale, tile_b, rows_b, args.n, args.blocks);
  barrier();
  rt<A, kSize, Depth, layout> a;
  typename side_b::fragments b;
  typename side_b::scales sb;
  load(a, lds_reader<a_lds, layout>(0).at(tile_a));
  side_b::read(b, sb, tile_b, rows_b);
  typename sums_of<How, Rows>::type c;
  zero(c);
  mma_ABt(c, a, b, sb);
  store(row_major(args.c, args.m, args.n), release(c), 0, 0);
}

}  // namespace

#define MULTIPLY_WIDENED(A, B, ROWS, DEPTH, HELD)                                        \
  WT_KERNEL(64) mma_scaled_##A##_##B##_##ROWS##_##DEPTH##_##HELD(mma_scaled_args args) { \
    multiply_widened<wt::A, wt::B, ROWS, DEPTH, held::HELD>(args);                       \
  }
MMA_WIDENED_KERNELS(MULTIPLY_WIDENED)
#define MULTIPLY(A, B, ROWS, DEPTH, HELD)                                                \
  WT_KERNEL(64) mma_scaled_##A##_##B##_##ROWS##_##DEPTH##_##HELD(mma_scaled_args args) { \
    multiply<wt::A, wt::B, ROWS, DEPTH, held::HELD>(args);                               \
  }
MMA_SCALED_KERNELS(MULTIPLY)
