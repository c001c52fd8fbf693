// SPDX-License-Identifier: MIT
// Takes a GEMM kernel of FP8 or BF16 into F32 (persistent kernels: BF16), replaces each s_waitcnt and
// s_barrier that it executes by s_nop in turn, and shows that every one is missed, but those of which the
// table below says why. Check mode has to report whatever changes a result, also of weaker waits;
// docs/check.md holds the score.
//
//   mutation CODE_OBJECT KERNEL ROW TARGET SCORES: CODE_OBJECT's kernel, of the table's row; the document
#include "kernels/gemm/gemm_args.h"
#include "tests/kernels/ops/isa/run.h"
#include "tests/kernels/removal.h"

// Describes a problem of one work-group: how A and B lie in memory, and K in steps of 128 bytes on gfx950 and
// 64 on gfx942.
// What is left over is one less than so many halves of a step, or nothing. TILES: rows, and C has three
// tiles.
typedef enum arrangement { NO_PROBLEM, ROWS, UNALIGNED, COLUMNS, TILES } arrangement;
typedef struct problem {
  arrangement operands;
  int steps, rest;
} problem;

// Lists end with what is no problem. A rung takes elementwise what copies cannot bring, and its K may be 0.
// In the ring, the last step lies where the rest will; waves of the skinny kernel have unlike numbers of
// steps.
static const problem rung[] = {{ROWS, 5, 2}, {UNALIGNED, 2, 2}, {ROWS, 0, 0}, {NO_PROBLEM, 0, 0}};
static const problem large_rung[] = {{ROWS, 5, 2}, {UNALIGNED, 1, 2}, {ROWS, 0, 0}, {NO_PROBLEM, 0, 0}};
static const problem early_stores[] = {{ROWS, 3, 2}, {NO_PROBLEM, 0, 0}};
static const problem ring[] = {{ROWS, 7, 2}, {UNALIGNED, 1, 2}, {ROWS, 0, 0}, {NO_PROBLEM, 0, 0}};
static const problem copies[] = {{ROWS, 5, 2}, {NO_PROBLEM, 0, 0}};
static const problem transposed[] = {{COLUMNS, 5, 2}, {NO_PROBLEM, 0, 0}};
static const problem tiles[] = {{TILES, 7, 0}, {TILES, 6, 0}, {NO_PROBLEM, 0, 0}};
static const problem general[] = {
    {ROWS, 5, 2}, {COLUMNS, 5, 2}, {UNALIGNED, 2, 2}, {ROWS, 0, 0}, {NO_PROBLEM, 0, 0}};
static const problem skinny[] = {
    {ROWS, 21, 2}, {ROWS, 4, 1}, {ROWS, 8, 0}, {UNALIGNED, 14, 2}, {NO_PROBLEM, 0, 0}};
enum { PROBLEMS = 4 };

typedef struct mutant {
  const char *name;
  int m, n;  // of one work-group
  unsigned threads;
  const problem *problems;
  int unseen[2][2];  // on gfx950 and gfx942: waits and barriers, at most
} mutant;

