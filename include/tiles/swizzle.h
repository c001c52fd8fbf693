// SPDX-License-Identifier: MIT
// A swizzle says where the bytes of an LDS tile lie, so that accesses by rows and by columns both spread over
// the banks. It is a bijection of byte offsets, linear over the offset's bits, and costs a few and/shift/xor
// at run time.
#ifndef WT_TILES_SWIZZLE_H
#define WT_TILES_SWIZZLE_H

#include "target.h"

namespace wt {

// This is a swizzle S. S(offset) is the offset with the bits target[j] flipped for every bit j that is set in
// it. The flipped bits are lower than j, so every swizzle has an inverse, and S(a ^ b) = S(a) ^ S(b). A
// swizzle may be a template argument.
struct swizzle {
  static constexpr int kBits = 18;  // bits of an offset: gfx950 has 160 KB of LDS. Higher bits do nothing.
  unsigned target[kBits] = {};

  constexpr int operator()(int offset) const {
    unsigned place = static_cast<unsigned>(offset);
    for (unsigned left = place % (1u << kBits); left != 0; left &= left - 1)
      place ^= target[__builtin_ctz(left)];
    return static_cast<int>(place);
  }
  // Returns the offset that S takes to `place`. It goes from the highest bit down, because each bit is known
  // when the higher ones are.
  constexpr int inverse(int place) const {
    unsigned offset = static_cast<unsigned>(place);
    for (int j = kBits - 1; j >= 0; --j) offset ^= offset >> j & 1 ? target[j] : 0;
    return static_cast<int>(offset);
  }
  // Returns the inverse swizzle.
  constexpr swizzle inverted() const {
    swizzle result;
    for (int j = 0; j < kBits; ++j) result.target[j] = static_cast<unsigned>(inverse(1 << j) ^ 1 << j);
    return result;
  }

