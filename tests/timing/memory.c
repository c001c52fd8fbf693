// SPDX-License-Identifier: MIT
// When memory answers, beyond what waves can see of it.
#include "sim/timing/memory.h"

#include "tests/check.h"

enum { LINE = 1000 };

static sim_memory_model begin(const sim_machine *machine) {
  sim_memory_model m;
  CHECK(sim_memory_model_make(&m, machine, machine->xcds), "no memory");
  return m;
}

// Cycles to a line that another die has asked for at 0.
static double shared_line(const sim_machine *machine, double after) {
  sim_memory_model m = begin(machine);
  sim_memory_elsewhere(&m, 1, LINE, false, 0);
  const double cycles = sim_memory_read(&m, LINE, after) - after;
  CHECK(m.llc_hits == 1 && m.hbm_reads == 1, "%s: %llu hits, %llu reads from HBM", machine->product,
        (unsigned long long)m.llc_hits, (unsigned long long)m.hbm_reads);
  sim_memory_model_free(&m);
  return cycles;
}

static void a_line_on_its_way_from_hbm_is_not_in_the_llc(const sim_machine *machine) {
  const sim_timing *t = machine->timing;
  const double soon = shared_line(machine, 100), late = shared_line(machine, 5000);
  CHECK(soon == t->hbm_latency - 100, "%s: the second die waits %g cycles for a line asked for 100 ago",
        machine->product, soon);
  CHECK(late == t->llc_latency, "%s: a line of the LLC takes %g cycles", machine->product, late);
}

// L2 writes it, and the LLC has it at once.
static void a_line_written_back_is_in_the_llc(const sim_machine *machine) {
  const sim_timing *t = machine->timing;
  sim_memory_model m = begin(machine);
  const uint64_t ways = t->l2_ways, sets = machine->l2_bytes / t->line_bytes / ways;
  sim_memory_elsewhere(&m, 1, 1, true, 0);
  // Other lines of the same set drive it out, sixteen of them.
  for (uint64_t i = 1; m.llc.tags && i <= ways; ++i)
    for (uint64_t k = 0; k < sets; ++k) sim_memory_elsewhere(&m, 1, (i << 40) + k, true, 1);
  const double cycles = sim_memory_read(&m, 1, 10) - 10;
  CHECK(cycles == t->llc_latency && m.llc_hits == 1, "%s: a line written back takes %g cycles",
        machine->product, cycles);
  sim_memory_model_free(&m);
}

int main(void) {
  static const char *const names[] = {"mi300x", "mi355x"};
  for (int i = 0; i < 2; ++i) {
    const sim_machine *machine = sim_machine_find(names[i]);
    a_line_on_its_way_from_hbm_is_not_in_the_llc(machine);
    a_line_written_back_is_in_the_llc(machine);
  }
  return test_result();
}
