// SPDX-License-Identifier: MIT
// Predicts calls of the C API with the timing model: `wavetile bench` and `wavetile tune` both get their
// cycles here. Only the work-groups that the model needs are executed, on zeros, and nobody looks at the
// results.
#ifndef WT_TOOLS_PREDICT_H
#define WT_TOOLS_PREDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/element.h"
#include "wavetile.h"
#include "wavetile_sim.h"

// Describes sizes, and named numbers after them: "4096x4096x8192 window=7 chunk=216".
typedef struct predict_shape {
  long long size[4];
  int sizes;
  struct {
    char name[16];
    long long value;
  } option[5];  // at most four of a text, and one that a caller adds
  int options;
} predict_shape;

// Reads a shape. Returns false when `text` is not of that form, or a number is below 1.
bool predict_shape_read(const char *text, predict_shape *shape);
long long predict_option(const predict_shape *shape, const char *name, long long otherwise);

// Describes one call. With repeats=1 its launches find in the last-level cache what the same launch left
// there; else it is cold. What the sizes are, by the beginning of the kernel's name:
//   gemm_block          m x n x k: wt_gemm_block; powers=1 for powers of two, rows=1 for scales of B's rows,
//                       transposed=1 for scales that are stored so
//   gemm_mx             m x n x k: wt_gemm_mx of two matrices of a type; shuffled=1 for shuffled scales,
//                       split=N for N parts of K (default: chosen)
//   grouped             groups x rows of each x n x k: wt_grouped_forward; block=1 for F32 scales of blocks,
//                       and powers=1 with it for powers of two; mx=1 for an MX format of FP8
//   experts_products    tokens x experts x hidden x inner: the two grouped products of a layer of experts
//                       in an MX format; top_k experts of each token (default 1)
//   experts_layer       the same: wt_experts_forward, of tokens of bf16; every expert gets as many;
//                       shared=N for a network of N inner elements that all tokens pass (default: none)
//   gemm_*              m x n x k; window, chunk, split (wt_gemm_desc), pad_a, pad_b, pad_c, shift; trans_a=1
//                       for A stored k x m, trans_b=1 for B stored k x n; a kernel of wt_gemm or
//                       "gemm_chosen"
//   attention_forward   batch x heads x queries x head_dim; keys (default: as many), kv_heads, causal, pad
//   attention_backward  the same; waves
//   norm_layer, norm_rms, softmax, cross_entropy, activation, quantize   rows x columns; pad, shift
//   norm_fused          the same: layer norm after dropout and residual sum, which is written too
//   rotary              batch x rows x heads x head_dim; pad, shift
// pad (of one matrix pad_a ...) is how many elements lie behind each row, and shift how many elements after
// the beginning of an allocation the operands begin.
typedef struct predict_call {
  const char *chip;  // "mi355x"
  const char *kernel;
  const char *type;  // of the inputs; outputs are bf16 where it is not theirs
  predict_shape shape;
} predict_call;

typedef struct predict_result {
  wt_sim_timing_total total;  // predicted totals of all launches of the call
  double flops;               // FLOPs of the call, by the usual count
  double bytes;               // bytes that must be read and written once
  double hbm_rate;            // bytes the model's memory moves in a cycle, all dies
} predict_result;

// Returns whether kernels of this name can be predicted.
bool predict_knows(const char *kernel);
// Returns whether a call that the model knows must be predicted on all dies, as later launches read what
// earlier ones have written.
bool predict_needs_all_dies(const char *kernel);

// Predicts a call; reports and returns an exit code when it cannot be made. The simulated runtime must be
// loaded.
int predict(const predict_call *call, wt_sim_timing_mode mode, predict_result *result);

// Returns how many tiles the busiest of so many compute units computes in a product of m x n, where tiles
// come in `parts` parts of K. They come in whole rounds; only kernels that share rounds give each unit its
// share.
double predict_busiest_tiles(const wt_gemm_kernel_info *kernel, long long m, long long n, long long parts,
                             long long compute_units);

// These calls come before and after launches that the caller makes: the first sets the mode, the second ends
// it and gives what the launches took.
int predict_begin(wt_sim_timing_mode mode);
int predict_end(wt_sim_timing_total *total);
// Stores the address of a function of the simulated runtime, "wtSim...", to the pointer at `function`.
// Returns TOOL_OK, or reports and returns an exit code when another runtime is loaded.
int predict_function(const char *name, void *function);

// Return percentages of the longest launch.
double predict_loop(const predict_result *result);     // the matrix pipes' busy share of the hot loop
double predict_overall(const predict_result *result);  // ... of the launch
double predict_hbm(const predict_result *result);      // of the model's memory bandwidth, what HBM moves

// Writes the two causes that take most wave-cycles, as "LDS wait 12%, barrier 4%".
void predict_limits(const predict_result *result, char *text, size_t size);

// ---- for the families

typedef struct predict_run {
  const predict_call *call;
  const element_type *type;  // NULL for a family with types of its own
  wt_type device_type;       // of the inputs
  wt_context *context;
  predict_result *result;
  void *memory[16];
  int count, code;
} predict_run;

// Returns zeroed memory of the device that lives until the run ends; NULL, with run->code set, when there is
// none.
void *predict_memory(predict_run *run, double bytes);
// Return memory with a copy of `data`, or with `byte` in each byte, likewise.
void *predict_copied(predict_run *run, const void *data, double bytes);
void *predict_filled(predict_run *run, double bytes, int byte);
// Returns memory of E8M0 scales of 1, likewise: the simulated device adds products with scales of 0, which
// stand for 2^-127, ten times more slowly.
void *predict_scales_of_1(predict_run *run, double bytes);
// Returns zeroed memory for so many elements of `element` bytes, `shift` elements after the beginning of
// memory.
void *predict_shifted(predict_run *run, double elements, double element, long long shift);
// Returns the offsets of `groups` groups, among which `rows` rows are shared out: as many to each, and one
// more to the first ones where they do not come out even.
int32_t *predict_offsets(predict_run *run, int64_t groups, int64_t rows);
// Returns the bits of an element of the MX format of that name, and its type; 0 when there is none.
int predict_mx_type(const char *name, wt_type *type);
// Returns run->code if that is set; else the exit code for a status, after a report if it is a failure.
int predict_status(const predict_run *run, wt_status status);
// Reports that the call has another number of sizes, and returns an exit code.
int predict_refuse_sizes(const predict_run *run, const char *sizes);

// Each makes one call.
int predict_gemm(predict_run *run);
int predict_gemm_block(predict_run *run);
int predict_gemm_mx(predict_run *run);
int predict_grouped(predict_run *run);
int predict_experts_products(predict_run *run);
int predict_experts_layer(predict_run *run);
int predict_attention_forward(predict_run *run);
int predict_attention_backward(predict_run *run);
int predict_norm(predict_run *run);
int predict_softmax(predict_run *run);
int predict_cross_entropy(predict_run *run);
int predict_activation(predict_run *run);
int predict_quantize(predict_run *run);
int predict_rotary(predict_run *run);

#endif
