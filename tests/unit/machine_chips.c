// SPDX-License-Identifier: MIT
// Both chips are found by name and index, and their numbers agree with each other and with the limits that
// the instruction set sets.
#include "check.h"
#include "sim/machine/machine.h"
#include "sim/machine/timing.h"

static void check_chip(const char *name, sim_chip chip, const char *target, uint32_t cus, uint32_t lds,
                       uint32_t granule, uint32_t clock_mhz, uint64_t memory_gb) {
  const sim_machine *m = sim_machine_find(name);
  CHECK(m != NULL, "%s", name);
  if (m == NULL) return;
  CHECK(m->chip == chip && strcmp(m->name, name) == 0 && strcmp(m->target, target) == 0, "%s", name);
  CHECK(strncmp(m->target_id, target, strlen(target)) == 0 && m->target_id[strlen(target)] == ':', "%s",
        m->target_id);
  CHECK(strstr(m->product, "(simulated)") != NULL, "%s does not say that it is simulated", m->product);
  CHECK(m->cus == cus && m->cus % m->xcds == 0, "%s has %u CUs on %u dies", name, m->cus, m->xcds);
  CHECK(m->lds_bytes == lds && m->lds_granule == granule && lds % granule == 0, "%s", name);
  CHECK(m->simds_per_cu * m->waves_per_simd * 64 >= m->max_workgroup_size, "%s", name);
  CHECK(m->clock_mhz == clock_mhz, "%s runs at %u MHz", name, m->clock_mhz);
  CHECK(m->memory_bytes == memory_gb << 30, "%s has %llu bytes", name, (unsigned long long)m->memory_bytes);
}

// Twice the clock (double data rate) times the bus width is the bandwidth the data sheet gives.
static void check_bandwidth(const char *name, double low_tb, double high_tb) {
  const sim_machine *m = sim_machine_find(name);
  if (m == NULL) return;
  double tb = 2.0 * m->memory_clock_mhz * 1e6 * m->memory_bus_bits / 8 / 1e12;
  CHECK(tb >= low_tb && tb <= high_tb, "%s: %g TB/s", name, tb);
}

// The vector L1 of a compute unit passes 64 bytes in a cycle, and both chips have the same way between their
// I/O dies: it takes 70 ns whatever the clock.
static void check_timing(const char *name) {
  const sim_machine *m = sim_machine_find(name);
  if (m == NULL) return;
  const double bytes = sim_level_read_rate(m, WT_SIM_LEVEL_L1) / m->cus,
               written = sim_level_write_rate(m, WT_SIM_LEVEL_L1) / m->cus,
               ns = 1000.0 * m->timing->crossing_cycles / m->clock_mhz;
  CHECK(bytes == 64 && written == 64, "%s: L1 passes %g bytes a cycle, and %g to it", name, bytes, written);
  CHECK(ns == 70, "%s: a crossing takes %g ns", name, ns);
}

int main(void) {
  check_chip("mi300x", SIM_GFX942, "gfx942", 304, 64 << 10, 512, 2100, 192);
  check_chip("mi355x", SIM_GFX950, "gfx950", 256, 160 << 10, 1280, 2400, 288);
  check_bandwidth("mi300x", 5.2, 5.4);
  check_bandwidth("mi355x", 7.9, 8.2);
  check_timing("mi300x");
  check_timing("mi355x");
  size_t count = 0;
  for (const sim_machine *m; (m = sim_machine_at(count)) != NULL; ++count) {
    CHECK(sim_machine_find(m->name) == m, "%s", m->name);
  }
  CHECK(count == 2, "%zu chips", count);
  CHECK(sim_machine_at(SIZE_MAX) == NULL, "past the end");
  CHECK(sim_machine_find("MI300X") == NULL && sim_machine_find("") == NULL && sim_machine_find(NULL) == NULL,
        "names");
  return test_result();
}
