// SPDX-License-Identifier: MIT
// Finds accesses of LDS that come in no order. Waves are ordered by barriers alone: what a wave has waited
// for when it comes to a barrier happens before all that any wave does after it, wherever in the program each
// takes the barrier. Within a wave DS and FLAT instructions take effect on LDS in their order; copies from
// memory only when vmcnt has been waited for. For other waves, what FLAT instructions do to LDS is done when
// lgkmcnt has been waited for (CDNA3 and CDNA4 ISA, FLAT: both counters).
//
// Each dword of LDS has two words of state. One describes the last write: its serial number in its queue, its
// wave, its path to LDS, whether it was atomic, which bytes it wrote, which of them are undefined, and its
// op. The other describes the reads of this epoch, that is, since the last barrier: the waves, whether one of
// the reads is only still in flight from before the barrier, and the op. For both it also keeps how far the
// waves had come. A third word says from where in memory a copy brought the dword, and which waves have
// brought the same: they may do so in any order.
//
// Some assembly leaves out barriers where waves in step come in the right order: a copy overwrites what has
// been read, for memory takes longer than the rest of the reads; or many instructions lie between two
// accesses. Check mode reports this as dependence on timing, not as a race. The number of instructions that a
// wave has executed since the last barrier says which access comes first when waves run in step.
#include <stdio.h>

#include "sim/check/lds_access.h"
#include "sim/exec/memory/memory_ops.h"

void sim_check_lds_begin(sim_check_group *g) {
  size_t dwords = (g->check->lds_bytes + 3) / 4;
  memset(g->lds, 0, dwords * sizeof *g->lds);
}

// ---- one dword

// Returns whether the write that `word` describes may happen at the same time.
static inline bool unordered(const sim_lds_sight *s, uint64_t word) {
  return ((uint32_t)word & SERIAL_MASK) > s->limit[word >> WRITER_SHIFT & WRITER_MASK];
}

// Returns what a copy brings to a dword of LDS: the address in memory, or 1 where it is out of range, so that
// zeros come. Parts of dwords are not told apart.
static uint64_t source_of(const sim_access *a, int lane, uint32_t dword) {
  if (a->bytes < 4) return 0;
  return a->in_range[dword & 3] >> lane & 1 ? a->address[lane] + 4 * dword : 1;
}

static bool same_source(uint64_t a, uint64_t b) { return a && (a ^ b) << 16 == 0; }

// Returns whether this wave has brought the dword's contents itself, by a copy that has landed. A wave that
// has not waited for its copy is reported.
static bool brought(sim_lds_sight *s, const sim_lds_dword *d, int lane, uint32_t dword) {
  if (!(d->source >> COPIERS_SHIFT >> s->w->id & 1)) return false;
  const sim_queue_state *q = &sim_check_wave_of(s->w)->queue[SIM_QUEUE_VM];
  for (uint32_t serial = q->retired + 1; serial != q->issued + 1; ++serial) {
    const sim_flight *flight = &q->flight[serial & (SIM_QUEUE_LENGTH - 1)];
    const uint32_t end = flight->address[0] + flight->bytes;
    if (!flight->copies || dword * 4 < flight->address[0] || dword * 4 >= end) continue;
    const uint64_t writer = PATHS * s->w->id + PATH_COPY;
    sim_lds_explain_write(s, serial | writer << WRITER_SHIFT | (uint64_t)flight->op << WRITE_OP_SHIFT, lane,
                          dword);
    break;
  }
  return true;
}

static inline void see_write(sim_lds_sight *s, uint32_t dword, uint32_t bytes, uint32_t defined, int lane) {
  sim_lds_dword *d = &s->lds[dword];
  const uint64_t word = d->write, reads = d->read;
  const bool same = s->copy && same_source(s->source, d->source), between = unordered(s, word);
  if (!same && between && (word >> BYTES_SHIFT & bytes) && !(s->atomic && (word >> ATOMIC_SHIFT & 1)))
    sim_lds_explain_write(s, word, lane, dword);
  const uint32_t others = (uint32_t)(reads >> READERS_SHIFT & 0xffff) & ~(1u << s->w->id);
  if (!same && others && (reads & EPOCH_MASK) == s->epoch && (reads >> READ_BYTES_SHIFT & bytes))
    sim_lds_explain_read(s, reads, lane, dword);
  const uint64_t copiers = same && between ? d->source >> COPIERS_SHIFT : 0;
  d->source = s->source ? s->source | (copiers | 1ull << s->w->id) << COPIERS_SHIFT : 0;
  const uint64_t kept = (word >> DEFINED_SHIFT & 15) & ~bytes;
  // Other lanes of the same instruction may have written the rest.
  const uint64_t beside = (uint32_t)word == (uint32_t)s->fresh ? word >> BYTES_SHIFT & 15 : 0;
  d->write = s->fresh | (beside | bytes) << BYTES_SHIFT | (kept | (defined & bytes)) << DEFINED_SHIFT;
  // This is the span of the writes by one wave since the barrier; a write by another wave would be a race.
  const uint32_t writer = WRITER_MASK << WRITER_SHIFT;
  const bool on =
      !(((uint32_t)word ^ (uint32_t)s->fresh) & writer) && ((uint32_t)word & SERIAL_MASK) > s->released;
  d->written_at.last = s->position;
  if (!on) d->written_at.first = s->position;
}

