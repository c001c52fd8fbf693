// SPDX-License-Identifier: MIT
// Decides when outstanding memory operations land. VMEM returns in order, LDS returns in order, SMEM in any
// order (CDNA3 ISA 4.4).
#include "sim/exec/pending.h"

#include "sim/exec/memory/atomic.h"
#include "sim/exec/wave.h"

enum { VM_MASK = 63, LGKM_MASK = 15, FEW = 8 };

typedef enum queue_kind { QUEUE_LDS, QUEUE_SMEM, QUEUE_VM } queue_kind;

// Under `lockstep`, operations land after so many rounds (one instruction of every wave). These are orders of
// magnitude of the published latencies (LDS 64, scalar 48..200, memory 500..900 cycles at about 4 cycles an
// instruction), not predictions.
static const uint32_t lockstep_rounds[] = {[QUEUE_LDS] = 16, [QUEUE_SMEM] = 40, [QUEUE_VM] = 160};
// `late`: hardware lands everything eventually; so do we, for programs that poll.
enum { LATE_ROUNDS = 1 << 16 };

static uint64_t due(sim_wave *w, const sim_op *op, queue_kind kind, uint64_t *read) {
  const sim_group *g = w->group;
  *read = 0;
  if (g->schedule == SIM_TIMED) return sim_timed_arrival(w, op, read);
  return g->round + (g->schedule == SIM_LOCKSTEP ? lockstep_rounds[kind] : LATE_ROUNDS);
}

static uint32_t lgkm_count(const sim_pending *p) { return p->lds.count + p->smem_weight + p->flat; }

// ---- store data
//
// The memory unit reads the data of a store when it gets to it, some time after the issue. What a load that
// was issued before the store brings by then is stored, with or without a wait in between: kernels that ship
// for gfx942 store the result of a ds_read so, some fifty cycles after it. What the wave itself writes to the
// registers after the store is not: hardware holds such instructions back (CDNA4 ISA 4.5 asks for wait states
// only after stores of more than 64 bits), and so it does loads that are issued after the store.

static void renew(const sim_wave *w, sim_access *store, const sim_operand *loaded, uint64_t lanes) {
  for (unsigned i = 0; i < store->data_dwords; ++i) {
    const unsigned row = store->data_reg + i;
    if (row - loaded->reg >= loaded->regs) continue;
    for (uint64_t left = lanes; left; left &= left - 1) {
      const int l = __builtin_ctzll(left);
      store->data[i][l] = w->v[row][l];
    }
  }
}

// `load` has landed.
static void renew_stores(sim_wave *w, const sim_access *load) {
  sim_pending *p = &w->pending;
  const sim_operand *loaded = &load->op->dst[0];
  if (load->due >= p->read_until || !load->op->dst_count || loaded->kind != SIM_OPND_VGPR) return;
  for (uint32_t i = 0; i < p->vm.count; ++i) {
    sim_access *store = &p->vm_ring[(p->vm.head + i) & VM_MASK];
    if (store->issued > load->issued && load->due < store->read) renew(w, store, loaded, load->lanes);
  }
}

// ---- vector memory
//
// The waves of a work-group share one compute unit and its L1 cache, which takes their vector memory
// operations in the order of issue. Compilers rely on it: a work-group's release waits for no stores (LLVM
// AMDGPUUsage, memory model gfx942, not tgsplit), so that all that __syncthreads leaves between a store and
// another wave's load is s_barrier. Registers and LDS are filled as late as ever: what keeps the order is
// that an operation lands after the older ones of other waves that touch its memory.

static bool writes_memory(const sim_op *op) {
  return sim_atomic_kind_of(op) || !(op->dst_count || op->flags & SIM_F_LDS);
}

// Looks at the operations that were issued since the last look.
static void take_notes(sim_pending *p) {
  for (sim_vm_notes *n = &p->notes; n->fresh; --n->fresh) {
    const uint32_t slot = (p->vm.head + p->vm.count - n->fresh) & VM_MASK;
    const sim_access *a = &p->vm_ring[slot];
    uint64_t begin = INT64_MAX, end = 0;
    for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
      const uint64_t address = a->address[__builtin_ctzll(lanes)];
      if (address < begin) begin = address;
      if (address + a->bytes > end) end = address + a->bytes;
    }
    n->begin[slot] = (int64_t)begin;
    n->end[slot] = (int64_t)end;
  }
}

static bool overlaps(const sim_vm_notes *n, int64_t begin, int64_t end) {
  int64_t negative = 0;  // both differences, in some slot
  for (int i = 0; i < 64; ++i) negative |= (n->begin[i] - end) & (begin - n->end[i]);
  return negative < 0;
}

static void land_vm(sim_wave *w);

// Lands what `v` has issued before an operation of another wave, up to the last that shares memory with it
// and of which one writes. Lanes may lie interleaved without sharing a byte: then something lands sooner than
// it must.
static void land_older(sim_wave *v, const sim_vm_notes *n, uint32_t slot) {
  sim_pending *p = &v->pending;
  const int64_t begin = n->begin[slot], end = n->end[slot];
  if (!p->vm.count || !(n->write[slot] || p->notes.writes)) return;
  take_notes(p);
  if (p->vm.count > FEW && !overlaps(&p->notes, begin, end)) return;
  for (uint32_t left = p->vm.count; left; --left) {
    const uint32_t other = (p->vm.head + left - 1) & VM_MASK;
    if (p->notes.order[other] > n->order[slot] || !(n->write[slot] || p->notes.write[other])) continue;
    if (p->notes.begin[other] >= end || begin >= p->notes.end[other]) continue;
    while (left--) land_vm(v);
    return;
  }
}

