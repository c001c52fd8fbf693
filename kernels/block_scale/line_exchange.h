// SPDX-License-Identifier: MIT
// Rows of q that the threads of a work-group make a part at a time, each thread in another row, and store
// whole: neighbouring threads store neighbouring bytes. Stored as they are made, every part would be a write
// of its own to L2.
#ifndef WT_KERNELS_LINE_EXCHANGE_H
#define WT_KERNELS_LINE_EXCHANGE_H

#include <wavetile_device.h>

namespace block_scale {

// LDS for Lines rows of up to LineBytes bytes, which are written and read in pieces of PieceBytes. Lanes 0 to
// 31 write the same bytes of 32 rows, and lanes 32 to 63 those that are NextBytes further.
//
// scope: work-group; operands: vectors of PieceBytes; leaves: lgkmcnt; waits: caller, by barriers between put
// and each_piece; LDS: line_exchange; registers: none; chips: both
template <int Lines, int LineBytes, int PieceBytes, int NextBytes>
struct line_exchange {
  static constexpr int kRowBytes = LineBytes > 128 ? 256 : 128;  // a power of two, for the swizzle
  static constexpr int kLanes = kRowBytes / PieceBytes;          // that read a row
  static_assert(LineBytes <= kRowBytes && LineBytes % PieceBytes == 0 && wt::target::kWaveLanes % kLanes == 0,
                "a row has up to 256 bytes in whole pieces: choose fewer blocks, or another piece");
  struct put_access {
    static constexpr wt::lds_access access =
        wt::lds_access_of<PieceBytes == 16 ? wt::lds_op::write_b128 : wt::lds_op::write_b64,
                          [](int lane) { return lane % 32 * kRowBytes ^ lane / 32 * NextBytes; }>();
  };
  struct piece_access {
    static constexpr wt::lds_access access = wt::lds_access_of<wt::lds_read_of(PieceBytes), [](int lane) {
      return lane / kLanes * kRowBytes + lane % kLanes * PieceBytes;
    }>();
  };
  using piece = wt::vector<unsigned int, PieceBytes / 4>;

  wt::st<wt::i8, Lines, kRowBytes, wt::solve_row_swizzle<kRowBytes, put_access, piece_access>> rows;

  // Writes a piece of a row, `at` bytes from its start.
  WT_DEVICE void put(int line, int at, piece value) {
    rows.template at<piece>(rows.place_of(line * kRowBytes + at)) = value;
  }
  // Calls f(line, at, piece) for this thread's share of the pieces, of a work-group of Threads.
  template <int Threads, class F>
  WT_DEVICE void each_piece(const F &f) {
    static_assert(Lines * kLanes % Threads == 0, "every thread takes as many pieces: give them more rows");
    const int at = wt::thread_id() % kLanes * PieceBytes;
    wt::unrolled<Lines * kLanes / Threads>([&](auto i) WT_INLINE {
      const int line = wt::thread_id() / kLanes + i * (Threads / kLanes);
      if (at < LineBytes) f(line, at, rows.template at<piece>(rows.place_of(line * kRowBytes + at)));
    });
  }
};

}  // namespace block_scale

#endif
