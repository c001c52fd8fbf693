// SPDX-License-Identifier: MIT
// Tests when memory answers, beyond what waves can see of it.
#include "sim/timing/memory.h"

#include <math.h>
#include <stdio.h>

#include "tests/check.h"

enum { LINE = 1000 };

static sim_memory_model begin(const sim_machine *machine) {
  sim_memory_model m;
  CHECK(sim_memory_model_make(&m, machine, machine->xcds), "no memory");
  return m;
}

// Returns the cycles that the first die waits longer for a line than in the mean: of four I/O dies in a
// square one is local, two are a crossing away and one two.
static double farther(const sim_machine *machine, uint64_t line) {
  static const double four[4] = {-1, 0, 0, 1}, two[2] = {-0.5, 0.5};
  const unsigned channel = sim_memory_channel(line * 128);
  const double crossings = machine->timing->io_dies == 4 ? four[channel / 32] : two[channel / 64];
  return crossings * machine->timing->crossing_cycles;
}

// Returns the cycles to a line that another die has asked for at 0.
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
  CHECK(soon == t->hbm_latency + farther(machine, LINE) - 100,
        "%s: the second die waits %g cycles for a line asked for 100 ago", machine->product, soon);
  CHECK(late == t->llc_latency + farther(machine, LINE), "%s: a line of the LLC takes %g cycles",
        machine->product, late);
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
  CHECK(cycles == t->llc_latency + farther(machine, 1) && m.llc_hits == 1,
        "%s: a line written back takes %g cycles", machine->product, cycles);
  sim_memory_model_free(&m);
}

// These are the bits of an address of which each bit of a channel's number is the exclusive or: what Linux's
// table for MI300 lists (drivers/ras/amd/atl/dehash.c), with 0 for none.
static const int hashed_bits[7][7] = {
    {8, 12, 15, 22, 29, 36, 43}, {9, 13, 16, 23, 30, 37, 44}, {10, 14, 17, 24, 31, 38, 45},
    {11, 18, 25, 32, 39, 46, 0}, {14, 19, 26, 33, 40, 47, 0}, {12, 20, 27, 34, 41, 0, 0},
    {13, 21, 28, 35, 42, 0, 0},
};

static unsigned channel_by_table(uint64_t address) {
  unsigned channel = 0;
  for (unsigned i = 0; i < 7; ++i)
    for (int k = 0; k < 7 && hashed_bits[i][k]; ++k) channel ^= (address >> hashed_bits[i][k] & 1) << i;
  return channel;
}

static void channels_are_those_of_linux(void) {
  test_rng rng = test_seed(300);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t address = test_random(&rng) & ((UINT64_C(1) << 48) - 1);
    CHECK(sim_memory_channel(address) == channel_by_table(address), "%#llx lies in channel %u, not %u",
          (unsigned long long)address, sim_memory_channel(address), channel_by_table(address));
  }
}

static void every_32_kb_lie_in_all_channels(void) {
  test_rng rng = test_seed(301);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t block = (test_random(&rng) & ((UINT64_C(1) << 48) - 1)) >> 15 << 15;
    int seen[SIM_MEMORY_CHANNELS] = {0};
    for (uint64_t at = 0; at < 1 << 15; at += 256) ++seen[sim_memory_channel(block + at)];
    for (int c = 0; c < SIM_MEMORY_CHANNELS; ++c)
      CHECK(seen[c] == 1, "%d of the pieces at %#llx lie in channel %d", seen[c], (unsigned long long)block,
            c);
  }
}

// Returns the cycles to line 0 when another die has just asked for 64 lines that all lie in its channel, or
// none of them.
static double after_64_lines(const sim_machine *machine, bool in_its_channel) {
  sim_memory_model m = begin(machine);
  for (uint64_t line = 2, found = 0; found < 64; line += 2) {
    if ((sim_memory_channel(line * 128) == sim_memory_channel(0)) != in_its_channel) continue;
    sim_memory_elsewhere(&m, 1, line, false, 0);
    ++found;
  }
  const double cycles = sim_memory_read(&m, 0, 0);
  sim_memory_model_free(&m);
  return cycles;
}

// All of HBM moves the lines at the rate measured, a channel at that of its pins.
static void a_line_waits_for_those_of_its_channel(const sim_machine *machine) {
  const sim_timing *t = machine->timing;
  const double pins = 2.0 * machine->memory_clock_mhz / machine->clock_mhz * machine->memory_bus_bits / 8;
  const double alone = after_64_lines(machine, false), behind = after_64_lines(machine, true);
  const double latency = t->hbm_latency + farther(machine, 0);
  CHECK(fabs(alone - latency - 64 * 128 / (t->hbm_rate * machine->xcds)) < 1e-6,
        "%s: a line behind 64 of other channels takes %g cycles", machine->product, alone);
  CHECK(fabs(behind - latency - 64 * 128 * SIM_MEMORY_CHANNELS / pins) < 1e-6,
        "%s: a line behind 64 of its channel takes %g cycles", machine->product, behind);
}

// Loads from HBM, one by one, take as long as measured in the mean, and there are as many steps as distances.
static void latencies_are_the_mean_over_the_channels(const sim_machine *machine) {
  sim_memory_model m = begin(machine);
  double sum = 0, least = INFINITY, most = 0;
  for (uint64_t i = 0; i < SIM_MEMORY_CHANNELS; ++i) {
    const double now = (double)i * 10000, cycles = sim_memory_read(&m, 2 * i, now) - now;
    sum += cycles;
    least = fmin(least, cycles);
    most = fmax(most, cycles);
  }
  const sim_timing *t = machine->timing;
  const double spread = t->crossing_cycles * (t->io_dies == 4 ? 2 : 1);
  CHECK(sum / SIM_MEMORY_CHANNELS == t->hbm_latency, "%s: %g cycles from HBM in the mean", machine->product,
        sum / SIM_MEMORY_CHANNELS);
  CHECK(most - least == spread, "%s: from HBM in %g to %g cycles", machine->product, least, most);
  sim_memory_model_free(&m);
}

