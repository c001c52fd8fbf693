// SPDX-License-Identifier: MIT
// lds_access: where the lanes of one LDS instruction go in a tile, as data; and whether they get there
// without bank conflicts under a swizzle.
#ifndef WT_TILES_LDS_ACCESS_H
#define WT_TILES_LDS_ACCESS_H

#include "lds_banks.h"
#include "swizzle.h"

namespace wt {

// What one lane accesses is, or is part of, an aligned power of two of bytes, which no swizzle may tear
// apart.
constexpr int lds_granule(lds_op op) { return lds_bytes(op) <= 8 ? lds_bytes(op) : 16; }

// An access that would have bank conflicts does not compile, unless it says that they are meant to be.
enum class bank_conflicts { refused, allowed };

// A linear access: lane l goes to the XOR of lane_bit[i] over the bits i that are set in l, and all lanes
// alike may be moved by a constant, which changes nothing about conflicts. Most accesses of tiles are linear:
// rows and columns of a power of two, contributed by different lane bits.
struct lds_access {
  lds_op op;
  int lane_bit[6];

  constexpr int operator()(int lane) const {
    int offset = 0;
    for (int i = 0; i < 6; ++i) offset ^= lane >> i & 1 ? lane_bit[i] : 0;
    return offset;
  }
  constexpr int granule() const { return lds_granule(op); }
  constexpr bool is_aligned() const {
    int bits = 0;
    for (const int bit : lane_bit) bits |= bit;
    return bits % granule() == 0;
  }
};

// Whether offset(lane) ^ offset(0) is linear in the bits of the lane.
template <class F>
constexpr bool is_linear_access(const F &offset) {
  for (int lane = 1; lane < target::kWaveLanes; ++lane) {
    const int low = lane & -lane;
    if ((offset(lane) ^ offset(0)) != (offset(low) ^ offset(0) ^ offset(lane ^ low) ^ offset(0)))
      return false;
  }
  return true;
}

// The access whose lane l goes to byte Offset(l) of a tile; Offset is a captureless lambda or a function.
template <lds_op Op, auto Offset>
constexpr lds_access lds_access_of() {
  static_assert(is_linear_access(Offset),
                "the lanes' offsets are not linear in the bits of the lane: use rows and runs of a power of "
                "two bytes, or check the map itself with conflict_free(chip, op, offset, swizzle)");
  lds_access access = {Op, {}};
  for (int i = 0; i < 6; ++i) access.lane_bit[i] = Offset(1 << i) ^ Offset(0);
  return access;
}

// Direct copies fill LDS lane after lane wherever a swizzle puts the bytes, so their places are given, not
// their offsets: all that a swizzle may do to a copy is tear its bytes apart.
constexpr bool is_lds_copy(lds_op op) { return op == lds_op::copy_b32 || op == lds_op::copy_b128; }

// Whether every lane's bytes stay together, and two lanes of one phase that access different ones never meet
// in a bank. The difference of two lanes of a phase is again in the phase of lane 0, and all maps are linear:
// so it is enough to compare with lane 0.
constexpr bool conflict_free(target::chip chip, const lds_access &access, const swizzle &s) {
  const int line = 4 * lds_banks(chip, access.op), bank_bits = line - access.granule();
  if (s.granule() < access.granule()) return false;
  for (int lane = 1; lane < target::kWaveLanes; ++lane) {
    if (lds_phase(chip, access.op, lane) != 0) continue;
    const int place = is_lds_copy(access.op) ? access(lane) : s(access(lane));
    if (place != 0 && (place & bank_bits) == 0) return false;
  }
  return true;
}

// The same for any map of lanes to offsets, by counting dwords.
template <class F>
constexpr bool conflict_free(target::chip chip, lds_op op, const F &offset, const swizzle &s) {
  int place[target::kWaveLanes] = {};
  for (int lane = 0; lane < target::kWaveLanes; ++lane)
    place[lane] = is_lds_copy(op) ? offset(lane) : s(offset(lane));
  return s.granule() >= lds_granule(op) && lds_conflict_cycles(chip, op, place) == 0;
}

// Accesses that a compiler's message shall name are types with a constant `access`. They are made by the chip
// that the tile is for, unless they say another.
template <target::chip Chip, class Access>
struct on_chip : Access {
  static constexpr target::chip chip = Chip;
};
template <target::chip Default, class Access>
constexpr target::chip chip_of() {
  if constexpr (requires { Access::chip; }) {
    return Access::chip;
  } else {
    return Default;
  }
}

// Compiles only if the access is free of conflicts.
template <target::chip Chip, swizzle S, class Access>
consteval void require_conflict_free() {
  static_assert(
      conflict_free(chip_of<Chip, Access>(), Access::access, S),
      "this access to LDS has bank conflicts under the tile's swizzle: let solve_swizzle choose one "
      "for all accesses of the tile");
}

}  // namespace wt

#endif
