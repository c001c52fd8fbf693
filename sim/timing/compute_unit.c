// SPDX-License-Identifier: MIT
// Issues instructions. In each cycle one SIMD has the slot, in which every wave may issue one instruction,
// and every unit may take one. Among the waves that want a unit, the one with the highest priority gets it,
// then the oldest.
#include "sim/timing/compute_unit.h"

#include <stdlib.h>
#include <string.h>

#include "sim/exec/pending.h"
#include "sim/timing/zeroed.h"

const char *const sim_stall_names[WT_SIM_STALLS] = {
#define TEXT(name, text) text,
    WT_SIM_STALL_LIST(TEXT)
#undef TEXT
};

enum { PLACES = SIM_CU_SIMDS * SIM_CU_WAVES, ISSUED = WT_SIM_STALLS, NOT_YET };

// A wave has lost cycles before or at an op.
static void stalled(sim_cu *cu, uint32_t op, wt_sim_stall cause, uint64_t cycles) {
  cu->result->stall[cause] += (double)cycles;
  if (cu->ops) cu->ops[op].stall[cause] += cycles;
}

static void issued(sim_cu *cu, const sim_cu_wave *w, uint32_t op, uint64_t now) {
  if (cu->ops) ++cu->ops[op].issued;
  sim_timing_issues *kept = cu->issues;
  if (!kept || now < kept->from || kept->count == kept->capacity) return;
  kept->issue[kept->count++] = (sim_timing_issue){.cycle = now,
                                                  .op = op,
                                                  .simd = (uint16_t)w->simd,
                                                  .place = (uint16_t)(w - cu->waves),
                                                  .wave = w->number};
}

// ---- work-groups

bool sim_cu_make(sim_cu *cu) {
  cu->waves = sim_zeroed(PLACES * sizeof *cu->waves);
  cu->groups = calloc(PLACES, sizeof *cu->groups);
  return sim_vmem_make(&cu->vmem, cu->timing) && cu->waves && cu->groups;
}

void sim_cu_free(sim_cu *cu) {
  sim_vmem_free(&cu->vmem);
  sim_zeroed_free(cu->waves, PLACES * sizeof *cu->waves);
  free(cu->groups);
}

static uint32_t emptiest_simd(const sim_cu *cu) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < SIM_CU_SIMDS; ++i)
    if (cu->simd[i].count < cu->simd[best].count) best = i;
  return best;
}

static sim_cu_wave *start_wave(sim_cu *cu, sim_cu_group *group, const sim_wave_trace *trace, uint32_t simd,
                               uint64_t now) {
  sim_cu_wave *w = cu->waves;
  while (w->group) ++w;
  memset(w, 0, sizeof *w);
  w->group = group;
  w->reader = sim_trace_read(trace, cu->program);
  w->cost = &cu->costs[w->reader.op];
  w->number = cu->started++;
  w->simd = simd;
  w->next = w->started = w->window_begun = now;
  w->clock_first = SIM_CU_UNKNOWN;
  w->window = w->cost->first_window;
  sim_simd *s = &cu->simd[simd];
  s->wave[s->count++] = w;
  return w;
}

static void start_others(const sim_cu *cu, sim_cu_wave *w, uint32_t wave, uint64_t index, uint32_t others) {
  for (uint32_t k = 0; k < others && k < SIM_CU_OTHERS; ++k) {
    const sim_stand_in s = sim_alike_find(cu->alike, index + 1 + k);
    cu->result->unlike_groups += wave == 0 && !s.like;
    w->other[k] = (sim_cu_other){sim_trace_read(&s.trace->waves[wave], cu->program), index + 1 + k, s};
  }
}

