// SPDX-License-Identifier: MIT
// Removes each s_waitcnt and s_barrier of the forward kernel of attention in turn, as
// tests/kernels/mutation.c does with GEMMs: every removal shows, but those of which the table says why, and
// check mode reports whatever changes a result.
//
//   mutation CODE_OBJECT KERNEL TARGET SCORES: the document that holds the score
#include "kernels/attention/attention_args.h"
#include "tests/kernels/fp8.h"
#include "tests/kernels/ops/isa/run.h"
#include "tests/kernels/removal.h"

enum { QUERIES = WT_ATTENTION_TILE, KEYS = 700, MOST_D = 128, THREADS = 512, PROBLEMS = 2 };

typedef struct mutant {
  const char *name;
  int d, unseen[2][2];  // on gfx950 and gfx942: waits and barriers, at most
} mutant;

// What may go unseen. Waits, which check mode does not report either: at the end, for copies of blocks that
// nobody reads; where paths join, and behind barriers, with nothing in flight; for the oldest of many reads
// of LDS whose data a later wait covers. Barriers that keep the halves of the work-group in turn: K and V
// have four stages, so that what one barrier orders others order, too; check mode reports two of these.
static const mutant mutants[] = {
    {"attention_forward_d64_bf16", 64, {{3, 4}, {4, 4}}},
    {"attention_forward_d128_bf16", 128, {{3, 4}, {7, 4}}},
};
enum { MUTANTS = sizeof mutants / sizeof *mutants };

// All keys, and a window, at whose edges scores are masked.
static const struct {
  int keys, left, right;
} problems[PROBLEMS] = {{640, WT_ATTENTION_ALL, WT_ATTENTION_ALL}, {KEYS, 300, 0}};

static uint16_t *q, *k, *v, *o, *right;
static float *sinks;  // without one, whether a missing wait for its address shows would depend on addresses
static bool know_right[PROBLEMS];
static const mutant *current;

static wt_attention_tensor tensor(void *data) {
  return (wt_attention_tensor){data, (long long)KEYS * current->d, current->d, 0};
}

static removal_result launch_problem(hipFunction_t kernel, int p) {
  wt_attention_args args = {.q = tensor(q),
                            .k = tensor(k),
                            .v = tensor(v),
                            .o = tensor(o),
                            .batch = 1,
                            .heads = 1,
                            .group = wt_divisor_of(1),
                            .queries = QUERIES,
                            .keys = problems[p].keys,
                            .left = problems[p].left,
                            .right = problems[p].right,
                            .scale = 0.25f,
                            .sinks = sinks,
                            .o_scale = 1,
                            .order = wt_attention_order_of(1, 1, 1, 1, 1)};
  void *arguments[] = {&args};
  const size_t bytes = (size_t)(QUERIES * current->d) * sizeof *o;
  memset(o, 0x7f, bytes);
  if (hipModuleLaunchKernel(kernel, 1, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL) != hipSuccess ||
      hipDeviceSynchronize() != hipSuccess)
    return REMOVAL_FAULT;
  return removal_compare(right + p * QUERIES * MOST_D, &know_right[p], o, bytes);
}

static removal_result launch(hipModule_t module, const char *name) {
  hipFunction_t kernel;
  if (hipModuleGetFunction(&kernel, module, name) != hipSuccess) return REMOVAL_FAULT;
  removal_result result = REMOVAL_RIGHT;
  for (int p = 0; p < PROBLEMS && result == REMOVAL_RIGHT; ++p) result = launch_problem(kernel, p);
  return result;
}

static uint16_t *random_rows(test_rng *rng) {
  uint16_t *rows = isa_memory(KEYS * MOST_D * sizeof *rows);
  for (int i = 0; i < KEYS * MOST_D; ++i)
    rows[i] = bf16_nearest((float)(int)(test_random(rng) % 513 - 256) / 64);
  return rows;
}

int main(int argc, char **argv) {
  if (argc != 5) return fprintf(stderr, "usage: mutation CODE_OBJECT KERNEL TARGET SCORES\n"), 2;
  const char *name = argv[2], *target = argv[3];
  const int device = strcmp(target, "gfx950") != 0;
  for (int i = 0; i < MUTANTS; ++i)
    if (strcmp(mutants[i].name, name) == 0) current = &mutants[i];
  CHECK(current, "the table has no row %s", name);
  if (!current || !isa_ok(hipSetDevice(device), "hipSetDevice")) return test_result();
  setenv("WT_SIM_BUDGET", "4000000", 1);
  test_rng rng = test_seed(31);
  q = random_rows(&rng), k = random_rows(&rng), v = random_rows(&rng);
  sinks = isa_memory(sizeof *sinks);
  *sinks = 30;
  o = isa_memory(QUERIES * MOST_D * sizeof *o);
  right = malloc(PROBLEMS * QUERIES * MOST_D * sizeof *right);
  const removal_counts counts = removal_try_each(argv[1], target, name, true, true, launch);
  CHECK(counts.executed[REMOVAL_WAIT] >= 10, "only %d waits are executed", counts.executed[REMOVAL_WAIT]);
  removal_check_unseen(&counts, current->unseen[device]);
  removal_compare_score(argv[4], name, target, &counts);
  free(right);
  return test_result();
}
