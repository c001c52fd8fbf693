// SPDX-License-Identifier: MIT
// Models vector memory of a compute unit: a short queue of instructions, the L1 cache (TCP) that splits them
// into lines and has a limit of bytes in flight, and the return of data in order. Scalar loads have a cache
// of their own.
#include <math.h>

#include "sim/timing/compute_unit.h"

bool sim_vmem_make(sim_vmem *v, const sim_timing *t) {
  bool tcp = sim_cache_make(&v->tcp, t->tcp_bytes, t->line_bytes, t->tcp_ways, SIM_CACHE_HASHED, true);
  return sim_cache_make(&v->scalar, t->scalar_bytes, t->scalar_line, 8, SIM_CACHE_HASHED, true) && tcp;
}

void sim_vmem_free(sim_vmem *v) {
  sim_cache_free(&v->tcp);
  sim_cache_free(&v->scalar);
}

bool sim_vmem_full(const sim_vmem *v, const sim_timing *t) { return v->count >= t->vmem_queue; }

// ---- lines in flight

static void drop_done(sim_flight *f, uint64_t now) {
  while (f->count && f->done[f->head] <= now) {
    f->head = (f->head + 1) % SIM_CU_LINES;
    --f->count;
  }
}

static void add_line(sim_flight *f, uint64_t done) { f->done[(f->head + f->count++) % SIM_CU_LINES] = done; }

// A request for more lines than may be in flight at all waits until nothing is in flight.
static bool has_room(const sim_flight *f, uint32_t lines, const sim_timing *t) {
  uint32_t limit = t->tcp_flight_bytes / t->line_bytes;
  return f->count + lines <= limit || !f->count;
}

// ---- instructions

static uint32_t data_cycles(const sim_vmem_request *r, const sim_timing *t) {
  uint32_t cycles = 64 * r->cost->bytes / t->tcp_clock_bytes;
  return cycles < t->slot_cycles ? t->slot_cycles : cycles;
}

// Reads the lines that the same instruction touches on another die, where it is the next access to memory.
// Returns their number.
static uint32_t elsewhere(const sim_cu *cu, sim_cu_other *other, sim_trace_access lines[SIM_TRACE_LINES]) {
  sim_trace_reader *r = &other->reader;
  while (!sim_trace_ended(r)) {
    const bool vmem = cu->costs[r->op].klass == SIM_CLASS_VMEM;
    const uint32_t count = sim_trace_next_access(r, cu->program, lines);
    if (!vmem) continue;
    for (uint32_t i = 0; i < count; ++i)
      lines[i].line = sim_alike_line(cu->alike->plan, other->group, &other->like, lines[i].line);
    return count;
  }
  return 0;
}

// Returns which lines L1 misses as one instruction finds it: bit i is line i's. Instructions of more than 64
// lines count as missing.
static uint64_t look_up(sim_cu *cu, const sim_vmem_request *r, uint64_t way[SIM_TRACE_LINES]) {
  uint64_t missed = 0;
  for (uint32_t i = 0; i < r->count; ++i) {
    bool hit = false;
    uint64_t evicted;
    way[i] = r->cost->bypass ? 0 : sim_cache_use(&cu->vmem.tcp, r->line[i].line, &hit, &evicted);
    ++cu->result->tcp_lines;
    cu->result->tcp_hits += hit;
    if (i < 64) missed |= (uint64_t)!hit << i;
  }
  return missed;
}

// The other dies are taken to hit their L1 where this one does. Which die comes
// first changes with every load.
static void touch_elsewhere(sim_cu *cu, sim_vmem_request *r, uint64_t missed, uint32_t first, uint32_t last,
                            uint64_t now) {
  sim_trace_access lines[SIM_TRACE_LINES];
  for (uint32_t k = first; k < last; ++k) {
    if (sim_trace_ended(&r->wave->other[k].reader)) continue;
    uint32_t count = elsewhere(cu, &r->wave->other[k], lines);
    for (uint32_t i = 0; i < count; ++i) sim_memory_expect(cu->memory, k + 1, lines[i].line);
    for (uint32_t i = 0; i < count; ++i)
      if (i >= 64 || missed >> i & 1)
        sim_memory_elsewhere(cu->memory, k + 1, lines[i].line, r->cost->store, (double)now);
  }
}

// Returns when the data of one line can be returned. All latencies were measured from a wave's load to its
// use, of which a hit in L1 takes its part: that part is spent before and after, not between the miss and the
// fill.
static uint64_t fetch(sim_cu *cu, const sim_vmem_request *r, uint64_t line, uint64_t way, bool missed,
                      uint64_t now) {
  sim_vmem *v = &cu->vmem;
  const sim_timing *t = cu->timing;
  if (!missed) {
    uint64_t filled = (uint64_t)ceil(v->tcp.ready[way]);
    return (now > filled ? now : filled) + t->tcp_latency;
  }
  double arrives = sim_memory_read(cu->memory, line, (double)now) - t->tcp_latency;
  v->fill_free =
      (arrives > v->fill_free ? arrives : v->fill_free) + (double)t->line_bytes / t->tcp_clock_bytes;
  uint64_t filled = (uint64_t)ceil(v->fill_free);
  if (!r->cost->bypass) v->tcp.ready[way] = v->fill_free;
  add_line(&v->reads, filled);
  return filled + t->tcp_latency;
}

