// SPDX-License-Identifier: MIT
// Removes each s_waitcnt and s_barrier of a kernel of attention in turn, as tests/kernels/mutation.c does
// with GEMMs: every removal shows, but those of which the table says why, and check mode reports whatever
// changes a result.
//
//   mutation CODE_OBJECT KERNEL TARGET SCORES: the document that holds the score
#include <stddef.h>

#include "kernels/attention/attention_args.h"
#include "tests/kernels/fp8.h"
#include "tests/kernels/ops/isa/run.h"
#include "tests/kernels/removal.h"

// A work-group has one tile of rows of its own, and meets at most OTHERS rows of the other side.
enum { OTHERS = 700, MOST_D = 128, MOST_ROWS = 704, PROBLEMS = 2 };

// Says what the kernel computes, by which its rows are queries or keys (those of OF_ALL are keys).
typedef enum pass { FORWARD, OF_KEYS, OF_QUERIES, OF_ALL } pass;

typedef struct mutant {
  const char *name;
  pass pass;
  int d, waves;
  int unseen[2][2];  // on gfx950 and gfx942: waits and barriers, at most
} mutant;

// These may go unseen. Waits, which check mode does not report either: at the end, for copies of blocks that
// nobody reads; where paths join, and behind barriers, with nothing in flight; for the oldest of many reads
// of LDS whose data a later wait covers. Barriers that keep the halves of the work-group in turn may go
// unseen, too: K and V have four stages, so that what one barrier orders others order, too; check mode
// reports two of these. In the backward pass, the barrier and the wait before the first head of queries may
// too, in front of which no other was read. The kernel of all three gradients waits behind each MFMA for the
// reads of the next one, and many of these have landed by then, as a later wait would show.
static const mutant mutants[] = {
    {"attention_forward_d64_bf16", FORWARD, 64, 8, {{3, 4}, {4, 4}}},
    {"attention_forward_d128_bf16", FORWARD, 128, 8, {{3, 4}, {7, 4}}},
    {"attention_backward_dkv_4wave_d128", OF_KEYS, 128, 4, {{3, 1}, {23, 1}}},
    {"attention_backward_dq_4wave_d128", OF_QUERIES, 128, 4, {{4, 1}, {12, 1}}},
    {"attention_backward_dkv_8wave_d128", OF_KEYS, 128, 8, {{2, 3}, {14, 3}}},
    {"attention_backward_dkvq_d128", OF_ALL, 128, 4, {{87, 1}, {117, 1}}},
};
enum { MUTANTS = sizeof mutants / sizeof *mutants };

// Describes all of the other side's rows, and a window, at whose edges scores are masked.
static const struct {
  int others, left, right;
} problems[PROBLEMS] = {{640, WT_ATTENTION_ALL, WT_ATTENTION_ALL}, {OTHERS, 300, 0}};

// Says what a launch writes: one tensor of the work-group's rows, or two; and what it adds to dQ, where each
// element has one addition.
typedef struct results {
  uint16_t own[2][MOST_ROWS * MOST_D];
  float dq_sum[MOST_ROWS * MOST_D];
} results;

static uint16_t *q, *k, *v, *d_o;
static float *rows;   // what S and dP of each query begin with
static float *sinks;  // without one, whether a missing wait for its address shows would depend on addresses
static results *out, *right;
static bool know_right[PROBLEMS];
static const mutant *current;

static wt_attention_tensor tensor(void *data) {
  return (wt_attention_tensor){data, (long long)MOST_ROWS * current->d, current->d, 0};
}

static wt_attention_args forward_args(int p) {
  const bool of_queries = current->pass == FORWARD || current->pass == OF_QUERIES;
  const int own = current->waves * WT_ATTENTION_WAVE_ROWS, others = problems[p].others;
  return (wt_attention_args){.q = tensor(q),
                             .k = tensor(k),
                             .v = tensor(v),
                             .o = tensor(out->own[0]),
                             .batch = 1,
                             .heads = 1,
                             .group = wt_divisor_of(1),
                             .queries = of_queries ? own : others,
                             .keys = of_queries ? others : own,
                             .left = problems[p].left,
                             .right = problems[p].right,
                             .scale = current->pass == FORWARD ? 0.25f : 1.0f / 64,
                             .sinks = current->pass == FORWARD ? sinks : NULL,
                             .o_scale = 1,
                             .order = wt_attention_order_of(1, 1, 1, 1, 1)};
}