// Waves i and i + 4 share a SIMD (PYHIP docs/mfma-valu-coissue.md).
const sim_cu_group *sim_cu_start(sim_cu *cu, const sim_group_trace *trace, uint64_t index, uint32_t others,
                                 uint64_t now) {
  sim_cu_group *g = cu->groups;
  while (g->live) ++g;
  *g = (sim_cu_group){.live = trace->wave_count};
  uint32_t first = emptiest_simd(cu);
  for (uint32_t i = 0; i < trace->wave_count; ++i) {
    uint32_t simd = (first + i) % SIM_CU_SIMDS;
    if (cu->simd[simd].count == SIM_CU_WAVES) simd = emptiest_simd(cu);
    sim_cu_wave *w =
        start_wave(cu, g, &trace->waves[i], simd, now + (uint64_t)i * cu->timing->wave_launch_cycles);
    start_others(cu, w, i, index, others);
  }
  ++cu->resident;
  if (cu->sleeps > now) cu->sleeps = now;
  return g;
}

static void release_barrier(sim_cu *cu, sim_cu_group *g, uint64_t now) {
  if (!g->live || g->arrived < g->live) return;
  g->arrived = 0;
  for (uint32_t i = 0; i < PLACES; ++i) {
    sim_cu_wave *w = &cu->waves[i];
    if (w->group != g || !w->at_barrier) continue;
    w->at_barrier = false;
    w->next = now + cu->timing->barrier_cycles;
    stalled(cu, w->reader.op - 1, WT_SIM_STALL_BARRIER, w->next - w->paused);
  }
}

// The time between two runs of the hot loop does not count as part of the loop.
static void leave_loop(sim_cu *cu, sim_cu_wave *w) {
  if (w->loop_last > w->loop_first) {
    cu->loop_cycles += (double)(w->loop_last - w->loop_first);
    cu->loop_busy += (double)(w->loop_busy_last - w->loop_busy_first);
  }
  w->loop_first = w->loop_last = 0;
}

static void end_wave(sim_cu *cu, sim_cu_wave *w, uint64_t now) {
  sim_simd *s = &cu->simd[w->simd];
  uint32_t i = 0;
  while (s->wave[i] != w) ++i;
  for (--s->count; i < s->count; ++i) s->wave[i] = s->wave[i + 1];
  if (s->matrix_wave == w) s->matrix_wave = NULL;
  cu->result->wave_cycles += (double)(now - w->started);
  ++cu->result->waves;
  if (w->clock_last > w->clock_first) {
    cu->result->clock_cycles += (double)(w->clock_last - w->clock_first);
    ++cu->result->clock_waves;
  }
  leave_loop(cu, w);
  sim_cu_group *g = w->group;
  w->group = NULL;
  if (--g->live)
    release_barrier(cu, g, now);
  else
    --cu->resident;
}

// ---- counters

static void drop_done(sim_cu_wave *w, uint64_t now) {
  for (; w->vm_count && w->vm[w->vm_head] <= now; --w->vm_count) w->vm_head = (w->vm_head + 1) % 64;
  for (; w->lds_count && w->lds[w->lds_head] <= now; --w->lds_count) w->lds_head = (w->lds_head + 1) % 16;
  for (uint32_t i = 0; i < w->scalar_count;) {
    if (w->scalar[i] > now) {
      ++i;
      continue;
    }
    --w->scalar_count;  // they return in any order
    w->scalar[i] = w->scalar[w->scalar_count];
    w->scalar_weight[i] = w->scalar_weight[w->scalar_count];
  }
}

static uint32_t lgkm(const sim_cu_wave *w) {
  uint32_t count = w->lds_count;
  for (uint32_t i = 0; i < w->scalar_count; ++i) count += w->scalar_weight[i];
  return count;
}

// Sleeps until a known cycle; the time counts for the cause at once.
static int sleep_until(sim_cu *cu, sim_cu_wave *w, wt_sim_stall cause, uint64_t now, uint64_t until) {
  w->next = until;
  stalled(cu, w->reader.op, cause, until - now);
  return NOT_YET;
}

