// SPDX-License-Identifier: MIT
// Caches, channels and the die's share of what lies behind them.
#include "sim/timing/memory.h"

#include <stdlib.h>
#include <string.h>

#include "sim/timing/zeroed.h"

// ---- caches

bool sim_cache_make(sim_cache *c, uint64_t bytes, uint32_t line, uint32_t ways, sim_cache_index index,
                    bool times) {
  const uint64_t lines = bytes / line;
  *c = (sim_cache){.sets = lines / ways, .ways = ways, .index = index};
  c->set_bits = (uint32_t)__builtin_ctzll(c->sets);
  const size_t of_line = sizeof *c->tags + sizeof *c->used + sizeof *c->dirty;
  c->memory_bytes = lines * (of_line + (times ? sizeof *c->ready : 0));
  c->memory = sim_zeroed(c->memory_bytes);
  if (!c->memory) return false;
  c->tags = c->memory;
  c->ready = times ? (double *)(void *)(c->tags + lines) : NULL;
  c->used = times ? (uint32_t *)(void *)(c->ready + lines) : (uint32_t *)(void *)(c->tags + lines);
  c->dirty = (uint8_t *)(c->used + lines);
  return true;
}

void sim_cache_free(sim_cache *c) { sim_zeroed_free(c->memory, c->memory_bytes); }

void sim_cache_copy(sim_cache *c, const sim_cache *from) {
  uint64_t lines = c->sets * c->ways;
  memcpy(c->tags, from->tags, lines * sizeof *c->tags);
  memcpy(c->used, from->used, lines * sizeof *c->used);
  memcpy(c->dirty, from->dirty, lines * sizeof *c->dirty);
  if (c->ready) memset(c->ready, 0, lines * sizeof *c->ready);
  c->clock = from->clock;
}

void sim_cache_go_on(sim_cache *c) {
  const uint64_t lines = c->sets * c->ways;
  if (c->clock > UINT32_MAX / 2) {  // so that it does not run over: the order of uses stays
    for (uint64_t i = 0; i < lines; ++i) c->used[i] /= 2;
    c->clock /= 2;
  }
  c->begun = c->clock;
}

// Lines from one copy of a launch's data to the next.
#define COPY_STEP (UINT64_C(1) << 48)

// The older of two copies is replaced first, and within a copy what was used first. The oldest copy has lost
// what does not fit: what was used last of it is left.
static void copy_set(sim_cache *c, uint64_t base) {
  uint32_t by_rank[SIM_LLC_WAYS], rank[SIM_LLC_WAYS] = {0};
  const uint32_t ways = (uint32_t)c->ways;
  uint32_t filled = 0;
  while (filled < ways && c->tags[base + filled]) ++filled;
  if (!filled) return;
  for (uint32_t i = 0; i < filled; ++i) {
    for (uint32_t k = 0; k < filled; ++k) rank[i] += c->used[base + k] < c->used[base + i];
    by_rank[rank[i]] = i;
  }
  const uint32_t copies = (ways + filled - 1) / filled;
  for (uint32_t i = ways; i-- > 0;) {
    const uint32_t copy = i / filled, from = copy ? by_rank[filled - 1 - i % filled] : i;
    c->tags[base + i] = c->tags[base + from] + (copy + 1) * COPY_STEP;
    c->dirty[base + i] = c->dirty[base + from];
    c->used[base + i] = (copies - 1 - copy) * filled + rank[from] + 1;
  }
}

void sim_cache_make_copies(sim_cache *c) {
  for (uint64_t base = 0; base < c->sets * c->ways; base += c->ways) copy_set(c, base);
  if (c->clock < c->ways * 2) c->clock = (uint32_t)c->ways * 2;  // later than all of these
}

static uint64_t spread(uint64_t line) {
  line *= 0x9e3779b97f4a7c15u;
  return line ^ line >> 29;
}

static uint64_t set_of(const sim_cache *c, uint64_t line) {
  uint64_t hash = line;
  switch (c->index) {
    case SIM_CACHE_HASHED: hash = spread(line) >> 16; break;
    case SIM_CACHE_FOLDED: hash ^= line >> c->set_bits ^ line >> 2 * c->set_bits; break;
    case SIM_CACHE_PLAIN: break;
  }
  return hash & (c->sets - 1);
}

void sim_cache_expect(const sim_cache *c, uint64_t line) {
  uint64_t base = set_of(c, line) * c->ways;
  for (uint64_t i = 0; i < c->ways; i += 8) __builtin_prefetch(&c->tags[base + i]);
  __builtin_prefetch(&c->used[base], 1);
  __builtin_prefetch(&c->dirty[base], 1);
}