// Returns which bytes all the waves have read at least: `reads` so far, `bytes` by this wave now.
static inline uint64_t joint_read(const sim_lds_sight *s, uint64_t reads, uint32_t bytes) {
  const uint64_t readers = reads >> READERS_SHIFT & 0xffff, own = 1ull << s->w->id;
  const uint64_t before = reads >> READ_BYTES_SHIFT & 15;
  if (before == bytes) return s->readers_here | readers << READERS_SHIFT | before << READ_BYTES_SHIFT;
  const uint64_t joint = readers == own ? before | bytes : readers & own ? before : before & bytes;
  if (!joint) return s->readers_here | (uint64_t)bytes << READ_BYTES_SHIFT;
  return s->readers_here | readers << READERS_SHIFT | joint << READ_BYTES_SHIFT;
}

static inline void widen(sim_span *span, uint32_t position) {
  if (position > span->last) span->last = position;
  if (position < span->first) span->first = position;
}

// Returns which of the bytes are undefined.
static inline uint32_t see_read(sim_lds_sight *s, uint32_t dword, uint32_t bytes, int lane) {
  sim_lds_dword *d = &s->lds[dword];
  const uint64_t word = d->write;
  if (unordered(s, word) && (word >> BYTES_SHIFT & bytes) && !(s->atomic && (word >> ATOMIC_SHIFT & 1)) &&
      !brought(s, d, lane, dword))
    sim_lds_explain_write(s, word, lane, dword);
  const uint32_t undefined = bytes & ~(uint32_t)(word >> DEFINED_SHIFT);
  if (s->atomic) return undefined;
  const uint64_t reads = d->read;
  if ((reads & EPOCH_MASK) == s->epoch) {
    d->read = joint_read(s, reads, bytes);
    widen(&d->read_at, s->position);
  } else {
    d->read = s->readers_here | (uint64_t)bytes << READ_BYTES_SHIFT;
    d->read_at = (sim_span){s->position, s->position};
  }
  return undefined;
}

// ---- accesses

static void look(sim_lds_sight *s, sim_wave *w, const sim_op *op, sim_lds_path how) {
  const sim_check_group *g = sim_check_group_of(w->group);
  s->w = w;
  s->op = op;
  s->how = how;
  s->lds = g->lds;
  s->index = sim_index_of(w, op);
  s->epoch = g->epoch & EPOCH_MASK;
  s->position = (uint32_t)(w->instructions - sim_check_wave_of(w)->epoch_begin);
  for (uint32_t i = 0; i < w->group->wave_count; ++i) {
    s->limit[PATHS * i + PATH_DS] = g->waves[i].queue[SIM_QUEUE_LDS].released;
    s->limit[PATHS * i + PATH_COPY] = g->waves[i].queue[SIM_QUEUE_VM].released;
    s->limit[PATHS * i + PATH_FLAT] = g->waves[i].flat_released;
  }
  const sim_check_wave *own = &g->waves[w->id];
  uint32_t *limit = &s->limit[PATHS * w->id];
  limit[PATH_DS] = how == PATH_COPY ? own->queue[SIM_QUEUE_LDS].retired : UINT32_MAX;
  limit[PATH_COPY] = how == PATH_COPY ? UINT32_MAX : own->queue[SIM_QUEUE_VM].retired;
  limit[PATH_FLAT] = UINT32_MAX;
  s->released = own->queue[sim_lds_queue_of(how)].released;
  const uint32_t serial = own->queue[sim_lds_queue_of(how)].issued;
  s->fresh = (serial & SERIAL_MASK) | (uint64_t)(PATHS * w->id + how) << WRITER_SHIFT |
             (uint64_t)s->atomic << ATOMIC_SHIFT | (uint64_t)s->index << WRITE_OP_SHIFT;
  s->readers_here =
      (g->epoch & EPOCH_MASK) | 1ull << (READERS_SHIFT + w->id) | (uint64_t)s->index << READ_OP_SHIFT;
}

