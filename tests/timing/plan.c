// SPDX-License-Identifier: MIT
// Tests the order in which a plan has its work-groups executed, and which of them to their end.
#include "sim/timing/timing.h"

#include <stdlib.h>

#include "tests/check.h"

enum { DIES = 8, MOST = 300 };

static void check_order(const sim_timing_plan *plan) {
  bool seen[MOST] = {false};
  uint64_t first = 0;
  for (uint64_t i = 0; i < plan->total; ++i) {
    const uint64_t group = sim_timing_nth(plan, i);
    CHECK(group < plan->total && !seen[group], "of %llu work-groups, %llu a die: %llu comes as number %llu",
          (unsigned long long)plan->total, (unsigned long long)plan->count, (unsigned long long)group,
          (unsigned long long)i);
    if (group < plan->total) seen[group] = true;
    const uint64_t earlier = sim_timing_waits_for(plan, i);
    CHECK(earlier <= i, "%llu waits for work-groups that come later", (unsigned long long)group);
    if (earlier) continue;
    CHECK(group < DIES || group % DIES == 0, "%llu waits for nobody", (unsigned long long)group);
    ++first;
  }
  const uint64_t others = plan->total < DIES ? plan->total - 1 : DIES - 1;
  CHECK(first == plan->count + others, "%llu work-groups decide, not %llu", (unsigned long long)first,
        (unsigned long long)(plan->count + others));
  if (plan->count == 1) return;
  // The work-groups of other dies in the last round come next, and wait for these alone.
  const uint64_t last_round = (plan->count - 1) * DIES, end = plan->count * DIES;
  const uint64_t confirming = (plan->total < end ? plan->total : end) - last_round - 1;
  for (uint64_t i = first; i < plan->total; ++i) {
    const uint64_t group = sim_timing_nth(plan, i), earlier = sim_timing_waits_for(plan, i);
    const bool confirms = group > last_round && group < end;
    CHECK(earlier == first + (confirms ? 0 : confirming),
          "of %llu work-groups, %llu a die: %llu waits for %llu", (unsigned long long)plan->total,
          (unsigned long long)plan->count, (unsigned long long)group, (unsigned long long)earlier);
  }
}

static void every_work_group_has_its_turn(void) {
  for (uint64_t total = 1; total <= MOST; ++total) {
    const uint64_t of_die = (total + DIES - 1) / DIES;
    for (uint64_t count = 1; count <= of_die; ++count)
      check_order(
          &(sim_timing_plan){.dies = DIES, .count = count, .total = total, .mode = WT_SIM_TIMING_ONLY});
  }
}

// Work-groups are alike, so that the others of a launch are only begun, unless all have so few instructions
// together, 2^20, that they cost little.
static void launches_of_few_instructions_are_executed_whole(void) {
  enum { TOTAL = 256, FEW = (1 << 20) / TOTAL };
  static const sim_timing_part parts[] = {SIM_TIMING_DETAIL, SIM_TIMING_PROBE};
  for (int more = 0; more < 2; ++more) {
    sim_group_summary *summaries = calloc(TOTAL, sizeof *summaries);
    sim_timing_plan plan = {.dies = DIES,
                            .count = TOTAL / DIES,
                            .total = TOTAL,
                            .mode = WT_SIM_TIMING_ONLY,
                            .lock = PTHREAD_MUTEX_INITIALIZER,
                            .summaries = summaries};
    for (uint64_t i = 0; summaries && !sim_timing_waits_for(&plan, i); ++i)
      summaries[sim_timing_nth(&plan, i)].instructions = (uint64_t)(FEW + more);
    for (uint64_t group = 0; summaries && group < TOTAL; ++group) {
      const sim_timing_part part = sim_timing_part_of(&plan, group);
      const bool decides = group < DIES || group % DIES == 0;
      CHECK(part == (decides ? SIM_TIMING_DETAIL : parts[more]),
            "work-group %llu of %d, %d instructions each: part %d", (unsigned long long)group, TOTAL,
            FEW + more, (int)part);
    }
    CHECK(!sim_timing_leaves_all(&plan), "only those that decide were executed to their end");
    for (uint64_t i = 0; summaries && i < TOTAL; ++i) summaries[i].instructions = (uint64_t)(FEW + more);
    CHECK(sim_timing_leaves_all(&plan) == !more, "%d work-groups of %d instructions", TOTAL, FEW + more);
    free(summaries);
  }
}

int main(void) {
  every_work_group_has_its_turn();
  launches_of_few_instructions_are_executed_whole();
  return test_result();
}
