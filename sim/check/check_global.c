// SPDX-License-Identifier: MIT
// Global memory that work-groups of one launch share: what one writes and another reads or writes, in no
// order. Only atomics and cache maintenance order work-groups; two of which one has released (an atomic,
// buffer_wbl2, a store of device scope) and the other acquired (an atomic, buffer_inv) count as ordered.
// Loads and stores of device scope are to each other as atomics are: relaxed ones are compiled to them, flags
// and what is handed over through them are accessed so by hand. Memory is kept in lines of 32 bytes with a
// bit for each. A line remembers one writer and two readers, so that with more of them a race may go unseen,
// but none is made up.
#include <stdio.h>
#include <stdlib.h>

#include "sim/check/state.h"
#include "sim/exec/memory/memory_ops.h"

enum { LINE = 32, PAGE_LINES = 1024, BUCKETS = 1 << 12, POLLS = 256 };

// group + 1 (24 bits), dwords touched by atomics or in device scope (8), bytes touched otherwise (32): one
// word each, so that threads need no lock.
typedef struct line {
  uint64_t writer, reader[2];
  uint32_t write_op, read_op[2];
} line;

typedef struct sim_page {
  struct sim_page *next;
  uint64_t number;
  line lines[PAGE_LINES];
} sim_page;

typedef struct sim_pages {
  sim_page *bucket[BUCKETS];
  uint8_t *released;  // by work-group
} sim_pages;

struct sim_pages *sim_pages_create(uint64_t groups) {
  sim_pages *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  p->released = calloc(groups, 1);
  if (p->released) return p;
  free(p);
  return NULL;
}

void sim_pages_free(struct sim_pages *pages) {
  if (!pages) return;
  for (int i = 0; i < BUCKETS; ++i)
    for (sim_page *page = pages->bucket[i], *next; page; page = next) {
      next = page->next;
      free(page);
    }
  free(pages->released);
  free(pages);
}

static sim_page *find_page(sim_page *first, uint64_t number) {
  for (; first; first = first->next)
    if (first->number == number) return first;
  return NULL;
}

// Returns NULL when host memory runs out.
static line *line_at(sim_check_group *g, uint64_t number) {
  const uint64_t wanted = number / PAGE_LINES;
  if (g->page && g->page_number == wanted) return &g->page->lines[number % PAGE_LINES];
  sim_check *check = g->check;
  sim_page **bucket = &check->pages->bucket[(wanted ^ wanted >> 12) % BUCKETS];
  sim_page *page = find_page(__atomic_load_n(bucket, __ATOMIC_ACQUIRE), wanted);
  if (!page) {
    pthread_mutex_lock(&check->lock);
    page = find_page(*bucket, wanted);
    if (!page && (page = calloc(1, sizeof *page))) {
      page->number = wanted;
      page->next = *bucket;
      __atomic_store_n(bucket, page, __ATOMIC_RELEASE);
    }
    check->incomplete |= !page;
    pthread_mutex_unlock(&check->lock);
    if (!page) return NULL;
  }
  g->page = page;
  g->page_number = wanted;
  return &page->lines[number % PAGE_LINES];
}

// ---- words

