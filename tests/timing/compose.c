// SPDX-License-Identifier: MIT
// Tests the dispatcher's rules applied to durations.
#include "sim/timing/compose.h"

#include <math.h>

#include "tests/check.h"

static const sim_machine *machine;
static double launch_cycles;  // of a work-group of one wave

static sim_schedule_state begin(uint32_t capacity) {
  sim_schedule_state s;
  CHECK(sim_schedule_make(&s, machine, capacity, 1), "no memory");
  return s;
}

static void equal_work_groups_make_rounds(void) {
  for (uint32_t capacity = 1; capacity <= 2; ++capacity) {
    sim_schedule_state s = begin(capacity);
    for (uint32_t i = 0; i < 5 * 32 * capacity; ++i) sim_schedule_next(&s, 1000);
    // An engine starts 8 units' work-groups one after the other.
    double most = 5 * (1000 + 8 * capacity * launch_cycles);
    CHECK(s.end >= 5000 && s.end <= most, "five rounds of 1000 cycles end at %g", s.end);
    sim_schedule_next(&s, 1000);
    CHECK(s.end >= 6000, "the sixth round ends at %g", s.end);
    sim_schedule_free(&s);
  }
}

// PYHIP se-dispatch.md: a full engine holds up the work-groups of the others.
static void a_full_engine_holds_up_the_others(void) {
  sim_schedule_state s = begin(1);
  for (uint32_t i = 0; i < 32; ++i) sim_schedule_next(&s, i % 4 == 0 ? 9000 : 1000);
  sim_schedule_next(&s, 100);   // engine 0 is full until 9000
  sim_schedule_next(&s, 5000);  // engine 1 is not, and waits
  CHECK(s.end >= 14000 && s.end < 14000 + 40 * launch_cycles, "the launch ends at %g", s.end);
  sim_schedule_free(&s);
}

static void durations_go_by_size(void) {
  static sim_durations d;
  sim_durations_add(&d, 1000, 5000);
  sim_durations_add(&d, 1000, 7000);
  sim_durations_add(&d, 64000, 100000);
  CHECK(fabs(sim_durations_of(&d, 1000) - 6000) < 1, "1000: %g", sim_durations_of(&d, 1000));
  CHECK(fabs(sim_durations_of(&d, 64000) - 100000) < 1, "64000: %g", sim_durations_of(&d, 64000));
  CHECK(fabs(sim_durations_of(&d, 32000) - 50000) < 1, "32000: %g", sim_durations_of(&d, 32000));
  CHECK(fabs(sim_durations_of(&d, 1500) - 9000) < 1, "1500: %g", sim_durations_of(&d, 1500));
}

int main(void) {
  machine = sim_machine_find("mi355x");
  launch_cycles = machine->timing->wave_launch_cycles;
  equal_work_groups_make_rounds();
  a_full_engine_holds_up_the_others();
  durations_go_by_size();
  return test_result();
}
