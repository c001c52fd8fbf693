// SPDX-License-Identifier: MIT
// A and B of a GEMM with block scales as they lie in memory, and what copies their tiles to LDS.
#ifndef WT_KERNELS_GEMM_MX_OPERAND_H
#define WT_KERNELS_GEMM_MX_OPERAND_H

#include "gemm_mx_args.h"
#include "wavetile_device.h"

// Describes packed rows, from the tile's first row on. By rows, a row's bytes follow each other. Shuffled
// ones are those of 16 rows together: first 16 bytes of each, then the next 16 of each.
struct gemm_mx_operand {
  static constexpr int kPieceBytes = 16, kRowsTogether = 16;
  const unsigned char *data;
  long long pitch_bytes;          // from a row to the next; from 16 rows to the next it is 16 times as much
  int rows, columns;              // that exist; a column is a byte, as in a gl of bytes (ops/load_masked.h)
  int within_bytes, piece_bytes;  // from a row to the next of 16, and from a piece of a row to its next piece

  WT_DEVICE gemm_mx_operand(const void *matrix, long long row_bytes, int layout, int first_row, int all_rows,
                            int bytes)
      : data(static_cast<const unsigned char *>(matrix) + first_row * row_bytes),
        pitch_bytes(row_bytes),
        rows(all_rows - first_row),
        columns(bytes),
        within_bytes(layout == WT_KERNEL_SHUFFLED ? kPieceBytes : static_cast<int>(row_bytes)),
        piece_bytes(layout == WT_KERNEL_SHUFFLED ? kPieceBytes * kRowsTogether : kPieceBytes) {}

  // Returns the bytes from the first row's first byte to another byte.
  WT_DEVICE long long place(int row, int byte) const {
    return row / kRowsTogether * (kRowsTogether * pitch_bytes) + row % kRowsTogether * within_bytes +
           byte / kPieceBytes * piece_bytes + byte % kPieceBytes;
  }
  WT_DEVICE const unsigned char *address(int row, int byte) const { return data + place(row, byte); }

  // Returns the same without the columns before `byte`, a multiple of 16.
  WT_DEVICE gemm_mx_operand from_byte(int byte) const {
    gemm_mx_operand later = *this;
    later.data += byte / kPieceBytes * piece_bytes, later.columns -= byte;
    return later;
  }

  // Returns a part of the columns: `count` bytes of them from `byte` on, a multiple of 16.
  WT_DEVICE gemm_mx_operand part(int byte, int count) const {
    gemm_mx_operand narrow = from_byte(byte);
    narrow.columns = count;
    return narrow;
  }

  // Returns whether direct copies can move `tall` rows as they lie, where rows begin at multiples of
  // `alignment` bytes.
  WT_DEVICE bool is_fetchable(int tall, int alignment) const {
    const unsigned long long mixed =
        reinterpret_cast<unsigned long long>(data) | static_cast<unsigned long long>(pitch_bytes);
    return (pitch_bytes + 1) * tall < 0x7fffffffll &&
           (mixed & static_cast<unsigned long long>(alignment - 1)) == 0;
  }
};

// Returns the buffer of the first `tall` rows.
WT_DEVICE wt::buffer memory_of(const gemm_mx_operand &from, int tall) {
  const int last = (from.rows < tall ? from.rows : tall) - 1;
  return wt::make_buffer(from.data, static_cast<int>(from.place(last, from.columns - 1)) + 1);
}

// Fills halves of tiles whose rows stand in this order.
template <class Copier, wt::row_order Order>
struct gemm_mx_copier : Copier {
  using typename Copier::tile;
  static constexpr int kPieceBytes = gemm_mx_operand::kPieceBytes;
  static_assert(Copier::kTileBytes % kPieceBytes == 0 && Copier::kLaneBytes == kPieceBytes);
  static constexpr int kBlockBytes = wt::kScaleBlock * wt::kBits<typename tile::element> / 8;
  // One instruction of each wave copies so many rows. If they are a power of two, a thread's rows of all
  // copies differ in bits that are zero in its first row, so that their places are its first place and a
  // number that all threads share.
  static constexpr int kRowsOfCopies = Copier::kStepBytes / tile::kRowBytes;
  static constexpr bool kAddsUp = Copier::kKeepsColumn && (kRowsOfCopies & (kRowsOfCopies - 1)) == 0;