// These may go unseen. Waits with nothing in flight that they would wait for:
// (a) of a barrier, when all that was read has been multiplied and all copies have been waited for;
// (b) where paths join, when each has waited already for what it had loaded;
// (c) in front of the last multiply of a step: the ping-pong has read nothing since the one before, and the
// interleave only what the next step waits for again. (Those of the library do without.)
// (j) for an argument, when what takes it comes after a later wait;
//
// Waits for data that make no difference:
// (d) reads of an operand that the part of C before has left in the same registers;
// (e) the last of 16 elements loaded one by one: it is past the end, or all 16 would be loaded as one;
// likewise 16 bytes that are shifted out, as they are past the end.
//
// Barriers stand beside others that order the same: (f) The ping-pong has two for each of a step's four
// clusters. A half is overwritten four barriers after it was read, where three would do. In rung 09 copies
// become readable across the barriers of the first and of the last cluster, which are all needed, and any one
// of the other 4 may go; in the last step, which copies nothing for a next one, so may those of the last
// cluster. In the library each cluster's two make the halves of the next one readable: that a leading wave
// reads one before a lagging wave has waited for its share shows when the lagging one is held back just
// there, which no schedule tried does in every cluster; and the last cluster of the last step moves nothing,
// where the loop begins with one that multiplies. (g) In front of the only step of what K leaves over, when
// the main loop has ended with a barrier or has not begun.
//
// This keeps waves in step only, as in the published kernels: waves of rungs 02 to 06 have tiles of their
// own. (h) These are all barriers. (i) Waits of barriers for a wave's own LDS writes: LDS serves a wave in
// order.
static const mutant mutants[] = {
    {"gemm_02_lds_tiled", 16, 16, 256, rung, {{1, 2}, {1, 2}}},                     // i; h
    {"gemm_03_matrix_core", 32, 32, 256, rung, {{2, 4}, {2, 4}}},                   // i; h
    {"gemm_04_vector_loads", 32, 32, 256, rung, {{2, 4}, {2, 4}}},                  // i; h
    {"gemm_05_direct_to_lds", 32, 32, 256, rung, {{1, 4}, {1, 4}}},                 // i; h
    {"gemm_06_swizzle", 32, 32, 256, rung, {{1, 4}, {1, 4}}},                       // i; h
    {"gemm_07_double_buffer", 64, 64, 256, rung, {{1, 0}, {1, 0}}},                 // a
    {"gemm_08_multi_wave_128x128_8", 128, 128, 512, rung, {{1, 0}, {1, 0}}},        // a
    {"gemm_08_multi_wave_256x256_8", 256, 256, 512, rung, {{1, 0}, {1, 0}}},        // a
    {"gemm_08_multi_wave_256x256_16", 256, 256, 1024, rung, {{1 + 2, 0}, {1, 0}}},  // a, d
    {"gemm_09_ping_pong", 256, 256, 512, large_rung, {{3, 14}, {3 + 6, 14}}},       // c, d; f
    {"gemm_10_interleave", 256, 256, 256, early_stores, {{4 + 2, 1}, {4 + 2, 1}}},  // d, b; g
    {"gemm_pc_4p8c", 128, 256, 768, ring, {{3, 0}, {3, 0}}},                        // a
    {"gemm_pc_4p12c", 192, 256, 1024, ring, {{3, 0}, {3, 0}}},                      // a
    {"gemm_4wave", 64, 64, 256, copies, {{1 + 1, 1}, {1, 1}}},                      // b, e; g
    {"gemm_4wave_transposed", 64, 64, 256, transposed, {{1 + 1, 1}, {0, 0}}},       // b, j; g
    {"gemm_8wave", 128, 128, 512, copies, {{2 + 2, 22}, {1, 5}}},                   // d, e; f, g
    {"gemm_4wave_fetched", 64, 64, 256, copies, {{0, 0}, {1 + 1, 1}}},              // b, e; g
    {"gemm_8wave_fetched", 128, 128, 512, copies, {{0, 0}, {3 + 1 + 2, 24}}},       // b, d, e; f, g
    {"gemm_4wave_persistent", 192, 64, 256, tiles, {{1, 0}, {2, 0}}},               // b
    {"gemm_general", 64, 64, 256, general, {{1 + 1, 0}, {1 + 2, 0}}},               // a, b
    {"gemm_skinny", 16, 64, 256, skinny, {{1, 0}, {1, 0}}},                         // b
};
enum { MUTANTS = sizeof mutants / sizeof *mutants, MOST = 256, MOST_K = 2832 };

static unsigned char *a, *b, *inputs;
static float *c, *right;
static const mutant *current;
static int step;
static bool know_right[PROBLEMS];

static bool is_bf16(void) { return strncmp(current->name, "gemm_pc_", 8) == 0; }

// Fills a matrix with numbers of about one: in FP8 any byte, in BF16 the upper byte 0x3f.
static void fill(unsigned char *matrix, test_rng *rng) {
  for (int i = 0; i < MOST * MOST_K; ++i)
    matrix[i] = is_bf16() && i % 2 ? 0x3f : (unsigned char)(0x30 + test_random(rng) % 32);
}

