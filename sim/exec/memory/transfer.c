// SPDX-License-Identifier: MIT
// Moves data between registers and host memory, lane by lane or four lanes at a time.
#include "sim/exec/memory/memory_ops.h"

typedef uint32_t quad __attribute__((vector_size(16)));

static uint8_t *host(uint64_t address) { return (uint8_t *)(uintptr_t)address; }

static uint32_t load32(uint64_t address) {
  uint32_t value;
  memcpy(&value, host(address), sizeof value);
  return value;
}

static void store32(uint64_t address, uint32_t value) { memcpy(host(address), &value, sizeof value); }

// Other work-groups and the host may write and read at the same time: as on the device, 8 aligned bytes are
// read or written at once, else 4, and what was written before is there when they are read (LLVM AMDGPUUsage,
// memory model gfx942: atomics and volatile accesses are compiled to instructions with scope bits).
void sim_read_shared(uint32_t *to, size_t stride, uint64_t address, uint32_t dwords) {
  uint32_t i = 0;
  for (; address % 8 == 0 && i + 2 <= dwords; i += 2) {
    const uint64_t pair = __atomic_load_n((const uint64_t *)(uintptr_t)(address + 4 * i), __ATOMIC_ACQUIRE);
    to[i * stride] = (uint32_t)pair;
    to[(i + 1) * stride] = (uint32_t)(pair >> 32);
  }
  for (; i < dwords; ++i) {
    const uint64_t at = address + 4 * i;
    to[i * stride] = at % 4 ? load32(at) : __atomic_load_n((const uint32_t *)(uintptr_t)at, __ATOMIC_ACQUIRE);
  }
}

void sim_write_shared(uint64_t address, const uint32_t *from, size_t stride, uint32_t dwords) {
  uint32_t i = 0;
  for (; address % 8 == 0 && i + 2 <= dwords; i += 2) {
    const uint64_t pair = from[i * stride] | (uint64_t)from[(i + 1) * stride] << 32;
    __atomic_store_n((uint64_t *)(uintptr_t)(address + 4 * i), pair, __ATOMIC_RELEASE);
  }
  for (; i < dwords; ++i) {
    const uint64_t at = address + 4 * i;
    if (at % 4)
      store32(at, from[i * stride]);
    else
      __atomic_store_n((uint32_t *)(uintptr_t)at, from[i * stride], __ATOMIC_RELEASE);
  }
}

// Transposes 4x4 elements in place: row i, element j becomes row j, element i.
static inline void transpose(quad r[4]) {
  quad a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5),
       b = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  quad c = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5),
       d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  r[2] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

static void gather_quads(uint32_t (*rows)[SIM_LANES], uint64_t base, const uint64_t address[SIM_LANES]) {
  for (int l = 0; l < SIM_LANES; l += 4) {
    quad r[4];
    for (int i = 0; i < 4; ++i) memcpy(&r[i], host(base + address[l + i]), sizeof r[i]);
    transpose(r);
    for (int i = 0; i < 4; ++i) memcpy(&rows[i][l], &r[i], sizeof r[i]);
  }
}

static void scatter_quads(const uint32_t (*rows)[SIM_LANES], uint64_t base,
                          const uint64_t address[SIM_LANES]) {
  for (int l = 0; l < SIM_LANES; l += 4) {
    quad r[4];
    for (int i = 0; i < 4; ++i) memcpy(&r[i], &rows[i][l], sizeof r[i]);
    transpose(r);
    for (int i = 0; i < 4; ++i) memcpy(host(base + address[l + i]), &r[i], sizeof r[i]);
  }
}

void sim_gather(uint32_t (*rows)[SIM_LANES], uint64_t base, const uint64_t address[SIM_LANES],
                uint32_t dwords, uint64_t lanes) {
  if (lanes == ~0ull && dwords == 4) {
    gather_quads(rows, base, address);
  } else if (lanes == ~0ull) {
    for (uint32_t i = 0; i < dwords; ++i)
      for (int l = 0; l < SIM_LANES; ++l) rows[i][l] = load32(base + address[l] + 4 * i);
  } else {
    for (; lanes; lanes &= lanes - 1) {
      int l = __builtin_ctzll(lanes);
      for (uint32_t i = 0; i < dwords; ++i) rows[i][l] = load32(base + address[l] + 4 * i);
    }
  }
}

