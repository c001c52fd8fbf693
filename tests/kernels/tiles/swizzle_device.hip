// SPDX-License-Identifier: MIT
// The tables, swizzles and the solver of include/tiles as device code computes them, for swizzle_device.c.
#include "ops/isa/ids.h"
#include "ops/isa/lds.h"
#include "swizzle_device.h"
#include "tiles/row_swizzle.h"

using wt::target::chip;

namespace {

WT_DEVICE int global_id() { return wt::workgroup_x() * wt::target::kWaveLanes + wt::thread_id(); }

// One of which the inverse is another swizzle.
constexpr wt::swizzle kChain = wt::xor_bits(10, 1, 8) ^ wt::xor_bits(8, 1, 6) ^ wt::xor_bits(11, 2, 4);

template <wt::swizzle S>
WT_DEVICE void apply(int (&out)[2], int offset) {
  out[0] = wt::swizzled<S>(offset);
  out[1] = wt::unswizzled<S>(offset);
}

// Reads by one LDS instruction of vectors V; all of what is read is used.
template <class V>
WT_DEVICE void read(wt::u32 address, wt::u32x4 &seen) {
  const V value = wt::ds_read<V>(address);
  __builtin_memcpy(&seen, &value, wt::kValueBytes<V>);
}
template <class V>
WT_DEVICE void write(wt::u32 address) {
  wt::ds_write(address, V(address));
}

}  // namespace

WT_KERNEL(64) tables(lds_table *out) {
  for (int on = 0; on < CHIPS; ++on) {
    for (int op = 0; op < LDS_OPS; ++op) {
      const chip c = static_cast<chip>(on);
      const wt::lds_op o = static_cast<wt::lds_op>(op);
      lds_table &table = out[on * LDS_OPS + op];
      table.phase[wt::lane_id()] = wt::lds_phase(c, o, wt::lane_id());
      if (wt::lane_id() == 0) {
        table.exists = wt::lds_op_exists(c, o), table.bytes = wt::lds_bytes(o);
        table.banks = wt::lds_banks(c, o), table.phases = wt::lds_phases(c, o);
      }
    }
  }
}

WT_KERNEL(64) swizzles(int (*out)[SWIZZLES][2]) {
  const int offset = global_id();
  apply<wt::no_swizzle>(out[offset][0], offset);
  apply<wt::swizzle_row128_pairs>(out[offset][1], offset);
  apply<wt::swizzle_row128_pairs_8wave>(out[offset][2], offset);
  apply<wt::swizzle_bf16_16x16_write_b64>(out[offset][3], offset);
  apply<wt::swizzle_bf16_16x32_read_b128>(out[offset][4], offset);
  apply<kChain>(out[offset][5], offset);
}

WT_KERNEL(64) conflicts(const conflict_case *cases, int *cycles) {
  const conflict_case &c = cases[global_id()];
  cycles[global_id()] =
      wt::lds_conflict_cycles(static_cast<chip>(c.chip), static_cast<wt::lds_op>(c.op), c.offset);
}

// Executes one instruction whose lanes access these bytes of LDS.
WT_KERNEL(64) touch(int op, const int *offset, wt::u32x4 *seen) {
  WT_SHARED alignas(16) unsigned char tile[TOUCHED_BYTES];
  const int lane = wt::lane_id();
  const wt::u32 address = wt::lds_address(&tile) + static_cast<wt::u32>(offset[lane]);
  switch (static_cast<wt::lds_op>(op)) {
    case wt::lds_op::read_b32: return read<wt::u32>(address, seen[lane]);
    case wt::lds_op::read_b64: return read<wt::u32x2>(address, seen[lane]);
    case wt::lds_op::read_b96: return read<wt::u32x3>(address, seen[lane]);
    case wt::lds_op::read_b128: return read<wt::u32x4>(address, seen[lane]);
    case wt::lds_op::write_b32: return write<wt::u32>(address);
    case wt::lds_op::write_b64: return write<wt::u32x2>(address);
    case wt::lds_op::write_b96: return write<wt::u32x3>(address);
    case wt::lds_op::write_b128: return write<wt::u32x4>(address);
    case wt::lds_op::read_b64_tr:
    case wt::lds_op::read_b96_tr:
      if constexpr (wt::target::kGfx950) {
        if (static_cast<wt::lds_op>(op) == wt::lds_op::read_b64_tr) {
          const auto value = wt::ds_read_tr<wt::bf16>(address);
          __builtin_memcpy(&seen[lane], &value, 8);
        } else {
          const auto value = wt::ds_read_tr<wt::fp6e2m3>(address);
          __builtin_memcpy(&seen[lane], &value, 12);
        }
      }
      return;
    case wt::lds_op::copy_b32:
    case wt::lds_op::copy_b128: return;  // lane after lane by nature
  }
}

WT_KERNEL(64) solve(const swizzle_case *cases, swizzle_answer *answers) {
  const swizzle_case &c = cases[global_id()];
  chip chips[ACCESSES];
  wt::lds_access accesses[ACCESSES];
  for (int a = 0; a < ACCESSES; ++a) {
    chips[a] = static_cast<chip>(c.chip[a]), accesses[a].op = static_cast<wt::lds_op>(c.op[a]);
    for (int i = 0; i < 6; ++i) accesses[a].lane_bit[i] = c.lane_bit[a][i];
  }
  const wt::detail::swizzle_problem<ACCESSES> problem(chips, accesses, {c.row_bytes, c.period});
  const wt::swizzle_solution simple = problem.solve_simply(), full = problem.solve();
  swizzle_answer &answer = answers[global_id()];
  answer.simple = simple.outcome == wt::swizzle_search::found;
  answer.by_count = problem.hopeless;
  answer.outcome = static_cast<int>(answer.simple ? simple.outcome : full.outcome);
  for (int j = 0; j < OFFSET_BITS; ++j) {
    answer.target[0][j] = answer.simple ? simple.value.target[j] : full.value.target[j];
    answer.target[1][j] = full.value.target[j];
  }
}
