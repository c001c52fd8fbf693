// SPDX-License-Identifier: MIT
// Tests where the timing model takes allocations to lie: apart, at multiples of their size, and where they
// would lie without others that are gone.
#include "sim/exec/memory.h"

#include "tests/check.h"

#define MB (UINT64_C(1) << 20)

static uint64_t base_of(int i) { return (UINT64_C(1) << 32) + (uint64_t)i * (UINT64_C(1) << 36); }

// Returns the place of a new allocation, the i-th.
static uint64_t add(int i, uint64_t size) {
  sim_allocation found = {0};
  CHECK(sim_memory_add((sim_allocation){.base = base_of(i), .size = size}), "allocation %d was refused", i);
  CHECK(sim_memory_find(base_of(i), &found), "allocation %d is not found", i);
  return found.place;
}

static void removed(int i) { CHECK(sim_memory_remove(base_of(i)), "there is no allocation %d", i); }

static void a_place_is_a_multiple_of_the_size(void) {
  static const struct {
    uint64_t size, multiple;
  } cases[] = {{1, 2 * MB},         {2 * MB, 2 * MB},       {2 * MB + 1, 4 * MB},
               {96 * MB, 128 * MB}, {1024 * MB, 1024 * MB}, {5000 * MB, 1024 * MB}};
  uint64_t end = 0;
  for (int i = 0; i < 6; ++i) {
    const uint64_t place = add(i, cases[i].size);
    CHECK(place % cases[i].multiple == 0, "%llu bytes lie at %#llx", (unsigned long long)cases[i].size,
          (unsigned long long)place);
    CHECK(place >= end, "%llu bytes lie at %#llx, inside what was there", (unsigned long long)cases[i].size,
          (unsigned long long)place);
    end = place + cases[i].size;
  }
  for (int i = 0; i < 6; ++i) removed(i);
}

static void what_is_gone_changes_no_place(void) {
  const uint64_t kept = add(0, 3 * MB), first = add(1, 64 * MB), second = add(2, 5 * MB);
  removed(1), removed(2);
  add(3, 900 * MB), add(4, 1);
  removed(4), removed(3);
  CHECK(add(1, 64 * MB) == first && add(2, 5 * MB) == second, "equal allocations lie elsewhere");
  removed(1);  // not the last: what follows stays behind the last
  CHECK(add(1, 1) > second && kept < first, "an allocation lies where another may reach");
  removed(0), removed(1), removed(2);
}

// An allocation that is found with its pages lies where it does without them.
static void pages_move_no_byte(void) {
  enum { BEFORE = 256, SIZE = 5000 };
  sim_allocation bytes = {0}, pages = {0};
  const uint64_t base = base_of(0) + BEFORE;
  CHECK(sim_memory_add((sim_allocation){.base = base, .size = SIZE}), "the allocation was refused");
  CHECK(sim_memory_find(base, &bytes) && sim_memory_find_pages(base + SIZE, &pages), "it is not found");
  CHECK(pages.base == base - BEFORE && pages.size == 2 * SIM_MEMORY_PAGE, "its pages are %#llx, %llu bytes",
        (unsigned long long)pages.base, (unsigned long long)pages.size);
  CHECK(pages.place == bytes.place - BEFORE, "its pages lie at %#llx, its bytes at %#llx",
        (unsigned long long)pages.place, (unsigned long long)bytes.place);
  CHECK(!sim_memory_find_pages(pages.base - 1, &pages), "a page before is found");
  CHECK(sim_memory_remove(base), "there is no allocation");
}

int main(void) {
  a_place_is_a_multiple_of_the_size();
  what_is_gone_changes_no_place();
  pages_move_no_byte();
  return test_result();
}
