// SPDX-License-Identifier: MIT
// Registers read or overwritten while a load that writes them may still be in flight.
#include <stdio.h>

#include "sim/check/state.h"

// Returns the first register of the range whose bit is set, or -1.
static int first_set(const uint64_t *bits, sim_reg_run r) {
  for (unsigned reg = r.first, end = r.first + r.count; reg < end;) {
    uint64_t word = bits[reg / 64] >> (reg & 63);
    unsigned room = 64 - (reg & 63), want = end - reg < room ? end - reg : room;
    if (want < 64) word &= (1ull << want) - 1;
    if (word) return (int)(reg + (unsigned)__builtin_ctzll(word));
    reg += want;
  }
  return -1;
}

static const sim_flight *flight_of(const sim_check_wave *c, int reg) {
  const sim_queue_state *q = &c->queue[c->busy_queue[reg]];
  const sim_flight *flight = &q->flight[c->busy_serial[reg] & (SIM_QUEUE_LENGTH - 1)];
  return flight->serial == c->busy_serial[reg] ? flight : NULL;
}

// For vector registers, this says whether a lane of the access is one that the load writes.
static uint64_t common_lanes(const sim_check_wave *c, const sim_op *op, const sim_op_facts *f, int reg,
                             const sim_flight *flight) {
  if (reg >= SIM_REG_SGPR || !flight) return ~0ull;
  bool all = (f->flags & SIM_FACT_ALL_LANES) || f->spread == SIM_SPREAD_READLANE ||
             f->spread == SIM_SPREAD_FIRST || f->spread == SIM_SPREAD_WRITELANE ||
             op->encoding == SIM_ENC_DPP;
  return flight->lanes & (all ? ~0ull : c->exec);
}

static void report(sim_wave *w, const sim_op *op, int reg, const sim_flight *flight, uint64_t lanes,
                   bool reads) {
  const sim_check_wave *c = sim_check_wave_of(w);
  int lane = reg < SIM_REG_SGPR && lanes ? __builtin_ctzll(lanes) : -1;
  sim_finding *found = sim_find(w, reads ? SIM_FINDING_READ_BEFORE_WAIT : SIM_FINDING_OVERWRITE_PENDING,
                                sim_index_of(w, op), flight ? flight->op : SIM_NO_OP, lane);
  if (!found) return;
  char name[16];
  sim_register_name(name, sizeof name, (unsigned)reg);
  snprintf(found->detail, sizeof found->detail,
           reads ? "%s is read while the load that fills it may be in flight"
                 : "%s is overwritten while a load that writes it may be in flight",
           name);
  sim_counters_remedy(c, (sim_queue_kind)c->busy_queue[reg], c->busy_serial[reg], found->remedy,
                      sizeof found->remedy);
}

// Loads of one kind write in the order of their issue, but for scalar ones.
static bool in_order(const sim_check_wave *c, const sim_op_facts *f, int reg) {
  if (!(f->flags & SIM_FACT_RETURNS)) return false;
  if (f->path == SIM_PATH_LDS) return c->busy_queue[reg] == SIM_QUEUE_LDS;
  return f->path == SIM_PATH_VM && c->busy_queue[reg] == SIM_QUEUE_VM;
}

// A load that was not waited for is told at the first use of what it loads: all later uses have that cause.
static void settle(sim_check_wave *c, int reg) {
  const uint32_t serial = c->busy_serial[reg];
  const uint8_t queue = c->busy_queue[reg];
  for (unsigned word = 0; word < SIM_REGISTERS / 64; ++word)
    for (uint64_t bits = c->busy[word]; bits; bits &= bits - 1) {
      const unsigned other = word * 64 + (unsigned)__builtin_ctzll(bits);
      if (c->busy_serial[other] == serial && c->busy_queue[other] == queue)
        c->busy[word] &= ~(1ull << (other & 63));
    }
}

void sim_check_registers(sim_wave *w, const sim_op *op, const sim_op_facts *f) {
  sim_check_wave *c = sim_check_wave_of(w);
  for (unsigned i = 0; i < f->read_count; ++i) {
    for (int reg; (reg = first_set(c->busy, f->read[i])) >= 0;) {
      const sim_flight *flight = flight_of(c, reg);
      const uint64_t lanes = common_lanes(c, op, f, reg, flight);
      if (!lanes) break;
      report(w, op, reg, flight, lanes, true);
      settle(c, reg);
    }
  }
  for (unsigned i = 0; i < f->write_count; ++i) {
    int reg = first_set(c->busy, f->write[i]);
    if (reg >= 0 && !in_order(c, f, reg)) {
      const sim_flight *flight = flight_of(c, reg);
      uint64_t lanes = common_lanes(c, op, f, reg, flight);
      if (lanes) {
        report(w, op, reg, flight, lanes, false);
        settle(c, reg);
      }
    }
    reg = first_set(c->stored, f->write[i]);
    if (reg < 0) continue;
    sim_finding *found = sim_find(w, SIM_FINDING_SOURCE_OVERWRITTEN, sim_index_of(w, op), SIM_NO_OP, -1);
    if (!found) continue;
    char name[16];
    sim_register_name(name, sizeof name, (unsigned)reg);
    snprintf(found->detail, sizeof found->detail,
             "%s is overwritten while a scalar store or atomic that reads it may be in flight", name);
    snprintf(found->remedy, sizeof found->remedy, "s_waitcnt lgkmcnt(0) is needed before this");
  }
}