uint64_t sim_cache_use(sim_cache *c, uint64_t line, bool *hit, uint64_t *evicted) {
  uint64_t base = set_of(c, line) * c->ways, end = base + c->ways, victim = base;
  *evicted = 0;
  ++c->clock;
  for (uint64_t i = base; i < end; ++i) {
    if (c->tags[i] != line + 1) continue;
    if (c->ready && c->used[i] <= c->begun) c->ready[i] = 0;
    c->used[i] = c->clock;
    *hit = true;
    return i;
  }
  *hit = false;
  for (uint64_t i = base + 1; i < end; ++i)
    if (c->used[i] < c->used[victim]) victim = i;
  if (c->dirty[victim]) *evicted = c->tags[victim];
  c->tags[victim] = line + 1;
  c->used[victim] = c->clock;
  c->dirty[victim] = 0;
  return victim;
}

// ---- the dies

bool sim_memory_model_make(sim_memory_model *m, const sim_machine *machine, uint32_t dies) {
  const sim_timing *t = machine->timing;
  *m = (sim_memory_model){.machine = machine, .dies = dies};
  m->channel = calloc(t->l2_channels, sizeof *m->channel);
  m->to_llc = calloc(t->l2_channels, sizeof *m->to_llc);
  m->l2 = calloc(dies, sizeof *m->l2);
  bool ok = sim_cache_make(&m->llc, t->llc_bytes, t->line_bytes, SIM_LLC_WAYS, SIM_CACHE_FOLDED, true) &&
            m->l2 && m->channel && m->to_llc;
  for (uint32_t i = 0; ok && i < dies; ++i)
    ok = sim_cache_make(&m->l2[i], machine->l2_bytes, t->line_bytes, t->l2_ways, SIM_CACHE_FOLDED, i == 0);
  return ok;
}

void sim_memory_model_free(sim_memory_model *m) {
  for (uint32_t i = 0; m->l2 && i < m->dies; ++i) sim_cache_free(&m->l2[i]);
  sim_cache_free(&m->llc);
  free(m->l2);
  free(m->channel);
  free(m->to_llc);
}

static double later(double a, double b) { return a > b ? a : b; }

// Takes `cycles` of a server from `now` on; returns when it begins.
static double serve(double *free_at, double now, double cycles) {
  double begin = later(*free_at, now);
  *free_at = begin + cycles;
  return begin;
}

static unsigned channel_of(const sim_memory_model *m, uint64_t line) {
  return sim_memory_channel(line * m->machine->timing->line_bytes);
}

// Which channel of an L2 a line takes is not published. The rule is assumed to differ from that of memory: by
// memory's rule rows 8256 elements apart would meet in few channels and rows 8192 apart in all, and on MI300X
// the former are faster (GGT kernels/gemm/gfx942/README.md).
static unsigned l2_channel_of(const sim_memory_model *m, uint64_t line) {
  const uint64_t piece = line * m->machine->timing->line_bytes / SIM_CHANNEL_BYTES;
  return spread(piece) >> 40 & (m->machine->timing->l2_channels - 1);
}

// Returns the cycles of a line in a channel, of the chip's bytes per cycle that the dies of the model have to
// themselves.
static double channel_cycles(const sim_memory_model *m, double rate) {
  return m->machine->timing->line_bytes * (double)SIM_MEMORY_CHANNELS / rate;
}

static double pins_of(const sim_memory_model *m) {
  const sim_machine *c = m->machine;
  return 2.0 * c->memory_clock_mhz / c->clock_mhz * c->memory_bus_bits / 8 * m->dies / c->xcds;
}

// A request goes through the servers of its channel one after the other, from `begin` on. What all channels
// have together it takes at `now`, when it was made: or one that waits for its channel would hold up others.

// Moves a line from or to HBM; returns when it begins.
static double serve_hbm(sim_memory_model *m, uint64_t line, double rate, double now, double begin) {
  const double together = serve(&m->hbm_free, now, m->machine->timing->line_bytes / (rate * m->dies));
  return serve(&m->hbm[channel_of(m, line)], later(begin, together), channel_cycles(m, pins_of(m)));
}

// Moves a line between the first die's L2 and the LLC; returns when it begins.
static double go_to_llc(sim_memory_model *m, uint64_t line, double now, double begin) {
  const sim_timing *t = m->machine->timing;
  const double together = serve(&m->llc_free, now, t->line_bytes / t->llc_rate);
  return serve(&m->to_llc[l2_channel_of(m, line)], later(begin, together),
               t->line_bytes / (t->llc_peak / t->l2_channels));
}

// Looks a line up in the LLC, and says when it is there: one that another die has asked for may be in flight
// from HBM still. What it drives out goes to HBM.
static double in_llc(sim_memory_model *m, uint64_t line, bool write, double now, double begin, bool *hit) {
  const sim_timing *t = m->machine->timing;
  uint64_t evicted, way = sim_cache_use(&m->llc, line, hit, &evicted);
  double *ready = &m->llc.ready[way];
  begin = serve(&m->slice[channel_of(m, line)], begin, channel_cycles(m, t->llc_peak * m->dies));
  if (evicted) serve_hbm(m, evicted - 1, t->hbm_write_rate, now, begin);
  m->hbm_writes += evicted > 0;
  if (write) {
    m->llc.dirty[way] = 1;
    ++m->llc_writes;
    return *ready = begin;
  }
  ++m->read_lines;
  m->hbm_reads += !*hit;
  if (*hit) return later(*ready, begin);
  return *ready = serve_hbm(m, line, t->hbm_rate, now, begin) + (t->hbm_latency - t->llc_latency);
}

