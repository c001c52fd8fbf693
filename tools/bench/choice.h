// SPDX-License-Identifier: MIT
// `wavetile bench choice`: the kernel and split of K that wt_gemm chooses, beside others, in the timing
// model.
#ifndef WT_TOOLS_BENCH_CHOICE_H
#define WT_TOOLS_BENCH_CHOICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CHOICE_MOST_CANDIDATES = 32 };

// Describes a kernel with a split of K; or all that wt_gemm does where that takes several kernels, because it
// cuts C into pieces or packs operands, with the kernel of the first piece.
typedef struct choice_candidate {
  int kernel;  // of wt_gemm_kernel_at
  int parts;
  bool several;
} choice_candidate;

// Describes a product, and what can be chosen for it. The candidate that wt_gemm chooses is the first.
typedef struct choice_shape {
  const char *model, *layer;
  const char *type;  // of A and B; C is BF16
  long long m, n, k;
  int count;
  choice_candidate candidate[CHOICE_MOST_CANDIDATES];
  double cycles[CHOICE_MOST_CANDIDATES];  // 0: not predicted
  double host_us;                         // what a choice takes on this host
} choice_shape;

typedef struct choice_shapes {
  char *text;  // the table of layers, into which the shapes point
  size_t count;
  choice_shape *shapes;
  const char *chip;  // "mi355x"
  int tries;         // candidates of a shape at most
  bool invariant;    // the choice under batch_invariant comes first, and the free one is its only rival
  const char *keep;  // the file that predictions are added to; NULL: none
} choice_shapes;

// Makes the shapes of a table of layers (docs/validation/layers.csv) at each M up to most_m, for FP8 and
// BF16, those with the fewest products first. Reports and returns an exit code when the table is malformed.
// Free with choice_shapes_free.
int choice_shapes_read(const char *path, const char *text, long long most_m, choice_shapes *out);
void choice_shapes_free(choice_shapes *shapes);
// Keeps `count` shapes at random.
void choice_shapes_sample(choice_shapes *shapes, size_t count, uint64_t seed);

// Finds the candidates of all shapes, `jobs` shapes at a time, and then predicts them.
int choice_find_candidates(choice_shapes *shapes, size_t jobs);
int choice_predict(choice_shapes *shapes, size_t jobs);
// Takes from a file the predictions that it has; there may be no file.
int choice_keep_read(choice_shapes *shapes);

// Returns the candidate that takes the least cycles, or -1 when some have no prediction.
int choice_best(const choice_shape *shape);

#endif
