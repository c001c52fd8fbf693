// SPDX-License-Identifier: MIT
// swizzle: where the bytes of an LDS tile lie, so that accesses by rows and by columns both spread over the
// banks. A bijection of byte offsets, linear over the offset's bits, that costs a few and/shift/xor at run
// time.
#ifndef WT_TILES_SWIZZLE_H
#define WT_TILES_SWIZZLE_H

#include "target.h"

namespace wt {

// S(offset) is the offset with, for every bit j that is set in it, the bits target[j] flipped. They are lower
// than j, so every swizzle has an inverse. S(a ^ b) = S(a) ^ S(b). May be a template argument.
struct swizzle {
  static constexpr int kBits = 18;  // of an offset: gfx950 has 160 KB of LDS. Higher bits do nothing.
  unsigned target[kBits] = {};

  constexpr int operator()(int offset) const {
    unsigned place = static_cast<unsigned>(offset);
    for (unsigned left = place % (1u << kBits); left != 0; left &= left - 1)
      place ^= target[__builtin_ctz(left)];
    return static_cast<int>(place);
  }
  // The offset that S takes to `place`: from the highest bit down, each is known when the higher ones are.
  constexpr int inverse(int place) const {
    unsigned offset = static_cast<unsigned>(place);
    for (int j = kBits - 1; j >= 0; --j) offset ^= offset >> j & 1 ? target[j] : 0;
    return static_cast<int>(offset);
  }
  constexpr swizzle inverted() const {
    swizzle result;
    for (int j = 0; j < kBits; ++j) result.target[j] = static_cast<unsigned>(inverse(1 << j) ^ 1 << j);
    return result;
  }

