// SPDX-License-Identifier: MIT
// Brings rows that begin at any addresses to addresses from which tiles are copied to LDS.
#include "gemm_pack_args.h"
#include "wavetile_device.h"

using piece = wt::u32x4;
static constexpr int kPiece = WT_PACK_PIECE_BYTES, kDwords = WT_PACK_LEAST_ROW_BYTES;
static_assert(sizeof(piece) == kPiece);

struct position {
  int row, byte;
};

// Describes the dwords that 16 bytes from some address on lie in: four, and where they do not begin with a
// dword a fifth.
struct dwords {
  piece low;
  wt::u32 last;
  unsigned shift_bytes;  // before the first

  WT_DEVICE explicit dwords(const char *from) : shift_bytes(reinterpret_cast<unsigned long long>(from) % 4) {
    const wt::u32 *words = reinterpret_cast<const wt::u32 *>(from - shift_bytes);
    low = {words[0], words[1], words[2], words[3]};
    last = words[shift_bytes != 0 ? 4 : 3];
  }
  WT_DEVICE piece bytes() const {
    return {wt::bytes_from(low[0], low[1], shift_bytes), wt::bytes_from(low[1], low[2], shift_bytes),
            wt::bytes_from(low[2], low[3], shift_bytes), wt::bytes_from(low[3], last, shift_bytes)};
  }
};

// Returns the `left` >= 1 bytes from `from` on, at most 16, and zeros.
WT_DEVICE piece end_of_row(const char *from, int left) {
  piece all = {};
  wt::unrolled<kPiece>([&](auto i) WT_INLINE {
    const auto byte = static_cast<unsigned char>(from[i < left ? i.value : left - 1]);
    all[i / 4] |= i < left ? static_cast<wt::u32>(byte) << (i % 4 * 8) : 0;
  });
  return all;
}

// Returns the first `left` bytes of a piece, and zeros.
WT_DEVICE piece first_bytes(piece all, int left) {
  wt::unrolled<kPiece / 4>([&](auto w) WT_INLINE {
    const int kept = left - 4 * w;
    all[w.value] &= kept >= 4 ? ~0u : kept <= 0 ? 0u : (1u << 8 * kept) - 1;
  });
  return all;
}

// The pieces of a thread are loaded before the first is stored, so that memory's latency passes once. What
// the dwords of a row's end have of the next row is dropped. Behind the last row of all, they may end past
// the allocation, so its end is loaded byte by byte.
WT_KERNEL(WT_PACK_THREADS) gemm_pack(wt_gemm_pack_args all) {
  const wt_gemm_pack_operand &args = all.operand[wt::workgroup_y()];
  const char *from = static_cast<const char *>(args.from) + wt::workgroup_z() * args.from_batch_bytes;
  char *to = static_cast<char *>(args.to) + wt::workgroup_z() * args.to_batch_bytes;
  const int first = wt::workgroup_x() * WT_PACK_PIECES + wt::thread_id();
  const int per_row = static_cast<int>(args.pieces_row.divisor), last = args.rows * per_row - 1;
  if (wt::workgroup_x() * WT_PACK_PIECES > last || wt::workgroup_z() >= args.batch) return;
  const int last_row = wt::workgroup_z() == args.batch - 1 ? args.rows - 1 : args.rows;
  position at[WT_PACK_TOGETHER];
  piece values[WT_PACK_TOGETHER];
  wt::unrolled<WT_PACK_TOGETHER>([&](auto i) WT_INLINE {
    const int number = first + i * WT_PACK_THREADS, nth = number < last ? number : last;
    const int row = static_cast<int>(wt_divide(static_cast<unsigned>(nth), args.pieces_row));
    at[i] = {row, (nth - row * per_row) * kPiece};
    const int left = args.row_bytes - at[i].byte;
    const bool is_inside = left >= kDwords || (left > 0 && row != last_row);
    const int byte = is_inside ? at[i].byte : args.row_bytes - kDwords;
    values[i] = dwords(from + row * args.from_row_bytes + byte).bytes();
  });
  wt::unrolled<WT_PACK_TOGETHER>([&](auto i) WT_INLINE {
    const int left = args.row_bytes - at[i].byte;
    if (at[i].row == last_row && left > 0 && left < kDwords)
      values[i] = end_of_row(from + at[i].row * args.from_row_bytes + at[i].byte, left);
    if (first + i * WT_PACK_THREADS <= last)
      *reinterpret_cast<piece *>(to + at[i].row * args.to_row_bytes + at[i].byte) =
          first_bytes(values[i], left);
  });
}
