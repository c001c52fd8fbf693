// SPDX-License-Identifier: MIT
// Defines what the kernels of MX formats do with the block of one thread.
#ifndef WT_KERNELS_BLOCK_SCALE_BLOCK_H
#define WT_KERNELS_BLOCK_SCALE_BLOCK_H

#include "../each_of_lines.h"
#include "block_scale_args.h"
#include "elements.h"

namespace block_scale {

constexpr int kElements = 32;  // share a scale (OCP Microscaling specification v1.0)
using block = wt::f32x32;

// Holds the place of a block in a row of x: its first element, the row, and the number of the block there.
struct place {
  long long x, row;
  int block;
  bool exists = true;

  WT_DEVICE place(const wt_block_scale_args &args, unsigned slow, unsigned fast)
      : row(slow), block(static_cast<int>(fast)) {
    if (args.square_blocks != 0) {  // neighbouring lanes have the rows of a square
      row = slow / args.square_blocks * kElements + fast;
      block = static_cast<int>(slow % args.square_blocks);
      exists = row < args.q_rows;
      row = exists ? row : args.q_rows - 1;
    }
    x = row * args.x_row + static_cast<long long>(block) * kElements;
  }
};

// Name the registers of a block, and its bytes in memory: 8, 6 or 4 dwords.
template <class Q>
using packed = wt::registers<Q, kElements>;
template <class Q>
constexpr int kBytes = kElements * wt::kBits<Q> / 8;

template <class Q>
WT_DEVICE char *address_of(const wt_block_scale_args &args, long long row, int number) {
  return static_cast<char *>(args.q) + row * args.q_row + static_cast<long long>(number) * kBytes<Q>;
}

// So many dwords at once divide a block: 3 of FP6, else 4.
template <class Q>
constexpr int kDwords = wt::is_fp6<Q> ? 3 : 4;

template <class Q>
WT_DEVICE void store_packed(char *to, packed<Q> elements) {
#pragma unroll
  for (int i = 0; i < kBytes<Q> / 4; i += kDwords<Q>) {
    wt::vector<unsigned int, kDwords<Q>> part;
#pragma unroll
    for (int j = 0; j < kDwords<Q>; ++j) part[j] = elements[i + j];
    wt::global_store(to + 4 * i, part);
  }
}

template <class Q>
WT_DEVICE packed<Q> load_packed(const char *from) {
  packed<Q> elements;
#pragma unroll
  for (int i = 0; i < kBytes<Q> / 4; i += kDwords<Q>) {
    const auto part = wt::global_load<wt::vector<unsigned int, kDwords<Q>>>(from + 4 * i);
#pragma unroll
    for (int j = 0; j < kDwords<Q>; ++j) elements[i + j] = part[j];
  }
  return elements;
}

}  // namespace block_scale

#endif