static int wait(sim_cu *cu, sim_cu_wave *w, uint64_t now) {
  drop_done(w, now);
  if (w->vm_count > w->cost->vm) {
    uint64_t until = w->vm[(w->vm_head + w->vm_count - w->cost->vm - 1) % 64];
    return until > now && until != SIM_CU_UNKNOWN ? sleep_until(cu, w, WT_SIM_STALL_VMEM_WAIT, now, until)
                                                  : WT_SIM_STALL_VMEM_WAIT;
  }
  return lgkm(w) > w->cost->lgkm ? WT_SIM_STALL_LDS_WAIT : ISSUED;
}

// ---- registers

// Returns the cycle from which the sources of an instruction can be read.
static uint64_t sources_ready(const sim_cu_wave *w, uint32_t count) {
  uint64_t ready = 0;
  for (uint32_t i = 0; i < count; ++i)
    for (uint32_t r = 0; r < w->cost->source[i].count; ++r) {
      uint64_t there = w->row[w->cost->source[i].first + r].ready;
      if (there > ready) ready = there;
    }
  return ready;
}

static uint64_t accumulator_ready(const sim_cu_wave *w, const sim_opinfo *info) {
  const sim_registers *c = &w->cost->source[2];
  uint64_t ready = 0;
  for (uint32_t r = 0; r < c->count; ++r) {
    const sim_cu_result *row = &w->row[c->first + r];
    bool same = row->info == info && row->first == c->first;
    uint64_t there = !row->info ? row->ready : same ? row->same : row->overlap;
    if (there > ready) ready = there;
  }
  return ready;
}

static void write_results(sim_cu_wave *w, uint64_t ready) {
  for (uint32_t i = 0; i < w->cost->result_count; ++i)
    for (uint32_t r = 0; r < w->cost->result[i].count; ++r) {
      sim_cu_result *row = &w->row[w->cost->result[i].first + r];
      row->ready = ready;
      row->info = NULL;
    }
}

static void write_product(sim_cu_wave *w, const sim_opinfo *info, uint64_t now) {
  const sim_registers *d = &w->cost->result[0];
  for (uint32_t r = 0; r < d->count; ++r)
    w->row[d->first + r] = (sim_cu_result){.ready = now + w->cost->to_use,
                                           .overlap = now + w->cost->to_overlap,
                                           .same = now + w->cost->to_same,
                                           .info = info,
                                           .first = d->first};
}

// Returns the stall for the kind of result that a wave waits for.
static wt_sim_stall dependency(const sim_cu_wave *w) {
  for (uint32_t i = 0; i < w->cost->source_count; ++i)
    for (uint32_t r = 0; r < w->cost->source[i].count; ++r)
      if (w->row[w->cost->source[i].first + r].info) return WT_SIM_STALL_MATRIX;
  return WT_SIM_STALL_VALU;
}

// ---- issue by unit: ISSUED, NOT_YET or the cause of the stall

// Adds up how long the matrix pipe had nothing to do before an MFMA that enters it at `enters`. In the first
// iteration of the loop, that would be the time since the wave before, which says nothing about the loop.
static void watch_pipe(const sim_cu *cu, const sim_simd *s, const sim_cu_wave *w, uint64_t enters) {
  if (!cu->ops || !w->loop_first) return;
  sim_timing_op *op = &cu->ops[w->reader.op];
  ++op->watched;
  if (s->matrix_free < enters) op->idle += enters - s->matrix_free;
}

static int issue_mfma(sim_cu *cu, sim_simd *s, sim_cu_wave *w, uint64_t now) {
  const sim_op_cost *c = w->cost;
  const sim_opinfo *info = cu->program->ops[w->reader.op].info;
  if (s->port_free > now || s->operand_free > now) return WT_SIM_STALL_ISSUE;
  if (s->matrix_free > now + c->lead_cycles) return WT_SIM_STALL_MATRIX;
  bool accumulates = c->source_count > 2 && c->source[2].count == c->result[0].count;
  if (sources_ready(w, accumulates ? 2 : c->source_count) > now) return dependency(w);
  if (accumulates && accumulator_ready(w, info) > now) return WT_SIM_STALL_MATRIX;
  watch_pipe(cu, s, w, now + c->lead_cycles);
  s->operand_free = now + c->read_cycles;
  s->port_free = now + c->port_cycles;
  s->matrix_free = now + c->lead_cycles + c->cycles;
  s->matrix_busy += c->cycles;
  s->matrix_wave = w;
  write_product(w, info, now);
  sim_trace_next_plain(&w->reader);
  return ISSUED;
}

