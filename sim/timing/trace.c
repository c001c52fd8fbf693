// SPDX-License-Identifier: MIT
// Writes and reads the traces of waves.
#include "sim/timing/trace.h"

#include <stdlib.h>

#include "sim/exec/scalar/hwreg.h"
#include "sim/exec/wave.h"

void sim_trace_begin(sim_group_trace *trace, const sim_trace_parts *parts, uint32_t waves) {
  *trace =
      (sim_group_trace){.parts = parts, .wave_count = waves, .waves = calloc(waves, sizeof *trace->waves)};
  trace->out_of_memory = !trace->waves;
}

void sim_trace_free(sim_group_trace *trace) {
  for (uint32_t i = 0; trace->waves && i < trace->wave_count; ++i) free(trace->waves[i].bytes);
  free(trace->waves);
  trace->waves = NULL;
}

// ---- numbers: seven bits a byte, the lowest first

enum { NUMBER_BYTES = 10 };

static bool reserve(sim_wave_trace *t, size_t bytes) {
  if (t->capacity - t->size >= bytes) return true;
  size_t capacity = t->capacity ? 2 * t->capacity : 4096;
  while (capacity - t->size < bytes) capacity *= 2;
  uint8_t *larger = realloc(t->bytes, capacity);
  if (!larger) return false;
  t->bytes = larger;
  t->capacity = capacity;
  return true;
}

static void put(sim_wave_trace *t, uint64_t value) {
  for (; value > 127; value >>= 7) t->bytes[t->size++] = (uint8_t)(value | 128);
  t->bytes[t->size++] = (uint8_t)value;
}

static uint64_t get(sim_trace_reader *r) {
  uint64_t value = 0;
  for (unsigned shift = 0; r->at < r->end; shift += 7) {
    uint8_t byte = *r->at++;
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) break;
  }
  return value;
}

// Folds differences, with the sign in the lowest bit.
static uint64_t fold(uint64_t difference) { return difference << 1 ^ (uint64_t)((int64_t)difference >> 63); }
static uint64_t unfold(uint64_t folded) { return folded >> 1 ^ -(folded & 1); }

// ---- writing

// Returns an address that is the same in every run: allocations are numbered, since the host may put them
// anywhere. Scratch is laid out as hardware does it, a dword of all lanes side by side.
static uint64_t stable_address(sim_wave *w, uint64_t address, int lane) {
  uint64_t in_scratch = address - w->scratch;
  if (w->scratch_stride && in_scratch < (uint64_t)w->scratch_stride * SIM_LANES) {
    uint64_t offset = in_scratch - (uint64_t)lane * w->scratch_stride;
    uint64_t wave = w->group->index * w->group->wave_count + w->id;
    return (1ull << 46) + wave * w->scratch_stride * SIM_LANES + offset / 4 * 4 * SIM_LANES +
           (uint64_t)lane * 4 + offset % 4;
  }
  const sim_allocation *a = sim_find_allocation(w->group, address);
  return a ? a->place + (address - a->base) : address;
}

static void touch(sim_trace_access *lines, uint32_t *count, uint64_t first, uint64_t last) {
  for (uint64_t half = first / 64; half <= last / 64; ++half) {
    uint8_t bit = (uint8_t)(1u << (half & 1));
    uint32_t i = *count;
    while (i > 0 && lines[i - 1].line != half / 2) --i;
    if (i > 0)
      lines[i - 1].halves |= bit;
    else if (*count < SIM_TRACE_LINES)
      lines[(*count)++] = (sim_trace_access){half / 2, bit};
  }
}

// Counts a lane's lines that no lane of its cycle has looked up. The addresses of a cycle are those whose
// data passes in one: 64 bytes (L1 takes 64 bytes a cycle; rocprofiler-compute documentation). That lines are
// found alike only within it, not among all 64 lanes, is how GCN coalesces (GPUOpen, GCN memory coalescing).
typedef struct lookups {
  uint32_t lanes;  // of a cycle
  uint32_t cycle;  // that lines are of
  uint32_t known, count;
  uint64_t line[32];
} lookups;

