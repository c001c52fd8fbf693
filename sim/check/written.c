// SPDX-License-Identifier: MIT
// The bits are mapped lazily: an allocation that is never touched costs nothing.
#include "sim/check/written.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "sim/object/grow.h"

typedef struct region {
  uint64_t base, size;
  _Atomic uint8_t *bits;  // bit i % 8 of byte i / 8: byte i of the region is written
} region;

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static region *regions;  // in the order of their addresses
static size_t count, capacity;
static atomic_bool any;

static size_t mapped(uint64_t size) { return (size_t)(size / 8 + 1); }

// Returns the number of regions that begin at or before the address.
static size_t place_of(uint64_t address) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (regions[middle].base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static const region *region_at(uint64_t address) {
  const size_t place = place_of(address);
  const region *r = place ? &regions[place - 1] : NULL;
  return r && address - r->base < r->size ? r : NULL;
}

void sim_written_add(uint64_t base, uint64_t size) {
  void *bits =
      mmap(NULL, mapped(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (bits == MAP_FAILED) return;
  pthread_rwlock_wrlock(&lock);
  if (sim_grow((void **)&regions, &capacity, count + 1, sizeof *regions)) {
    const size_t place = place_of(base);
    for (size_t i = count++; i > place; --i) regions[i] = regions[i - 1];
    regions[place] = (region){base, size, bits};
    bits = NULL;
  }
  atomic_store(&any, count > 0);
  pthread_rwlock_unlock(&lock);
  if (bits) munmap(bits, mapped(size));
}

void sim_written_remove(uint64_t base) {
  if (!sim_written_any()) return;
  pthread_rwlock_wrlock(&lock);
  const size_t place = place_of(base);
  if (place && regions[place - 1].base == base) {
    munmap((void *)regions[place - 1].bits, mapped(regions[place - 1].size));
    for (size_t i = place; i < count; ++i) regions[i - 1] = regions[i];
    --count;
  }
  atomic_store(&any, count > 0);
  pthread_rwlock_unlock(&lock);
}

bool sim_written_any(void) { return atomic_load_explicit(&any, memory_order_relaxed); }

static bool get(const region *r, uint64_t at) {
  return atomic_load_explicit(&r->bits[at / 8], memory_order_relaxed) >> at % 8 & 1;
}

static void set(const region *r, uint64_t at, uint64_t size) {
  for (uint64_t end = at + size; at < end;) {
    const unsigned first = at % 8, left = 8 - first, now = end - at < left ? (unsigned)(end - at) : left;
    atomic_fetch_or_explicit(&r->bits[at / 8], (uint8_t)(((1u << now) - 1) << first), memory_order_relaxed);
    at += now;
  }
}

static uint64_t within(const region *r, uint64_t address, uint64_t size) {
  const uint64_t room = r->base + r->size - address;
  return size < room ? size : room;
}

void sim_written_mark(uint64_t address, uint64_t size) {
  if (!sim_written_any()) return;
  pthread_rwlock_rdlock(&lock);
  const region *r = region_at(address);
  if (r) set(r, address - r->base, within(r, address, size));
  pthread_rwlock_unlock(&lock);
}

void sim_written_copy(uint64_t address, uint64_t from, uint64_t size) {
  if (!sim_written_any()) return;
  pthread_rwlock_rdlock(&lock);
  const region *to = region_at(address), *source = region_at(from);
  if (to && !source) set(to, address - to->base, within(to, address, size));
  for (uint64_t i = 0; to && source && i < size; ++i)
    if (from + i - source->base >= source->size || get(source, from + i - source->base))
      if (address + i - to->base < to->size) set(to, address + i - to->base, 1);
  pthread_rwlock_unlock(&lock);
}

void sim_written_forget(void) {
  if (!sim_written_any()) return;
  pthread_rwlock_rdlock(&lock);
  for (size_t i = 0; i < count; ++i) set(&regions[i], 0, regions[i].size);
  pthread_rwlock_unlock(&lock);
}

bool sim_written(uint64_t address, uint64_t size) {
  bool all = true;
  pthread_rwlock_rdlock(&lock);
  const region *r = region_at(address);
  if (r)
    for (uint64_t i = 0, here = within(r, address, size); all && i < here; ++i)
      all = get(r, address - r->base + i);
  pthread_rwlock_unlock(&lock);
  return all;
}
