// SPDX-License-Identifier: MIT
// Order of LDS accesses. Waves are ordered by barriers alone: what a wave has waited for when it comes to a
// barrier happens before all that any wave does after it, wherever in the program each takes the barrier.
// Within a wave DS and FLAT instructions take effect on LDS in their order; copies from memory only when
// vmcnt has been waited for. For other waves, what FLAT instructions do to LDS is done when lgkmcnt has been
// waited for (CDNA3 and CDNA4 ISA, FLAT: both counters).
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

#include "sim/check/state.h"
#include "sim/exec/memory/memory_ops.h"

enum {
  SERIAL_BITS = 25,
  WRITER_SHIFT = 25,  // wave * PATHS + path
  WRITER_MASK = 63,
  ATOMIC_SHIFT = 31,
  BYTES_SHIFT = 32,
  DEFINED_SHIFT = 36,
  WRITE_OP_SHIFT = 40,
  READ_EPOCH_BITS = 16,
  READERS_SHIFT = 16,
  READ_BYTES_SHIFT = 32,
  LATE_SHIFT = 36,
  COPIERS_SHIFT = 48,  // above the address, of 47 bits
  READ_OP_SHIFT = 40,
  MOST_WAVES = 16,
  // Instructions between two accesses by which the order of waves in step counts as meant: they take a wave
  // 256 cycles at least, the latency of LDS several times over. Where a barrier was forgotten, some of the
  // accesses are mostly closer.
  STEP_MARGIN = 64
};
static const uint32_t serial_mask = (1u << SERIAL_BITS) - 1, epoch_mask = (1u << READ_EPOCH_BITS) - 1;

// How an access reaches LDS: a DS instruction, a copy from memory, a FLAT instruction. The serials of the
// last two are those of the vector memory queue.
typedef enum lds_path { PATH_DS, PATH_COPY, PATH_FLAT, PATHS } lds_path;

typedef struct sight {  // one access by one wave
  sim_wave *w;
  const sim_op *op;
  sim_lds_dword *lds;
  uint32_t index, epoch;
  uint32_t position;  // instructions of the wave since the last barrier
  lds_path how;
  bool writes, atomic;
  const sim_access *copy;                 // NULL: it is none
  uint64_t source;                        // of the dword that is copied; 0: not known, or no copy
  uint32_t limit[PATHS * MOST_WAVES];     // serials up to which another's writes happen before this
  uint32_t released;                      // serials of this wave's queue that the last barrier has ordered
  uint64_t fresh;                         // what a write leaves, without bytes
  uint64_t readers_here;                  // what a read leaves
  bool told_write, told_read, told_step;  // each is counted once for all lanes
} sight;

static sim_queue_kind queue_of(lds_path how) { return how == PATH_DS ? SIM_QUEUE_LDS : SIM_QUEUE_VM; }

void sim_check_lds_begin(sim_check_group *g) {
  size_t dwords = (g->check->lds_bytes + 3) / 4;
  memset(g->lds, 0, dwords * sizeof *g->lds);
}

// ---- reports

// Loops around compare-and-swap read first what they then compare, by a load that looks like any other.
static bool compares(const sim_op *op) { return op->info->facts & SIM_ROW_COMPARES; }

// Returns how many instructions the accesses are away at least.
static uint32_t away(const sight *s, sim_span span) {
  return s->position > span.last    ? s->position - span.last
         : s->position < span.first ? span.first - s->position
                                    : 0;
}

// Right only in step; `here` and `there`: what becomes of the byte by this access and by the other wave's.
static void explain_step(sight *s, uint32_t other, int lane, uint32_t dword, const char *here,
                         const char *there, unsigned wave, uint32_t margin) {
  if (s->told_step) return;
  s->told_step = true;
  sim_finding *found = sim_find(s->w, SIM_FINDING_TIMING, s->index, other, lane);
  if (!found) return;
  char condition[96] = "the waves are so nearly in step that the read comes before the data from memory";
  if (margin) snprintf(condition, sizeof condition, "no wave gets %u instructions ahead of another", margin);
  snprintf(found->detail, sizeof found->detail,
           "LDS byte 0x%x is %s by wave %u and, with no barrier between, %s by wave %u: right only if %s",
           dword * 4, here, s->w->id, there, wave, condition);
  snprintf(found->remedy, sizeof found->remedy, "s_barrier is needed between the two");
}