static void look_up(lookups *s, int lane, uint64_t first, uint64_t last) {
  uint32_t cycle = (uint32_t)lane / s->lanes;
  if (cycle != s->cycle) s->known = 0;
  s->cycle = cycle;
  for (uint64_t line = first / SIM_TRACE_LINE; line <= last / SIM_TRACE_LINE; ++line) {
    uint32_t i = 0;
    while (i < s->known && s->line[i] != line) ++i;
    if (i < s->known) continue;
    ++s->count;
    if (s->known < sizeof s->line / sizeof *s->line) s->line[s->known++] = line;
  }
}

// Returns where the part of an allocation begins that a line is in.
static uint64_t part_of(const sim_trace_parts *parts, uint64_t allocation, uint64_t line) {
  uint64_t begin = allocation;
  for (uint32_t i = 0; i < parts->count; ++i)
    if (parts->begin[i] <= line && parts->begin[i] > begin) begin = parts->begin[i];
  return begin;
}

static void note_allocation(sim_wave_trace *t, uint64_t begin, uint64_t line, uint64_t at) {
  for (uint32_t i = 0; i < t->touched; ++i)
    if (t->touch[i].begin == begin) return;
  if (t->touched < SIM_TRACE_ALLOCATIONS) t->touch[t->touched++] = (sim_trace_touch){begin, line, at};
}

static void record_vmem(sim_wave *w, sim_wave_trace *t, const sim_trace_parts *parts, const sim_op *op) {
  const sim_access *a = sim_newest_vm(&w->pending);
  sim_trace_access lines[SIM_TRACE_LINES];
  uint32_t count = 0;
  lookups tags = {.lanes = a->bytes > 8 ? 4 : a->bytes > 4 ? 8 : 16};
  uint64_t base = 0, size = 0, place = 0;  // of the allocation of the lane before
  for (uint64_t lanes = a->op == op && a->bytes ? a->lanes & a->in_range[0] : 0; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    uint64_t at = a->address[l];
    if (at - (uint64_t)(uintptr_t)w->group->lds < w->group->lds_bytes) continue;  // FLAT to LDS
    if (at - base >= size) {
      const sim_allocation *found = sim_find_allocation(w->group, at);
      base = found ? found->base : 0;
      size = found ? found->size : 0;
      place = found ? found->place : 0;
    }
    uint64_t first = size ? place + (at - base) : stable_address(w, at, l);
    touch(lines, &count, first, first + a->bytes - 1);
    look_up(&tags, l, first, first + a->bytes - 1);
  }
  if (count && size)
    note_allocation(t, part_of(parts, place / SIM_TRACE_LINE, lines[0].line), lines[0].line, w->instructions);
  put(t, count);
  if (count) put(t, tags.count);
  for (uint32_t i = 0; i < count; ++i) {
    put(t, fold(lines[i].line - t->last_line) << 2 | lines[i].halves);
    t->last_line = lines[i].line;
  }
  if (count) t->last_line = lines[0].line;
}

static void record_scalar(sim_wave *w, sim_wave_trace *t, const sim_op *op) {
  const sim_access *a = sim_newest_smem(&w->pending);
  // Some instructions of this kind, such as s_dcache_inv, access nothing.
  uint64_t line = a->op == op ? stable_address(w, a->address[0], 0) / 64 : t->last_scalar;
  put(t, fold(line - t->last_scalar));
  t->last_scalar = line;
}

static void record_lds(sim_wave *w, sim_wave_trace *t) {
  sim_group *g = w->group;
  bool counted = g->lds_total.executions != g->lds_traced.executions;
  put(t, counted ? g->lds_total.conflict_cycles - g->lds_traced.conflict_cycles + 1 : 0);
  g->lds_traced = g->lds_total;
}