// ---- LDS
//
// LDS takes what a wave asks of it in the order of issue, by DS and FLAT instructions alike: a FLAT
// instruction is issued to LDS and to memory at once (CDNA3 ISA, FLAT), and compilers rely on it (between a
// FLAT store and a DS read of the same byte LLVM waits for nothing).

static void land_lds(sim_wave *w) {
  sim_pending *p = &w->pending;
  sim_access *a = &p->lds_ring[p->lds.head];
  while ((int32_t)(a->after - (p->vm_issued - p->vm.count)) > 0) land_vm(w);
  p->lds.head = (p->lds.head + 1) & LGKM_MASK;
  --p->lds.count;
  a->land(w, a);
  renew_stores(w, a);
}

void sim_reaches_lds(sim_wave *w, sim_access *a) {
  a->reaches_lds = true;
  a->after = w->pending.lds_issued;
  w->pending.flat_lds = w->pending.vm_issued;
}

static void land_vm(sim_wave *w) {
  sim_group *g = w->group;
  sim_pending *p = &w->pending;
  sim_vm_notes *n = &p->notes;
  const uint32_t slot = p->vm.head;
  sim_access *a = &p->vm_ring[slot];
  while (a->reaches_lds && (int32_t)(a->after - (p->lds_issued - p->lds.count)) > 0) land_lds(w);
  if (g->wave_count > 1 && (n->write[slot] || g->writes != n->writes)) {
    take_notes(p);
    for (uint32_t i = 0; i < g->wave_count; ++i)
      if (&g->waves[i] != w) land_older(&g->waves[i], n, slot);
  }
  p->vm.head = (p->vm.head + 1) & VM_MASK;
  --p->vm.count;
  if (n->fresh > p->vm.count) n->fresh = p->vm.count;
  n->begin[slot] = n->end[slot] = 0;
  n->writes -= n->write[slot];
  g->writes -= n->write[slot];
  p->flat -= a->counts_lgkm;
  a->land(w, a);
  renew_stores(w, a);
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

static sim_access *prepare(sim_wave *w, sim_access *a, const sim_op *op, sim_land_fn land, queue_kind kind) {
  a->op = op;
  a->land = land;
  a->lanes = sim_exec(w);
  a->due = due(w, op, kind, &a->read);
  a->issued = w->instructions;
  a->data_dwords = 0;
  if (a->read > w->pending.read_until) w->pending.read_until = a->read;
  for (int i = 0; i < 4; ++i) a->in_range[i] = ~0ull;
  a->counts_lgkm = 0;
  a->smem_weight = 0;
  a->reaches_lds = false;
  return a;
}

sim_access *sim_issue_vm(sim_wave *w, const sim_op *op, sim_land_fn land) {
  sim_pending *p = &w->pending;
  while (p->vm.count >= SIM_VM_DEPTH) land_vm(w);
  uint32_t slot = (p->vm.head + p->vm.count++) & VM_MASK;
  sim_vm_notes *n = &p->notes;
  n->order[slot] = w->group->issued++;
  n->write[slot] = writes_memory(op);
  n->writes += n->write[slot];
  w->group->writes += n->write[slot];
  ++n->fresh;
  ++p->vm_issued;
  return prepare(w, &p->vm_ring[slot], op, land, QUEUE_VM);
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
  sim_access *a = prepare(w, &p->lds_ring[slot], op, land, QUEUE_LDS);
  a->after = p->flat_lds;
  ++p->lds_issued;
  return a;
}

sim_access *sim_issue_smem(sim_wave *w, const sim_op *op, sim_land_fn land, uint32_t dwords) {
  sim_pending *p = &w->pending;
  uint32_t weight = dwords > 1 ? 2 : 1;
  while (lgkm_count(p) + weight > SIM_LGKM_DEPTH) land_lgkm(w);
  uint32_t slot = p->smem_newest = (p->smem.head + p->smem.count++) & LGKM_MASK;
  sim_access *a = prepare(w, &p->smem_ring[slot], op, land, QUEUE_SMEM);
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

bool sim_outstanding(const sim_wave *w, uint32_t vm, uint32_t lgkm) {
  return w->pending.vm.count > vm || lgkm_count(&w->pending) > lgkm;
}

static uint64_t next_of(const sim_queue *q, const sim_access *ring) {
  return q->count ? ring[q->head].due : UINT64_MAX;
}

uint64_t sim_next_landing(const sim_wave *w) {
  const sim_pending *p = &w->pending;
  uint64_t next = next_of(&p->lds, p->lds_ring), smem = next_of(&p->smem, p->smem_ring),
           vm = next_of(&p->vm, p->vm_ring);
  if (smem < next) next = smem;
  return vm < next ? vm : next;
}

void sim_land_due(sim_wave *w) {
  sim_pending *p = &w->pending;
  const uint64_t now = w->group->round;
  while (next_of(&p->lds, p->lds_ring) <= now) land_lds(w);
  while (next_of(&p->smem, p->smem_ring) <= now) land_smem(w, false);
  while (next_of(&p->vm, p->vm_ring) <= now) land_vm(w);
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