static void explain_write(sight *s, uint64_t word, int lane, uint32_t dword) {
  sim_wave *w = s->w;
  const sim_check_group *g = sim_check_group_of(w->group);
  const unsigned writer = word >> WRITER_SHIFT & WRITER_MASK, wave = writer / PATHS;
  const lds_path how = (lds_path)(writer % PATHS);
  const uint32_t serial = (uint32_t)word & serial_mask, other = (uint32_t)(word >> WRITE_OP_SHIFT);
  const sim_queue_state *q = &g->waves[wave].queue[queue_of(how)];
  if (!s->writes && compares(&w->group->program->ops[other])) return;
  const char *what = how == PATH_COPY ? "copy" : "write";
  const bool own = wave == w->id, waited = serial > q->released_issue;
  const sim_span there = g->lds[dword].written_at;
  if (how == PATH_COPY && !own && waited && !s->writes && s->position < there.last) {
    explain_step(s, other, lane, dword, "read", "overwritten by a copy", wave, 0);
    return;
  }
  const uint32_t margin = how == PATH_DS && s->how == PATH_DS && !own && waited ? away(s, there) : 0;
  if (margin >= STEP_MARGIN) {
    explain_step(s, other, lane, dword, s->writes ? "written" : "read", "written", wave, margin);
    return;
  }
  if (s->told_write) return;
  s->told_write = true;
  sim_finding *found =
      sim_find(w, own || !waited ? SIM_FINDING_LDS_BEFORE_WAIT : SIM_FINDING_LDS_RACE, s->index, other, lane);
  if (!found) return;
  const char *verb = s->writes ? "written" : "read";
  if (own) {
    snprintf(found->detail, sizeof found->detail,
             "LDS byte 0x%x is %s while a %s of this wave to it may be in flight", dword * 4, verb, what);
    // A FLAT instruction is in the queue of the copies itself by now.
    sim_counters_remedy(&g->waves[wave], queue_of(how), serial + (s->how == PATH_FLAT), found->remedy,
                        sizeof found->remedy);
  } else if (!waited) {
    snprintf(found->detail, sizeof found->detail,
             "LDS byte 0x%x is %s while a %s of wave %u to it may be in flight: it did not wait for it "
             "before the last "
             "barrier",
             dword * 4, verb, what, wave);
    const uint32_t later = how == PATH_FLAT ? 0 : q->released_issue - serial;
    if (how == PATH_COPY)
      snprintf(found->remedy, sizeof found->remedy,
               "s_waitcnt vmcnt(%u) is needed before the writer's s_barrier", later);
    else
      snprintf(found->remedy, sizeof found->remedy,
               "s_waitcnt lgkmcnt(%u) is needed before the writer's s_barrier", later);
  } else {
    snprintf(found->detail, sizeof found->detail,
             "LDS byte 0x%x is %s by wave %u and in no order with it by a %s of wave %u", dword * 4, verb,
             w->id, what, wave);
    snprintf(found->remedy, sizeof found->remedy, "s_barrier is needed between the two");
  }
}

static void explain_read(sight *s, uint64_t word, int lane, uint32_t dword) {
  if (compares(s->op)) return;
  const uint32_t readers = (uint32_t)(word >> READERS_SHIFT & 0xffff) & ~(1u << s->w->id);
  const uint32_t other = (uint32_t)(word >> READ_OP_SHIFT);
  const unsigned reader = (unsigned)__builtin_ctz(readers);
  const bool late = word >> LATE_SHIFT & 1;
  const sim_span there = sim_check_group_of(s->w->group)->lds[dword].read_at;
  if (s->how == PATH_COPY && !late && there.last < s->position) {
    explain_step(s, other, lane, dword, "overwritten by a copy", "read", reader, 0);
    return;
  }
  const uint32_t margin = s->how == PATH_DS && !late ? away(s, there) : 0;
  if (margin >= STEP_MARGIN) {
    explain_step(s, other, lane, dword, "written", "read", reader, margin);
    return;
  }
  if (s->told_read) return;
  s->told_read = true;
  sim_finding *found =
      sim_find(s->w, late ? SIM_FINDING_TIMING : SIM_FINDING_LDS_RACE, s->index, other, lane);
  if (!found) return;
  if (late) {
    snprintf(found->detail, sizeof found->detail,
             "LDS byte 0x%x is overwritten while a read by wave %u that was issued before the last barrier "
             "may be in flight: right only if the read is faster",
             dword * 4, reader);
    snprintf(found->remedy, sizeof found->remedy,
             "s_waitcnt lgkmcnt is needed before the reader's s_barrier");
  } else {
    snprintf(found->detail, sizeof found->detail,
             "LDS byte 0x%x is written by wave %u and in no order with it read by wave %u", dword * 4,
             s->w->id, reader);
    snprintf(found->remedy, sizeof found->remedy, "s_barrier is needed between the two");
  }
}

