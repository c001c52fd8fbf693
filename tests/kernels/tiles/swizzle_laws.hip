// SPDX-License-Identifier: MIT
// Laws of LDS banks and swizzles, proved while compiling: the phases are those that were published, swizzles
// are bijections, the published ones serve what they are published for and nothing wider, the solver finds
// them, and constants fold as the addresses need it.
#include "tiles/row_swizzle.h"

namespace {

using wt::lds_access;
using wt::lds_op;
using wt::no_swizzle;
using wt::swizzle;
using wt::target::chip;

constexpr chip k942 = chip::gfx942, k950 = chip::gfx950;

// Return a published phase as a set of lanes, and the phase that the table gives the lanes of the set.
constexpr unsigned long long lanes(int from, int to) { return (2ull << to) - (1ull << from); }

constexpr bool is_phase(chip on, lds_op op, int phase, unsigned long long set) {
  for (int lane = 0; lane < wt::target::kWaveLanes; ++lane) {
    if ((wt::lds_phase(on, op, lane) == phase) != ((set >> lane & 1) != 0)) return false;
  }
  return true;
}

constexpr bool are_phases_of_consecutive_lanes(chip on, lds_op op, int each) {
  if (wt::lds_phases(on, op) != wt::target::kWaveLanes / each) return false;
  for (int phase = 0; phase < wt::target::kWaveLanes / each; ++phase) {
    if (!is_phase(on, op, phase, lanes(phase * each, phase * each + each - 1))) return false;
  }
  return true;
}

// These are, for ds_read_b128 of gfx950, the lanes of even parity in lane bits 2 to 4, and those of odd
// (HipKittens).
constexpr unsigned long long kEven = lanes(0, 3) | lanes(12, 15) | lanes(20, 27);
constexpr unsigned long long kOdd = lanes(4, 11) | lanes(16, 19) | lanes(28, 31);
static_assert(wt::lds_phases(k950, lds_op::read_b128) == 4);
static_assert(is_phase(k950, lds_op::read_b128, 0, kEven) && is_phase(k950, lds_op::read_b128, 1, kOdd));
static_assert(is_phase(k950, lds_op::read_b128, 2, kEven << 32) &&
              is_phase(k950, lds_op::read_b128, 3, kOdd << 32));

// Checks ds_read_b128 of gfx942 and ds_read_b96 of both (HipKittens).
constexpr bool are_phases_of_eight(chip on, lds_op op) {
  const unsigned long long set[4] = {lanes(0, 3) | lanes(20, 23), lanes(4, 7) | lanes(16, 19),
                                     lanes(8, 11) | lanes(28, 31), lanes(12, 15) | lanes(24, 27)};
  for (int phase = 0; phase < 8; ++phase) {
    if (!is_phase(on, op, phase, set[phase % 4] << phase / 4 * 32)) return false;
  }
  return wt::lds_phases(on, op) == 8;
}
static_assert(are_phases_of_eight(k942, lds_op::read_b128));
static_assert(are_phases_of_eight(k942, lds_op::read_b96) && are_phases_of_eight(k950, lds_op::read_b96));

static_assert(are_phases_of_consecutive_lanes(k950, lds_op::read_b32, 64));
static_assert(are_phases_of_consecutive_lanes(k942, lds_op::read_b32, 32));
static_assert(are_phases_of_consecutive_lanes(k950, lds_op::read_b64, 32));
static_assert(are_phases_of_consecutive_lanes(k942, lds_op::read_b64, 16));
static_assert(are_phases_of_consecutive_lanes(k950, lds_op::write_b64, 16));
static_assert(are_phases_of_consecutive_lanes(k942, lds_op::write_b64, 16));
static_assert(are_phases_of_consecutive_lanes(k942, lds_op::write_b128, 8));

// A phase moves no more than a line, the dwords that the banks hold at once.
constexpr bool phases_fit_the_banks() {
  const chip chips[] = {k942, k950};
  for (const chip on : chips) {
    for (int op = 0; op <= static_cast<int>(lds_op::copy_b128); ++op) {
      const lds_op o = static_cast<lds_op>(op);
      if (wt::target::kWaveLanes / wt::lds_phases(on, o) * wt::lds_bytes(o) > 4 * wt::lds_banks(on, o))
        return false;
    }
  }
  return true;
}
static_assert(phases_fit_the_banks());

// Returns whether every aligned block of a period is mapped onto itself, eight bytes at a time.
constexpr bool is_bijection(const swizzle &s) {
  const int period = s.period();
  const swizzle inverted = s.inverted();
  bool taken[4096] = {};
  for (int i = 0; i < period; i += 8) {
    const int place = s(i);
    if (place < 0 || place >= period || taken[place] || s.inverse(place) != i || inverted(place) != i)
      return false;
    if (s(i + 3 * period) != place + 3 * period) return false;
    taken[place] = true;
  }
  return s.is_valid() && s.granule() >= 8;
}
static_assert(is_bijection(no_swizzle) && no_swizzle.period() == 1);
static_assert(is_bijection(wt::swizzle_row128_pairs) && wt::swizzle_row128_pairs.period() == 2048);
static_assert(is_bijection(wt::swizzle_row128_pairs_8wave));
static_assert(is_bijection(wt::swizzle_bf16_16x16_write_b64) &&
              wt::swizzle_bf16_16x16_write_b64.period() == 512);
static_assert(is_bijection(wt::swizzle_bf16_16x32_read_b128) &&
              wt::swizzle_bf16_16x32_read_b128.period() == 1024);
static_assert(is_bijection(wt::xor_lines(64, 256)) && is_bijection(wt::xor_lines(256, 256)));
// This is one whose inverse is another: bit 10 flips 8, which flips 6.
constexpr swizzle kChain = wt::xor_bits(10, 1, 8) ^ wt::xor_bits(8, 1, 6);
static_assert(is_bijection(kChain) && kChain.inverted() != kChain);
static_assert(wt::composed(kChain, kChain.inverted()) == no_swizzle);
static_assert(wt::composed(kChain.inverted(), kChain) == no_swizzle);
static_assert(wt::composed(wt::xor_bits(8, 1, 6), wt::xor_bits(10, 1, 8))(1024) == (1024 ^ 256 ^ 64));

// Checks the published formulas.
constexpr bool follow_their_formulas() {
  for (int offset = 0; offset < 4096; offset += 8) {
    const int pair = offset / 256 % 8;
    if (wt::swizzle_row128_pairs(offset) != (offset ^ pair << 4)) return false;
    if (wt::swizzle_row128_pairs_8wave(offset) != (offset ^ (pair ^ (((pair >> 1) ^ (pair >> 2)) & 1)) << 4))
      return false;
    if (wt::swizzle_bf16_16x16_write_b64(offset) != (offset ^ ((offset % 512) >> 7) << 3)) return false;
    if (wt::swizzle_bf16_16x32_read_b128(offset) != (offset ^ ((offset % 1024) >> 9) << 5)) return false;
  }
  return true;
}
static_assert(follow_their_formulas());
static_assert(wt::xor_lines(128, 256) == wt::swizzle_row128_pairs);
static_assert(no_swizzle.terms() == 0 && wt::swizzle_row128_pairs.terms() == 1);
static_assert(wt::swizzle_row128_pairs_8wave.terms() == 3);

// Describes what they are published for: operands of 16 rows of 128 bytes by ds_read_b128, and the bf16
// tiles.
using fp8_row128 = wt::read_of_operand<16, 128>;
using bf16_16x32 = wt::read_of_operand<16, 64>;
struct write_b64_of_16x16 {
  static constexpr lds_access access =
      wt::lds_access_of<lds_op::write_b64, [](int lane) { return lane % 16 * 32 + lane / 16 * 8; }>();
};

// Asks both ways: by the theory of linear accesses, and by counting dwords.
constexpr bool serves(chip on, const lds_access &access, const swizzle &s) {
  return wt::conflict_free(on, access, s) && wt::conflict_free(on, access.op, access, s);
}
constexpr bool fails(chip on, const lds_access &access, const swizzle &s) {
  return !wt::conflict_free(on, access, s) && !wt::conflict_free(on, access.op, access, s);
}
static_assert(serves(k950, fp8_row128::access, wt::swizzle_row128_pairs));
static_assert(serves(k950, fp8_row128::access, wt::swizzle_row128_pairs_8wave));
static_assert(serves(k950, bf16_16x32::access, wt::swizzle_bf16_16x32_read_b128));
static_assert(serves(k950, write_b64_of_16x16::access, wt::swizzle_bf16_16x16_write_b64));
// Without a swizzle they conflict; and each fails at the other's work. The 16x16 swizzle would tear 16 bytes.
static_assert(fails(k950, fp8_row128::access, no_swizzle) && fails(k950, bf16_16x32::access, no_swizzle));
static_assert(fails(k950, write_b64_of_16x16::access, no_swizzle));
static_assert(fails(k950, write_b64_of_16x16::access, wt::swizzle_bf16_16x32_read_b128));
static_assert(fails(k950, bf16_16x32::access, wt::swizzle_bf16_16x16_write_b64));
// On gfx942 a line is a row of 128 bytes, so that rows 0 and 1 meet under the swizzle by pairs.
static_assert(fails(k942, fp8_row128::access, wt::swizzle_row128_pairs));
static_assert(serves(k942, fp8_row128::access, wt::xor_lines(128, 128)));
static_assert(serves(k950, wt::read_of_operand<16, 256>::access, wt::xor_lines(256, 256)));
static_assert(serves(k942, bf16_16x32::access, wt::xor_lines(64, 128)));

// Conflicts are counted: a column of 4-byte elements in rows of 256 bytes is one bank, 63 or 2 x 31 cycles
// late.
constexpr int column_conflicts(chip on) {
  int offset[wt::target::kWaveLanes] = {};
  for (int lane = 0; lane < wt::target::kWaveLanes; ++lane) offset[lane] = lane * 256;
  return wt::lds_conflict_cycles(on, lds_op::read_b32, offset);
}
static_assert(column_conflicts(k950) == 63 && column_conflicts(k942) == 62);
// One dword for all lanes is broadcast.
static_assert(wt::conflict_free(k950, lds_op::read_b32, [](int) { return 20; }, no_swizzle));
// Copies lie lane after lane, whatever the swizzle; but it must not tear what a lane copies.
struct copy_b128 {
  static constexpr lds_access access =
      wt::lds_access_of<lds_op::copy_b128, [](int lane) { return 16 * lane; }>();
};
static_assert(serves(k950, copy_b128::access, wt::swizzle_row128_pairs));
static_assert(fails(k950, copy_b128::access, wt::swizzle_bf16_16x16_write_b64));

// The solver finds the published swizzles, or one that costs as little: here bit 8 does what bit 9 did.
static_assert(wt::solve_swizzle<k950, write_b64_of_16x16> == wt::swizzle_bf16_16x16_write_b64);
static_assert(wt::solve_swizzle<k950, bf16_16x32, copy_b128> == wt::xor_bits(8, 1, 5));
static_assert(wt::swizzle_for_row<128, k950> == wt::swizzle_row128_pairs);
static_assert(wt::swizzle_for_row<128, k942> == wt::xor_lines(128, 128));
static_assert(wt::solve_swizzle<k950, copy_b128> == no_swizzle);

// This is one for both chips.
constexpr swizzle kBoth = wt::solve_swizzle<k950, fp8_row128, wt::on_chip<k942, fp8_row128>>;
static_assert(serves(k942, fp8_row128::access, kBoth) && serves(k950, fp8_row128::access, kBoth));

// Takes rows of any length and both heights of operands; bytes stay in their row and in their 16 rows.
template <int RowBytes, chip On>
constexpr bool row_swizzle_serves() {
  constexpr swizzle kS = wt::swizzle_for_row<RowBytes, On>;
  if (kS.granule() < 16 || kS.period() > 16 * RowBytes) return false;
  for (int offset = 0; offset < 16 * RowBytes; offset += 16) {
    if (kS(offset) / RowBytes != offset / RowBytes) return false;
  }
  return serves(On, wt::read_of_operand<16, RowBytes>::access, kS) &&
         serves(On, wt::read_of_operand<32, RowBytes>::access, kS);
}
static_assert(row_swizzle_serves<64, k942>() && row_swizzle_serves<64, k950>());
static_assert(row_swizzle_serves<128, k942>() && row_swizzle_serves<128, k950>());
static_assert(row_swizzle_serves<256, k942>() && row_swizzle_serves<256, k950>());
static_assert(row_swizzle_serves<512, k942>() && row_swizzle_serves<512, k950>());

// A tile that rows are written to by ds_write_b128, read from by ds_read_b128, and columns by transposed
// reads of bf16: 16 lanes read four rows k of 16 columns.
struct write_rows {
  static constexpr lds_access access =
      wt::lds_access_of<lds_op::write_b128, [](int lane) { return lane / 8 * 128 + lane % 8 * 16; }>();
};
struct read_columns {
  static constexpr lds_access access = wt::lds_access_of<lds_op::read_b64_tr, [](int lane) {
    return (lane / 16 * 4 + lane % 16 / 4) * 128 + lane % 4 * 8;
  }>();
};
constexpr swizzle kThree =
    wt::solve_swizzle_within<k950, wt::swizzle_limits{128, 2048}, write_rows, fp8_row128, read_columns>();
static_assert(serves(k950, write_rows::access, kThree) && serves(k950, fp8_row128::access, kThree));
static_assert(serves(k950, read_columns::access, kThree) && fails(k950, read_columns::access, no_swizzle));

// Constants beside the lane's bits fold into an immediate and few bases.
constexpr bool folds(const swizzle &s, int lane_mask, int constant) {
  const wt::folded_constant folded = wt::fold_constant(s, lane_mask, constant);
  bool additive = true;
  for (int lane = lane_mask;; lane = (lane - 1) & lane_mask) {
    if (((s(lane) ^ folded.bases) + folded.immediate) != s(lane | constant)) return false;
    additive = additive && s(lane | constant) == s(lane) + s(constant);
    if (lane == 0) break;
  }
  return additive == wt::constant_is_additive(s, lane_mask, constant);
}
// The lane of fp8_row128 has rows of 4 bits and columns of 2; the constants are the other columns, and rows
// beyond the sixteenth.
constexpr int kLaneMask = 15 * 128 + 3 * 16;
constexpr bool all_fold() {
  const swizzle swizzles[] = {no_swizzle, wt::swizzle_row128_pairs, wt::swizzle_row128_pairs_8wave, kBoth};
  for (const swizzle &s : swizzles) {
    for (int constant = 0; constant < 8192; constant += 64) {
      if ((constant & kLaneMask) == 0 && !folds(s, kLaneMask, constant)) return false;
    }
  }
  return true;
}
static_assert(all_fold());
static_assert(wt::constant_is_additive(wt::swizzle_row128_pairs, kLaneMask, 2048));
static_assert(!wt::constant_is_additive(wt::swizzle_row128_pairs, kLaneMask, 64));
static_assert(wt::constant_is_additive(no_swizzle, kLaneMask, 64));
static_assert(wt::base_count(wt::swizzle_row128_pairs, kLaneMask, {0, 64, 2048, 2048 + 64}) == 2);
static_assert(wt::base_count(no_swizzle, kLaneMask, {0, 64, 2048, 2048 + 64}) == 1);

}  // namespace

WT_KERNEL(64) swizzle_laws() {}
