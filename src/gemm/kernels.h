// SPDX-License-Identifier: MIT
// Declares the registry of GEMM kernels: what each computes per work-group, what it needs of a descriptor,
// and how it occupies a compute unit. The choice among them (choice.h, cost.h) uses nothing else.
#ifndef WT_SRC_KERNELS_H
#define WT_SRC_KERNELS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/target.h"
#include "wavetile.h"

typedef enum wt_kernel_kind {
  // This is a rung of the ladder (examples/gemm), for study. It takes a two-dimensional grid of tiles; one
  // symbol per input and output type, <stem>_<in>_<out>; no epilogue but alpha and beta; taken only when no
  // other kernel fits.
  WT_KERNEL_RUNG,
  // This is a kernel of the library (kernels/). It takes a linear grid in wt_grid_order, parts of K in y; one
  // symbol per pair of input types, <stem>_<a>_<b>, or <stem>_<order>_<a>_<b> where it has orders of A and B
  // ("ta", "tb", "tatb": which of them are transposed); every output type and epilogue.
  WT_KERNEL_LIBRARY,
  // This is the same with persistent work-groups (kernels/gemm/gemm_4wave_persistent.h): as many as compute
  // units, each taking tiles one after the other; one symbol per pair of input types and output type,
  // <stem>_<a>_<b>_<c>. C is BF16 or F16 with alpha alone, and K has one part of whole steps.
  WT_KERNEL_PERSISTENT,
  // This is a stream-K kernel (kernels/gemm/gemm_4wave_stream.h), which gemm_fix_up follows; symbols are as
  // those of WT_KERNEL_LIBRARY. There is one member of the batch.
  WT_KERNEL_STREAM
} wt_kernel_kind;

// This is a mask of the pairs of input types. A pair of FP8 types is E4M3 twice, E5M2 twice or one of each.
enum {
  WT_INPUT_E4M3 = 1,
  WT_INPUT_E5M2 = 2,
  WT_INPUT_F8_MIXED = 4,
  WT_INPUT_BF16 = 8,
  WT_INPUT_F16 = 16,
  WT_INPUT_I8 = 32,
  WT_INPUT_MX_4 = 64,       // MX formats: F4E2M1 twice
  WT_INPUT_MX_8 = 128,      // F8E4M3 twice
  WT_INPUT_MX_8_4 = 256,    // F8E4M3 and F4E2M1
  WT_INPUT_MX_6 = 512,      // one of 6 bits twice, or and F4E2M1
  WT_INPUT_MX_BF16 = 1024,  // BF16 and F4E2M1
  WT_INPUT_MX_E5M2 = 2048,  // F8E5M2 and F8E4M3
  WT_INPUT_MX = WT_INPUT_MX_4 | WT_INPUT_MX_8 | WT_INPUT_MX_8_4,
  WT_INPUT_MX_GRADIENTS = WT_INPUT_MX | WT_INPUT_MX_E5M2,
  WT_INPUT_F8 = WT_INPUT_E4M3 | WT_INPUT_E5M2 | WT_INPUT_F8_MIXED,
  WT_INPUT_COMMON = WT_INPUT_E4M3 | WT_INPUT_BF16 | WT_INPUT_F16,
  WT_INPUT_FLOATS = WT_INPUT_F8 | WT_INPUT_BF16 | WT_INPUT_F16,
  WT_INPUT_ALL = WT_INPUT_FLOATS | WT_INPUT_I8
};

// Says what a kernel needs of A and B.
typedef enum wt_kernel_needs {
  WT_NEEDS_NOTHING,
  WT_NEEDS_K_CONTIGUOUS,  // stored with K along the rows
  // Also needs rows that are not too far apart: those of a tile have offsets of 32 bits
  // (kernels/gemm/gemm_skinny.h).
  WT_NEEDS_NEAR_ROWS,
  // Also needs rows at multiples of 4 bytes, not too far apart, and so many K steps in each part of K: tiles
  // are copied to LDS as they are (kernels/gemm/gemm_frame.h).
  WT_NEEDS_COPIES,
  // The same of operands of which at least one is stored with its rows contiguous, so that it has a row in
  // memory for each k (kernels/gemm/gemm_transposed.h).
  WT_NEEDS_TRANSPOSED_COPIES
} wt_kernel_needs;

// Says how a kernel's main loop is written.
typedef enum wt_kernel_loop {
  WT_LOOP_BY_HAND,
  WT_LOOP_SCHEDULE  // as a schedule, from which its waits and barriers are derived (include/sched/pipeline.h)
} wt_kernel_loop;

// These stand for a number of stages: there is no such kernel for the chip, or LDS holds one K step, which
// goes there through registers.
enum { WT_STAGES_NOT_MADE = 0, WT_STAGES_REGISTERS = 1 };

typedef struct wt_kernel {
  const char *stem;  // file name without ".hip", prefix of its symbols, and its public name
  const char *idea;
  wt_kernel_kind kind;
  unsigned tile_m, tile_n;  // rows and columns of C per work-group
  unsigned threads;         // threads per work-group, in x
  unsigned inputs;          // WT_INPUT_*
  wt_kernel_needs needs;
  int least_steps;    // least number of K steps; 0: any
  bool one_line;      // made for C of one row or one column of tiles
  int chunk, window;  // of wt_grid_order; 0: by the problem's size
  wt_kernel_loop loop;
  // These are for the cost model, and unknown for rungs.
  int waves_m, waves_n, waves_k;  // how a work-group's waves share a tile, and K
  int stages[WT_TARGET_IDS];      // K steps that LDS holds, or WT_STAGES_*
  int simd_waves[WT_TARGET_IDS];  // waves that share a SIMD
} wt_kernel;

extern const wt_kernel wt_kernels[];  // rungs first
extern const size_t wt_kernel_count;

// Names the file of the kernels that add up the parts of a split K.
#define WT_REDUCTION_STEM "gemm_reduce"

const wt_kernel *wt_kernel_find(const char *name);

// Returns whether the kernel's tiles can be computed in any order of wt_grid_order; most rungs have that of
// the launch.
bool wt_kernel_takes_order(const wt_kernel *kernel);

// Returns whether the kernel copies tiles to LDS as they are.
bool wt_kernel_copies(const wt_kernel *kernel);

// Returns how many work-groups share a compute unit, which has four SIMDs; 0 for rungs, where it is unknown.
int wt_kernel_resident(const wt_kernel *kernel, const wt_target *target);

// Returns one line on what a kernel needs, or "nothing".
const char *wt_kernel_needs_text(wt_kernel_needs needs);

// Returns which pairs of input types a mask stands for, as what a kernel takes.
const char *wt_kernel_inputs_text(unsigned inputs);

// Returns which WT_INPUT_* a pair of types is on the target, one bit; 0 when it is none.
unsigned wt_kernel_inputs(const wt_target *target, wt_type a, wt_type b);

// Returns the same for a pair of MX formats.
unsigned wt_kernel_mx_inputs(wt_type a, wt_type b);

// Returns a type's name in symbols: "f8e4m3" for the target's own, "bf16"; NULL when kernels do not have it.
const char *wt_kernel_input_name(const wt_target *target, wt_type type);
const char *wt_kernel_output_name(wt_type type);

#endif
