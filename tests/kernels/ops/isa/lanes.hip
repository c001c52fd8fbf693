// SPDX-License-Identifier: MIT
// Makes every exchange between lanes, on one wave: row `i` of `out` is the result of the i-th operation on
// `in`.
#include "ops/isa/crosslane.h"
#include "ops/isa/dpp.h"
#include "ops/isa/ids.h"

using namespace wt;

WT_KERNEL(64) exchanges(const u32 *in, u32 *out, int uniform) {
  const int lane = lane_id();
  const u32 value = in[lane], old = in[64 + lane];
  const int any = static_cast<int>(in[128 + lane]);  // a lane number
  u32 *row = out + lane;
  const auto put = [&](u32 result) __attribute__((always_inline)) {
    *row = result;
    row += 64;
  };
  put(mov_dpp<dpp::quad_perm(1, 0, 3, 2)>(value));
  put(mov_dpp<dpp::quad_perm(3, 3, 0, 1)>(value));
  put(mov_dpp<dpp::row_shl(1)>(value));
  put(mov_dpp<dpp::row_shl(15)>(value));
  put(mov_dpp<dpp::row_shr(1)>(value));
  put(mov_dpp<dpp::row_shr(8)>(value));
  put(mov_dpp<dpp::row_ror(4)>(value));
  put(mov_dpp<dpp::kRowMirror>(value));
  put(mov_dpp<dpp::kRowHalfMirror>(value));
  put(mov_dpp<dpp::row_newbcast(0)>(value));
  put(mov_dpp<dpp::row_newbcast(11)>(value));
  put(update_dpp<dpp::row_shr(4)>(old, value));
  put(update_dpp<dpp::row_ror(2), 0x5, 0xc>(old, value));
  put(update_dpp<dpp::kRowBcast15, 0xa>(old, value));
  put(update_dpp<dpp::kRowBcast31, 0xc>(old, value));
  put(readlane(value, uniform));
  put(readfirstlane(value));
  put(writelane(value, readfirstlane(old), uniform));
  put(ds_bpermute(any, value));
  put(ds_permute(any, value));
  put(ds_swizzle<swizzle_bits(0x1f, 0, 0x11)>(value));
  put(ds_swizzle<swizzle_bits(0x18, 0x03, 0x04)>(value));
  put(ds_swizzle<swizzle_quad(2, 0, 3, 1)>(value));
  const unsigned long votes = ballot(value % 3 == 0);
  put(static_cast<u32>(votes));
  put(static_cast<u32>(votes >> 32));
  put(any_lane(value == in[5]) + 2 * any_lane(value == 0) + 4 * all_lanes(value != 0) +
      8 * all_lanes(value == in[5]));
#if defined(__gfx950__)
  u32 a = value, b = old;
  permlane32_swap(a, b);
  put(a), put(b);
  a = value, b = old;
  permlane16_swap(a, b);
  put(a), put(b);
#endif
}

// A float travels as its bits.
WT_KERNEL(64) floats(float *data) {
  data[lane_id()] = readlane(data[lane_id()], 7) + mov_dpp<dpp::row_shr(1)>(data[lane_id()]);
}