// Cycles the banks of LDS take for the data of a copy.
static uint32_t copy_cycles(const sim_cu *cu, const sim_op_cost *cost) {
  const uint32_t dwords = (cost->bytes + 3) / 4, bytes = 64 * 4 * dwords;
  return (bytes + cu->timing->lds_copy_bytes - 1) / cu->timing->lds_copy_bytes;
}

static double lane_bytes(const sim_cu *cu, const sim_vmem_request *r) {
  const uint32_t lanes = 64 * r->cost->bytes, lines = r->count * cu->timing->line_bytes;
  return lanes < lines ? lanes : lines;
}

static void load(sim_cu *cu, sim_vmem_request *r, uint64_t now) {
  sim_vmem *v = &cu->vmem;
  cu->result->read_bytes[WT_SIM_LEVEL_L1] += lane_bytes(cu, r);
  uint64_t first = now, last = now, way[SIM_TRACE_LINES], missed = look_up(cu, r, way);
  uint32_t before = v->loads++ % (SIM_CU_OTHERS + 1);
  touch_elsewhere(cu, r, missed, 0, before, now);
  for (uint32_t i = 0; i < r->count; ++i) {
    uint64_t there = fetch(cu, r, r->line[i].line, way[i], i >= 64 || missed >> i & 1, now + i);
    if (i == 0 || there < first) first = there;
    if (there > last) last = there;
  }
  touch_elsewhere(cu, r, missed, before, SIM_CU_OTHERS, now);
  v->data_free = (first > v->data_free ? first : v->data_free) + data_cycles(r, cu->timing);
  if (v->data_free < last) v->data_free = last;
  sim_lds *lds = &cu->lds;
  if (r->cost->direct && r->count && lds->copy_count < SIM_CU_COPIES)
    lds->copy[(lds->copy_head + lds->copy_count++) % SIM_CU_COPIES] =
        (sim_lds_copy){r->wave, r->slot, copy_cycles(cu, r->cost), v->data_free};
  else
    r->wave->vm[r->slot] = v->data_free;
}

static void store(sim_cu *cu, sim_vmem_request *r, uint64_t now) {
  uint64_t last = now;
  cu->result->written_bytes[WT_SIM_LEVEL_L1] += lane_bytes(cu, r);
  for (uint32_t i = 0; i < r->count; ++i) {
    double done = sim_memory_write(cu->memory, r->line[i].line, r->line[i].halves, (double)(now + i));
    uint64_t there = (uint64_t)ceil(done);
    if (there > last) last = there;
  }
  touch_elsewhere(cu, r, UINT64_MAX, 0, SIM_CU_OTHERS, now);
  sim_flight *f = &cu->vmem.writes;
  uint64_t before = f->count ? f->done[(f->head + f->count - 1) % SIM_CU_LINES] : 0;
  for (uint32_t i = 0; i < r->count; ++i) add_line(f, last > before ? last : before);
  r->wave->vm[r->slot] = last;
  if (last > cu->last_write) cu->last_write = last;
}

void sim_vmem_step(sim_cu *cu, uint64_t now) {
  sim_vmem *v = &cu->vmem;
  if (!v->count || v->address_free > now) return;
  sim_vmem_request *r = &v->queue[v->head];
  sim_flight *flight = r->cost->store ? &v->writes : &v->reads;
  drop_done(flight, now);
  if (!has_room(flight, r->count, cu->timing)) return;
  if (r->cost->store)
    store(cu, r, now);
  else
    load(cu, r, now);
  // This takes a tag a cycle, and the pace of the data.
  uint32_t cycles = data_cycles(r, cu->timing);
  v->address_free = now + (r->tags > cycles ? r->tags : cycles);
  v->head = (v->head + 1) % SIM_CU_QUEUE;
  --v->count;
}

uint64_t sim_vmem_scalar(sim_cu *cu, uint64_t line, uint64_t now) {
  const sim_timing *t = cu->timing;
  bool hit;
  uint64_t evicted, way = sim_cache_use(&cu->vmem.scalar, line, &hit, &evicted);
  double *ready = &cu->vmem.scalar.ready[way];
  if (!hit) *ready = sim_memory_read(cu->memory, line * t->scalar_line / t->line_bytes, (double)now);
  uint64_t filled = (uint64_t)ceil(*ready), there = now + t->scalar_latency;
  return there > filled ? there : filled;
}
