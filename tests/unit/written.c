// SPDX-License-Identifier: MIT
// Tests which bytes of watched memory have been written, by regions: what lies in none counts as written.
#include "sim/check/written.h"

#include "check.h"

enum { FIRST = 4096, SECOND = 8192, SIZE = 100 };

static void bytes_are_written_one_by_one(void) {
  sim_written_add(FIRST, SIZE);
  sim_written_mark(FIRST + 7, 10);
  for (uint64_t begin = 0; begin < 24; ++begin)
    for (uint64_t size = 1; size < 16; ++size)
      CHECK(sim_written(FIRST + begin, size) == (begin >= 7 && begin + size <= 17), "%d bytes from %d on",
            (int)size, (int)begin);
  sim_written_remove(FIRST);
}

static void what_lies_behind_a_region_is_not_watched(void) {
  sim_written_add(FIRST, SIZE);
  CHECK(sim_written(FIRST + SIZE, 8) && sim_written(FIRST - 8, 8), "beside the region");
  CHECK(!sim_written(FIRST + SIZE - 4, 8), "four bytes that nothing has written");
  sim_written_mark(FIRST + SIZE - 4, 4);
  CHECK(sim_written(FIRST + SIZE - 4, 8), "the last four bytes");
  sim_written_remove(FIRST);
}

static void copies_bring_what_is_written(void) {
  sim_written_add(SECOND, SIZE);
  sim_written_add(FIRST, SIZE);
  sim_written_mark(FIRST + 8, 8);
  sim_written_copy(SECOND + 1, FIRST + 4, 16);
  for (uint64_t i = 0; i < 20; ++i)
    CHECK(sim_written(SECOND + i, 1) == (i >= 5 && i < 13), "byte %d of a copy", (int)i);
  sim_written_copy(SECOND + SIZE - 4, 64, 8);  // from what is not watched
  CHECK(sim_written(SECOND + SIZE - 4, 4) && !sim_written(SECOND + SIZE - 5, 1), "a copy across the end");
  sim_written_forget();
  CHECK(sim_written(FIRST, SIZE) && sim_written(SECOND, SIZE), "all counts as written");
  sim_written_remove(FIRST);
  sim_written_remove(SECOND);
  CHECK(!sim_written_any(), "no region is left");
}

int main(void) {
  bytes_are_written_one_by_one();
  what_lies_behind_a_region_is_not_watched();
  copies_bring_what_is_written();
  return test_result();
}
