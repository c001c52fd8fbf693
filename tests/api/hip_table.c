// SPDX-License-Identifier: MIT
// Tests the allocation table against a naive model: find, nearest, overlap and generation over random adds
// and removes.
#include "check.h"
#include "sim/exec/memory.h"

enum { SPACE = 4096, MOST = 64 };

static sim_allocation model[MOST];
static int count;

static const sim_allocation *model_find(uint64_t addr) {
  for (int i = 0; i < count; ++i)
    if (addr >= model[i].base && addr - model[i].base < model[i].size) return &model[i];
  return NULL;
}

static uint64_t model_distance(const sim_allocation *a, uint64_t addr) {
  if (addr < a->base) return a->base - addr;
  return addr < a->base + a->size ? 0 : addr - (a->base + a->size);
}

static bool model_overlaps(uint64_t base, uint64_t size) {
  for (int i = 0; i < count; ++i)
    if (base < model[i].base + model[i].size && model[i].base < base + size) return true;
  return false;
}

static void check_queries(void) {
  for (uint64_t addr = 0; addr < SPACE + 100; addr += 7) {
    sim_allocation got;
    const sim_allocation *want = model_find(addr);
    bool found = sim_memory_find(addr, &got);
    CHECK(found == (want != NULL) && (!found || (got.base == want->base && got.size == want->size)),
          "address %llu: found %d", (unsigned long long)addr, found);
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < count; ++i)
      if (model_distance(&model[i], addr) < best) best = model_distance(&model[i], addr);
    bool any = sim_memory_nearest(addr, &got);
    CHECK(any == (count > 0) && (!any || model_distance(&got, addr) == best), "nearest to %llu",
          (unsigned long long)addr);
    CHECK(!any || sim_memory_distance(&got, addr) == best, "%llu bytes from %llu to the nearest",
          (unsigned long long)sim_memory_distance(&got, addr), (unsigned long long)addr);
  }
}

int main(void) {
  test_rng rng = test_seed(21);
  check_queries();
  for (int step = 0; step < 600; ++step) {
    uint64_t generation = sim_memory_generation();
    if (count < MOST && test_random(&rng) % 3) {
      sim_allocation a = {
          .base = test_random(&rng) % SPACE, .size = 1 + test_random(&rng) % 100, .device = step};
      bool overlaps = model_overlaps(a.base, a.size);
      CHECK(sim_memory_add(a) == !overlaps, "add %llu+%llu", (unsigned long long)a.base,
            (unsigned long long)a.size);
      CHECK((sim_memory_generation() != generation) == !overlaps, "the generation moves with the table only");
      if (!overlaps) model[count++] = a;
    } else if (count) {
      int i = (int)(test_random(&rng) % (unsigned)count);
      if (model[i].size > 1) CHECK(!sim_memory_remove(model[i].base + 1), "an address inside is not a base");
      CHECK(sim_memory_remove(model[i].base), "remove");
      CHECK(sim_memory_generation() != generation, "the generation moves");
      model[i] = model[--count];
    }
    if (step % 20 == 0) check_queries();
  }
  return test_result();
}