static int issue_valu(sim_cu *cu, sim_simd *s, sim_cu_wave *w, uint64_t now) {
  const sim_timing *t = cu->timing;
  if (s->port_free > now || s->operand_free > now) return WT_SIM_STALL_ISSUE;
  if (w->cost->packed && s->matrix_free) {
    uint64_t free = s->matrix_free + (s->matrix_wave == w ? t->packed_after_mfma : 0);
    if (free > now) return WT_SIM_STALL_MATRIX;
  }
  if (sources_ready(w, w->cost->source_count) > now) return dependency(w);
  s->port_free = now + w->cost->cycles;
  uint64_t latency = w->cost->cycles + t->valu_latency - t->slot_cycles;
  write_results(w, now + latency);
  sim_trace_next_plain(&w->reader);
  return ISSUED;
}

static int issue_lds(sim_cu *cu, sim_simd *s, sim_cu_wave *w, uint64_t now) {
  if (s->operand_free > now) return WT_SIM_STALL_ISSUE;
  if (sim_lds_full(&cu->lds, w->simd, cu->timing, now)) return WT_SIM_STALL_LDS_QUEUE;
  drop_done(w, now);
  if (lgkm(w) >= SIM_LGKM_DEPTH) return WT_SIM_STALL_LDS_WAIT;
  if (sources_ready(w, w->cost->source_count) > now) return dependency(w);
  uint32_t conflicts = sim_trace_next_lds(&w->reader);
  cu->result->lds_conflicts += conflicts ? conflicts - 1 : 0;
  sim_lds_enqueue(cu, w, w->cost, conflicts);
  return ISSUED;
}

static int issue_vmem(sim_cu *cu, sim_simd *s, sim_cu_wave *w, uint64_t now) {
  sim_vmem *v = &cu->vmem;
  const sim_op_cost *c = w->cost;
  if (s->operand_free > now) return WT_SIM_STALL_ISSUE;
  if (sim_vmem_full(v, cu->timing)) return WT_SIM_STALL_TCP;
  if (c->store && v->store_free > now) return WT_SIM_STALL_TCP;
  drop_done(w, now);
  if (w->vm_count >= SIM_VM_DEPTH) return WT_SIM_STALL_VMEM_WAIT;
  if (sources_ready(w, c->source_count) > now) return dependency(w);
  sim_vmem_request *r = &v->queue[(v->head + v->count) % SIM_CU_QUEUE];
  r->count = sim_trace_next_vmem(&w->reader, r->line, &r->tags);
  if (!c->counted) return ISSUED;
  if (c->store) v->store_free = now + 64 * c->bytes / cu->timing->tcp_clock_bytes;
  r->wave = w;
  r->cost = c;
  r->slot = (w->vm_head + w->vm_count++) % 64;
  w->vm[r->slot] = SIM_CU_UNKNOWN;
  ++v->count;
  return ISSUED;
}

static int issue_scalar(sim_cu *cu, sim_cu_wave *w, uint64_t now) {
  if (w->cost->klass != SIM_CLASS_SMEM) {
    sim_trace_next_plain(&w->reader);
    return ISSUED;
  }
  drop_done(w, now);
  if (w->scalar_count == 16 || lgkm(w) + w->cost->scalar_weight > SIM_LGKM_DEPTH)
    return WT_SIM_STALL_LDS_WAIT;
  if (w->cost->clock) {
    w->clock_last = now;
    if (w->clock_first == SIM_CU_UNKNOWN) w->clock_first = now;
  }
  w->scalar[w->scalar_count] = sim_vmem_scalar(cu, sim_trace_next_scalar(&w->reader), now);
  w->scalar_weight[w->scalar_count++] = w->cost->scalar_weight;
  return ISSUED;
}

