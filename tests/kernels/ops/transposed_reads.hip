// SPDX-License-Identifier: MIT
// Transposed reads of operands of 8-, 6- and 4-bit elements from LDS tiles that lie k by k. One swizzle
// serves them and the writes that fill the tile, as the solver proves; lds_reader_tr refuses a tile with
// conflicts.
#include "transposed_reads.h"

#include <wavetile_device.h>

namespace {

using namespace wt;

// Says what a lane writes: 16 neighbouring elements, lane after lane of a row.
template <class T>
constexpr int kGroupBytes = is_fp6<T> ? 16 : 2 * kBits<T>;
template <class T>
using group = vector<u32, kBits<T> / 2>;
template <class T>
struct write_of_groups {
  static constexpr lds_access access = lds_access_of<is_fp4<T>   ? lds_op::write_b64
                                                     : is_fp6<T> ? lds_op::write_b96
                                                                 : lds_op::write_b128,
                                                     [](int lane) { return lane * kGroupBytes<T>; }>();
};

template <class T>
constexpr spacing kSpacing = is_fp6<T> ? spacing::sixteens : spacing::packed;

template <class T, int Rows, int Depth, int Tall, int Wide, int Columns>
WT_DEVICE void read(const transposed_reads_args &args) {
  using layout = scaled_operand<T, Depth, Rows>;
  using tile = rt<T, Tall * Rows, Wide * Depth, layout>;
  constexpr int kDeep = Wide * Depth, kGroups = Columns / 16;
  constexpr int kRowBytes = st<T, kDeep, Columns, no_swizzle, kSpacing<T>>::kRowBytes;
  using lds = st<T, kDeep, Columns,
                 solve_swizzle<target::chip::gfx950, read_of_transposed_operand<T, layout, kRowBytes>,
                               write_of_groups<T>>,
                 kSpacing<T>>;
  WT_SHARED lds in_lds;
  for (int n = thread_id(); n < kDeep * kGroups; n += 64) {
    const int k = n / kGroups, column = n % kGroups * 16;
    group<T> packed = {};
    unrolled<16>([&](auto e) WT_INLINE {
      constexpr int kBit = e * kBits<T>, kWord = kBit / 32, kShift = kBit % 32;
      const u32 code = args.matrix[k * Columns + column + e];
      packed[kWord] |= code << kShift;
      if constexpr (kShift + kBits<T> > 32) packed[kWord + 1] |= code >> (32 - kShift);
    });
    ds_write(lds_address(&in_lds) + static_cast<u32>(lds::place_of(lds::linear(k, column))), packed);
  }
  barrier();
  tile to;
  issue_all(lds_reader_tr<lds, tile>(args.column, in_lds).reads(to));
  constexpr int kRegisters = tile::kRegisters / Tall / Wide;
  unrolled<Tall * Wide>([&](auto f) WT_INLINE {
    unrolled<kRegisters>([&](auto r) WT_INLINE {
      args.registers[(f * kRegisters + r) * 64 + thread_id()] = to.fragment[f / Wide][f % Wide][r.value];
    });
  });
}

}  // namespace

#define READ(T, ROWS, DEPTH, TALL, WIDE, COLUMNS)                                          \
  WT_KERNEL(64) read_##T##_##ROWS##_##DEPTH##_from_##COLUMNS(transposed_reads_args args) { \
    read<wt::T, ROWS, DEPTH, TALL, WIDE, COLUMNS>(args);                                   \
  }
TRANSPOSED_READS_KERNELS(READ)
