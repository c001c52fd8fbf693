// SPDX-License-Identifier: MIT
// wt_gemm_block: check, choose the kernel, launch.
#include "kernels/gemm_block/gemm_block_args.h"
#include "kernels/gemm_mx/gemm_mx_args.h"

#include "core/desc.h"
#include "core/f32_scales.h"
#include "core/rows.h"
#include "gemm/scaled.h"

typedef struct block_kernel {
  wt_scaled_kernel kernel;
  wt_scales_of_b of_b;     // what has a scale of its own in B
  wt_block_scales scales;  // powers of two, which its matrix instructions apply, or any F32
} block_kernel;

enum { SCALE_BYTES = sizeof(float) };
enum { LANES = 64 };        // of a wave
enum { POWERS_WAVES = 4 };  // of a work-group of a kernel for powers of two

static const block_kernel kernels[] = {
#define OF_B_tiles WT_SCALES_OF_B_TILES
#define OF_B_rows WT_SCALES_OF_B_ROWS
#define GEMM_BLOCK_INSTANCE(name, type, of_b, tile_m, tile_n, waves, shared_gfx942, shared_gfx950, \
                            efficiency)                                                            \
  {{#name, tile_m, tile_n, LANES * (waves), efficiency, 1, 1, false, 0}, OF_B_##of_b, WT_BLOCK_SCALES_F32},
#define GEMM_BLOCK_POWERS_INSTANCE(name, type, of_b, tile_m, tile_n, stages, efficiency) \
  {{#name, tile_m, tile_n, LANES * POWERS_WAVES, efficiency, 1, 1, false, 0},            \
   OF_B_##of_b,                                                                          \
   WT_BLOCK_SCALES_POWER_OF_TWO},
#define GEMM_BLOCK_POWERS_PERSISTENT_INSTANCE(name, type, of_b, tile_m, tile_n, stages, least_k, efficiency) \
  {{#name, tile_m, tile_n, LANES * POWERS_WAVES, efficiency, 1, 1, true, least_k},                           \
   OF_B_##of_b,                                                                                              \
   WT_BLOCK_SCALES_POWER_OF_TWO},
#include "kernels/gemm_block/instances.def"
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

typedef struct gemm_block_call {
  wt_gemm_block_desc desc;
  const block_kernel *kernel;
  wt_scaled_product product;
} gemm_block_call;

static int64_t blocks_of(int64_t elements) { return wt_divide_up(elements, WT_F32_BLOCK_ELEMENTS); }

// Persistent work-groups are of use where they take more than one tile. Fetches of scales reach 2^31 bytes.
static bool suits_persistent(const wt_context *context, const gemm_block_call *call,
                             const wt_scaled_kernel *k) {
  const wt_gemm_block_desc *d = &call->desc;
  const int64_t scales[] = {d->a_scale_row, d->b_scale_row}, blocks[] = {d->a_scale_block, d->b_scale_block};
  const int64_t tiles = wt_divide_up(d->m, k->tile_m) * wt_divide_up(d->n, k->tile_n);
  wt_scaled_rows rows = {d->lda | d->ldb, d->lda > d->ldb ? d->lda : d->ldb, d->ldc};
  for (int i = 0; i < 2; ++i) {
    if (blocks[i] >= INT32_MAX / SCALE_BYTES / blocks_of(d->k) || scales[i] >= INT32_MAX / SCALE_BYTES)
      return false;
    if (scales[i] * SCALE_BYTES > rows.most) rows.most = scales[i] * SCALE_BYTES;
  }
  return tiles > context->compute_units && d->k >= k->least_k && d->k % WT_GEMM_MX_GRAIN == 0 &&
         wt_scaled_suits_persistent(&call->product, rows);
}

// Returns whether a kernel can compute the product: where it takes powers of two, K has whole blocks of 32.
static bool suits(const wt_context *context, const gemm_block_call *call, const block_kernel *kernel) {
  const wt_gemm_block_desc *d = &call->desc;
  if (kernel->of_b != d->scales_of_b) return false;
  if (kernel->scales == WT_BLOCK_SCALES_F32) return true;
  if (d->scales != kernel->scales || d->k % WT_BLOCK_ELEMENTS) return false;
  return !kernel->kernel.is_persistent || suits_persistent(context, call, &kernel->kernel);
}

// Returns whether a kernel is to be taken before the best one so far, which may be NULL. One for powers of
// two is, unless the build left it out.
static bool is_better(const wt_context *context, const block_kernel *best, const block_kernel *other,
                      int64_t m, int64_t n) {
  if (!best) return true;
  const bool alike =
      wt_context_has(context, best->kernel.name) == wt_context_has(context, other->kernel.name);
  if (alike && best->scales != other->scales) return other->scales == WT_BLOCK_SCALES_POWER_OF_TWO;
  return wt_scaled_better(context, &best->kernel, &other->kernel, m, n) == &other->kernel;
}

// Sets the kernel; of those for B's tiles and for its rows, each chip has one for any matrices.
static void choose_kernel(const wt_context *context, gemm_block_call *call) {
  for (int i = 0; i < KERNELS; ++i) {
    const block_kernel *other = &kernels[i];
    if (!suits(context, call, other) || !wt_context_knows(context, other->kernel.name)) continue;
    if (is_better(context, call->kernel, other, call->desc.m, call->desc.n)) call->kernel = other;
  }
}

static wt_status check_types(wt_context *context, const wt_gemm_block_desc *d) {
  const wt_status status = wt_f32_scales_check_type(context, "type_ab", d->type_ab);
  return status ? status : wt_check_float_type(context, "type_c", d->type_c);
}

static wt_status check_scales(wt_context *context, const wt_gemm_block_desc *d) {
  if ((unsigned)d->scales_of_b > WT_SCALES_OF_B_ROWS)
    return wt_fail(context, WT_ERROR_VALUE, "desc->scales_of_b is %d; pass a WT_SCALES_OF_B_* number",
                   (int)d->scales_of_b);
  if (d->scales == WT_BLOCK_SCALES_F32 || d->scales == WT_BLOCK_SCALES_POWER_OF_TWO) return WT_SUCCESS;
  return wt_fail(
      context, WT_ERROR_VALUE,
      "desc->scales is %d; pass WT_BLOCK_SCALES_F32 (1) or WT_BLOCK_SCALES_POWER_OF_TWO (2), or use "
      "wt_gemm_mx for E8M0 scales",
      (int)d->scales);
}

static wt_status check_desc(wt_context *context, const wt_gemm_block_desc *desc, gemm_block_call *call) {
  static const wt_desc_layout layout = {"wt_gemm_block_desc", "WT_GEMM_BLOCK_DESC_INIT",
                                        sizeof(wt_gemm_block_desc), NULL};
  wt_gemm_block_desc *d = &call->desc;
  wt_scaled_product *p = &call->product;
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  *p = (wt_scaled_product){.m = d->m,
                           .n = d->n,
                           .k = d->k,
                           .batch = 1,
                           .parts = 1,
                           .k_part = d->k,
                           .alpha = d->alpha,
                           .beta = d->beta,
                           .type_c = d->type_c,
                           .activation = d->activation,
                           .bias = d->bias};
  if (!status) status = wt_scaled_check_sizes(context, p);
  if (!status) status = check_types(context, d);
  if (!status) status = check_scales(context, d);
  if (!status) status = wt_scaled_check_epilogue(context, p);
  return status;
}

static wt_status make_operands(wt_context *context, gemm_block_call *call, const void *a,
                               const float *a_scale, const void *b, const float *b_scale, void *c) {
  wt_scaled_product *p = &call->product;
  const wt_gemm_block_desc *d = &call->desc;
  const int64_t blocks = blocks_of(d->k);
  const int64_t b_rows = d->scales_of_b == WT_SCALES_OF_B_ROWS ? d->n : blocks_of(d->n);
  const wt_f32_scales of_a = {"a_scale", "a_scale", a_scale, d->m, blocks, 1};
  const wt_f32_scales of_b = {"b_scale", "b_scale", b_scale, b_rows, blocks, 1};
  wt_status status = wt_row_matrix(context, "a", a, d->type_ab, d->m, d->k, "lda", d->lda, false, &p->a);
  if (!status)
    status = wt_f32_scales_operand(context, &of_a, d->a_scale_row, d->a_scale_block, 0, &p->a_scale);
  if (!status) status = wt_row_matrix(context, "b", b, d->type_ab, d->n, d->k, "ldb", d->ldb, false, &p->b);
  if (!status)
    status = wt_f32_scales_operand(context, &of_b, d->b_scale_row, d->b_scale_block, 0, &p->b_scale);
  if (!status) status = wt_row_matrix(context, "c", c, d->type_c, d->m, d->n, "ldc", d->ldc, true, &p->c);
  return status;
}

// There is no batch.
static void move_scales(void *args, int64_t members, int64_t rows) {
  (void)members;
  wt_gemm_block_args *x = args;
  x->a_scale += rows * x->a_scale_row;
}

static void move_powers(void *args, int64_t members, int64_t rows) {
  (void)members;
  wt_gemm_mx_args *x = args;
  x->a_scale += rows * x->a_scale_row_bytes;
}

static void rotate(void *args, wt_grid_order order) {
  ((wt_gemm_mx_args *)args)->rotation = wt_grid_rotation_of(order);
}

static wt_status launch_powers(wt_context *context, const gemm_block_call *call, hipStream_t stream) {
  const wt_scaled_product *p = &call->product;
  wt_gemm_mx_args args = {.gemm = wt_scaled_args(p),
                          .a_scale = p->a_scale.pointer,
                          .b_scale = p->b_scale.pointer,
                          .a_scale_row_bytes = wt_f32_scales_step_bytes(&p->a_scale, 0),
                          .b_scale_row_bytes = wt_f32_scales_step_bytes(&p->b_scale, 0),
                          .a_scale_block_bytes = wt_f32_scales_step_bytes(&p->a_scale, 1),
                          .b_scale_block_bytes = wt_f32_scales_step_bytes(&p->b_scale, 1)};
  return wt_scaled_launch(context, p, &call->kernel->kernel, &args, move_powers, rotate, stream);
}

static wt_status launch(wt_context *context, const gemm_block_call *call, hipStream_t stream) {
  const wt_scaled_product *p = &call->product;
  if (call->kernel->scales == WT_BLOCK_SCALES_POWER_OF_TWO) return launch_powers(context, call, stream);
  wt_gemm_block_args args = {.gemm = wt_scaled_args(p),
                             .a_scale = p->a_scale.pointer,
                             .b_scale = p->b_scale.pointer,
                             .a_scale_row = p->a_scale.axes[0].stride,
                             .a_scale_block = p->a_scale.axes[1].stride,
                             .b_scale_row = p->b_scale.axes[0].stride,
                             .b_scale_block = p->b_scale.axes[1].stride};
  return wt_scaled_launch(context, p, &call->kernel->kernel, &args, move_scales, NULL, stream);
}

wt_status wt_gemm_block_chosen(wt_context *context, const wt_gemm_block_desc *desc, const char **name) {
  if (!name) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "name is NULL; pass where the name goes");
  gemm_block_call call = {0};
  *name = NULL;
  const wt_status status = check_desc(context, desc, &call);
  if (status) return status;
  choose_kernel(context, &call);
  *name = call.kernel->kernel.name;
  return status;
}

wt_status wt_gemm_block(wt_context *context, const wt_gemm_block_desc *desc, const void *a,
                        const float *a_scale, const void *b, const float *b_scale, void *c,
                        struct ihipStream_t *stream) {
  gemm_block_call call = {0};
  int previous;
  wt_status status = check_desc(context, desc, &call);
  if (!status) status = make_operands(context, &call, a, a_scale, b, b_scale, c);
  if (!status) choose_kernel(context, &call);
  if (!status) status = wt_device_enter(context, &previous);
  if (status) return status;
  status = wt_scaled_check_memory(context, &call.product);
  if (!status) status = launch(context, &call, stream);
  wt_device_leave(previous);
  return status;
}
