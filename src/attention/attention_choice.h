// SPDX-License-Identifier: MIT
// Chooses which kernels a checked descriptor of attention gets.
#ifndef WT_SRC_ATTENTION_CHOICE_H
#define WT_SRC_ATTENTION_CHOICE_H

#include "attention_plan.h"
#include "core/launch.h"

// Says whether a kernel is for heads as wide as its tiles and scores as they are, or for narrower heads, too,
// and whatever a plan asks for.
typedef enum wt_attention_variant { WT_ATTENTION_PLAIN, WT_ATTENTION_GENERAL } wt_attention_variant;

// A kernel of the forward pass, for one pair of head dimensions: kernels/attention/attention_args.h.
typedef struct wt_attention_forward_kernel {
  const char *stem;   // file name without ".hip"
  const char *heads;  // part of its symbols, attention_forward_<heads>_<type>
  wt_attention_variant variant;
  int head_dim, value_dim;
  bool f8;    // takes FP8; else BF16 and F16
  int share;  // columns of V of a work-group
} wt_attention_forward_kernel;

extern const wt_attention_forward_kernel wt_attention_forward_kernels[];
extern const size_t wt_attention_forward_count;
enum { WT_ATTENTION_FORWARD_THREADS = 512 };

// Returns a sentence on why a kernel cannot run this, or NULL when it can.
const char *wt_attention_forward_refusal(const wt_context *context, const wt_attention_plan *plan,
                                         const wt_attention_forward_kernel *kernel);

// Finds the kernel that can run this. If there is none, the error says what may be passed instead.
wt_status wt_attention_forward_choose(wt_context *context, const wt_attention_plan *plan,
                                      const wt_attention_forward_kernel **out);

// Writes the kernel's symbol, for K and V at these addresses; NULL stands for well aligned ones. Returns
// whether their rows are at multiples of 16 bytes.
bool wt_attention_forward_symbol(const wt_attention_plan *plan, const wt_attention_forward_kernel *kernel,
                                 const void *k, const void *v, wt_launch *launch);

// Returns into how many parts V's columns are divided, with a work-group for each.
unsigned wt_attention_forward_shares(const wt_attention_plan *plan,
                                     const wt_attention_forward_kernel *kernel);

// Finds how many members of the batch one launch of the forward pass can take.
wt_status wt_attention_forward_most(wt_context *context, const wt_attention_plan *plan, int64_t *most);

// Says what the work-groups of a step share out among themselves.
typedef enum wt_attention_over {
  WT_ATTENTION_OVER_QUERIES,  // tiles of them
  WT_ATTENTION_OVER_KEYS,
  WT_ATTENTION_OVER_HEADS  // of all members of the batch together
} wt_attention_over;

// Describes one kernel of the backward pass.
typedef struct wt_attention_step {
  char stem[64];
  wt_launch launch;
  wt_attention_over over;
  int tile;  // queries or keys of a work-group
} wt_attention_step;

enum { WT_ATTENTION_MOST_STEPS = 4 };

typedef struct wt_attention_backward_choice {
  wt_attention_plan plan;
  wt_attention_variant variant;
  int tile_dim;  // elements of a head that the kernels are made for
  wt_attention_step steps[WT_ATTENTION_MOST_STEPS];
  int step_count;
  int waves;
  bool atomic;         // dQ is summed by atomic additions
  bool aligned;        // rows of Q, K, V and dO are at multiples of 16 bytes
  int64_t most_batch;  // members of the batch that one launch of each step can take
  int64_t row_count;   // rows of the workspace, for as many members
  uint64_t rows_bytes, workspace_bytes;
} wt_attention_backward_choice;

// Checks the descriptor and chooses the kernels, for tensors at these addresses; NULL stands for well aligned
// ones.
wt_status wt_attention_backward_choose(wt_context *context, const wt_attention_desc *desc,
                                       const void *const *pointers, wt_attention_backward_choice *out);

// Returns the work-groups of a step for so many members of the batch.
int64_t wt_attention_step_groups(const wt_attention_backward_choice *choice, const wt_attention_step *step,
                                 int64_t members);

#endif