// ---- one dword

// Returns whether the write that `word` describes may happen at the same time.
static inline bool unordered(const sight *s, uint64_t word) {
  return ((uint32_t)word & serial_mask) > s->limit[word >> WRITER_SHIFT & WRITER_MASK];
}

// What a copy brings to a dword of LDS: the address in memory, or 1 where it is out of range, so that zeros
// come. Parts of dwords are not told apart.
static uint64_t source_of(const sim_access *a, int lane, uint32_t dword) {
  if (a->bytes < 4) return 0;
  return a->in_range[dword & 3] >> lane & 1 ? a->address[lane] + 4 * dword : 1;
}

static bool same_source(uint64_t a, uint64_t b) { return a && (a ^ b) << 16 == 0; }

// Returns whether this wave has brought the dword's contents itself, by a copy that has landed. One that has
// not is told of.
static bool brought(sight *s, const sim_lds_dword *d, int lane, uint32_t dword) {
  if (!(d->source >> COPIERS_SHIFT >> s->w->id & 1)) return false;
  const sim_queue_state *q = &sim_check_wave_of(s->w)->queue[SIM_QUEUE_VM];
  for (uint32_t serial = q->retired + 1; serial != q->issued + 1; ++serial) {
    const sim_flight *flight = &q->flight[serial & (SIM_QUEUE_LENGTH - 1)];
    const uint32_t end = flight->address[0] + flight->bytes;
    if (!flight->copies || dword * 4 < flight->address[0] || dword * 4 >= end) continue;
    const uint64_t writer = PATHS * s->w->id + PATH_COPY;
    explain_write(s, serial | writer << WRITER_SHIFT | (uint64_t)flight->op << WRITE_OP_SHIFT, lane, dword);
    break;
  }
  return true;
}

static inline void see_write(sight *s, uint32_t dword, uint32_t bytes, uint32_t defined, int lane) {
  sim_lds_dword *d = &s->lds[dword];
  const uint64_t word = d->write, reads = d->read;
  const bool same = s->copy && same_source(s->source, d->source), between = unordered(s, word);
  if (!same && between && (word >> BYTES_SHIFT & bytes) && !(s->atomic && (word >> ATOMIC_SHIFT & 1)))
    explain_write(s, word, lane, dword);
  const uint32_t others = (uint32_t)(reads >> READERS_SHIFT & 0xffff) & ~(1u << s->w->id);
  if (!same && others && (reads & epoch_mask) == s->epoch && (reads >> READ_BYTES_SHIFT & bytes))
    explain_read(s, reads, lane, dword);
  const uint64_t copiers = same && between ? d->source >> COPIERS_SHIFT : 0;
  d->source = s->source ? s->source | (copiers | 1ull << s->w->id) << COPIERS_SHIFT : 0;
  const uint64_t kept = (word >> DEFINED_SHIFT & 15) & ~bytes;
  // Other lanes of the same instruction may have written the rest.
  const uint64_t beside = (uint32_t)word == (uint32_t)s->fresh ? word >> BYTES_SHIFT & 15 : 0;
  d->write = s->fresh | (beside | bytes) << BYTES_SHIFT | (kept | (defined & bytes)) << DEFINED_SHIFT;
  // The span of the writes by one wave since the barrier; a write by another wave would be a race.
  const uint32_t writer = WRITER_MASK << WRITER_SHIFT;
  const bool on =
      !(((uint32_t)word ^ (uint32_t)s->fresh) & writer) && ((uint32_t)word & serial_mask) > s->released;
  d->written_at.last = s->position;
  if (!on) d->written_at.first = s->position;
}

