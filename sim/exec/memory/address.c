// SPDX-License-Identifier: MIT
// Addresses of LDS accesses and of direct-to-LDS copies: range and alignment.
#include "sim/exec/memory/memory_ops.h"

static void fault_lds(sim_wave *w, const sim_op *op, int lane, uint64_t address, uint32_t bytes) {
  sim_fault(w, SIM_FAULT_LDS_RANGE, op, lane,
            "%u bytes at LDS address 0x%llx; the work-group has 0x%x bytes of LDS", bytes,
            (unsigned long long)address, w->group->lds_bytes);
}

// Hardware returns zero and drops stores (CDNA4 ISA 11.3); here such an access is an error, because no
// program means it.
bool sim_lds_addresses(sim_wave *w, const sim_op *op, uint64_t lanes, const uint32_t row[SIM_LANES],
                       uint32_t offset, uint32_t bytes, uint64_t address[SIM_LANES]) {
  uint64_t limit = (uint64_t)w->group->lds_bytes - bytes, outside = 0;  // wraps to "negative" when too small
  for (int l = 0; l < SIM_LANES; ++l) {
    uint64_t at = (uint32_t)(row[l] + offset);
    address[l] = at;
    outside |= limit - at;
  }
  if (!(outside >> 63)) return true;
  for (; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    if (!((limit - address[l]) >> 63)) continue;
    fault_lds(w, op, l, address[l], bytes);
    return false;
  }
  return true;
}

bool sim_check_alignment(sim_wave *w, const sim_op *op, const uint64_t address[SIM_LANES], uint64_t lanes,
                         uint32_t alignment, const char *what) {
  uint64_t all = 0;
  for (int l = 0; l < SIM_LANES; ++l) all |= address[l];
  if (!(all & (alignment - 1))) return true;
  for (; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    if (!(address[l] & (alignment - 1))) continue;
    sim_fault(w, SIM_FAULT_ALIGNMENT, op, l, "%s 0x%llx is not a multiple of %u bytes", what,
              (unsigned long long)address[l], alignment);
    return false;
  }
  return true;
}

static uint32_t lane_step(uint32_t bytes) { return bytes > 4 ? 16 : 4; }

static void count_copy(sim_wave *w, const sim_op *op, const sim_access *a, uint32_t bytes) {
  uint64_t address[SIM_LANES];
  for (uint32_t l = 0; l < SIM_LANES; ++l) address[l] = a->lds_base + l * lane_step(bytes);
  sim_lds_count_access(w, op, SIM_LDS_COPY, bytes < 4 ? 4 : bytes, a->lanes, address, NULL);
}

// The LDS address is M0 + instruction offset + lane * 4, or lane * 16 for three and four dwords (CDNA4 ISA
// 9.1.9 and 10.3); M0 counts 16 bits where a CU has 64 KB of LDS, 18 bits on gfx950 (CDNA3 and CDNA4 ISA
// 9.1.9). Global and scratch copies drop its two lowest bits: M0[17:2] * 4 (CDNA4 ISA 10.3). What becomes of
// low bits of the instruction's offset or, in buffer copies, of M0 no manual says, so these are errors here.
bool sim_direct_setup(sim_wave *w, const sim_op *op, sim_access *a, uint32_t bytes) {
  // Among the format loads only the one of X has a direct-to-LDS form (CDNA3 and CDNA4 ISA 9.1.9).
  uint32_t components = op->info->arg >> SIM_M_COMPONENTS & 7;
  if (bytes == 8 || components > 1 || (components && op->info->arg & SIM_M_D16)) {
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "%s has no direct-to-LDS form here", op->info->name);
    return false;
  }
  uint32_t mask = w->group->program->chip == SIM_GFX950 ? 0x3ffff : 0xffff;
  if (op->encoding == SIM_ENC_FLAT) mask &= ~3u;
  uint64_t base = (w->s[SIM_M0] & mask) + (uint64_t)op->imm, size = bytes < 4 ? 4 : bytes;
  a->lds_base = (uint32_t)base;
  a->bytes = bytes;
  if (w->group->lds_counts) count_copy(w, op, a, bytes);
  if (!a->lanes) return true;
  if (base & 3) {
    sim_fault(w, SIM_FAULT_ALIGNMENT, op, __builtin_ctzll(a->lanes),
              "the LDS address of a direct-to-LDS copy, M0 0x%x plus offset %d, is not a multiple of 4 bytes",
              w->s[SIM_M0] & mask, op->imm);
    return false;
  }
  int last = 63 - __builtin_clzll(a->lanes);
  if ((int64_t)base >= 0 && base + (uint64_t)last * lane_step(bytes) + size <= w->group->lds_bytes)
    return true;
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    uint64_t at = base + (uint64_t)l * lane_step(bytes);
    if ((int64_t)at >= 0 && at + size <= w->group->lds_bytes) continue;
    fault_lds(w, op, l, at, (uint32_t)size);
    return false;
  }
  return true;
}

// Lanes outside a buffer write zeros: hardware zero-fills (triton-lang/triton #11435). Bytes and shorts are
// extended to the dword the lane owns.
void sim_land_direct(sim_wave *w, sim_access *a) {
  uint32_t arg = a->op->info->arg, bytes = a->bytes, step = lane_step(bytes),
           dwords = bytes < 4 ? 1 : bytes / 4;
  uint8_t *lds = w->group->lds + a->lds_base;
  if (bytes == 16 && (a->lanes & a->in_range[3]) == ~0ull) {
    for (int l = 0; l < SIM_LANES; ++l) memcpy(lds + 16 * l, (const void *)(uintptr_t)a->address[l], 16);
    return;
  }
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    for (uint32_t i = 0; i < dwords; ++i) {
      uint32_t value = 0;
      if (a->in_range[i] >> l & 1) {
        if (bytes < 4)
          value = sim_load_small(a->address[l], arg);
        else
          memcpy(&value, (const void *)(uintptr_t)(a->address[l] + 4 * i), 4);
      }
      memcpy(lds + (uint64_t)l * step + 4 * i, &value, 4);
    }
  }
}
