// SPDX-License-Identifier: MIT
// Finds the swizzle of a tile whose rows are read as MFMA operands, 16 bytes per lane (natural_operand).
#ifndef WT_TILES_ROW_SWIZZLE_H
#define WT_TILES_ROW_SWIZZLE_H

#include "evaluated.h"
#include "st.h"
#include "swizzle_solver.h"

namespace wt {

// This is the access of ds_read_b128 for an operand of Rows rows: lane l reads 16 bytes of row l mod Rows.
// RowBytes are the bytes of a tile's row.
template <int Rows, int RowBytes>
struct read_of_operand {
  static constexpr lds_access access =
      lds_access_of<lds_op::read_b128, [](int lane) { return lane % Rows * RowBytes + lane / Rows * 16; }>();
};

// This is the access of the reads of an operand of Layout from a tile of T whose rows have RowBytes bytes.
template <class T, class Layout, int RowBytes>
struct read_of_layout {
  static_assert(!is_fp6<T>, "packed rows of 6-bit elements are no power of two: use swizzle_for_layout");
  using tile = st<T, Layout::kRows, RowBytes * 8 / kBits<T>>;
  static constexpr int kRun = Layout::kRun * kBits<T> / 8;
  static constexpr lds_access access = lds_access_of<lds_read_of(kRun < 16 ? kRun : 16), [](int lane) {
    return tile::linear(Layout::row(lane, 0), Layout::column(lane, 0));
  }>();
};

// This is the swizzle that serves all Accesses of a tile whose rows have RowBytes bytes. It keeps bytes in
// their row and repeats after at most 16 rows.
template <int RowBytes, class... Accesses>
constexpr swizzle solve_row_swizzle =
    evaluated<solve_swizzle_within<target::kChip, swizzle_limits{RowBytes, 16 * RowBytes}, Accesses...>()>;

namespace detail {

template <int RowBytes, target::chip Chip>
consteval swizzle solve_row() {
  static_assert(RowBytes >= 64 && (RowBytes & (RowBytes - 1)) == 0,
                "rows of operands are swizzled in powers of two of at least 64 bytes: choose another depth");
  return solve_swizzle_within<Chip, swizzle_limits{RowBytes, 16 * RowBytes}, read_of_operand<16, RowBytes>,
                              read_of_operand<32, RowBytes>>();
}

}  // namespace detail

// This is the swizzle that serves reads of operands of 16 and of 32 rows from a tile whose rows have RowBytes
// bytes. It keeps bytes in their row and repeats after at most 16 rows.
template <int RowBytes, target::chip Chip = target::kChip>
constexpr swizzle swizzle_for_row = evaluated<detail::solve_row<RowBytes, Chip>()>;

namespace detail {

struct solved {
  bool found = false;
  swizzle result = {};
};

// Rows of 6-bit elements are 3 * 2^n bytes, which no linear access describes. So the banks of all lanes are
// counted for each swizzle that exchanges neighbouring runs of lanes by one bit of the row.
template <class T, class Layout, int Columns>
consteval solved solve_packed_rows() {
  using tile = st<T, Layout::kRows, Columns>;
  constexpr int kRunBytes = Layout::kRun * kBits<T> / 8;
  constexpr int kRun = __builtin_ctz(static_cast<unsigned>(tile::stretched(kRunBytes)));
  constexpr int kRow = __builtin_ctz(static_cast<unsigned>(tile::stretched(tile::kRowBytes)));
  constexpr int kTile = __builtin_ctz(static_cast<unsigned>(tile::stretched(tile::kBytes)));
  constexpr lds_op kOp = lds_read_of(kRunBytes % 16 == 0 ? 16 : 8);
  const auto serves = [&](const swizzle &s) {
    return conflict_free(
        target::kChip, kOp,
        [&](int lane) {
          return tile::compressed(
              s(tile::stretched(tile::linear(Layout::row(lane, 0), Layout::column(lane, 0)))));
        },
        no_swizzle);
  };
  if (serves(no_swizzle)) return {true, no_swizzle};
  for (int to = kRow - 1; to >= kRun; --to) {  // the longest runs first, which copies can fill
    for (int from = kRow; from < kTile; ++from) {
      if (serves(xor_bits(from, 1, to))) return {true, xor_bits(from, 1, to)};
    }
  }
  return {};
}

template <class T, class Layout, int Columns>
constexpr solved kPackedRows = evaluated<solve_packed_rows<T, Layout, Columns>()>;

template <class T, class Layout, int Columns>
consteval swizzle solve_layout() {
  if constexpr (is_fp6<T>) {
    constexpr auto &kSolved = kPackedRows<T, Layout, Columns>;
    static_assert(kSolved.found,
                  "no exchange of neighbouring runs serves the reads of this layout: choose another depth");
    return kSolved.result;
  } else {
    constexpr int kRowBytes = st<T, Layout::kRows, Columns>::kRowBytes;
    return solve_row_swizzle<kRowBytes, read_of_layout<T, Layout, kRowBytes>>;
  }
}

}  // namespace detail

// This is the swizzle that serves reads of operands of Layout from a tile of T with Columns columns. It keeps
// bytes in their row.
template <class T, class Layout, int Columns>
constexpr swizzle swizzle_for_layout = evaluated<detail::solve_layout<T, Layout, Columns>()>;

}  // namespace wt

#endif