// What L2 holds changed at the end of a launch goes to the LLC at its rate.
static void changed_lines_are_written_back_at_the_rate_of_the_llc(const sim_machine *machine) {
  sim_memory_model m = begin(machine);
  CHECK(sim_memory_write_back(&m) == 0 && m.written_lines == 0, "%s: nothing is written back",
        machine->product);
  enum { LINES = 5 };
  for (uint64_t line = 0; line < LINES; ++line) {
    sim_memory_write(&m, line, 3, 0);
    sim_memory_read(&m, line + LINES, 0);
  }
  const double cycles = sim_memory_write_back(&m), expected = LINES * 128 / machine->timing->llc_rate;
  CHECK(fabs(cycles - expected) < 1e-9 && m.written_lines == LINES,
        "%s: %llu lines are written back in %g cycles, not %g", machine->product,
        (unsigned long long)m.written_lines, cycles, expected);
  sim_memory_model_free(&m);
}

// What it drives out of the LLC, full of written lines, must go to HBM first, which takes as long as HBM
// does.
static void lines_driven_out_at_the_end_are_written_at_the_rate_of_hbm(const sim_machine *machine) {
  sim_memory_model m = begin(machine);
  const uint64_t ways = m.llc.sets * m.llc.ways;
  for (uint64_t i = 0; i < ways; ++i) m.llc.tags[i] = (UINT64_C(1) << 40) + i, m.llc.dirty[i] = 1;
  enum { LINES = 500 };
  for (uint64_t line = 0; line < LINES; ++line) sim_memory_elsewhere(&m, 1, line, true, 0);
  const double cycles = sim_memory_write_back(&m),
               expected = LINES * 128 / (machine->timing->hbm_write_rate * machine->xcds);
  CHECK(fabs(cycles - expected) < 1e-9, "%s: %g cycles, not %g", machine->product, cycles, expected);
  CHECK(m.hbm_writes == LINES && m.llc_writes == LINES, "%s: %llu lines to HBM", machine->product,
        (unsigned long long)m.hbm_writes);
  sim_memory_model_free(&m);
}

// Where a set has three lines, the last of them written, all ways are filled with copies of these. The oldest
// copy has one way left: what was used last of it goes first, and then what was used first of the next.
static void copies_fill_the_cache_with_lines_of_other_addresses(const sim_machine *machine) {
  enum { WAYS = 16, SETS = 4, LINES = 3 };
  sim_cache c;
  bool hit;
  uint64_t evicted, dirty = 0;
  CHECK(sim_cache_make(&c, WAYS * SETS * 128, 128, WAYS, SIM_CACHE_PLAIN, false), "no memory");
  for (uint64_t i = 0; i < LINES; ++i) {
    const uint64_t way = sim_cache_use(&c, i * SETS, &hit, &evicted);
    c.dirty[way] = i + 1 == LINES;
  }
  sim_cache_make_copies(&c);
  for (uint64_t i = 0; i < WAYS * SETS; ++i) dirty += c.dirty[i];
  CHECK(dirty == 6, "%s: %llu lines are dirty", machine->product, (unsigned long long)dirty);
  for (uint64_t i = 0; i < WAYS; ++i) {
    sim_cache_use(&c, i * SETS, &hit, &evicted);
    CHECK(!hit && (evicted > 0) == (i % LINES == 0), "%s: line %llu hits (%d) or drives out %llu",
          machine->product, (unsigned long long)i, hit, (unsigned long long)evicted);
  }
  sim_cache_use(&c, 1, &hit, &evicted);
  CHECK(!hit && !evicted, "%s: a set without lines has some", machine->product);
  sim_cache_free(&c);
}

// Returns the pages of this process.
static long pages(void) {
  long count = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  CHECK(file && fscanf(file, "%ld", &count) == 1, "the number of pages");
  if (file) fclose(file);
  return count;
}

static void models_leave_no_pages_behind(const sim_machine *machine) {
  long before = 0;
  for (int i = 0; i < 4; ++i) {
    sim_memory_model m = begin(machine);
    sim_memory_model_free(&m);
    if (i == 0) before = pages();
  }
  CHECK(pages() == before, "%s: three models leave %ld pages", machine->product, pages() - before);
}

int main(void) {
  static const char *const names[] = {"mi300x", "mi355x"};
  channels_are_those_of_linux();
  every_32_kb_lie_in_all_channels();
  for (int i = 0; i < 2; ++i) {
    const sim_machine *machine = sim_machine_find(names[i]);
    models_leave_no_pages_behind(machine);
    a_line_on_its_way_from_hbm_is_not_in_the_llc(machine);
    a_line_written_back_is_in_the_llc(machine);
    a_line_waits_for_those_of_its_channel(machine);
    latencies_are_the_mean_over_the_channels(machine);
    changed_lines_are_written_back_at_the_rate_of_the_llc(machine);
    lines_driven_out_at_the_end_are_written_at_the_rate_of_hbm(machine);
    copies_fill_the_cache_with_lines_of_other_addresses(machine);
  }
  return test_result();
}