  int spread;  // from a piece of a row to its next piece, in pieces

  // Makes a copier of the rows from first_row on, a multiple of the tile's rows.
  WT_DEVICE gemm_mx_copier(const gemm_mx_operand &from, int first_row)
      : spread(from.piece_bytes / kPieceBytes) {
    const int last_row = from.rows - 1;
    if constexpr (kAddsUp) {
      const auto row_of = [](int byte) WT_INLINE { return wt::ordered_row<Order>(byte / tile::kRowBytes); };
      const auto place = [&](int row, int byte)
                             WT_INLINE { return static_cast<wt::u32>(from.place(row, byte)); };
      const int byte = Copier::template byte_of<0>(), column = byte % tile::kRowBytes;
      // Places past the end of the matrix may wrap around; they are in the matrix then, too.
      const wt::u32 first = place(row_of(byte), column), last = place(last_row, column);
      wt::unrolled<Copier::kCopies>([&](auto i) WT_INLINE {
        const wt::u32 here = first + place(first_row + row_of(i * Copier::kStepBytes), 0);
        this->offset[i.value] = static_cast<int>(here < last ? here : last);
      });
    } else {
      wt::unrolled<Copier::kCopies>([&](auto i) WT_INLINE {
        const int byte = Copier::template byte_of<i.value>();
        const int row = first_row + wt::ordered_row<Order>(byte / tile::kRowBytes);
        this->offset[i.value] =
            static_cast<int>(from.place(row < last_row ? row : last_row, byte % tile::kRowBytes));
      });
    }
  }
  // As those of lds_copier, but they refer to this copier. A copy of it would join the place that the wave's
  // lanes share and a single offset to one value, which LLVM 22 cannot take apart ("illegal VGPR to SGPR
  // copy").
  WT_DEVICE auto copies(wt::buffer from, int step, wt::lds_place<tile> to) const {
    return wt::list_of<Copier::kCopies>([=, this, advance = bytes_to(step)](auto i)
                                            WT_INLINE { this->template copy<i>(from, advance, to); });
  }
  // Returns the same for a K step where rows have so many blocks: what is past them is zero, as lanes load it
  // from an offset past the end of any buffer, 2^31 further on.
  WT_DEVICE auto copies_tail(wt::buffer from, int step, wt::lds_place<tile> to, int blocks) const {
    const wt::u32 last = static_cast<wt::u32>(blocks * kBlockBytes - step * Copier::kTileBytes) - 1;
    const auto past_end = [last](int byte) WT_INLINE {
      return (last - static_cast<wt::u32>(byte) % tile::kRowBytes) & 0x80000000;
    };
    int first = Copier::template byte_of<0>();
    wt::forget(first);  // or its column takes a register from one list to the next
    const wt::u32 of_first = Copier::kKeepsColumn ? past_end(first) : 0;
    return wt::list_of<Copier::kCopies>([=, this](auto i) WT_INLINE {
      wt::u32 past = of_first;
      if constexpr (!Copier::kKeepsColumn) past = past_end(Copier::template byte_of<i.value>());
      const int offset = this->offset[i.value] | static_cast<int>(past);
      wt::buffer_load_to_lds<kPieceBytes>(from, offset, bytes_to(step),
                                          to.byte(this->place + i * Copier::kStepBytes));
    });
  }

 private:
  WT_DEVICE int bytes_to(int step) const { return step * Copier::kTileBytes * spread; }
};

#endif
