// SPDX-License-Identifier: MIT
// When outstanding memory operations land. VMEM returns in order, LDS returns in order, SMEM in any order
// (CDNA3 ISA 4.4).
#include "sim/exec/pending.h"

#include "sim/exec/wave.h"

enum { VM_MASK = 63, LGKM_MASK = 15 };

static uint32_t lgkm_count(const sim_pending *p) { return p->lds.count + p->smem_weight + p->flat; }

static void land_vm(sim_wave *w) {
  sim_pending *p = &w->pending;
  sim_access *a = &p->vm_ring[p->vm.head];
  p->vm.head = (p->vm.head + 1) & VM_MASK;
  --p->vm.count;
  p->flat -= a->counts_lgkm;
  a->land(w, a);
}

static void land_lds(sim_wave *w) {
  sim_pending *p = &w->pending;
  sim_access *a = &p->lds_ring[p->lds.head];
  p->lds.head = (p->lds.head + 1) & LGKM_MASK;
  --p->lds.count;
  a->land(w, a);
}

// Lands the oldest or the newest SMEM operation: they return in any order, so the ring may be consumed at
// both ends.
static void land_smem(sim_wave *w, bool newest) {
  sim_pending *p = &w->pending;
  --p->smem.count;
  uint32_t slot = newest ? (p->smem.head + p->smem.count) & LGKM_MASK : p->smem.head;
  if (!newest) p->smem.head = (p->smem.head + 1) & LGKM_MASK;
  sim_access *a = &p->smem_ring[slot];
  p->smem_weight -= a->smem_weight;
  a->land(w, a);
}

// Lands one operation that lgkmcnt counts. SMEM goes first and newest first: with SMEM outstanding only
// lgkmcnt(0) says anything, so a program that waits for a count above zero is served in the least convenient
// order.
static void land_lgkm(sim_wave *w) {
  sim_pending *p = &w->pending;
  if (p->smem.count) {
    land_smem(w, true);
  } else if (p->lds.count) {
    land_lds(w);
  } else {
    for (uint32_t flat = p->flat; p->flat == flat;) land_vm(w);
  }
}

static sim_access *prepare(sim_wave *w, sim_access *a, const sim_op *op, sim_land_fn land) {
  a->op = op;
  a->land = land;
  a->lanes = sim_exec(w);
  a->issued = w->group->round;
  for (int i = 0; i < 4; ++i) a->in_range[i] = ~0ull;
  a->counts_lgkm = 0;
  a->smem_weight = 0;
  return a;
}

sim_access *sim_issue_vm(sim_wave *w, const sim_op *op, sim_land_fn land) {
  sim_pending *p = &w->pending;
  while (p->vm.count >= SIM_VM_DEPTH) land_vm(w);
  uint32_t slot = (p->vm.head + p->vm.count++) & VM_MASK;
  return prepare(w, &p->vm_ring[slot], op, land);
}

sim_access *sim_issue_flat(sim_wave *w, const sim_op *op, sim_land_fn land) {
  sim_pending *p = &w->pending;
  while (lgkm_count(p) >= SIM_LGKM_DEPTH) land_lgkm(w);
  sim_access *a = sim_issue_vm(w, op, land);
  a->counts_lgkm = 1;
  ++p->flat;
  return a;
}

sim_access *sim_issue_lds(sim_wave *w, const sim_op *op, sim_land_fn land) {
  sim_pending *p = &w->pending;
  while (lgkm_count(p) >= SIM_LGKM_DEPTH) land_lgkm(w);
  uint32_t slot = (p->lds.head + p->lds.count++) & LGKM_MASK;
  return prepare(w, &p->lds_ring[slot], op, land);
}

sim_access *sim_issue_smem(sim_wave *w, const sim_op *op, sim_land_fn land, uint32_t dwords) {
  sim_pending *p = &w->pending;
  uint32_t weight = dwords > 1 ? 2 : 1;
  while (lgkm_count(p) + weight > SIM_LGKM_DEPTH) land_lgkm(w);
  uint32_t slot = p->smem_newest = (p->smem.head + p->smem.count++) & LGKM_MASK;
  sim_access *a = prepare(w, &p->smem_ring[slot], op, land);
  a->smem_weight = (uint8_t)weight;
  p->smem_weight += weight;
  return a;
}

void sim_commit(sim_wave *w) {
  switch (w->group->schedule) {
    case SIM_EARLY: sim_wait_all(w); break;
    case SIM_LATE_VMEM: sim_wait(w, SIM_VM_DEPTH, 0); break;
    case SIM_LATE_LDS: sim_wait(w, 0, SIM_LGKM_DEPTH); break;
    default: break;
  }
}

void sim_wait(sim_wave *w, uint32_t vm, uint32_t lgkm) {
  while (w->pending.vm.count > vm) land_vm(w);
  while (lgkm_count(&w->pending) > lgkm) land_lgkm(w);
}

void sim_wait_all(sim_wave *w) { sim_wait(w, 0, 0); }

static bool aged(const sim_wave *w, const sim_queue *q, const sim_access *ring, uint64_t rounds) {
  return q->count && w->group->round - ring[q->head].issued >= rounds;
}

void sim_land_aged(sim_wave *w, uint64_t lds_rounds, uint64_t smem_rounds, uint64_t vm_rounds) {
  sim_pending *p = &w->pending;
  while (aged(w, &p->lds, p->lds_ring, lds_rounds)) land_lds(w);
  while (aged(w, &p->smem, p->smem_ring, smem_rounds)) land_smem(w, false);
  while (aged(w, &p->vm, p->vm_ring, vm_rounds)) land_vm(w);
}

void sim_land_random(sim_wave *w, uint64_t random) {
  sim_pending *p = &w->pending;
  if (p->vm.count)
    for (uint64_t n = (random & 255) % (p->vm.count + 1); n; --n) land_vm(w);
  if (p->lds.count)
    for (uint64_t n = (random >> 8 & 255) % (p->lds.count + 1); n; --n) land_lds(w);
  if (p->smem.count)
    for (uint64_t n = (random >> 16 & 255) % (p->smem.count + 1); n; --n) land_smem(w, random >> 24 & 1);
}
