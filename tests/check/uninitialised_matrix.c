// SPDX-License-Identifier: MIT
// Tests what check mode calls undefined after a matrix instruction of which a lane of one operand is
// undefined: exactly the elements of the result that change when that lane holds other numbers.
#include <stdio.h>
#include <stdlib.h>

#include "sim/check/state.h"
#include "tests/check/snippets.h"

// Counts the registers per lane of A and B, and of C and D.
typedef struct matrix {
  const char *name;
  unsigned sources, results;
} matrix;

static const matrix matrices[] = {
    {"v_mfma_f32_32x32x1_2b_f32", 1, 32}, {"v_mfma_f32_16x16x1_4b_f32", 1, 16},
    {"v_mfma_f32_4x4x1_16b_f32", 1, 4},   {"v_mfma_f32_32x32x2_f32", 1, 16},
    {"v_mfma_f32_16x16x4_f32", 1, 4},     {"v_mfma_f32_32x32x4_2b_f16", 2, 32},
    {"v_mfma_f32_16x16x4_4b_f16", 2, 16}, {"v_mfma_f32_4x4x4_16b_f16", 2, 4},
    {"v_mfma_f32_32x32x8_f16", 2, 16},    {"v_mfma_f32_16x16x16_f16", 2, 4},
    {"v_mfma_f32_16x16x16_bf16", 2, 4},   {"v_mfma_i32_32x32x4_2b_i8", 1, 32},
    {"v_mfma_i32_16x16x32_i8", 2, 4},     {"v_mfma_f32_32x32x16_fp8_fp8", 2, 16},
    {"v_mfma_f64_16x16x4_f64", 2, 8},     {"v_mfma_f64_4x4x4_4b_f64", 2, 2},
};
enum { MATRICES = sizeof matrices / sizeof *matrices, A = 0, B = 16, D = 64, MOST_RESULTS = 32 };

// These are numbers of every format whose products change the sum.
static const uint32_t usual = 0x3f3f3f3f, other = 0x41414141;

static void write_registers(char text[16], unsigned first, unsigned count) {
  if (count == 1)
    snprintf(text, 16, "v%u", first);
  else
    snprintf(text, 16, "v[%u:%u]", first, first + count - 1);
}

static void write_code(char text[128], const matrix *m) {
  char a[16], b[16], d[16];
  write_registers(a, A, m->sources), write_registers(b, B, m->sources), write_registers(d, D, m->results);
  snprintf(text, 128, "%s %s, %s, %s, %s", m->name, d, a, b, d);
}

static sim_wave *begin(isa_program *p, size_t snippet, unsigned reg, unsigned lane, uint32_t value) {
  sim_wave *w = isa_begin(p, snippet);
  for (unsigned v = 0; v < D + MOST_RESULTS; ++v)
    for (unsigned l = 0; l < SIM_LANES; ++l) w->v[v][l] = usual;
  w->v[reg][lane] = value;
  return w;
}

static void run(isa_program *p, size_t snippet, unsigned reg, unsigned lane, uint32_t value,
                uint32_t (*results)[SIM_LANES]) {
  sim_wave *w = begin(p, snippet, reg, lane, value);
  CHECK_RUN(p);
  memcpy(results, w->v[D], MOST_RESULTS * sizeof *results);
}

// Runs the snippet under check mode with one lane of a register undefined.
static void run_checked(isa_program *p, size_t snippet, unsigned reg, unsigned lane,
                        uint64_t undefined[MOST_RESULTS]) {
  sim_wave *w = begin(p, snippet, reg, lane, usual);
  sim_group *g = isa_group(p);
  sim_launch launch = *g->launch;
  sim_check *check = sim_check_create(&launch);
  void *thread = check ? sim_check_observer.open(check) : NULL;
  if (!thread) fprintf(stderr, "out of memory\n"), exit(EXIT_FAILURE);
  sim_watch_group(g, SIM_SEAT_CHECK, &sim_check_observer, thread);
  sim_check_observer.begin(thread, g);
  sim_check_wave_of(w)->undefined[reg] = 1ull << lane;
  while (!sim_group_run(g)) continue;  // one that only polls is run on
  CHECK(g->fault == SIM_FAULT_NONE, "%s", isa_report(p));
  memcpy(undefined, &sim_check_wave_of(w)->undefined[D], MOST_RESULTS * sizeof *undefined);
  sim_check_observer.end(thread, g);
  sim_check_observer.close(thread);
  sim_check_free(check);
}

static void check_lane(isa_program *p, size_t snippet, unsigned reg, unsigned lane) {
  static uint32_t before[MOST_RESULTS][SIM_LANES], after[MOST_RESULTS][SIM_LANES];
  uint64_t undefined[MOST_RESULTS];
  run(p, snippet, reg, lane, usual, before);
  run(p, snippet, reg, lane, other, after);
  run_checked(p, snippet, reg, lane, undefined);
  // An element of 64 bits is undefined as a whole.
  const unsigned pair = strstr(matrices[snippet].name, "f64") ? 1 : 0;
  unsigned changed = 0;
  for (unsigned r = 0; r < matrices[snippet].results; ++r) {
    uint64_t want = 0;
    for (unsigned l = 0; l < SIM_LANES; ++l)
      want |= (uint64_t)(before[r][l] != after[r][l] || before[r ^ pair][l] != after[r ^ pair][l]) << l;
    changed += want != 0;
    CHECK(undefined[r] == want, "%s, lane %u of v%u: lanes %llx of v%u are undefined, %llx depend on it",
          matrices[snippet].name, lane, reg, (unsigned long long)undefined[r], D + r,
          (unsigned long long)want);
  }
  CHECK(changed, "%s does not depend on lane %u of v%u", matrices[snippet].name, lane, reg);
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  static char text[MATRICES][128];
  const char *code[MATRICES];
  for (int i = 0; i < MATRICES; ++i) write_code(text[i], &matrices[i]), code[i] = text[i];
  for (int t = 0; t < 2; ++t) {
    isa_program *p = isa_assemble(targets[t], code, MATRICES);
    for (size_t i = 0; i < MATRICES; ++i)
      for (unsigned lane = 0; lane < SIM_LANES; ++lane) {
        check_lane(p, i, A + lane % matrices[i].sources, lane);
        check_lane(p, i, B + lane % matrices[i].sources, lane);
        check_lane(p, i, D + lane % matrices[i].results, lane);
      }
    isa_free(p);
  }
  return test_result();
}
