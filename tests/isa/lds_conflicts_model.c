// SPDX-License-Identifier: MIT
// Has the bank and phase tables as they were published, lanes written out, and the plainest way to count with
// them: mark every dword of LDS a phase touches, then look at each bank.
#include "tests/isa/lds_conflicts.h"

typedef struct rule {
  unsigned banks;
  const char *phases;  // of the lanes 0 to 31, the others alike; or of all 64
} rule;

static const char in_order_32[] = "0-31", in_order_16[] = "0-15;16-31", in_order_8[] = "0-7;8-15;16-23;24-31",
                  mixed_8[] = "0-3,20-23;4-7,16-19;8-11,28-31;12-15,24-27",
                  mixed_16[] = "0-3,12-15,20-27;4-11,16-19,28-31";

// Reads: nod-ai/amd-shark-ai docs/empirical-lds, HazyResearch/HipKittens analysis/paper_experiments/phases;
// b64 writes: the latter; gfx942's b128 writes: the former. All else is not measured and goes by 128 bytes.
static rule rule_for(bool gfx950, lds_way way, unsigned bytes) {
  if (way == LDS_READ) {
    if (bytes <= 4) return gfx950 ? (rule){64, "0-63"} : (rule){32, in_order_32};
    if (bytes == 8) return gfx950 ? (rule){64, in_order_32} : (rule){32, in_order_16};
    if (bytes == 16 && gfx950) return (rule){64, mixed_16};
    return (rule){32, mixed_8};
  }
  return (rule){32, bytes <= 4 ? in_order_32 : bytes == 8 ? in_order_16 : in_order_8};
}

// Returns the cycles of one phase given as "first-last,first-last"; 0 when none of its lanes takes part.
static unsigned phase_cycles(const char *phase, unsigned shift, unsigned banks, unsigned bytes,
                             uint64_t lanes, const uint32_t address[SIM_LANES]) {
  static bool used[ISA_LDS_BYTES / 4];
  unsigned worst = 0;
  memset(used, 0, sizeof used);
  for (;;) {
    char *after;
    unsigned first = (unsigned)strtoul(phase, &after, 10), last = (unsigned)strtoul(after + 1, &after, 10);
    for (unsigned l = first + shift; l <= last + shift; ++l)
      for (unsigned byte = 0; byte < bytes && lanes >> l & 1; ++byte) used[(address[l] + byte) / 4] = true;
    if (*after != ',') break;
    phase = after + 1;
  }
  for (unsigned bank = 0; bank < banks; ++bank) {
    unsigned count = 0;
    for (unsigned dword = bank; dword < ISA_LDS_BYTES / 4; dword += banks) count += used[dword];
    if (count > worst) worst = count;
  }
  return worst;
}

uint64_t lds_expected(const char *target, lds_way way, unsigned bytes, uint64_t lanes,
                      const uint32_t address[SIM_LANES]) {
  rule r = rule_for(strcmp(target, "gfx950") == 0, way, bytes);
  unsigned halves = strcmp(r.phases, "0-63") == 0 ? 1 : 2;
  uint64_t cycles = 0;
  for (unsigned half = 0; half < halves; ++half)
    for (const char *phase = r.phases; phase;) {
      unsigned takes = phase_cycles(phase, 32 * half, r.banks, bytes, lanes, address);
      cycles += takes ? takes - 1 : 0;
      const char *end = strchr(phase, ';');
      phase = end ? end + 1 : NULL;
    }
  return cycles;
}

sim_lds_count lds_run_counted(isa_program *p) {
  sim_group *g = isa_group(p);
  sim_lds_count sum = {0, 0}, *counts = calloc(g->program->op_count + 1u, sizeof *counts);
  if (!counts) abort();
  g->lds_counts = counts;
  CHECK_RUN(p);
  g->lds_counts = NULL;
  for (uint32_t i = 0; i < g->program->op_count; ++i) {
    sum.executions += counts[i].executions;
    sum.conflict_cycles += counts[i].conflict_cycles;
  }
  free(counts);
  return sum;
}
