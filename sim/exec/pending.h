// SPDX-License-Identifier: MIT
// Describes outstanding memory operations of a wave. A handler captures addresses and data when the
// instruction issues (under `timed`, a load may still change the data of a store for a while); the effect
// lands later, when a counter forces it or when the schedule decides. This header, group.c and timed.c decide
// when.
#ifndef SIM_EXEC_PENDING_H
#define SIM_EXEC_PENDING_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/isa/op.h"

typedef struct sim_access sim_access;
typedef void (*sim_land_fn)(sim_wave *w, sim_access *access);

struct sim_access {
  const sim_op *op;
  sim_land_fn land;      // performs the memory access and writes the destination registers
  uint64_t lanes;        // lanes that take part (EXEC at issue)
  uint64_t due;          // group round in which it lands if nothing forces it before
  uint64_t issued;       // the wave's instructions up to this one
  uint64_t address[64];  // byte address (global) or byte offset in the work-group's LDS
  // Lanes whose dword i is inside the descriptor's bounds; others read 0 and store nothing.
  uint64_t in_range[4];
  uint32_t data[4][64];  // store and atomic operands captured at issue (dword, lane)
  // `timed`: until cycle `read`, what older loads put into these registers still becomes the store's data.
  uint64_t read;
  uint16_t data_reg, data_dwords;  // of stores; dwords 0 where the data are not registers as they are
  // For a copy direct to LDS, this is the byte offset of lane 0 in the work-group's LDS. Other land functions
  // use it as they like.
  uint32_t lds_base;
  uint32_t bytes;       // bytes per lane
  uint8_t counts_lgkm;  // FLAT: it is in the vm queue but also counted by lgkmcnt
  uint8_t smem_weight;  // SMEM: 1 for one dword, 2 for more (CDNA3 ISA 4.4)
  bool reaches_lds;     // FLAT: some lane is in LDS
  uint32_t after;       // DS: vector memory operations of the wave, FLAT: DS ones, that land before it
};

// Counter widths: CDNA3 ISA 4.4 (vmcnt 6 bits, lgkmcnt 4 bits). Issue stalls when a counter is full.
enum { SIM_VM_DEPTH = 63, SIM_LGKM_DEPTH = 15 };

typedef struct sim_queue {
  uint32_t head, count;  // ring: entries head .. head + count - 1
} sim_queue;

// What the vector memory operations of other waves need to know of a wave's own, by slot of vm_ring.
// Addresses of the host are below 2^63.
typedef struct sim_vm_notes {
  uint32_t writes;  // outstanding operations that write memory
  uint32_t fresh;   // number of the newest outstanding operations whose span has not been looked at yet
  int64_t begin[64], end[64];  // the range of addresses that all lanes span; none: 0, 0
  uint64_t order[64];          // position among the operations of the work-group, by issue
  bool write[64];
} sim_vm_notes;

typedef struct sim_pending {
  sim_queue vm, lds, smem;
  uint32_t smem_newest;  // index in its ring of the last SMEM operation: that ring is consumed at both ends
  // Counts outstanding SMEM weights and FLAT operations: lgkmcnt = lds.count + smem_weight + flat.
  uint32_t smem_weight, flat;
  // These count the operations issued so far; flat_lds is vm_issued at the last FLAT operation that reaches
  // LDS.
  uint32_t vm_issued, lds_issued, flat_lds;
  uint64_t read_until;  // `timed`: the latest sim_access.read
  sim_vm_notes notes;
  sim_access vm_ring[64], lds_ring[16], smem_ring[16];
} sim_pending;

// Returns the entry of the operation that was issued last, whether it has landed or not: landing leaves an
// entry of the ring as it is.
static inline const sim_access *sim_newest_vm(const sim_pending *p) {
  return &p->vm_ring[(p->vm.head + p->vm.count - 1) & 63];
}
static inline const sim_access *sim_newest_lds(const sim_pending *p) {
  return &p->lds_ring[(p->lds.head + p->lds.count - 1) & 15];
}
static inline const sim_access *sim_newest_smem(const sim_pending *p) {
  return &p->smem_ring[p->smem_newest];
}

// Usage: a = sim_issue_vm(w, op, land); fill a->...; sim_commit(w). op, land, lanes (= EXEC), in_range
// (all ones) are preset. sim_issue_flat is sim_issue_vm counted by lgkmcnt as well. Under `early` the commit
// lands the access at once.
sim_access *sim_issue_vm(sim_wave *w, const sim_op *op, sim_land_fn land);
sim_access *sim_issue_flat(sim_wave *w, const sim_op *op, sim_land_fn land);
sim_access *sim_issue_lds(sim_wave *w, const sim_op *op, sim_land_fn land);
sim_access *sim_issue_smem(sim_wave *w, const sim_op *op, sim_land_fn land, uint32_t dwords);
void sim_commit(sim_wave *w);
// Records that the FLAT operation just issued has some lane in LDS.
void sim_reaches_lds(sim_wave *w, sim_access *a);

// Executes s_waitcnt: lands what must have landed so that at most vm and lgkm operations remain outstanding.
void sim_wait(sim_wave *w, uint32_t vm, uint32_t lgkm);
// Lands everything that is outstanding, at the end of the wave.
void sim_wait_all(sim_wave *w);
// Returns whether s_waitcnt with these counts would wait.
bool sim_outstanding(const sim_wave *w, uint32_t vm, uint32_t lgkm);
// Lands what is due. The group calls it once per round or less often.
void sim_land_due(sim_wave *w);
// Returns the round in which the next operation is due, UINT64_MAX when there is none.
uint64_t sim_next_landing(const sim_wave *w);
// Schedule fuzzing: lands a random, legal set of outstanding operations; `random` is 64 fresh random bits.
void sim_land_random(sim_wave *w, uint64_t random);

#endif