// A kernel that stores before it has waited for an address may overwrite any device memory, A and B too.
static void restore_inputs(void) {
  memcpy(a, inputs, MOST * MOST_K);
  memcpy(b, inputs + MOST * MOST_K, MOST * MOST_K);
}

static removal_result launch_problem(hipFunction_t kernel, int p) {
  const arrangement operands = current->problems[p].operands;
  const int m = current->m, n = current->n;
  const int rest = current->problems[p].rest * step / 2;
  const int k = current->problems[p].steps * step + (rest > 0 ? rest - 1 : 0);
  const int row = (k + 15) / 16 * 16 + (operands == UNALIGNED);
  wt_gemm_args args = {.a = a,
                       .b = b,
                       .c = c,
                       .m = m,
                       .n = n,
                       .k = k,
                       .k_part = k,
                       .alpha = 1,
                       .a_row = operands == COLUMNS ? 1 : row,
                       .a_col = operands == COLUMNS ? m : 1,
                       .b_row = operands == COLUMNS ? 1 : row,
                       .b_col = operands == COLUMNS ? n : 1,
                       .c_row = n,
                       .type_c = WT_KERNEL_F32,
                       .grid = wt_grid_map_of((wt_grid_order){operands == TILES ? 3 : 1, 1, 1, 1, 1, 0}),
                       .groups = 1};
  void *params[] = {&args};
  const size_t bytes = (size_t)(m * n) * sizeof *c;
  memset(c, 0x7f, bytes);
  restore_inputs();
  if (hipModuleLaunchKernel(kernel, 1, 1, 1, current->threads, 1, 1, 0, NULL, params, NULL) != hipSuccess ||
      hipDeviceSynchronize() != hipSuccess)
    return REMOVAL_FAULT;
  return removal_compare(right + p * MOST * MOST, &know_right[p], c, bytes);
}

static removal_result launch(hipModule_t module, const char *name) {
  hipFunction_t kernel;
  if (hipModuleGetFunction(&kernel, module, name) != hipSuccess) return REMOVAL_FAULT;
  removal_result result = REMOVAL_RIGHT;
  for (int p = 0; current->problems[p].operands && result == REMOVAL_RIGHT; ++p)
    result = launch_problem(kernel, p);
  return result;
}

int main(int argc, char **argv) {
  if (argc != 6) return fprintf(stderr, "usage: mutation CODE_OBJECT KERNEL ROW TARGET SCORES\n"), 2;
  const char *target = argv[4];
  const int device = strcmp(target, "gfx950") ? 1 : 0;
  for (int i = 0; i < MUTANTS; ++i)
    if (strcmp(mutants[i].name, argv[3]) == 0) current = &mutants[i];
  CHECK(current, "the table has no row %s", argv[3]);
  if (!current || !isa_ok(hipSetDevice(device), "hipSetDevice")) return test_result();
  step = (device ? 64 : 128) / (is_bf16() ? 2 : 1);

  setenv("WT_SIM_BUDGET", "4000000", 1);
  a = isa_memory(MOST * MOST_K);
  b = isa_memory(MOST * MOST_K);
  c = isa_memory(MOST * MOST * sizeof *c);
  right = malloc(PROBLEMS * MOST * MOST * sizeof *right);
  test_rng rng = test_seed(17);
  inputs = malloc(2 * MOST * MOST_K);
  fill(inputs, &rng);
  fill(inputs + MOST * MOST_K, &rng);

  const removal_counts counts = removal_try_each(argv[1], target, argv[2], true, true, launch);
  const int *executed = counts.executed;
  CHECK(executed[REMOVAL_WAIT] >= 3 && executed[REMOVAL_BARRIER] >= 1,
        "only %d waits and %d barriers are executed", executed[REMOVAL_WAIT], executed[REMOVAL_BARRIER]);
  removal_check_unseen(&counts, current->unseen[device]);
  removal_compare_score(argv[5], argv[3], target, &counts);
  free(inputs);
  free(right);
  return test_result();
}