static void record_vskip(const sim_wave *w, sim_wave_trace *t, const sim_op *op) {
  if (!sim_sets_vskip(op)) return;
  t->sets_vskip = true;
  put(t, w->mode & SIM_MODE_VSKIP ? 1 : 0);
}

void sim_trace_step(sim_group_trace *group, sim_wave *w, const sim_op *op) {
  sim_wave_trace *t = &group->waves[w->id];
  if (!op->info || group->out_of_memory) return;
  if (!reserve(t, NUMBER_BYTES * (SIM_TRACE_LINES + 2))) {
    group->out_of_memory = true;
    return;
  }
  uint32_t index = (uint32_t)(op - w->group->program->ops);
  switch ((sim_class)op->info->klass) {
    case SIM_CLASS_BRANCH: put(t, fold((uint64_t)w->pc - (index + 1))); break;
    case SIM_CLASS_LDS: record_lds(w, t); break;
    case SIM_CLASS_VMEM:
      record_vmem(w, t, group->parts, op);
      w->group->lds_traced = w->group->lds_total;  // copies never conflict
      break;
    case SIM_CLASS_SMEM: record_scalar(w, t, op); break;
    case SIM_CLASS_SALU: record_vskip(w, t, op); break;
    default: break;
  }
}

// ---- reading

sim_trace_reader sim_trace_read(const sim_wave_trace *trace, const sim_program *program) {
  return (sim_trace_reader){.at = trace->bytes,
                            .end = trace->bytes + trace->size,
                            .op = trace->first,
                            .program = trace->sets_vskip ? program : NULL};
}

// Goes to the op at `index` or, where that one is skipped, to the next that is not.
static void go_to(sim_trace_reader *r, uint32_t index) {
  r->op = index;
  while (r->vskip && sim_op_is_vector(&r->program->ops[r->op])) ++r->op;
}

bool sim_trace_ended(const sim_trace_reader *r) { return r->at >= r->end; }

void sim_trace_next_plain(sim_trace_reader *r) {
  if (r->program && sim_sets_vskip(&r->program->ops[r->op])) r->vskip = get(r) != 0;
  go_to(r, r->op + 1);
}

bool sim_trace_next_branch(sim_trace_reader *r) {
  uint64_t difference = unfold(get(r));
  go_to(r, r->op + 1 + (uint32_t)difference);
  return difference != 0;
}

uint32_t sim_trace_next_lds(sim_trace_reader *r) {
  go_to(r, r->op + 1);
  return (uint32_t)get(r);
}

uint32_t sim_trace_next_vmem(sim_trace_reader *r, sim_trace_access lines[SIM_TRACE_LINES], uint32_t *tags) {
  go_to(r, r->op + 1);
  uint32_t count = (uint32_t)get(r);
  *tags = count ? (uint32_t)get(r) : 0;
  for (uint32_t i = 0; i < count && i < SIM_TRACE_LINES; ++i) {
    uint64_t code = get(r);
    r->last_line += unfold(code >> 2);
    lines[i] = (sim_trace_access){r->last_line, (uint8_t)(code & 3)};
  }
  if (count) r->last_line = lines[0].line;
  return count;
}

uint64_t sim_trace_next_scalar(sim_trace_reader *r) {
  go_to(r, r->op + 1);
  return r->last_scalar += unfold(get(r));
}

uint32_t sim_trace_next_access(sim_trace_reader *r, const sim_program *program,
                               sim_trace_access lines[SIM_TRACE_LINES]) {
  uint32_t tags;
  const sim_opinfo *info = program->ops[r->op].info;
  switch (info ? (sim_class)info->klass : SIM_CLASS_OTHER) {
    case SIM_CLASS_VMEM: return sim_trace_next_vmem(r, lines, &tags);
    case SIM_CLASS_LDS: sim_trace_next_lds(r); break;
    case SIM_CLASS_SMEM: sim_trace_next_scalar(r); break;
    case SIM_CLASS_BRANCH: sim_trace_next_branch(r); break;
    default: sim_trace_next_plain(r); break;
  }
  return 0;
}
