// SPDX-License-Identifier: MIT
// Removes each s_waitcnt and s_barrier of ordinary kernels (mutants.hip) in turn, as tests/kernels/mutation.c
// does with GEMMs: every removal shows, but those of which the table says why, and check mode reports
// whatever changes a result.
//
//   mutation CODE_OBJECT KERNEL TARGET SCORES: the document that holds the score
#include "tests/kernels/ops/isa/run.h"
#include "tests/kernels/removal.h"

enum { BLOCKS = 2, THREADS = 256, ITEMS = 512, BYTES = BLOCKS * ITEMS * 4 };

typedef struct mutant {
  const char *name;
  int unseen[2];  // waits and barriers, at most
} mutant;

// These may go unseen: (a) the last barrier, with the wait for it, when a thread then reads only what it has
// written itself, or nothing; (b) of sort, those of distances up to 64, where a wave exchanges among its own
// lanes, and LDS serves a wave in order; (c) the barrier after wave 0 has cleared what all count in, as every
// schedule tried has it begin; (d) waits for a load that has been waited for on each way to them.
static const mutant mutants[] = {
    {"transpose", {0, 0}},      {"reduction", {0, 0}}, {"scan", {1, 1}},          // a
    {"stencil", {0, 0}},        {"sort", {39, 39}},                               // b
    {"matrix_product", {0, 1}}, {"histogram", {0, 1}}, {"double_buffer", {2, 0}}  // a; c; d
};
enum { MUTANTS = sizeof mutants / sizeof *mutants };

static uint32_t *in, *out, right[BLOCKS * ITEMS];
static bool know_right;

static removal_result launch(hipModule_t module, const char *name) {
  hipFunction_t kernel;
  void *arguments[] = {&in, &out};
  memset(out, 0x7f, BYTES);
  if (hipModuleGetFunction(&kernel, module, name) != hipSuccess ||
      hipModuleLaunchKernel(kernel, BLOCKS, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL) != hipSuccess ||
      hipDeviceSynchronize() != hipSuccess)
    return REMOVAL_FAULT;
  return removal_compare(right, &know_right, out, BYTES);
}

int main(int argc, char **argv) {
  if (argc != 5) return fprintf(stderr, "usage: mutation CODE_OBJECT KERNEL TARGET SCORES\n"), 2;
  const char *name = argv[2], *target = argv[3];
  const mutant *row = mutants;
  while (row < mutants + MUTANTS && strcmp(row->name, name)) ++row;
  CHECK(row < mutants + MUTANTS, "the table has no row %s", name);
  if (row == mutants + MUTANTS || !isa_ok(hipSetDevice(strcmp(target, "gfx950") != 0), "hipSetDevice"))
    return test_result();
  setenv("WT_SIM_BUDGET", "1000000", 1);
  in = isa_memory(BYTES), out = isa_memory(BYTES);
  test_rng rng = test_seed(29);
  for (int i = 0; i < BLOCKS * ITEMS; ++i) in[i] = (uint32_t)test_random(&rng);
  const removal_counts counts = removal_try_each(argv[1], target, name, true, true, launch);
  CHECK(counts.executed[REMOVAL_WAIT] >= 2, "only %d waits are executed", counts.executed[REMOVAL_WAIT]);
  removal_check_unseen(&counts, row->unseen);
  removal_compare_score(argv[4], name, target, &counts);
  return test_result();
}
