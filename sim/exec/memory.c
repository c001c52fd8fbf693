// SPDX-License-Identifier: MIT
// Keeps the table of allocations: an array sorted by base under a reader-writer lock. Lookups are binary
// searches; waves keep the last hit and come back only when the generation has moved.
#include "sim/exec/memory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Places begin at multiples of the allocation's size rounded up to a power of two, as those of a buddy
// allocator do (Linux gives out the chips' memory by one, drivers/gpu/drm/amd/amdgpu/amdgpu_vram_mgr.c), but
// of no less and no more than these: pages as drivers prefer them for large allocations, and what channels
// are chosen by below the highest bits. So earlier allocations change little in a prediction.
#define PLACE_STEP (UINT64_C(2) << 20)
#define PLACE_MOST (UINT64_C(1) << 30)

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static sim_allocation *table;
static size_t table_count, table_capacity;
static uint64_t additions;
static uint64_t places_end = PLACE_STEP;  // of those in use
// Starts at 1, so that a wave whose remembered generation is 0 always looks first.
static _Atomic uint64_t table_generation = 1;

// Returns the number of allocations whose base is <= addr. The caller holds the lock.
static size_t count_up_to(uint64_t addr) {
  size_t low = 0, high = table_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (table[middle].base <= addr)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static bool grow(void) {
  size_t capacity = table_capacity ? 2 * table_capacity : 64;
  sim_allocation *larger = realloc(table, capacity * sizeof *larger);
  if (!larger) return false;
  table = larger;
  table_capacity = capacity;
  return true;
}

static uint64_t place_for(uint64_t size) {
  uint64_t align = PLACE_STEP;
  while (align < size && align < PLACE_MOST) align *= 2;
  return (places_end + align - 1) & -align;
}

static uint64_t place_end(const sim_allocation *a) {
  return a->place + (a->size + PLACE_STEP) / PLACE_STEP * PLACE_STEP;
}

// The last place has become free: the next allocation is to have the place it would have without the last.
static void lower_places_end(void) {
  places_end = PLACE_STEP;
  for (size_t i = 0; i < table_count; ++i)
    if (place_end(&table[i]) > places_end) places_end = place_end(&table[i]);
}

bool sim_memory_add(sim_allocation allocation) {
  pthread_rwlock_wrlock(&table_lock);
  size_t at = count_up_to(allocation.base);
  bool overlaps = (at > 0 && allocation.base - table[at - 1].base < table[at - 1].size) ||
                  (at < table_count && table[at].base - allocation.base < allocation.size);
  bool ok = !overlaps && (table_count < table_capacity || grow());
  if (ok) {
    memmove(table + at + 1, table + at, (table_count - at) * sizeof *table);
    table[at] = allocation;
    table[at].place = place_for(allocation.size);
    table[at].number = ++additions;
    places_end = place_end(&table[at]);
    ++table_count;
    atomic_fetch_add(&table_generation, 1);
  }
  pthread_rwlock_unlock(&table_lock);
  return ok;
}

bool sim_memory_remove(uint64_t base) {
  pthread_rwlock_wrlock(&table_lock);
  size_t at = count_up_to(base);
  bool found = at > 0 && table[at - 1].base == base;
  if (found) {
    const bool last = place_end(&table[at - 1]) == places_end;
    memmove(table + at - 1, table + at, (table_count - at) * sizeof *table);
    --table_count;
    if (last) lower_places_end();
    atomic_fetch_add(&table_generation, 1);
  }
  pthread_rwlock_unlock(&table_lock);
  return found;
}

bool sim_memory_share(uint64_t base, uint32_t devices) {
  pthread_rwlock_wrlock(&table_lock);
  size_t at = count_up_to(base);
  bool found = at > 0 && table[at - 1].base == base;
  if (found) {
    table[at - 1].shared = devices;
    atomic_fetch_add(&table_generation, 1);
  }
  pthread_rwlock_unlock(&table_lock);
  return found;
}

bool sim_memory_mark(uint64_t base, uint32_t add, uint32_t take) {
  pthread_rwlock_wrlock(&table_lock);
  size_t at = count_up_to(base);
  bool found = at > 0 && table[at - 1].base == base;
  if (found) table[at - 1].flags = (table[at - 1].flags | add) & ~take;
  pthread_rwlock_unlock(&table_lock);
  return found;
}

bool sim_memory_find(uint64_t addr, sim_allocation *out) {
  pthread_rwlock_rdlock(&table_lock);
  size_t at = count_up_to(addr);
  bool found = at > 0 && addr - table[at - 1].base < table[at - 1].size;
  if (found) *out = table[at - 1];
  pthread_rwlock_unlock(&table_lock);
  return found;
}

static sim_allocation with_pages(sim_allocation a) {
  if (a.kind == SIM_MEMORY_CODE) return a;
  const uint64_t before = a.base % SIM_MEMORY_PAGE;
  a.base -= before;
  a.place -= before;
  a.size = (a.size + before + SIM_MEMORY_PAGE - 1) / SIM_MEMORY_PAGE * SIM_MEMORY_PAGE;
  return a;
}

bool sim_memory_find_pages(uint64_t addr, sim_allocation *out) {
  pthread_rwlock_rdlock(&table_lock);
  const size_t at = count_up_to(addr);
  bool found = false;
  // The one that begins before the address is looked at first.
  for (size_t i = at > 0 ? at - 1 : 0; !found && i <= at && i < table_count; ++i) {
    *out = with_pages(table[i]);
    found = addr - out->base < out->size;
  }
  pthread_rwlock_unlock(&table_lock);
  return found;
}

uint64_t sim_memory_distance(const sim_allocation *a, uint64_t addr) {
  if (addr < a->base) return a->base - addr;
  return addr - a->base < a->size ? 0 : addr - a->base - a->size;
}

bool sim_memory_nearest(uint64_t addr, sim_allocation *out) {
  pthread_rwlock_rdlock(&table_lock);
  size_t at = count_up_to(addr);
  const sim_allocation *best = NULL;
  if (at > 0) best = &table[at - 1];
  if (at < table_count && (!best || sim_memory_distance(&table[at], addr) < sim_memory_distance(best, addr)))
    best = &table[at];
  if (best) *out = *best;
  pthread_rwlock_unlock(&table_lock);
  return best != NULL;
}

uint64_t sim_memory_generation(void) { return atomic_load(&table_generation); }