// Returns which bytes of the dword at `first` [at, at + bytes) covers.
static uint32_t bytes_of(uint64_t dword, uint64_t at, uint32_t bytes) {
  uint64_t from = dword * 4 > at ? 0 : at - dword * 4, end = at + bytes - dword * 4;
  if (end > 4) end = 4;
  return ((1u << end) - 1) & ~((1u << from) - 1);
}

// Checks reads of whole dwords, the most frequent accesses; bit l of undefined[i] is set where dword i of
// lane l is. What others have read in this epoch and nobody writes is looked at here, everything else by
// see_read.
static void read_whole(sim_lds_sight *s, uint64_t lanes, const uint64_t *address, uint32_t step,
                       uint32_t dwords, uint64_t *undefined) {
  const uint64_t readers = UINT64_C(0xffff) << READERS_SHIFT, all = UINT64_C(15) << READ_BYTES_SHIFT;
  const uint64_t here = s->readers_here | all, known = UINT64_C(15) << DEFINED_SHIFT;
  const uint32_t position = s->position, epoch = s->epoch;
  const bool atomic = s->atomic;
  for (; lanes; lanes &= lanes - 1) {
    const int l = __builtin_ctzll(lanes);
    const uint32_t first = (uint32_t)(address[l] + (uint64_t)(int64_t)(int32_t)step) / 4;
    for (uint32_t i = 0; i < dwords; ++i) {
      sim_lds_dword *d = &s->lds[first + i];
      const uint64_t word = d->write, reads = d->read;
      if (!unordered(s, word) && (word & known) == known && !atomic && (reads & EPOCH_MASK) == epoch &&
          (reads & all) == all) {
        d->read = here | (reads & readers);
        widen(&d->read_at, position);
      } else if (see_read(s, first + i, 15, l)) {
        undefined[i] |= 1ull << l;
      }
    }
  }
}

static inline bool is_undefined(const uint64_t undefined[4], uint32_t dword, int lane) {
  return dword < 4 && undefined[dword] >> lane & 1;
}

// Looks at `bytes` per lane from address[lane] + step. Bit l of undefined[i] says that dword i of lane l's
// data is undefined: the caller sets it for a write, and finds it set after a read. At an address that is no
// multiple of 4 the low bytes of a dword of LDS are those of the dword of data before.
static void each_dword(sim_lds_sight *s, uint64_t lanes, const uint64_t *address, uint32_t step,
                       uint32_t bytes, uint64_t *undefined) {
  uint64_t low = step | bytes;
  for (uint64_t rest = lanes; rest; rest &= rest - 1) low |= address[__builtin_ctzll(rest)];
  const bool whole = low % 4 == 0;
  if (whole && !s->writes) {
    read_whole(s, lanes, address, step, bytes / 4, undefined);
    return;
  }
  for (; lanes; lanes &= lanes - 1) {
    const int l = __builtin_ctzll(lanes);
    const uint64_t at = address[l] + (uint64_t)(int64_t)(int32_t)step;
    const uint64_t first = at / 4, last = (at + bytes - 1) / 4;
    const uint32_t before = (1u << (at & 3)) - 1;
    for (uint64_t dword = first; dword <= last; ++dword) {
      const uint32_t covered = whole ? 15 : bytes_of(dword, at, bytes), i = (uint32_t)(dword - first);
      if (s->writes) {
        const uint32_t unknown = (is_undefined(undefined, i, l) ? 15 & ~before : 0) |
                                 (is_undefined(undefined, i - 1, l) ? before : 0);
        if (s->copy) s->source = source_of(s->copy, l, i);
        see_write(s, (uint32_t)dword, covered, 15 & ~unknown, l);
      } else {
        const uint32_t unknown = see_read(s, (uint32_t)dword, covered, l);
        if (unknown & ~before) undefined[i] |= 1ull << l;
        if (unknown & before) undefined[i - 1] |= 1ull << l;
      }
    }
  }
}