static uint64_t load(const uint64_t *word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
enum { GROUP_SHIFT = 40, ATOMIC_SHIFT = 32, MOST_GROUPS = (1 << 24) - 1 };
static uint32_t group_of(uint64_t word) { return (uint32_t)(word >> GROUP_SHIFT); }
static uint32_t bytes_of(uint64_t word) { return (uint32_t)word; }

// Return a bit for each dword as a bit for each of its bytes, and the dwords of which a byte is there.
static uint32_t spread(uint32_t dwords) {
  dwords = (dwords | dwords << 12) & 0x000f000f;
  dwords = (dwords | dwords << 6) & 0x03030303;
  dwords = (dwords | dwords << 3) & 0x11111111;
  return dwords * 15;
}
static uint32_t gathered(uint32_t bytes) {
  bytes = (bytes | bytes >> 1 | bytes >> 2 | bytes >> 3) & 0x11111111;
  bytes = (bytes | bytes >> 3) & 0x03030303;
  bytes = (bytes | bytes >> 6) & 0x000f000f;
  return (bytes | bytes >> 12) & 0xff;
}
static uint32_t atomics_of(uint64_t word) { return spread((uint32_t)(word >> ATOMIC_SHIFT) & 0xff); }

// Adds bits to a word that belongs to `group` or to no one; false when it is another's.
static bool join(uint64_t *at, uint32_t group, uint64_t bits) {
  uint64_t word = load(at);
  for (;;) {
    if (word && group_of(word) != group) return false;
    const uint64_t joined = word | (uint64_t)group << GROUP_SHIFT | bits;
    if (joined == word ||
        __atomic_compare_exchange_n(at, &word, joined, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      return true;
  }
}

// ---- accesses

typedef struct touch {
  sim_wave *w;
  uint32_t op, group;  // group + 1
  bool writes, atomic;
} touch;

// Returns whether an op of the program is a volatile access that does not poll.
static bool is_volatile(const sim_check_group *g, uint32_t index) {
  const sim_op *op = &g->check->program->ops[index];
  return sim_op_is_volatile(op) && !(op->flags & SIM_F_SPINS);
}

// What a volatile loop has waited for orders the volatile accesses behind it.
static bool ordered(const touch *t, uint32_t other, sim_finding_kind kind) {
  const sim_check_group *g = sim_check_group_of(t->w->group);
  return (g->acquired || (g->polled && kind == SIM_FINDING_TIMING)) &&
         __atomic_load_n(&g->check->pages->released[other - 1], __ATOMIC_RELAXED);
}

static void report(const touch *t, sim_finding_kind kind, uint32_t other, uint32_t other_op, uint64_t address,
                   int lane, const char *what) {
  sim_finding *found = sim_find(t->w, kind, t->op, other_op, lane);
  if (!found) return;
  sim_allocation a;
  char place[64];
  snprintf(place, sizeof place, "0x%llx", (unsigned long long)address);
  if (sim_memory_find(address, &a))
    snprintf(place, sizeof place, "byte %llu of an allocation of %llu",
             (unsigned long long)(address - a.base), (unsigned long long)a.size);
  snprintf(found->detail, sizeof found->detail,
           "%s is %s by work-group %llu and %s by work-group %u, in no order%s", place,
           t->writes ? "written" : "read", (unsigned long long)t->w->group->index, what, other - 1,
           kind == SIM_FINDING_TIMING ? ": volatile accesses make none" : "");
  snprintf(found->remedy, sizeof found->remedy,
           "atomics, or two launches, are needed where work-groups exchange data");
}

// Looks for what this access and another work-group's, which `word` and `op` describe, have in common.
static void compare(const touch *t, uint64_t word, const uint32_t *op, uint64_t number, uint32_t bytes,
                    int lane, const char *what) {
  const uint32_t other = group_of(word);
  if (!other || other == t->group) return;
  const uint32_t other_op = __atomic_load_n(op, __ATOMIC_RELAXED);
  const sim_check_group *g = sim_check_group_of(t->w->group);
  uint32_t common = bytes & (bytes_of(word) | (t->atomic ? 0 : atomics_of(word)));
  sim_finding_kind kind = SIM_FINDING_GLOBAL_RACE;
  if (!common && is_volatile(g, t->op) && is_volatile(g, other_op)) {
    common = bytes & atomics_of(word);
    kind = SIM_FINDING_TIMING;
  }
  if (common && !ordered(t, other, kind))
    report(t, kind, other, other_op, number * LINE + (uint64_t)__builtin_ctz(common), lane, what);
}

static void touch_line(const touch *t, uint64_t number, uint32_t bytes, int lane) {
  line *l = line_at(sim_check_group_of(t->w->group), number);
  if (!l) return;
  const uint64_t writer = load(&l->writer);
  const uint32_t by = group_of(writer);
  compare(t, writer, &l->write_op, number, bytes, lane, "written");
  const uint64_t bits = t->atomic ? (uint64_t)gathered(bytes) << ATOMIC_SHIFT : bytes;
  if (t->writes) {
    for (int i = 0; i < 2; ++i) compare(t, load(&l->reader[i]), &l->read_op[i], number, bytes, lane, "read");
    if ((writer & bits) != bits || by != t->group) {
      // A line that several write belongs to the first: the others' bytes are not seen.
      if (join(&l->writer, t->group, bits)) __atomic_store_n(&l->write_op, t->op, __ATOMIC_RELAXED);
    }
    return;
  }
  for (int i = 0; i < 2; ++i) {
    const uint64_t reader = load(&l->reader[i]);
    if (reader && group_of(reader) != t->group) continue;
    if ((reader & bits) == bits && reader) return;
    if (!join(&l->reader[i], t->group, bits)) continue;
    __atomic_store_n(&l->read_op[i], t->op, __ATOMIC_RELAXED);
    return;
  }
}

// Describes the bytes in [address, address + bytes) while they are gathered into lines.
typedef struct gather {
  uint64_t line;
  uint32_t bytes;
  int lane;
} gather;

static void add(const touch *t, gather *g, uint64_t address, uint32_t bytes, int lane) {
  while (bytes) {
    const uint32_t from = address % LINE, here = bytes < LINE - from ? bytes : LINE - from;
    if (address / LINE != g->line) {
      if (g->bytes) touch_line(t, g->line, g->bytes, g->lane);
      *g = (gather){address / LINE, 0, lane};
    }
    g->bytes |= (uint32_t)((1ull << here) - 1) << from;
    address += here;
    bytes -= here;
  }
}

// A wave that reads one place again and again waits for another work-group to write it. The work-groups of a
// cooperative launch all run at the same time.
static void watch_polling(sim_wave *w, const sim_op *op, const sim_access *a) {
  sim_check_wave *c = sim_check_wave_of(w);
  if (sim_check_group_of(w->group)->check->launch->cooperative) return;
  const uint64_t address = a->address[a->lanes ? __builtin_ctzll(a->lanes) : 0];
  if (c->poll_op != sim_index_of(w, op) || c->poll_address != address) {
    c->poll_op = sim_index_of(w, op);
    c->poll_address = address;
    c->poll_count = 0;
    return;
  }
  if (++c->poll_count != POLLS) return;
  sim_finding *found = sim_find(w, SIM_FINDING_TIMING, c->poll_op, SIM_NO_OP, -1);
  if (!found) return;
  snprintf(found->detail, sizeof found->detail,
           "the wave polls one address: right only if what writes it runs at the same time, so that all "
           "work-groups must "
           "be resident");
  snprintf(found->remedy, sizeof found->remedy,
           "launch it cooperatively, or no more work-groups than fit, or give the work to a second launch");
}

// Returns whether the op is a load or store of whole dwords in device or system scope: SC1 (CDNA4 ISA table
// 49, LLVM AMDGPUUsage), or GLC of scalar ones.
static bool of_device_scope(const sim_op *op, const sim_op_facts *f, const sim_access *a) {
  return a->bytes >= 4 && op->flags & (f->path == SIM_PATH_SMEM ? SIM_F_SC0 : SIM_F_SC1);
}

void sim_check_order(sim_wave *w, const sim_op_facts *f) {
  sim_check_group *g = sim_check_group_of(w->group);
  if (f->flags & SIM_FACT_ACQUIRES) g->acquired = true;
  if (!(f->flags & SIM_FACT_RELEASES) || g->released) return;
  g->released = true;
  __atomic_store_n(&g->check->pages->released[w->group->index], 1, __ATOMIC_RELAXED);
}

void sim_check_global(sim_wave *w, const sim_op *op, const sim_op_facts *f, const sim_access *a) {
  sim_check_group *g = sim_check_group_of(w->group);
  sim_check_order(w, f);
  if (!a->bytes || (f->flags & SIM_FACT_SCRATCH)) return;
  const bool atomic = f->flags & SIM_FACT_ATOMIC;
  const touch t = {w, sim_index_of(w, op), (uint32_t)w->group->index + 1, f->flags & SIM_FACT_STORES,
                   atomic || of_device_scope(op, f, a)};
  if (!t.writes || atomic) watch_polling(w, op, a);
  g->polled |= (op->flags & SIM_F_SPINS) != 0;
  if (g->check->groups < 2 || t.group > MOST_GROUPS) return;
  gather part = {0, 0, 0};
  if (f->path == SIM_PATH_SMEM) {
    if (f->weight && a->address[0]) add(&t, &part, a->address[0], a->bytes, -1);
  } else {
    const uint64_t lds = (uint64_t)(uintptr_t)w->group->lds, scratch = w->scratch;
    const uint64_t scratch_bytes = (uint64_t)w->scratch_stride * SIM_LANES;
    const uint32_t dwords = a->bytes < 4 ? 1 : a->bytes / 4;
    for (uint64_t lanes = a->lanes & a->in_range[0]; lanes; lanes &= lanes - 1) {
      const int l = __builtin_ctzll(lanes);
      const uint64_t at = a->address[l];
      if (f->path == SIM_PATH_FLAT && (at - lds < w->group->lds_bytes || at - scratch < scratch_bytes))
        continue;
      uint32_t bytes = a->bytes;
      if (!(a->in_range[(dwords - 1) & 3] >> l & 1)) bytes = 4;
      add(&t, &part, at, bytes, l);
    }
  }
  if (part.bytes) touch_line(&t, part.line, part.bytes, part.lane);
}