static removal_result launch_problem(hipFunction_t kernel, int p) {
  wt_attention_backward_args args = {.forward = forward_args(p),
                                     .d_o = tensor(d_o),
                                     .d_q = tensor(out->own[0]),
                                     .d_k = tensor(out->own[0]),
                                     .d_v = tensor(out->own[1]),
                                     .dq_sum = current->pass == OF_ALL ? out->dq_sum : NULL,
                                     .rows = rows,
                                     .row_count = MOST_ROWS,
                                     .result_scale = 1};
  void *arguments[] = {current->pass == FORWARD ? (void *)&args.forward : (void *)&args};
  const unsigned threads = (unsigned)current->waves * 64;
  memset(out->own, 0x7f, sizeof out->own);
  memset(out->dq_sum, 0, sizeof out->dq_sum);
  if (hipModuleLaunchKernel(kernel, 1, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL) != hipSuccess ||
      hipDeviceSynchronize() != hipSuccess)
    return REMOVAL_FAULT;
  return removal_compare(&right[p], &know_right[p], out, sizeof *out);
}

static removal_result launch(hipModule_t module, const char *name) {
  hipFunction_t kernel;
  if (hipModuleGetFunction(&kernel, module, name) != hipSuccess) return REMOVAL_FAULT;
  removal_result result = REMOVAL_RIGHT;
  for (int p = 0; p < PROBLEMS && result == REMOVAL_RIGHT; ++p) result = launch_problem(kernel, p);
  return result;
}

static uint16_t *random_rows(test_rng *rng) {
  uint16_t *elements = isa_memory(MOST_ROWS * MOST_D * sizeof *elements);
  for (int i = 0; i < MOST_ROWS * MOST_D; ++i)
    elements[i] = bf16_nearest((float)(int)(test_random(rng) % 513 - 256) / 64);
  return elements;
}

// Returns numbers from -range to 0, and whole ones from -range to range, for 32 rows at a time.
static float *random_starts(test_rng *rng, int range) {
  float *starts = isa_memory(2 * MOST_ROWS * sizeof *starts);
  for (int i = 0; i < 2 * MOST_ROWS; ++i) {
    const int number = (int)(test_random(rng) % (unsigned)(2 * range + 1)) - range;
    starts[i] = i / 32 % 2 == 0 ? (float)(number - range) / 2 : (float)number;
  }
  return starts;
}

// Returns memory in which the address of dq_sum has the same low half in every process. Kernels load that
// half, with all lines of their arguments, and do not use it: but where the wait for it is missing, it may
// land in a register that has another number by then.
static results *results_memory(void) {
  const uint64_t low_half = 1u << 28, wrap = (uint64_t)1 << 32;
  const uintptr_t from = (uintptr_t)isa_memory(wrap + 2 * sizeof(results));
  uintptr_t at = (from & ~(uintptr_t)(wrap - 1)) + low_half;
  while (at < from + offsetof(results, dq_sum)) at += wrap;
  return (results *)(at - offsetof(results, dq_sum));
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
  q = random_rows(&rng), k = random_rows(&rng), v = random_rows(&rng), d_o = random_rows(&rng);
  rows = random_starts(&rng, 64);
  sinks = isa_memory(sizeof *sinks);
  *sinks = 30;
  out = results_memory();
  right = malloc(PROBLEMS * sizeof *right);
  const removal_counts counts = removal_try_each(argv[1], target, name, true, true, launch);
  CHECK(counts.executed[REMOVAL_WAIT] >= 10, "only %d waits are executed", counts.executed[REMOVAL_WAIT]);
  removal_check_unseen(&counts, current->unseen[device]);
  removal_compare_score(argv[4], name, target, &counts);
  free(right);
  return test_result();
}