  // Returns whether every source bit flips lower bits only.
  constexpr bool is_valid() const {
    for (int j = 0; j < kBits; ++j) {
      if (target[j] >> j != 0) return false;
    }
    return true;
  }
  // Returns the period in bytes, a power of two: S(offset + period) = S(offset) + period, so that many bytes
  // are permuted among themselves.
  constexpr int period() const {
    int bits = kBits;
    while (bits > 0 && target[bits - 1] == 0) --bits;
    return 1 << bits;
  }
  // Returns the largest power of two of bytes that stay together, in order, when they are aligned to their
  // size.
  constexpr int granule() const {
    unsigned moved = 1u << kBits;
    for (int j = 0; j < kBits; ++j) moved |= target[j];
    return static_cast<int>(moved & -moved);
  }
  // Returns all bits that S(offset) may have set, for an offset made of bits of `mask`.
  constexpr int reach(int mask) const {
    int bits = 0;
    for (int j = 0; j < kBits; ++j) bits |= mask >> j & 1 ? (*this)(1 << j) : 0;
    return bits;
  }
  // Returns the source bits that are XORed into the bit `distance` below. They cost one and/shift/xor at run
  // time.
  constexpr int sources(int distance) const {
    int mask = 0;
    for (int j = distance; j < kBits; ++j) mask |= target[j] >> (j - distance) & 1 ? 1 << j : 0;
    return mask;
  }
  // Returns the first distance behind one for which there are such bits; kBits if none is.
  constexpr int distance_behind(int distance) const {
    do ++distance;
    while (distance < kBits && sources(distance) == 0);
    return distance;
  }
  // Returns how many and/shift/xor the swizzle costs at run time.
  constexpr int terms() const {
    int count = 0;
    for (int distance = distance_behind(0); distance < kBits; distance = distance_behind(distance)) ++count;
    return count;
  }
  constexpr bool operator==(const swizzle &) const = default;
};

// This is the swizzle that leaves every byte where it is.
inline constexpr swizzle no_swizzle = {};

// Returns the swizzle with the flips of both, each decided by the bits of the offset itself.
constexpr swizzle operator^(const swizzle &a, const swizzle &b) {
  swizzle result;
  for (int j = 0; j < swizzle::kBits; ++j) result.target[j] = a.target[j] ^ b.target[j];
  return result;
}

// Returns the swizzle that applies `first`, then `second` to its result.
constexpr swizzle composed(const swizzle &second, const swizzle &first) {
  swizzle result;
  for (int j = 0; j < swizzle::kBits; ++j)
    result.target[j] = static_cast<unsigned>(second(first(1 << j)) ^ 1 << j);
  return result;
}

// Returns the swizzle that XORs `count` bits from bit `source` on into those from bit `target` on; target <
// source.
constexpr swizzle xor_bits(int source, int count, int target) {
  swizzle result;
  for (int i = 0; i < count; ++i) result.target[source + i] = 1u << (target + i);
  return result;
}

// Returns the swizzle that XORs the number of a line into the row's columns of column_bytes, for rows of
// row_bytes. A line is what the banks hold at once (line_bytes: 256 on gfx950, 128 on gfx942), or a row where
// that is longer.
constexpr swizzle xor_lines(int row_bytes, int line_bytes, int column_bytes = 16) {
  const int line = line_bytes > row_bytes ? line_bytes : row_bytes;
  return xor_bits(__builtin_ctz(static_cast<unsigned>(line)),
                  __builtin_ctz(static_cast<unsigned>(row_bytes / column_bytes)),
                  __builtin_ctz(static_cast<unsigned>(column_bytes)));
}

// These swizzles are published for gfx950, for rows of 128 bytes whose 16-byte columns are read by
// ds_read_b128. The first takes the column XOR row / 2 (HipKittens; ROCm blogs, 4-wave FP8 GEMM). The second
// takes, with pair = row / 2 % 8, the column XOR pair ^ ((pair / 2 ^ pair / 4) & 1) (ROCm blogs, 8-wave FP8
// GEMM).
inline constexpr swizzle swizzle_row128_pairs = xor_bits(8, 3, 4);
inline constexpr swizzle swizzle_row128_pairs_8wave =
    xor_bits(8, 3, 4) ^ xor_bits(9, 1, 4) ^ xor_bits(10, 1, 4);
// These swizzles are published for bf16: for tiles of 16x16 written by ds_write_b64, and of 16x32 read by
// ds_read_b128 (HipKittens).
inline constexpr swizzle swizzle_bf16_16x16_write_b64 = xor_bits(7, 2, 3);
inline constexpr swizzle swizzle_bf16_16x32_read_b128 = xor_bits(9, 1, 5);

namespace detail {

// Functions for terms that do not exist would take the compiler longer than all others.
template <swizzle S, int Distance = S.distance_behind(0)>
WT_ANYWHERE int flipped_bits(int offset) {
  if constexpr (Distance == swizzle::kBits) {
    return 0;
  } else {
    constexpr int kSources = S.sources(Distance), kNext = S.distance_behind(Distance);
    if constexpr (kNext == swizzle::kBits) {
      return (offset & kSources) >> Distance;
    } else {
      return ((offset & kSources) >> Distance) ^ flipped_bits<S, kNext>(offset);
    }
  }
}

}  // namespace detail

// Return S(offset) and its inverse at run time, by one and/shift/xor per term. The arguments are byte offsets
// in a tile.
template <swizzle S>
WT_ANYWHERE int swizzled(int offset) {
  static_assert(S.is_valid(), "a swizzle may flip only bits below the source bit: build it from xor_bits");
  return offset ^ detail::flipped_bits<S>(offset);
}
template <swizzle S>
WT_ANYWHERE int unswizzled(int place) {
  return swizzled<S.inverted()>(place);
}

// These are the two parts of a constant that an access adds to the offsets of its lanes. An offset often has
// a part that depends on the lane (bits of lane_mask) and a constant part of other bits. Then S(lane |
// constant) = (S(lane) ^ bases) + immediate, where `bases` is the part that needs a base register of its own,
// and `immediate` fits into the instruction.
struct folded_constant {
  int bases, immediate;
};
// Returns these parts of `constant` (bytes) for lanes whose offsets are made of bits of lane_mask.
constexpr folded_constant fold_constant(const swizzle &s, int lane_mask, int constant) {
  const int place = s(constant), lanes = s.reach(lane_mask);
  return {place & lanes, place & ~lanes};
}

// Returns whether S(lane | constant) = S(lane) + S(constant) for all lanes, so that one base register serves
// the constant.
constexpr bool constant_is_additive(const swizzle &s, int lane_mask, int constant) {
  return (lane_mask & constant) == 0 && fold_constant(s, lane_mask, constant).bases == 0;
}

// Returns how many base registers these constants need.
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
