// SPDX-License-Identifier: MIT
// What the kernels of block-scaled formats do with the block of one thread.
#ifndef WT_KERNELS_BLOCK_SCALE_BLOCK_H
#define WT_KERNELS_BLOCK_SCALE_BLOCK_H

#include "../each_of_lines.h"
#include "block_scale_args.h"

namespace block_scale {

constexpr int kElements = 32;  // share a scale (OCP Microscaling specification v1.0)
using block = wt::f32x32;

// Which way the elements of a block lie in x. In q, and in the matrix of scales, they always lie along a row,
// so that q is the transpose of x where blocks lie along the columns of x.
enum class axis { row, column };

// The place of a block: the first element in x, the row in q, and the number of the block in that row.
template <axis Along>
struct place {
  long long x, row;
  int block;
  WT_DEVICE place(const wt_block_scale_args &args, unsigned slow, unsigned fast)
      : x(Along == axis::row ? slow * args.x_row + fast * kElements
                             : static_cast<long long>(slow) * kElements * args.x_row + fast),
        row(Along == axis::row ? slow : fast),
        block(static_cast<int>(Along == axis::row ? fast : slow)) {}
};

// Reads 32 elements that lie together, at any alignment, 16 bytes at a time.
template <class T>
WT_DEVICE block load_together(const T *from) {
  constexpr int kAtOnce = 16 / static_cast<int>(sizeof(T));
  block values;
#pragma unroll
  for (int i = 0; i < kElements; i += kAtOnce) {
    const auto part = wt::to_f32(wt::global_load<wt::vector<T, kAtOnce>>(from + i));
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) values[i + j] = part[j];
  }
  return values;
}

// Reads 32 elements that are `step` apart.
template <class T>
WT_DEVICE block load_apart(const T *from, long long step) {
  block values;
#pragma unroll
  for (int i = 0; i < kElements; ++i) values[i] = wt::to_f32(wt::global_load<T>(from + i * step));
  return values;
}

template <class T>
WT_DEVICE void store_together(T *to, block values) {
  constexpr int kAtOnce = 16 / static_cast<int>(sizeof(T));
#pragma unroll
  for (int i = 0; i < kElements; i += kAtOnce) {
    wt::vector<wt::f32, kAtOnce> part;
#pragma unroll
    for (int j = 0; j < kAtOnce; ++j) part[j] = values[i + j];
    wt::global_store(to + i, wt::from_f32<T>(part));
  }
}

// The registers of a block, and its bytes in memory: 8, 6 or 4 dwords.
template <class Q>
using packed = wt::registers<Q, kElements>;
template <class Q>
constexpr int kBytes = kElements * wt::kBits<Q> / 8;

template <class Q>
WT_DEVICE char *address_of(const wt_block_scale_args &args, long long row, int number) {
  return static_cast<char *>(args.q) + row * args.q_row + static_cast<long long>(number) * kBytes<Q>;
}

// Dwords at once that divide a block: 3 of FP6, else 4.
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
