// SPDX-License-Identifier: MIT
// Tracks which memory operations of a wave may still be in flight, as far as its waits tell. Widths and rules
// of the counters are those of sim/exec/pending.c, but nothing here lands before the program has waited for
// it, whatever the schedule.
#include <stdio.h>

#include "sim/check/state.h"

void sim_counters_begin(sim_check_wave *c) {
  for (int q = 0; q < SIM_QUEUES; ++q)
    c->queue[q].issued = c->queue[q].retired = c->queue[q].released = c->queue[q].released_issue = 0;
  c->smem_weight = c->flats = 0;
  c->flat_retired = c->flat_released = 0;
  memset(c->busy, 0, sizeof c->busy);
  memset(c->stored, 0, sizeof c->stored);
}

static uint32_t in_flight(const sim_queue_state *q) { return q->issued - q->retired; }
static uint32_t lgkm_count(const sim_check_wave *c) {
  return in_flight(&c->queue[SIM_QUEUE_LDS]) + c->smem_weight + c->flats;
}

static void set_bits(uint64_t *bits, sim_reg_run r, bool value) {
  for (unsigned reg = r.first; reg < (unsigned)r.first + r.count; ++reg) {
    uint64_t bit = 1ull << (reg & 63);
    if (value)
      bits[reg / 64] |= bit;
    else
      bits[reg / 64] &= ~bit;
  }
}

// Records the registers that a load writes when it lands.
static void claim(sim_check_wave *c, const sim_op_facts *f, sim_queue_kind queue, uint32_t serial) {
  for (unsigned i = 0; i < f->write_count; ++i) {
    sim_reg_run r = f->write[i];
    set_bits(c->busy, r, true);
    for (unsigned reg = r.first; reg < (unsigned)r.first + r.count; ++reg) {
      c->busy_serial[reg] = serial;
      c->busy_queue[reg] = (uint8_t)queue;
    }
  }
}

static void give_back(sim_check_wave *c, const sim_op_facts *f, sim_queue_kind queue, uint32_t serial) {
  for (unsigned i = 0; i < f->write_count; ++i)
    for (unsigned reg = f->write[i].first; reg < (unsigned)f->write[i].first + f->write[i].count; ++reg)
      if (c->busy_serial[reg] == serial && c->busy_queue[reg] == queue)
        c->busy[reg / 64] &= ~(1ull << (reg & 63));
}

static void retire(sim_check_wave *c, const sim_op_facts *facts, sim_queue_kind queue) {
  sim_queue_state *q = &c->queue[queue];
  const uint32_t serial = ++q->retired;
  const sim_flight *flight = &q->flight[serial & (SIM_QUEUE_LENGTH - 1)];
  const sim_op_facts *f = &facts[flight->op];
  if (!(f->flags & SIM_FACT_RETURNS)) return;
  if (flight->flat) {
    // vmcnt alone does not say that what came from LDS is there: from now on lgkmcnt has to.
    for (unsigned i = 0; i < f->write_count; ++i)
      for (unsigned reg = f->write[i].first; reg < (unsigned)f->write[i].first + f->write[i].count; ++reg)
        if (c->busy_serial[reg] == serial && c->busy_queue[reg] == queue) {
          c->busy_queue[reg] = SIM_QUEUE_SMEM;
          c->busy_serial[reg] = c->queue[SIM_QUEUE_SMEM].issued + 1;
        }
    return;
  }
  give_back(c, f, queue, serial);
}

// Everything that lgkmcnt counts has landed.
static void retire_lgkm(sim_check_wave *c, const sim_op_facts *facts) {
  sim_queue_state *lds = &c->queue[SIM_QUEUE_LDS], *smem = &c->queue[SIM_QUEUE_SMEM],
                  *vm = &c->queue[SIM_QUEUE_VM];
  while (in_flight(lds)) retire(c, facts, SIM_QUEUE_LDS);
  while (in_flight(smem)) retire(c, facts, SIM_QUEUE_SMEM);
  for (uint32_t s = vm->retired + 1; s != vm->issued + 1; ++s)
    vm->flight[s & (SIM_QUEUE_LENGTH - 1)].flat = false;
  // FLAT loads whose vmcnt part was over before.
  for (unsigned word = 0; word < SIM_REGISTERS / 64; ++word)
    for (uint64_t bits = c->busy[word]; bits; bits &= bits - 1) {
      unsigned reg = word * 64 + (unsigned)__builtin_ctzll(bits);
      if (c->busy_queue[reg] == SIM_QUEUE_SMEM) c->busy[word] &= ~(1ull << (reg & 63));
    }
  memset(c->stored, 0, sizeof c->stored);
  c->smem_weight = c->flats = 0;
  c->flat_retired = vm->issued;
}