  constexpr bool is_valid() const {
    for (int j = 0; j < kBits; ++j) {
      if (target[j] >> j != 0) return false;
    }
    return true;
  }
  // S(offset + period) = S(offset) + period: this many bytes, a power of two, are permuted among themselves.
  constexpr int period() const {
    int bits = kBits;
    while (bits > 0 && target[bits - 1] == 0) --bits;
    return 1 << bits;
  }
  // The largest power of two of bytes that stay together, in order, when aligned to their size.
  constexpr int granule() const {
    unsigned moved = 1u << kBits;
    for (int j = 0; j < kBits; ++j) moved |= target[j];
    return static_cast<int>(moved & -moved);
  }
  // All bits that S(offset) may have set, for an offset made of bits of `mask`.
  constexpr int reach(int mask) const {
    int bits = 0;
    for (int j = 0; j < kBits; ++j) bits |= mask >> j & 1 ? (*this)(1 << j) : 0;
    return bits;
  }
  // Source bits that are XORed into the bit `distance` below: one and/shift/xor of the run-time code.
  constexpr int sources(int distance) const {
    int mask = 0;
    for (int j = distance; j < kBits; ++j) mask |= target[j] >> (j - distance) & 1 ? 1 << j : 0;
    return mask;
  }
  constexpr int terms() const {
    int count = 0;
    for (int distance = 1; distance < kBits; ++distance) count += sources(distance) != 0;
    return count;
  }
  constexpr bool operator==(const swizzle &) const = default;
};

inline constexpr swizzle no_swizzle = {};

// The flips of both, each decided by the offset's own bits.
constexpr swizzle operator^(const swizzle &a, const swizzle &b) {
  swizzle result;
  for (int j = 0; j < swizzle::kBits; ++j) result.target[j] = a.target[j] ^ b.target[j];
  return result;
}

// first(offset), and then second of the result.
constexpr swizzle composed(const swizzle &second, const swizzle &first) {
  swizzle result;
  for (int j = 0; j < swizzle::kBits; ++j)
    result.target[j] = static_cast<unsigned>(second(first(1 << j)) ^ 1 << j);
  return result;
}

// `count` bits from `source` on, XORed into those from `target` on; target < source.
constexpr swizzle xor_bits(int source, int count, int target) {
  swizzle result;
  for (int i = 0; i < count; ++i) result.target[source + i] = 1u << (target + i);
  return result;
}

// For rows of row_bytes: the number of the line, XORed into the row's columns of column_bytes. A line is what
// the banks hold at once (256 bytes on gfx950, 128 on gfx942), or a row where that is longer.
constexpr swizzle xor_lines(int row_bytes, int line_bytes, int column_bytes = 16) {
  const int line = line_bytes > row_bytes ? line_bytes : row_bytes;
  return xor_bits(__builtin_ctz(static_cast<unsigned>(line)),
                  __builtin_ctz(static_cast<unsigned>(row_bytes / column_bytes)),
                  __builtin_ctz(static_cast<unsigned>(column_bytes)));
}

// Published swizzles for gfx950. Rows of 128 bytes whose 16-byte columns are read by ds_read_b128: the column
// XOR row / 2 (HipKittens; ROCm blogs, 4-wave FP8 GEMM), and with pair = row / 2 % 8 the column
// XOR pair ^ ((pair / 2 ^ pair / 4) & 1) (ROCm blogs, 8-wave FP8 GEMM).
inline constexpr swizzle swizzle_row128_pairs = xor_bits(8, 3, 4);
inline constexpr swizzle swizzle_row128_pairs_8wave =
    xor_bits(8, 3, 4) ^ xor_bits(9, 1, 4) ^ xor_bits(10, 1, 4);
// bf16, 16x16 written by ds_write_b64 and 16x32 read by ds_read_b128 (HipKittens).
inline constexpr swizzle swizzle_bf16_16x16_write_b64 = xor_bits(7, 2, 3);
inline constexpr swizzle swizzle_bf16_16x32_read_b128 = xor_bits(9, 1, 5);

namespace detail {

template <swizzle S, int Distance = 1>
WT_ANYWHERE int flipped_bits(int offset) {
  if constexpr (Distance == swizzle::kBits) {
    return 0;
  } else {
    constexpr int kSources = S.sources(Distance);
    const int others = flipped_bits<S, Distance + 1>(offset);
    if constexpr (kSources == 0) {
      return others;
    } else {
      return ((offset & kSources) >> Distance) ^ others;
    }
  }
}

}  // namespace detail

// S(offset) and its inverse at run time: and/shift/xor, once per term.
template <swizzle S>
WT_ANYWHERE int swizzled(int offset) {
  static_assert(S.is_valid(), "a swizzle may flip only bits below the source bit: build it from xor_bits");
  return offset ^ detail::flipped_bits<S>(offset);
}
template <swizzle S>
WT_ANYWHERE int unswizzled(int place) {
  return swizzled<S.inverted()>(place);
}

// An offset often has a part that depends on the lane (of bits in lane_mask) and a constant part of other
// bits. Then S(lane | constant) = (S(lane) ^ bases) + immediate, where `bases` is the part that needs a base
// register of its own, and `immediate` fits into the instruction.
struct folded_constant {
  int bases, immediate;
};
constexpr folded_constant fold_constant(const swizzle &s, int lane_mask, int constant) {
  const int place = s(constant), lanes = s.reach(lane_mask);
  return {place & lanes, place & ~lanes};
}

// Whether S(lane | constant) = S(lane) + S(constant) for all lanes: one base register serves the constant.
constexpr bool constant_is_additive(const swizzle &s, int lane_mask, int constant) {
  return (lane_mask & constant) == 0 && fold_constant(s, lane_mask, constant).bases == 0;
}

// How many base registers these constants need.
template <int N>
constexpr int base_count(const swizzle &s, int lane_mask, const int (&constant)[N]) {
  int count = 0;
  for (int i = 0; i < N; ++i) {
    bool known = false;
    for (int k = 0; k < i; ++k)
      known = known || fold_constant(s, lane_mask, constant[k]).bases ==
                           fold_constant(s, lane_mask, constant[i]).bases;
    count += !known;
  }
  return count;
}

}  // namespace wt

#endif
