// SPDX-License-Identifier: MIT
// lds_access describes, as data, where the lanes of one LDS instruction go in a tile. conflict_free tells
// whether they get there without bank conflicts under a swizzle.
#ifndef WT_TILES_LDS_ACCESS_H
#define WT_TILES_LDS_ACCESS_H

#include "lds_banks.h"
#include "swizzle.h"

namespace wt {

// Returns how many bytes of one lane no swizzle may tear apart: an aligned power of two that is, or is part
// of, what the lane accesses.
constexpr int lds_granule(lds_op op) { return lds_bytes(op) <= 8 ? lds_bytes(op) : 16; }

// Returns the read of so many bytes per lane, 4, 8, 12 or 16.
constexpr lds_op lds_read_of(int bytes) {
  return bytes == 16   ? lds_op::read_b128
         : bytes == 12 ? lds_op::read_b96
         : bytes == 8  ? lds_op::read_b64
                       : lds_op::read_b32;
}

// Says whether an access may have bank conflicts. A refused one does not compile when it would have them.
enum class bank_conflicts { refused, allowed };

// This is a linear access: lane l goes to the XOR of lane_bit[i] (bytes) over the bits i that are set in l.
// All lanes alike may be moved by a constant, which changes nothing about conflicts. Most accesses of tiles
// are linear: their rows and columns count powers of two, and different bits of the lane select them.
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

// Returns whether offset(lane) ^ offset(0), in bytes, is linear in the bits of the lane.
template <class F>
constexpr bool is_linear_access(const F &offset) {
  for (int lane = 1; lane < target::kWaveLanes; ++lane) {
    const int low = lane & -lane;
    if ((offset(lane) ^ offset(0)) != (offset(low) ^ offset(0) ^ offset(lane ^ low) ^ offset(0)))
      return false;
  }
  return true;
}

// Returns the access whose lane l goes to byte Offset(l) of a tile; Offset is a captureless lambda or a
// function.
template <lds_op Op, auto Offset>
constexpr lds_access lds_access_of() {
  static_assert(is_linear_access(Offset),
                "the lanes' offsets are not linear in the bits of the lane: use rows and runs of a power of "
                "two bytes, or check the map itself with conflict_free(chip, op, offset, swizzle)");
  lds_access access = {Op, {}};
  for (int i = 0; i < 6; ++i) access.lane_bit[i] = Offset(1 << i) ^ Offset(0);
  return access;
}

// Returns whether `op` copies directly to LDS. Such copies fill LDS lane after lane wherever a swizzle puts
// the bytes, so an access gives their final places, not offsets before the swizzle: a swizzle can only tear
// the bytes of a lane apart.
constexpr bool is_lds_copy(lds_op op) { return op == lds_op::copy_b32 || op == lds_op::copy_b128; }

// Returns whether every lane's bytes stay together, and two lanes of one phase that access different bytes
// never meet in a bank. The difference of two lanes of a phase is again in the phase of lane 0, and all maps
// are linear, so it is enough to compare with lane 0.
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

// Returns the same for any map of lanes to byte offsets, by counting dwords.
template <class F>
constexpr bool conflict_free(target::chip chip, lds_op op, const F &offset, const swizzle &s) {
  int place[target::kWaveLanes] = {};
  for (int lane = 0; lane < target::kWaveLanes; ++lane)
    place[lane] = is_lds_copy(op) ? offset(lane) : s(offset(lane));
  return s.granule() >= lds_granule(op) && lds_conflict_cycles(chip, op, place) == 0;
}

// Gives an access the chip whose instruction it is. Accesses that a compiler's message names are types with a
// constant `access`; without on_chip they belong to the chip that the tile is for.
template <target::chip Chip, class Access>
struct on_chip : Access {
  static constexpr target::chip chip = Chip;
};
// Returns the chip of an access, or Default when the access names none.
template <target::chip Default, class Access>
constexpr target::chip chip_of() {
  if constexpr (requires { Access::chip; }) {
    return Access::chip;
  } else {
    return Default;
  }
}

// Compiles only if the access is free of bank conflicts under the swizzle S.
template <target::chip Chip, swizzle S, class Access>
consteval void require_conflict_free() {
  static_assert(
      conflict_free(chip_of<Chip, Access>(), Access::access, S),
      "this access to LDS has bank conflicts under the tile's swizzle: let solve_swizzle choose one "
      "for all accesses of the tile");
}

}  // namespace wt

#endif