static int issue_branch(sim_cu *cu, sim_simd *s, sim_cu_wave *w, uint64_t now) {
  uint32_t op = w->reader.op;
  if (!sim_trace_next_branch(&w->reader)) {
    if (op == cu->hot_branch) leave_loop(cu, w);
    return ISSUED;
  }
  w->next = now + cu->timing->branch_cycles;
  stalled(cu, op, WT_SIM_STALL_FETCH, cu->timing->branch_cycles - cu->timing->slot_cycles);
  if (op != cu->hot_branch) return ISSUED;
  if (!w->loop_first) {
    w->loop_first = now;
    w->loop_busy_first = s->matrix_busy;
  }
  w->loop_last = now;
  w->loop_busy_last = s->matrix_busy;
  return ISSUED;
}

// A wave keeps its registers until what it has asked for has been taken from them.
static bool has_requests(sim_cu_wave *w, uint64_t now) {
  drop_done(w, now);
  for (uint32_t i = 0; i < w->vm_count; ++i)
    if (w->vm[(w->vm_head + i) % 64] == SIM_CU_UNKNOWN) return true;
  for (uint32_t i = 0; i < w->lds_count; ++i)
    if (w->lds[(w->lds_head + i) % 16] == SIM_CU_UNKNOWN) return true;
  return false;
}

static int issue_internal(sim_cu *cu, sim_cu_wave *w, uint64_t now) {
  switch ((sim_internal)w->cost->internal) {
    case SIM_INTERNAL_WAIT: {
      int outcome = wait(cu, w, now);
      if (outcome != ISSUED) return outcome;
      break;
    }
    case SIM_INTERNAL_BARRIER:
      w->at_barrier = true;
      w->paused = now;
      break;
    case SIM_INTERNAL_PAUSE:
      w->next = now + w->cost->cycles;
      stalled(cu, w->reader.op, WT_SIM_STALL_SLEEP, w->cost->cycles - cu->timing->slot_cycles);
      break;
    case SIM_INTERNAL_PRIORITY: w->priority = w->cost->priority; break;
    case SIM_INTERNAL_END:
      if (has_requests(w, now)) return WT_SIM_STALL_TCP;
      break;
    case SIM_INTERNAL_NONE: break;
  }
  sim_trace_next_plain(&w->reader);
  return ISSUED;
}

static int issue(sim_cu *cu, sim_simd *s, sim_cu_wave *w, uint64_t now) {
  switch ((sim_unit)w->cost->unit) {
    case SIM_UNIT_MFMA: return issue_mfma(cu, s, w, now);
    case SIM_UNIT_VALU: return issue_valu(cu, s, w, now);
    case SIM_UNIT_LDS: return issue_lds(cu, s, w, now);
    case SIM_UNIT_VMEM: return issue_vmem(cu, s, w, now);
    case SIM_UNIT_SCALAR: return issue_scalar(cu, w, now);
    case SIM_UNIT_BRANCH: return issue_branch(cu, s, w, now);
    case SIM_UNIT_INTERNAL:
    case SIM_UNITS: return issue_internal(cu, w, now);
  }
  return ISSUED;
}