// Reports a copy while a read of this wave that it may overtake is in flight.
static void overtakes(sim_lds_sight *s, uint64_t from, uint64_t end) {
  const sim_queue_state *q = &sim_check_wave_of(s->w)->queue[SIM_QUEUE_LDS];
  for (uint32_t serial = q->retired + 1; serial != q->issued + 1; ++serial) {
    const sim_flight *flight = &q->flight[serial & (SIM_QUEUE_LENGTH - 1)];
    if (!flight->reads_lds) continue;
    for (uint64_t lanes = flight->lanes; lanes; lanes &= lanes - 1) {
      const int l = __builtin_ctzll(lanes);
      bool hit = false;
      for (uint32_t part = 0; part < flight->parts; ++part) {
        const uint64_t at = (uint32_t)(flight->address[l] + part * flight->step);
        hit |= at < end && from < at + flight->bytes;
      }
      if (!hit) continue;
      sim_finding *found = sim_find(s->w, SIM_FINDING_TIMING, s->index, flight->op, l);
      if (found) {
        snprintf(found->detail, sizeof found->detail,
                 "a copy to LDS byte 0x%x on may overtake a read of it by this wave: right only if the read "
                 "is faster",
                 flight->address[l]);
        sim_counters_remedy(sim_check_wave_of(s->w), SIM_QUEUE_LDS, serial, found->remedy,
                            sizeof found->remedy);
      }
      break;
    }
  }
}

static void copy_to_lds(sim_wave *w, const sim_op *op, const sim_access *a, sim_flight *flight) {
  sim_lds_sight s = {.writes = true, .copy = a};
  look(&s, w, op, PATH_COPY);
  const uint32_t bytes = a->bytes < 4 ? 4 : a->bytes, step = a->bytes > 4 ? 16 : 4;
  if (!a->lanes) return;
  const uint64_t last = 63 - (uint64_t)__builtin_clzll(a->lanes);
  overtakes(&s, a->lds_base, a->lds_base + last * step + bytes);
  uint64_t address[SIM_LANES], undefined[4] = {0};
  for (uint32_t l = 0; l < SIM_LANES; ++l) address[l] = a->lds_base + l * step;
  for (unsigned i = 0; i < (bytes + 3) / 4; ++i) undefined[i & 3] = sim_unwritten_lanes(a, i);
  each_dword(&s, a->lanes, address, 0, bytes, undefined);
  flight->copies = true;
  flight->address[0] = (uint32_t)a->lds_base;
  flight->bytes = (uint32_t)(last * step + bytes);
}

static void loaded(sim_wave *w, const sim_op *op, const sim_op_facts *f, uint64_t lanes,
                   const uint64_t undefined[4], unsigned dwords, unsigned first_row) {
  uint64_t any = 0;
  for (unsigned i = 0; i < dwords; ++i) any |= undefined[i];
  for (unsigned i = 0; i < dwords; ++i)
    sim_undefined_loaded(w, op, op->dst[0].reg + first_row + i, lanes,
                         f->exchanges && any ? 0 : undefined[i]);
}

uint64_t sim_lds_lanes(const sim_wave *w, const sim_access *a) {
  const uint64_t begin = (uint64_t)(uintptr_t)w->group->lds;
  uint64_t lanes = 0;
  for (uint64_t rest = a->lanes; rest; rest &= rest - 1)
    if (a->address[__builtin_ctzll(rest)] - begin < w->group->lds_bytes) lanes |= rest & -rest;
  return lanes;
}

// A load or store of wider scope than the wave is an atomic one (CDNA4 ISA table 49, LLVM AMDGPUUsage). But
// volatile ones are of system scope, too: of those loads only what polls is taken for atomic.
static bool is_atomic_flat(const sim_op *op, const sim_op_facts *f) {
  if (f->flags & SIM_FACT_ATOMIC) return true;
  if (sim_op_is_volatile(op) && !(f->flags & SIM_FACT_STORES)) return op->flags & SIM_F_SPINS;
  return op->flags & (SIM_F_SC0 | SIM_F_SC1);
}

