// SPDX-License-Identifier: MIT
// Rung 04, vectorised loads. Idea: 16 bytes per load. A thread reads four 16-byte pieces of each tile into
// registers (buffer_load_dwordx4) and writes them to LDS (ds_write_b128); larger tiles make each byte serve
// 128 products. Tile 128 x 128, K step 128, four waves of 64 x 64. Published for this step: 336.88 TFLOP/s at
// M = N = K = 4096 on MI355X (ROCm blogs, FP8 GEMM on CDNA4, 2026).
#include "gemm_tile_128.h"

namespace {

using namespace gemm_tile_128;

struct vector_loader {
  static constexpr int kAlignment = 4;  // dword and wider buffer loads ignore the two low address bits
  static constexpr int kPieces = tile<wt::fp8e4m3>::kBytes / 16 / kThreads;

  int a_offset[kPieces], b_offset[kPieces];  // in global memory, from the tile's first element

  // Piece i of this thread: 8 threads read a row of 128 bytes.
  static WT_DEVICE int place(int i) { return (i * kThreads + wt::thread_id()) * 16; }

  WT_DEVICE vector_loader(int a_stride, int b_stride) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const int row = place(i) / kStep, column = place(i) % kStep;
      a_offset[i] = row * a_stride + column;
      b_offset[i] = row * b_stride + column;
    }
  }

  // Rows past the matrix lie past the end of the descriptor and read zeros.
  template <class In>
  static WT_DEVICE void read(wt::u32x4 (&pieces)[kPieces], const wt::gl<const In> &from,
                             const int (&offset)[kPieces]) {
    const wt::buffer memory = wt::make_buffer(from.data, static_cast<int>(from.span_bytes(kTile, kStep)));
#pragma unroll
    for (int i = 0; i < kPieces; ++i) pieces[i] = wt::buffer_load<wt::u32x4>(memory, offset[i]);
  }

  template <class In>
  static WT_DEVICE void write(tile<In> &to, const wt::u32x4 (&pieces)[kPieces]) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) to.template at<wt::u32x4>(place(i)) = pieces[i];
  }

  template <class In>
  WT_DEVICE void load(tile<In> &a_tile, const wt::gl<const In> &a, tile<In> &b_tile,
                      const wt::gl<const In> &b) const {
    wt::u32x4 a_pieces[kPieces], b_pieces[kPieces];
    read(a_pieces, a, a_offset);
    read(b_pieces, b, b_offset);
    write(a_tile, a_pieces);
    write(b_tile, b_pieces);
  }
};

template <class In, class Out>
WT_DEVICE void gemm_04_vector_loads(const wt_gemm_args &args) {
  gemm<vector_loader, In, Out>(args);
}

}  // namespace

GEMM_KERNELS(gemm_04_vector_loads, kThreads)