void sim_counters_wait(sim_check_wave *c, const sim_op_facts *facts, uint32_t vm, uint32_t lgkm) {
  while (in_flight(&c->queue[SIM_QUEUE_VM]) > vm) retire(c, facts, SIM_QUEUE_VM);
  if (lgkm == 0) {
    retire_lgkm(c, facts);
    return;
  }
  // No more than that many are in flight altogether: LDS operations land in order, of the others it is not
  // known which.
  while (in_flight(&c->queue[SIM_QUEUE_LDS]) > lgkm) retire(c, facts, SIM_QUEUE_LDS);
}

// A full counter stalls the issue until an operation lands.
static void stall_while_full(sim_check_wave *c, const sim_op_facts *facts, const sim_op_facts *f) {
  if (f->path == SIM_PATH_VM || f->path == SIM_PATH_FLAT)
    while (in_flight(&c->queue[SIM_QUEUE_VM]) >= SIM_VM_DEPTH) retire(c, facts, SIM_QUEUE_VM);
  if (f->path == SIM_PATH_VM) return;
  uint32_t weight = f->path == SIM_PATH_SMEM ? f->weight : 1;
  if (lgkm_count(c) + weight <= SIM_LGKM_DEPTH) return;
  if (!c->smem_weight && !c->flats) {
    sim_counters_wait(c, facts, SIM_VM_DEPTH, SIM_LGKM_DEPTH - weight);
    return;
  }
  // Which scalar loads have landed is not known. LDS operations beyond the depth have.
  while (in_flight(&c->queue[SIM_QUEUE_LDS]) + weight > SIM_LGKM_DEPTH) retire(c, facts, SIM_QUEUE_LDS);
}

sim_flight *sim_counters_issue(sim_check_wave *c, const sim_op_facts *f, uint32_t op, uint64_t lanes) {
  if (f->path == SIM_PATH_NONE) return NULL;
  const sim_op_facts *facts = f - op;
  stall_while_full(c, facts, f);
  sim_queue_kind kind = f->path == SIM_PATH_LDS    ? SIM_QUEUE_LDS
                        : f->path == SIM_PATH_SMEM ? SIM_QUEUE_SMEM
                                                   : SIM_QUEUE_VM;
  sim_queue_state *q = &c->queue[kind];
  // More scalar operations than the ring holds are in flight only in programs that never wait.
  if (in_flight(q) == SIM_QUEUE_LENGTH - 1) retire(c, facts, kind);
  const uint32_t serial = ++q->issued;
  sim_flight *flight = &q->flight[serial & (SIM_QUEUE_LENGTH - 1)];
  flight->op = op;
  flight->serial = serial;
  flight->lanes = lanes;
  flight->flat = f->path == SIM_PATH_FLAT;
  flight->reads_lds = flight->copies = false;
  if (f->path == SIM_PATH_SMEM) c->smem_weight += f->weight;
  c->flats += flight->flat;
  if (f->flags & SIM_FACT_RETURNS) claim(c, f, kind, serial);
  if (f->path == SIM_PATH_SMEM && (f->flags & SIM_FACT_STORES) && !(f->flags & SIM_FACT_RETURNS))
    set_bits(c->stored, f->data, true);
  return flight;
}

void sim_counters_release(sim_check_wave *c) {
  for (int q = 0; q < SIM_QUEUES; ++q) {
    c->queue[q].released = c->queue[q].retired;
    c->queue[q].released_issue = c->queue[q].issued;
  }
  c->flat_released = c->flat_retired;
}

void sim_counters_remedy(const sim_check_wave *c, sim_queue_kind queue, uint32_t serial, char *out,
                         size_t size) {
  const sim_queue_state *q = &c->queue[queue];
  uint32_t later = q->issued - serial;
  bool flat = queue == SIM_QUEUE_VM && serial > q->retired && q->flight[serial & (SIM_QUEUE_LENGTH - 1)].flat;
  if (flat) {
    snprintf(out, size, "s_waitcnt vmcnt(%u) lgkmcnt(0) is needed before this", later);
  } else if (queue == SIM_QUEUE_VM) {
    snprintf(out, size, "s_waitcnt vmcnt(%u) is needed before this", later);
  } else {
    bool ordered = queue == SIM_QUEUE_LDS && !c->smem_weight && !c->flats;
    snprintf(out, size, "s_waitcnt lgkmcnt(%u) is needed before this", ordered ? later : 0);
  }
}