// Looks at the lanes of a FLAT instruction that reach LDS.
static void flat_lanes(sim_wave *w, const sim_op *op, const sim_op_facts *f, const sim_access *a) {
  const uint64_t begin = (uint64_t)(uintptr_t)w->group->lds, lanes = sim_lds_lanes(w, a);
  if (!lanes) return;
  uint64_t address[SIM_LANES], undefined[4] = {0};
  for (int l = 0; l < SIM_LANES; ++l) address[l] = a->address[l] - begin;
  sim_lds_sight s = {.writes = f->flags & SIM_FACT_STORES, .atomic = is_atomic_flat(op, f)};
  look(&s, w, op, PATH_FLAT);
  if (s.writes) memcpy(undefined, sim_check_wave_of(w)->data_undefined, sizeof undefined);
  each_dword(&s, lanes, address, 0, a->bytes, undefined);
  if (!s.writes) loaded(w, op, f, lanes, undefined, a->bytes < 4 ? 1 : a->bytes / 4, 0);
}

void sim_check_lds(sim_wave *w, const sim_op *op, const sim_op_facts *f, const sim_access *a,
                   sim_flight *flight) {
  if (f->flags & SIM_FACT_DIRECT) {
    copy_to_lds(w, op, a, flight);
    return;
  }
  if (f->path == SIM_PATH_FLAT) {
    flat_lanes(w, op, f, a);
    return;
  }
  if (op->flags & SIM_F_SPINS) sim_check_group_of(w->group)->flags = true;
  const bool pair = f->pair, counts = f->counts;
  sim_lds_sight s = {.writes = f->flags & SIM_FACT_STORES, .atomic = f->flags & SIM_FACT_ATOMIC};
  look(&s, w, op, PATH_DS);
  const uint32_t bytes = pair ? a->bytes / 2 : a->bytes, dwords = bytes < 4 ? 1 : bytes / 4;
  uint32_t step = 0;
  if (pair) step = (uint32_t)(op->offset1 - op->offset0) * bytes * (op->info->arg & SIM_M_ST64 ? 64 : 1);
  const uint64_t lanes = counts ? a->lanes & -a->lanes : a->lanes;
  const sim_check_wave *c = sim_check_wave_of(w);
  for (unsigned part = 0; part <= pair; ++part) {
    uint64_t undefined[4] = {0};
    for (unsigned i = 0; i < dwords && s.writes && !counts; ++i)
      undefined[i] = c->data_undefined[(part * dwords + i) & 3];
    each_dword(&s, lanes, a->address, part * step, bytes, undefined);
    if (!s.writes) loaded(w, op, f, a->lanes, undefined, dwords, part * dwords);
  }
  if (s.writes) {
    if (f->flags & SIM_FACT_RETURNS) {
      const uint64_t none[4] = {0};
      loaded(w, op, f, a->lanes, none, op->dst[0].regs, 0);
    }
    return;
  }
  flight->reads_lds = true;
  flight->bytes = bytes;
  flight->parts = pair ? 2 : 1;
  flight->step = step;
  flight->lanes = a->lanes;
  for (int l = 0; l < SIM_LANES; ++l) flight->address[l] = (uint32_t)a->address[l];
}

// Reads that are in flight across the barrier are reads of the new epoch, too.
void sim_check_lds_release(sim_group *group) {
  sim_check_group *g = sim_check_group_of(group);
  for (uint32_t wave = 0; wave < group->wave_count; ++wave) {
    const sim_queue_state *q = &g->waves[wave].queue[SIM_QUEUE_LDS];
    for (uint32_t serial = q->retired + 1; serial != q->issued + 1; ++serial) {
      const sim_flight *flight = &q->flight[serial & (SIM_QUEUE_LENGTH - 1)];
      if (!flight->reads_lds) continue;
      for (uint64_t lanes = flight->lanes; lanes; lanes &= lanes - 1)
        for (uint32_t part = 0; part < flight->parts; ++part) {
          const uint32_t at = flight->address[__builtin_ctzll(lanes)] + part * flight->step;
          for (uint32_t dword = at / 4; dword <= (at + flight->bytes - 1) / 4; ++dword) {
            sim_lds_dword *d = &g->lds[dword];
            const uint64_t reads = d->read;
            const uint64_t same = -(uint64_t)((reads & EPOCH_MASK) == (g->epoch & EPOCH_MASK));
            d->read_at = (sim_span){0, 0};
            d->read = (g->epoch & EPOCH_MASK) | (reads & same & 0xffffull << READERS_SHIFT) |
                      1ull << (READERS_SHIFT + wave) | 1ull << LATE_SHIFT |
                      (uint64_t)bytes_of(dword, at, flight->bytes) << READ_BYTES_SHIFT |
                      (uint64_t)flight->op << READ_OP_SHIFT;
          }
        }
    }
  }
}
