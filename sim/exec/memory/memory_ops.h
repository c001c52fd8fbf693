// SPDX-License-Identifier: MIT
// Declares what the memory instructions share: the meaning of sim_opinfo.arg, moving dwords between lanes and
// host memory, and the address checks. A handler captures addresses and data in a sim_access; a land function
// moves the bytes.
#ifndef SIM_EXEC_MEMORY_MEMORY_OPS_H
#define SIM_EXEC_MEMORY_MEMORY_OPS_H

#include "sim/exec/wave.h"
#include "sim/isa/tables.h"

// Lists the values of sim_opinfo.arg in memory rows.
enum {
  SIM_M_BYTES = 0xff,     // bytes per lane (of one element in two-address forms)
  SIM_M_SIGNED = 1 << 8,  // bytes and shorts are sign-extended
  SIM_M_D16 = 1 << 9,     // a byte or short fills 16 bits of the destination
  SIM_M_HIGH = 1 << 10,   // these are the high 16 bits; stores take their data from there
  SIM_M_ST64 = 1 << 11,   // two-address forms: offsets count 64 elements
  SIM_M_SPACE_FLAT = 1 << 12,
  SIM_M_SPACE_SCRATCH = 1 << 13,
  SIM_M_COMPONENTS = 14,  // shift: components of a format access, 0..4
  SIM_M_KIND = 24         // shift: sim_atomic_kind
};

static inline uint32_t sim_m_bytes(const sim_op *op) { return op->info->arg & SIM_M_BYTES; }
static inline uint32_t sim_m_dwords(const sim_op *op) { return sim_m_bytes(op) / 4; }

// Moves `dwords` (1..4) dwords between rows and host memory at base + address[lane], for the lanes of the
// mask.
void sim_gather(uint32_t (*rows)[SIM_LANES], uint64_t base, const uint64_t address[SIM_LANES],
                uint32_t dwords, uint64_t lanes);
void sim_scatter(const uint32_t (*rows)[SIM_LANES], uint64_t base, const uint64_t address[SIM_LANES],
                 uint32_t dwords, uint64_t lanes);
// Does the same for one lane, of memory that the host or other work-groups may use meanwhile: whole, ordered
// accesses. Dword i of the lane stands at `i * stride` of `to` or `from`.
void sim_read_shared(uint32_t *to, size_t stride, uint64_t address, uint32_t dwords);
void sim_write_shared(uint64_t address, const uint32_t *from, size_t stride, uint32_t dwords);
// Loads one byte or short, extended as `arg` says (SIM_M_*); the second stores one.
uint32_t sim_load_small(uint64_t address, uint32_t arg);
void sim_store_small(uint64_t address, uint32_t data, uint32_t arg);

// Land functions of buffer, global, flat and scratch accesses, whose addresses are host addresses.
void sim_land_load(sim_wave *w, sim_access *a);
void sim_land_store(sim_wave *w, sim_access *a);
// Direct-to-LDS: access->lds_base is the LDS offset of lane 0.
void sim_land_direct(sim_wave *w, sim_access *a);
// Land function of an operation without any effect.
void sim_land_nothing(sim_wave *w, sim_access *a);

// Copies the `dwords` rows from `reg` on, which a store writes, into access->data.
static inline void sim_capture_store(const sim_wave *w, sim_access *a, unsigned reg, uint32_t dwords) {
  memcpy(a->data, w->v[reg], dwords * sizeof a->data[0]);
  a->data_reg = (uint16_t)reg;
  a->data_dwords = (uint16_t)dwords;
}

// Copies `dwords` rows from `reg` on into access->data, from dword `first` on.
static inline void sim_capture(const sim_wave *w, sim_access *a, unsigned first, unsigned reg,
                               uint32_t dwords) {
  memcpy(a->data[first], w->v[reg], dwords * sizeof a->data[0]);
}

// Writes LDS addresses row[lane] + offset (32-bit wrap-around) into address[], and checks them against the
// work-group's allocation. Returns false after a fault.
bool sim_lds_addresses(sim_wave *w, const sim_op *op, uint64_t lanes, const uint32_t row[SIM_LANES],
                       uint32_t offset, uint32_t bytes, uint64_t address[SIM_LANES]);
// Returns false, after a fault, when an active lane's address is not a multiple of `alignment` (a power of
// two).
bool sim_check_alignment(sim_wave *w, const sim_op *op, const uint64_t address[SIM_LANES], uint64_t lanes,
                         uint32_t alignment, const char *what);
// Counts one execution of an LDS instruction and its bank conflicts: `bytes` per lane and access, and a
// second access in two-address forms (else NULL). sim_count_lds does so if the launch asks for it.
void sim_lds_count_access(sim_wave *w, const sim_op *op, sim_lds_kind kind, uint32_t bytes, uint64_t lanes,
                          const uint64_t first[SIM_LANES], const uint64_t *second);
static inline void sim_count_lds(sim_wave *w, const sim_op *op, sim_lds_kind kind, uint32_t bytes,
                                 uint64_t lanes, const uint64_t first[SIM_LANES], const uint64_t *second) {
  if (w->group->lds_counts) sim_lds_count_access(w, op, kind, bytes, lanes, first, second);
}
// Prepares access->lds_base of a direct-to-LDS copy from M0 and checks both sides. Returns false after a
// fault.
bool sim_direct_setup(sim_wave *w, const sim_op *op, sim_access *a, uint32_t bytes);

#endif