void sim_scatter(const uint32_t (*rows)[SIM_LANES], uint64_t base, const uint64_t address[SIM_LANES],
                 uint32_t dwords, uint64_t lanes) {
  if (lanes == ~0ull && dwords == 4) {
    scatter_quads(rows, base, address);
    return;
  }
  // This goes lane by lane, so that of two lanes with one address the higher wins whatever the width.
  for (; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    for (uint32_t i = 0; i < dwords; ++i) store32(base + address[l] + 4 * i, rows[i][l]);
  }
}

uint32_t sim_load_small(uint64_t address, uint32_t arg) {
  uint32_t value;
  if ((arg & SIM_M_BYTES) == 1) {
    uint8_t byte = *host(address);
    value = arg & SIM_M_SIGNED ? (uint32_t)(int8_t)byte : byte;
  } else {
    uint16_t half;
    memcpy(&half, host(address), sizeof half);
    value = arg & SIM_M_SIGNED ? (uint32_t)(int16_t)half : half;
  }
  if (!(arg & SIM_M_D16)) return value;
  // With ECC on the register files, as the target id of these devices says (sramecc+), a 16-bit load writes
  // the whole register and zeroes the other half: CDNA4 ISA 9.1.6; LLVM d16PreservesUnusedBits().
  return arg & SIM_M_HIGH ? value << 16 : value & 0xffff;
}

void sim_store_small(uint64_t address, uint32_t data, uint32_t arg) {
  if (arg & SIM_M_HIGH) data >>= 16;
  if ((arg & SIM_M_BYTES) == 1) {
    *host(address) = (uint8_t)data;
  } else {
    uint16_t half = (uint16_t)data;
    memcpy(host(address), &half, sizeof half);
  }
}

void sim_land_load(sim_wave *w, sim_access *a) {
  uint32_t arg = a->op->info->arg, dwords = sim_m_dwords(a->op);
  uint32_t (*rows)[SIM_LANES] = &w->v[a->op->dst[0].reg];
  if (a->op->flags & SIM_F_POLLS && a->lanes) {
    sim_wait_in_order(w);
    sim_note_poll(w, a->address[__builtin_ctzll(a->lanes)]);
  }
  if (!dwords) {
    for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
      int l = __builtin_ctzll(lanes);
      rows[0][l] = a->in_range[0] >> l & 1 ? sim_load_small(a->address[l], arg) : 0;
    }
    return;
  }
  uint64_t whole = a->lanes & a->in_range[dwords - 1];
  if (!sim_op_is_shared(a->op)) {
    sim_gather(rows, 0, a->address, dwords, whole);
  } else {
    for (uint64_t lanes = whole; lanes; lanes &= lanes - 1) {
      int l = __builtin_ctzll(lanes);
      sim_read_shared(&rows[0][l], SIM_LANES, a->address[l], dwords);
    }
  }
  for (uint64_t lanes = a->lanes & ~whole; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    for (uint32_t i = 0; i < dwords; ++i)
      rows[i][l] = a->in_range[i] >> l & 1 ? load32(a->address[l] + 4 * i) : 0;
  }
}

void sim_land_store(sim_wave *w, sim_access *a) {
  uint32_t arg = a->op->info->arg, dwords = sim_m_dwords(a->op);
  if (w->group->program->polls && !(arg & SIM_M_SPACE_SCRATCH)) {
    if (sim_op_is_shared(a->op)) sim_wait_in_order(w);  // others may wait for it
    sim_move(w->group);
  }
  if (!dwords) {
    for (uint64_t lanes = a->lanes & a->in_range[0]; lanes; lanes &= lanes - 1) {
      int l = __builtin_ctzll(lanes);
      sim_store_small(a->address[l], a->data[0][l], arg);
    }
    return;
  }
  uint64_t whole = a->lanes & a->in_range[dwords - 1];
  if (!sim_op_is_shared(a->op)) {
    sim_scatter((const uint32_t (*)[SIM_LANES])a->data, 0, a->address, dwords, whole);
  } else {
    for (uint64_t lanes = whole; lanes; lanes &= lanes - 1) {
      int l = __builtin_ctzll(lanes);
      sim_write_shared(a->address[l], &a->data[0][l], SIM_LANES, dwords);
    }
  }
  for (uint64_t lanes = a->lanes & ~whole; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    for (uint32_t i = 0; i < dwords && a->in_range[i] >> l & 1; ++i)
      store32(a->address[l] + 4 * i, a->data[i][l]);
  }
}

void sim_land_nothing(sim_wave *w, sim_access *a) {
  (void)w;
  (void)a;
}