// A dirty line leaves an L2. The LLC is on the side of memory and keeps what is written (assumed).
static void write_line(sim_memory_model *m, uint32_t die, uint64_t line, double now, double begin) {
  bool hit;
  if (die == 0) begin = go_to_llc(m, line, now, begin);
  m->written_lines += die == 0;
  in_llc(m, line, true, now, begin, &hit);
}

// Cycles that a line's memory is farther from the first die than memory is in the mean. The first die lies on
// the first I/O die; of four in a square the last is two crossings away.
static double farther(const sim_memory_model *m, uint64_t line) {
  const sim_timing *t = m->machine->timing;
  const unsigned io_die = channel_of(m, line) * t->io_dies / SIM_MEMORY_CHANNELS;
  const double mean = __builtin_ctz(t->io_dies) / 2.0;
  return (__builtin_popcount(io_die) - mean) * t->crossing_cycles;
}

// Returns when a line that the L2 began to look for at `begin` arrives from beyond it.
static double beyond_l2(sim_memory_model *m, uint64_t line, double now, double begin) {
  bool hit;
  double there = in_llc(m, line, false, now, go_to_llc(m, line, now, begin), &hit);
  ++m->llc_lines;
  m->llc_hits += hit;
  return there + m->machine->timing->llc_latency + farther(m, line);
}

double sim_memory_read(sim_memory_model *m, uint64_t line, double now) {
  const sim_timing *t = m->machine->timing;
  bool hit;
  uint64_t evicted;
  double begin = serve(&m->channel[l2_channel_of(m, line)], now, t->line_bytes / t->l2_read_bytes);
  uint64_t way = sim_cache_use(&m->l2[0], line, &hit, &evicted);
  double arrives = begin + t->l2_latency;
  ++m->l2_lines;
  ++m->l2_reads;
  m->l2_hits += hit;
  if (evicted) write_line(m, 0, evicted - 1, now, begin);
  if (!hit) return m->l2[0].ready[way] = beyond_l2(m, line, now, begin);
  return later(m->l2[0].ready[way], arrives);  // it may still be in flight
}

double sim_memory_write(sim_memory_model *m, uint64_t line, unsigned halves, double now) {
  const sim_timing *t = m->machine->timing;
  bool hit;
  uint64_t evicted;
  uint32_t written = t->write_granule * (halves == 3 ? 2 : 1);
  double bytes = written, begin = serve(&m->channel[l2_channel_of(m, line)], now, bytes / t->l2_write_bytes);
  uint64_t way = sim_cache_use(&m->l2[0], line, &hit, &evicted);
  ++m->l2_lines;
  m->l2_written_bytes += written;
  m->l2_hits += hit;
  if (evicted) write_line(m, 0, evicted - 1, now, begin);
  if (!hit) m->l2[0].ready[way] = begin;  // byte masks: no fill (rocprofiler-compute documentation)
  m->l2[0].dirty[way] = 1;
  return begin + bytes / t->l2_write_bytes + t->l2_latency;
}

void sim_memory_expect(const sim_memory_model *m, uint32_t die, uint64_t line) {
  if (die < m->dies) sim_cache_expect(&m->l2[die], line);
}

void sim_memory_elsewhere(sim_memory_model *m, uint32_t die, uint64_t line, bool store, double now) {
  bool hit;
  uint64_t evicted;
  if (die >= m->dies) return;
  uint64_t way = sim_cache_use(&m->l2[die], line, &hit, &evicted);
  if (evicted) write_line(m, die, evicted - 1, now, now);
  if (store) m->l2[die].dirty[way] = 1;
  if (hit || store) return;
  in_llc(m, line, false, now, now, &hit);
}

double sim_memory_write_back(sim_memory_model *m) {
  const sim_timing *t = m->machine->timing;
  const uint64_t written = m->hbm_writes;
  uint64_t own = 0;
  for (uint32_t die = 0; die < m->dies; ++die)
    for (uint64_t i = 0; i < m->l2[die].sets * m->l2[die].ways; ++i) {
      bool hit;
      if (!m->l2[die].dirty[i]) continue;
      in_llc(m, m->l2[die].tags[i] - 1, true, 0, 0, &hit);
      own += die == 0;
    }
  m->written_lines += own;
  const double to_llc = (double)own / t->llc_rate;
  const double to_hbm = (double)(m->hbm_writes - written) / (t->hbm_write_rate * m->dies);
  return later(to_llc, to_hbm) * t->line_bytes;
}
