// SPDX-License-Identifier: MIT
// LDS serves an instruction in phases, each of which some lanes share, over banks of one dword. This is the
// one table of both, per chip; what an access costs beyond its phases follows from it.
#ifndef WT_TILES_LDS_BANKS_H
#define WT_TILES_LDS_BANKS_H

#include "target.h"

namespace wt {

// These are the instructions that access LDS, named by direction and bits per lane. copy_* go directly from
// global memory to LDS (ops/isa/buffer.h), *_tr are transposed reads.
enum class lds_op {
  read_b32,
  read_b64,
  read_b96,
  read_b128,
  read_b64_tr,
  read_b96_tr,
  write_b32,
  write_b64,
  write_b96,
  write_b128,
  copy_b32,
  copy_b128
};

// This says how one instruction uses LDS. Lanes share a phase when they agree in the parity of (lane &
// phase_mask[i]) for every i: the phases are the cosets of a subspace of the lane's bits. A mask of 0 divides
// no further.
struct lds_rule {
  int banks;
  int phase_mask[3];
};

namespace detail {

constexpr lds_rule lanes_together(int lanes, int banks) {
  return {banks, {lanes <= 32 ? 32 : 0, lanes <= 16 ? 16 : 0, lanes <= 8 ? 8 : 0}};
}

}  // namespace detail

// Returns the bytes that one lane moves.
constexpr int lds_bytes(lds_op op) {
  switch (op) {
    case lds_op::read_b32:
    case lds_op::write_b32:
    case lds_op::copy_b32: return 4;
    case lds_op::read_b64:
    case lds_op::read_b64_tr:
    case lds_op::write_b64: return 8;
    case lds_op::read_b96:
    case lds_op::read_b96_tr:
    case lds_op::write_b96: return 12;
    case lds_op::read_b128:
    case lds_op::write_b128:
    case lds_op::copy_b128: return 16;
  }
  return 0;
}

// Returns the banks and phases of an instruction on a chip. Sources, [M] where they measured: SHARK-LDS is
// nod-ai/amd-shark-ai docs/empirical-lds, HK is HazyResearch/HipKittens analysis/paper_experiments/phases,
// GGT is ROCm/gfx950-gluon-tutorials.
constexpr lds_rule lds_rule_of(target::chip chip, lds_op op) {
  const bool gfx950 = chip == target::chip::gfx950;
  switch (op) {
    case lds_op::read_b32:  // [M] SHARK-LDS
      return gfx950 ? detail::lanes_together(64, 64) : detail::lanes_together(32, 32);
    case lds_op::read_b64:     // [M] SHARK-LDS, HK
    case lds_op::read_b64_tr:  // as plain reads of the width: GGT docs/lds_throughput.md
      return gfx950 ? detail::lanes_together(32, 64) : detail::lanes_together(16, 32);
    case lds_op::read_b128:  // [M] HK, SHARK-LDS: {0-3,12-15,20-27} {4-11,16-19,28-31}, the same + 32
      if (gfx950) return {64, {32, 16 + 8 + 4, 0}};
      [[fallthrough]];         // {0-3,20-23} {4-7,16-19} {8-11,28-31} {12-15,24-27}, the same + 32
    case lds_op::read_b96:     // [M] HK: on both chips 8 phases over 32 banks
    case lds_op::read_b96_tr:  // as plain reads of the width: GGT
      return {32, {32, 8, 16 + 4}};
    case lds_op::write_b64:  // [M] HK, on both chips
      return detail::lanes_together(16, 32);
    case lds_op::write_b128:  // [M] SHARK-LDS on gfx942
    // Nobody we know has measured these, or write_b128 on gfx950. We take lanes in order and 128 bytes per
    // phase, as the measured writes have them.
    case lds_op::write_b96:
    case lds_op::copy_b128: return detail::lanes_together(8, 32);
    case lds_op::write_b32:
    case lds_op::copy_b32: return detail::lanes_together(32, 32);
  }
  return {};
}

// Returns whether the chip has the instruction (CDNA4 ISA ch. 9 and 11).
constexpr bool lds_op_exists(target::chip chip, lds_op op) {
  return chip == target::chip::gfx950 ||
         (op != lds_op::read_b64_tr && op != lds_op::read_b96_tr && op != lds_op::copy_b128);
}

// Returns the number of banks that the instruction sees.
constexpr int lds_banks(target::chip chip, lds_op op) { return lds_rule_of(chip, op).banks; }

// Returns which phase serves a lane, from 0 to lds_phases(chip, op) - 1.
constexpr int lds_phase(target::chip chip, lds_op op, int lane) {
  const lds_rule rule = lds_rule_of(chip, op);
  int phase = 0;
  for (const int mask : rule.phase_mask) {
    if (mask != 0) phase = 2 * phase + (__builtin_popcount(static_cast<unsigned>(lane & mask)) & 1);
  }
  return phase;
}

// Returns the number of phases of the instruction.
constexpr int lds_phases(target::chip chip, lds_op op) {
  int phases = 1;
  for (const int mask : lds_rule_of(chip, op).phase_mask) phases *= mask != 0 ? 2 : 1;
  return phases;
}

// Returns the cycles that bank conflicts add to an instruction whose lanes access these byte offsets. A phase
// takes as many cycles as the worst bank has distinct dwords to serve; lanes that access the same dword share
// it at no cost.
constexpr int lds_conflict_cycles(target::chip chip, lds_op op,
                                  const int (&byte_offset)[target::kWaveLanes]) {
  const int banks = lds_banks(chip, op), dwords = lds_bytes(op) / 4;
  int cycles = 0;
  for (int phase = 0; phase < lds_phases(chip, op); ++phase) {
    int seen[64] = {}, count = 0, load[64] = {}, worst = 1;  // a phase has at most 64 dwords
    for (int lane = 0; lane < target::kWaveLanes; ++lane) {
      if (lds_phase(chip, op, lane) != phase) continue;
      for (int i = 0; i < dwords; ++i) {
        const int dword = byte_offset[lane] / 4 + i;
        bool known = false;
        for (int k = 0; k < count && !known; ++k) known = seen[k] == dword;
        if (known) continue;
        seen[count++] = dword;
        const int taken = ++load[dword % banks];
        worst = taken > worst ? taken : worst;
      }
    }
    cycles += worst - 1;
  }
  return cycles;
}

}  // namespace wt

#endif