// Does what follows an issued instruction: the next one comes a slot later, or when it has been fetched.
static void advance(sim_cu *cu, sim_cu_wave *w, uint64_t now) {
  const sim_timing *t = cu->timing;
  bool barrier = w->cost->internal == SIM_INTERNAL_BARRIER;
  ++cu->result->instructions;
  if (w->window != w->cost->first_window) {
    w->window = w->cost->first_window;
    w->window_begun = now;
  }
  w->cost = &cu->costs[w->reader.op];
  if (w->next < now + t->slot_cycles) w->next = now + t->slot_cycles;
  bool in_turn = w->cost->last_window == w->window + 1;
  uint64_t fetched = in_turn ? w->window_begun + t->fetch_cycles : 0;
  if (w->cost->last_window != w->window) {
    uint64_t there = sim_fetch_window(cu->fetch, w->cost->last_window, in_turn ? w->window_begun : now);
    if (there > fetched) fetched = there;
  }
  if (w->next < fetched) sleep_until(cu, w, WT_SIM_STALL_FETCH, w->next, fetched);
  if (!barrier) return;
  ++w->group->arrived;
  release_barrier(cu, w->group, now);
}

// Orders the waves of the SIMD, first those that come first.
static uint32_t order(const sim_simd *s, sim_cu_wave *sorted[SIM_CU_WAVES]) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < s->count; ++i) {
    uint32_t at = count++;
    for (; at > 0 && sorted[at - 1]->priority < s->wave[i]->priority; --at) sorted[at] = sorted[at - 1];
    sorted[at] = s->wave[i];
  }
  return count;
}

static bool is_vector(const sim_cu_wave *w) {
  return w->cost->unit == SIM_UNIT_VALU || w->cost->unit == SIM_UNIT_MFMA;
}

// Vector instructions come first: an MFMA outranks an LDS instruction (GGT docs/lds_throughput.md).
static uint32_t slot(sim_cu *cu, sim_simd *s, uint64_t now) {
  sim_cu_wave *wave[SIM_CU_WAVES];
  uint32_t count = order(s, wave), ended = 0, resident = cu->resident;
  bool taken[SIM_UNITS] = {false};
  for (int vector = 1; vector >= 0; --vector) {
    for (uint32_t i = 0; i < count; ++i) {
      sim_cu_wave *w = wave[i];
      if (!w || w->next > now || w->at_barrier || is_vector(w) != (vector == 1)) continue;
      uint32_t unit = w->cost->unit == SIM_UNIT_MFMA ? SIM_UNIT_VALU : w->cost->unit;
      uint32_t op = w->reader.op;
      int outcome = taken[unit] ? (int)WT_SIM_STALL_ISSUE : issue(cu, s, w, now);
      wave[i] = NULL;  // one instruction a slot
      if (outcome == NOT_YET) continue;
      if (outcome != ISSUED) {
        stalled(cu, w->reader.op, (wt_sim_stall)outcome, cu->timing->slot_cycles);
        continue;
      }
      taken[unit] = unit != SIM_UNIT_INTERNAL;
      issued(cu, w, op, now);
      if (w->cost->internal == SIM_INTERNAL_END)
        end_wave(cu, w, now);
      else
        advance(cu, w, now);
    }
  }
  ended = resident - cu->resident;
  return ended;
}

// With nothing in flight in the queues, nothing happens before the first wave goes on.
static void sleep(sim_cu *cu, uint64_t now) {
  uint64_t until = UINT64_MAX;
  if (!sim_lds_idle(&cu->lds) || cu->vmem.count) return;
  for (uint32_t i = 0; i < SIM_CU_SIMDS; ++i)
    for (uint32_t k = 0; k < cu->simd[i].count; ++k) {
      const sim_cu_wave *w = cu->simd[i].wave[k];
      if (!w->at_barrier && w->next < until) until = w->next;
    }
  if (until > now + 1) cu->sleeps = until;
}

uint32_t sim_cu_step(sim_cu *cu, uint64_t now) {
  if (cu->sleeps > now) return 0;
  sim_lds_step(cu, now);
  sim_vmem_step(cu, now);
  uint32_t ended = slot(cu, &cu->simd[now % SIM_CU_SIMDS], now);
  if (now % SIM_CU_SIMDS == SIM_CU_SIMDS - 1) sleep(cu, now);
  return ended;
}