// Returns which bytes all the waves have read at least: `reads` so far, `bytes` by this wave now.
static inline uint64_t joint_read(const sight *s, uint64_t reads, uint32_t bytes) {
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

// Returns whether all the bytes are defined.
static inline bool see_read(sight *s, uint32_t dword, uint32_t bytes, int lane) {
  sim_lds_dword *d = &s->lds[dword];
  const uint64_t word = d->write;
  if (unordered(s, word) && (word >> BYTES_SHIFT & bytes) && !(s->atomic && (word >> ATOMIC_SHIFT & 1)) &&
      !brought(s, d, lane, dword))
    explain_write(s, word, lane, dword);
  if (s->atomic) return (word >> DEFINED_SHIFT & bytes) == bytes;
  const uint64_t reads = d->read;
  if ((reads & epoch_mask) == s->epoch) {
    d->read = joint_read(s, reads, bytes);
    widen(&d->read_at, s->position);
  } else {
    d->read = s->readers_here | (uint64_t)bytes << READ_BYTES_SHIFT;
    d->read_at = (sim_span){s->position, s->position};
  }
  return (word >> DEFINED_SHIFT & bytes) == bytes;
}

// ---- accesses

static void look(sight *s, sim_wave *w, const sim_op *op, lds_path how) {
  const sim_check_group *g = sim_check_group_of(w->group);
  s->w = w;
  s->op = op;
  s->how = how;
  s->lds = g->lds;
  s->index = sim_index_of(w, op);
  s->epoch = g->epoch & epoch_mask;
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
  s->released = own->queue[queue_of(how)].released;
  const uint32_t serial = own->queue[queue_of(how)].issued;
  s->fresh = (serial & serial_mask) | (uint64_t)(PATHS * w->id + how) << WRITER_SHIFT |
             (uint64_t)s->atomic << ATOMIC_SHIFT | (uint64_t)s->index << WRITE_OP_SHIFT;
  s->readers_here =
      (g->epoch & epoch_mask) | 1ull << (READERS_SHIFT + w->id) | (uint64_t)s->index << READ_OP_SHIFT;
}

// Bytes of the dword at `first` that [at, at + bytes) covers.
static uint32_t bytes_of(uint64_t dword, uint64_t at, uint32_t bytes) {
  uint64_t from = dword * 4 > at ? 0 : at - dword * 4, end = at + bytes - dword * 4;
  if (end > 4) end = 4;
  return ((1u << end) - 1) & ~((1u << from) - 1);
}

// Reads of whole dwords, the most frequent of accesses; bit l of undefined[i] is set where dword i of lane l
// is. What others have read in this epoch and nobody writes is looked at here, everything else by see_read.
static void read_whole(sight *s, uint64_t lanes, const uint64_t *address, uint32_t step, uint32_t dwords,
                       uint64_t *undefined) {
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
      if (!unordered(s, word) && (word & known) == known && !atomic && (reads & epoch_mask) == epoch &&
          (reads & all) == all) {
        d->read = here | (reads & readers);
        widen(&d->read_at, position);
      } else if (!see_read(s, first + i, 15, l)) {
        undefined[i] |= 1ull << l;
      }
    }
  }
}

// Looks at `bytes` per lane from address[lane] + step. Bit l of undefined[i] says that dword i of lane l is
// undefined: the caller sets it for a write, and finds it set after a read.
static void each_dword(sight *s, uint64_t lanes, const uint64_t *address, uint32_t step, uint32_t bytes,
                       uint64_t *undefined) {
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
    for (uint64_t dword = first; dword <= last; ++dword) {
      const uint32_t covered = whole ? 15 : bytes_of(dword, at, bytes), i = (uint32_t)(dword - first) & 3;
      bool defined = true;
      if (s->writes) {
        defined = !(undefined[i] >> l & 1);
        if (s->copy) s->source = source_of(s->copy, l, (uint32_t)(dword - first));
        see_write(s, (uint32_t)dword, covered, defined ? 15 : 0, l);
      } else if (!see_read(s, (uint32_t)dword, covered, l)) {
        undefined[i] |= 1ull << l;
      }
    }
  }
}

// A copy while a read of this wave that it may overtake is in flight.
static void overtakes(sight *s, uint64_t from, uint64_t end) {
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
  sight s = {.writes = true, .copy = a};
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
  sight s = {.writes = f->flags & SIM_FACT_STORES, .atomic = is_atomic_flat(op, f)};
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
  sight s = {.writes = f->flags & SIM_FACT_STORES, .atomic = f->flags & SIM_FACT_ATOMIC};
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
            const uint64_t same = -(uint64_t)((reads & epoch_mask) == (g->epoch & epoch_mask));
            d->read_at = (sim_span){0, 0};
            d->read = (g->epoch & epoch_mask) | (reads & same & 0xffffull << READERS_SHIFT) |
                      1ull << (READERS_SHIFT + wave) | 1ull << LATE_SHIFT |
                      (uint64_t)bytes_of(dword, at, flight->bytes) << READ_BYTES_SHIFT |
                      (uint64_t)flight->op << READ_OP_SHIFT;
          }
        }
    }
  }
}
