// SPDX-License-Identifier: MIT
// wt_gemm_mx: check, choose the tile and the split of K, launch.
#include <inttypes.h>

#include "core/desc.h"
#include "core/rows.h"
#include "core/types.h"
#include "core/workspace.h"
#include "gemm/cut.h"
#include "gemm/gemm_split.h"
#include "kernels/gemm_mx/gemm_mx_args.h"
#include "split.h"

typedef struct gemm_mx_call {
  wt_gemm_mx_desc desc;
  wt_mx_choice choice;
  const wt_block_format *c_format;  // of C; NULL where it has no scales
  wt_scaled_product product;
} gemm_mx_call;

static bool has_c_format(const wt_gemm_mx_desc *d) {
  return d->type_c == WT_TYPE_F8E4M3 || d->type_c == WT_TYPE_F4E2M1;
}

// Returns the most bytes that lie between two rows of A, of B or of their scales; packed rows of operands
// have at least as many as those of scales.
static int64_t row_bytes(const wt_gemm_mx_desc *d) {
  const int64_t blocks = d->k / WT_BLOCK_ELEMENTS;
  const int64_t all[] = {blocks * wt_block_a_format_of(d->type_a)->bytes,
                         blocks * wt_block_format_of(d->type_b)->bytes,
                         d->a_row_bytes,
                         d->b_row_bytes,
                         d->a_scale_row_bytes,
                         d->b_scale_row_bytes};
  int64_t most = 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (all[i] > most) most = all[i];
  return most;
}

static bool suits_persistent(const gemm_mx_call *call) {
  const wt_gemm_mx_desc *d = &call->desc;
  const wt_scaled_rows rows = {d->a_row_bytes | d->b_row_bytes, row_bytes(d), d->ldc};
  return d->split_k <= 1 && !has_c_format(d) && wt_scaled_suits_persistent(&call->product, rows);
}

// C in an MX format is not the sum of parts: its scales follow from whole sums.
static wt_mx_choice choose(const wt_context *context, const gemm_mx_call *call,
                           uint64_t workspace_most_bytes) {
  const wt_gemm_mx_desc *d = &call->desc;
  const wt_mx_problem problem = {.a = wt_block_a_format_of(d->type_a),
                                 .b = wt_block_format_of(d->type_b),
                                 .scales = d->scale_layout,
                                 .m = d->m,
                                 .n = d->n,
                                 .k = d->k,
                                 .batch = d->batch,
                                 .c_bytes = has_c_format(d) ? 1 : (int64_t)wt_type_size(d->type_c),
                                 .row_bytes = row_bytes(d),
                                 .split_k = has_c_format(d) ? 1 : d->split_k,
                                 .workspace_most_bytes = workspace_most_bytes,
                                 .suits_persistent = suits_persistent(call)};
  return wt_mx_choose(context, &problem);
}

// C in an MX format has scales, and other fields than C in a float type.
static wt_status check_blocks_of_c(wt_context *context, const wt_gemm_mx_desc *d) {
  const char *type = wt_type_name(d->type_c);
  if (!d->c_scale)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->c_scale is NULL; pass memory of the device for the scales of C, as type_c is %s",
                   type);
  if (d->n % WT_BLOCK_ELEMENTS)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->n is %" PRId64 "; with type_c %s pass a multiple of %d, of whole blocks", d->n,
                   type, WT_BLOCK_ELEMENTS);
  if (d->beta != 0)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->beta is %g; pass 0, as nothing can be added to C of type %s", (double)d->beta,
                   type);
  if (d->ldc)
    return wt_fail(context, WT_ERROR_LEADING_DIMENSION,
                   "desc->ldc is %" PRId64
                   "; with type_c %s pass 0, and the bytes between rows as c_row_bytes",
                   d->ldc, type);
  if (d->c_stride)
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->c_stride is %" PRId64
                   "; with type_c %s pass 0, and the bytes between matrices as c_stride_bytes",
                   d->c_stride, type);
  if (d->split_k > 1)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->split_k is %d; with type_c %s pass 0 or 1, as scales follow from whole sums",
                   d->split_k, type);
  return wt_check_scale_rounding(context, "c_rounding", d->c_rounding);
}

static wt_status check_c(wt_context *context, gemm_mx_call *call) {
  const wt_gemm_mx_desc *d = &call->desc;
  if (has_c_format(d)) {
    call->c_format = wt_block_format_of(d->type_c);
    return check_blocks_of_c(context, d);
  }
  if (!wt_row_type(d->type_c))
    return wt_fail(
        context, WT_ERROR_UNSUPPORTED_TYPE,
        "desc->type_c is %s (%d), but it must be WT_TYPE_F32, WT_TYPE_BF16 or WT_TYPE_F16, or with "
        "block scales WT_TYPE_F8E4M3 or WT_TYPE_F4E2M1",
        wt_type_name(d->type_c), (int)d->type_c);
  const struct {
    const char *name;
    bool set;
  } of_scales[] = {{"c_scale", d->c_scale != NULL},
                   {"c_row_bytes", d->c_row_bytes != 0},
                   {"c_scale_row_bytes", d->c_scale_row_bytes != 0},
                   {"c_rounding", d->c_rounding != WT_SCALE_UP},
                   {"c_stride_bytes", d->c_stride_bytes != 0},
                   {"c_scale_stride_bytes", d->c_scale_stride_bytes != 0}};
  for (size_t i = 0; i < sizeof of_scales / sizeof *of_scales; ++i)
    if (of_scales[i].set)
      return wt_fail(
          context, WT_ERROR_VALUE,
          "desc->%s is set, but C of type %s has no scales; leave it at its default, or pass type_c "
          "WT_TYPE_F8E4M3 or WT_TYPE_F4E2M1",
          of_scales[i].name, wt_type_name(d->type_c));
  return WT_SUCCESS;
}

// A of BF16 has no scales, and those of B lie by rows.
static wt_status check_scales_of_a(wt_context *context, const wt_gemm_mx_desc *d) {
  if (wt_block_a_has_scales(d->type_a)) return WT_SUCCESS;
  if (d->scale_layout == WT_SCALES_SHUFFLED)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->scale_layout is WT_SCALES_SHUFFLED (1); with type_a %s pass WT_SCALES_BY_ROWS (0)",
                   wt_type_name(d->type_a));
  const struct {
    const char *name;
    int64_t value;
  } of_scales[] = {{"a_scale_row_bytes", d->a_scale_row_bytes},
                   {"a_scale_stride_bytes", d->a_scale_stride_bytes}};
  for (size_t i = 0; i < sizeof of_scales / sizeof *of_scales; ++i)
    if (of_scales[i].value)
      return wt_fail(context, WT_ERROR_VALUE,
                     "desc->%s is %" PRId64 ", but A of type %s has no scales; pass 0", of_scales[i].name,
                     of_scales[i].value, wt_type_name(d->type_a));
  return WT_SUCCESS;
}

static wt_status check_types(wt_context *context, gemm_mx_call *call) {
  const wt_gemm_mx_desc *d = &call->desc;
  const wt_block_format *a = wt_block_a_format_of(d->type_a), *b = wt_block_format_of(d->type_b);
  if (a && b && wt_mx_kernel_at(a, b, d->scale_layout, 0)) return check_c(context, call);
  char partners[128] = "";
  if (a) wt_mx_partners(a, partners, sizeof partners);
  if (!partners[0])
    return wt_fail(
        context, WT_ERROR_UNSUPPORTED_TYPE,
        "desc->type_a is %s (%d), but with block scales it must be WT_TYPE_F8E4M3, WT_TYPE_F8E5M2, "
        "WT_TYPE_F6E2M3, WT_TYPE_F6E3M2 or WT_TYPE_F4E2M1, or without WT_TYPE_BF16",
        wt_type_name(d->type_a), (int)d->type_a);
  return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                 "desc->type_b is %s (%d), but with type_a %s it must be %s", wt_type_name(d->type_b),
                 (int)d->type_b, wt_type_name(d->type_a), partners);
}

// Sets the choice and, in the product, the parts of K.
static wt_status choose_split(wt_context *context, gemm_mx_call *call) {
  const wt_gemm_mx_desc *d = &call->desc;
  const uint64_t most = d->workspace ? d->workspace_bytes : wt_workspace_most_bytes(context);
  call->choice = choose(context, call, most);
  call->product.parts = call->choice.parts, call->product.k_part = call->choice.k_part;
  if (call->choice.workspace_bytes <= most) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_BUFFER,
                 "split_k %d needs %" PRIu64 " bytes of workspace, but %s %" PRIu64
                 "; pass more (see wt_gemm_mx_workspace_size), or split_k 1",
                 d->split_k, call->choice.workspace_bytes,
                 d->workspace ? "desc->workspace_bytes is" : "desc->workspace is NULL and the context has",
                 most);
}

static wt_status check_desc(wt_context *context, const wt_gemm_mx_desc *desc, gemm_mx_call *call) {
  static const size_t older[] = {offsetof(wt_gemm_mx_desc, c_scale), 0};
  static const wt_desc_layout layout = {"wt_gemm_mx_desc", "WT_GEMM_MX_DESC_INIT", sizeof(wt_gemm_mx_desc),
                                        older};
  wt_gemm_mx_desc *d = &call->desc;
  wt_scaled_product *p = &call->product;
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!d->batch) d->batch = 1;
  *p = (wt_scaled_product){.m = d->m,
                           .n = d->n,
                           .k = d->k,
                           .batch = d->batch,
                           .alpha = d->alpha,
                           .beta = d->beta,
                           .type_c = d->type_c,
                           .activation = d->activation,
                           .bias = d->bias};
  if (!status) status = wt_check_blocks_target(context, "MFMA with block scales; use wt_gemm");
  if (!status) status = wt_scaled_check_sizes(context, p);
  if (!status) status = wt_check_size(context, "batch", d->batch);
  if (status) return status;
  if (d->k % WT_BLOCK_ELEMENTS)
    return wt_fail(context, WT_ERROR_SIZE, "desc->k is %" PRId64 "; pass a multiple of %d, of whole blocks",
                   d->k, WT_BLOCK_ELEMENTS);
  if ((unsigned)d->scale_layout > WT_SCALES_SHUFFLED)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->scale_layout is %d; pass WT_SCALES_BY_ROWS (0) or WT_SCALES_SHUFFLED (1)",
                   (int)d->scale_layout);
  if ((unsigned)d->b_layout > WT_WEIGHTS_SHUFFLED)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->b_layout is %d; pass WT_WEIGHTS_BY_ROWS (0) or WT_WEIGHTS_SHUFFLED (1)",
                   (int)d->b_layout);
  status = check_scales_of_a(context, d);
  if (!status) status = check_types(context, call);
  if (!status) status = wt_scaled_check_epilogue(context, p);
  if (!status) status = wt_cut_check_split(context, d->split_k);
  return status;
}

static wt_status make_b(wt_context *context, gemm_mx_call *call, const void *b) {
  const wt_gemm_mx_desc *d = &call->desc;
  const int64_t bytes = d->k / WT_BLOCK_ELEMENTS * wt_block_format_of(d->type_b)->bytes;
  wt_operand *out = &call->product.b;
  if (d->b_layout == WT_WEIGHTS_SHUFFLED)
    return wt_shuffled_weight_matrix(context, "b", b, "n", d->n, "k", bytes, "b_row_bytes", d->b_row_bytes,
                                     out);
  return wt_byte_matrix(context, "b", b, d->n, bytes, "b_row_bytes", d->b_row_bytes, out);
}

static wt_status make_c(wt_context *context, gemm_mx_call *call, void *c) {
  const wt_gemm_mx_desc *d = &call->desc;
  wt_scaled_product *p = &call->product;
  if (!call->c_format)
    return wt_row_matrix(context, "c", c, d->type_c, d->m, d->n, "ldc", d->ldc, true, &p->c);
  const int64_t blocks = d->n / WT_BLOCK_ELEMENTS;
  wt_status status = wt_byte_matrix(context, "c", c, d->m, blocks * call->c_format->bytes, "c_row_bytes",
                                    d->c_row_bytes, &p->c);
  if (!status)
    status = wt_byte_matrix(context, "desc->c_scale", d->c_scale, d->m, blocks, "c_scale_row_bytes",
                            d->c_scale_row_bytes, &p->c_scale);
  p->c.written = p->c_scale.written = true;
  return status;
}

static wt_status make_operands(wt_context *context, gemm_mx_call *call, const void *a, const uint8_t *a_scale,
                               const void *b, const uint8_t *b_scale, void *c) {
  wt_scaled_product *p = &call->product;
  const wt_gemm_mx_desc *d = &call->desc;
  const int64_t blocks = d->k / WT_BLOCK_ELEMENTS;
  const bool has_a_scale = wt_block_a_has_scales(d->type_a);
  wt_status status = wt_byte_matrix(context, "a", a, d->m, blocks * wt_block_a_format_of(d->type_a)->bytes,
                                    "a_row_bytes", d->a_row_bytes, &p->a);
  if (!status && has_a_scale)
    status = wt_scale_matrix(context, "a_scale", a_scale, d->m, blocks, d->scale_layout, "a_scale_row_bytes",
                             d->a_scale_row_bytes, &p->a_scale);
  if (!status && !has_a_scale && a_scale)
    status = wt_fail(context, WT_ERROR_VALUE, "a_scale is %p, but A of type %s has no scales; pass NULL",
                     (const void *)a_scale, wt_type_name(d->type_a));
  if (!status) status = make_b(context, call, b);
  if (!status)
    status = wt_scale_matrix(context, "b_scale", b_scale, d->n, blocks, d->scale_layout, "b_scale_row_bytes",
                             d->b_scale_row_bytes, &p->b_scale);
  if (!status) status = make_c(context, call, c);
  const struct {
    wt_operand *operand;
    const char *name;
    int64_t stride;
  } strides[] = {{&p->a, "a_stride_bytes", d->a_stride_bytes},
                 {&p->a_scale, "a_scale_stride_bytes", d->a_scale_stride_bytes},
                 {&p->b, "b_stride_bytes", d->b_stride_bytes},
                 {&p->b_scale, "b_scale_stride_bytes", d->b_scale_stride_bytes},
                 {&p->c, call->c_format ? "c_stride_bytes" : "c_stride",
                  call->c_format ? d->c_stride_bytes : d->c_stride},
                 {&p->c_scale, "c_scale_stride_bytes", d->c_scale_stride_bytes}};
  for (size_t i = 0; i < sizeof strides / sizeof *strides && !status; ++i)
    if (strides[i].operand->name)
      status = wt_operand_batch(context, strides[i].operand, d->batch, strides[i].name, strides[i].stride);
  return status;
}

// `lines` is how many lines of scales those rows of A have.
static void move_scales(wt_gemm_mx_args *x, int64_t members, int64_t lines, int64_t rows) {
  if (x->a_scale) x->a_scale += members * x->a_scale_batch_bytes + lines * x->a_scale_row_bytes;
  x->b_scale += members * x->b_scale_batch_bytes;
  if (x->c_scale) x->c_scale += members * x->c_scale_batch_bytes + rows * x->c_scale_row_bytes;
}

static void move_by_rows(void *args, int64_t members, int64_t rows) {
  move_scales(args, members, rows, rows);
}

// Tiles have whole groups. Moving back from the end takes as many groups as came before, the last of which
// may have fewer rows.
static void move_by_groups(void *args, int64_t members, int64_t rows) {
  const int64_t groups =
      rows < 0 ? -wt_divide_up(-rows, WT_SHUFFLED_SCALE_ROWS) : wt_divide_up(rows, WT_SHUFFLED_SCALE_ROWS);
  move_scales(args, members, rows ? groups : 0, rows);
}

static void rotate(void *args, wt_grid_order order) {
  ((wt_gemm_mx_args *)args)->rotation = wt_grid_rotation_of(order);
}

// Returns the plan of what the reduction asks for, and of the launch of the parts.
static wt_gemm_plan sums_of(const gemm_mx_call *call, void *workspace) {
  const wt_gemm_mx_desc *d = &call->desc;
  return (wt_gemm_plan){.desc = {.m = d->m,
                                 .n = d->n,
                                 .k = d->k,
                                 .batch = d->batch,
                                 .type_a = d->type_a,
                                 .type_c = d->type_c,
                                 .workspace = workspace},
                        .c = {.element_bytes = call->product.c.element_bytes},
                        .choice = {.parts = call->choice.parts}};
}

static wt_status launch(wt_context *context, const void *pointer, void *workspace, hipStream_t stream) {
  const gemm_mx_call *call = pointer;
  const wt_scaled_product *p = &call->product;
  const wt_gemm_plan sums = sums_of(call, workspace);
  wt_gemm_args whole = wt_scaled_args(p);
  wt_gemm_mx_args args = {.a_scale = p->a_scale.pointer,
                          .b_scale = p->b_scale.pointer,
                          .a_scale_row_bytes = p->a_scale.axes[0].stride,
                          .b_scale_row_bytes = p->b_scale.axes[0].stride,
                          .c_scale = call->desc.c_scale,
                          .c_scale_row_bytes = p->c_scale.axes[0].stride,
                          .c_rounding = (int)call->desc.c_rounding,
                          .a_scale_batch_bytes = p->a_scale.axes[2].stride,
                          .b_scale_batch_bytes = p->b_scale.axes[2].stride,
                          .c_scale_batch_bytes = p->c_scale.axes[2].stride};
  if (call->desc.b_layout == WT_WEIGHTS_SHUFFLED) {
    whole.b_row /= WT_SHUFFLED_WEIGHT_ROWS;  // of the operand, which has that many rows together
    args.b_layout = WT_KERNEL_SHUFFLED;
  }
  wt_launch reduce;
  wt_status status = WT_SUCCESS;
  if (p->parts > 1) status = wt_gemm_reduction_find(context, &sums, &reduce);
  if (status) return status;
  args.gemm = p->parts > 1 ? wt_gemm_sums_args(&sums, whole) : whole;
  status = wt_scaled_launch(context, p, call->choice.kernel, &args,
                            call->desc.scale_layout == WT_SCALES_SHUFFLED ? move_by_groups : move_by_rows,
                            rotate, stream);
  if (!status && p->parts > 1) status = wt_gemm_reduction_launch(context, &sums, &reduce, whole, stream);
  return status;
}

wt_status wt_gemm_mx_chosen(wt_context *context, const wt_gemm_mx_desc *desc, const char **name) {
  if (!name) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "name is NULL; pass where the name goes");
  gemm_mx_call call = {0};
  *name = NULL;
  wt_status status = check_desc(context, desc, &call);
  if (!status) status = choose_split(context, &call);
  if (!status) *name = call.choice.kernel->name;
  return status;
}

wt_status wt_gemm_mx_workspace_size(wt_context *context, const wt_gemm_mx_desc *desc, size_t *bytes) {
  if (!bytes) return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "bytes is NULL; pass the address of a size_t");
  gemm_mx_call call = {0};
  *bytes = 0;
  const wt_status status = check_desc(context, desc, &call);
  if (!status) *bytes = choose(context, &call, UINT64_MAX).workspace_bytes;
  return status;
}

static wt_status check_memory(wt_context *context, const gemm_mx_call *call, const wt_workspace *workspace) {
  wt_operand all[WT_SCALED_OPERANDS + 1];
  const int count = wt_scaled_operands(&call->product, all);
  return wt_operands_check(context, all, wt_workspace_add_operand(workspace, all, count));
}

// Where the context's workspace is used and there is no memory left for it, the choice is made without,
// unless the split was asked for.
static wt_status launch_with_workspace(wt_context *context, gemm_mx_call *call, const wt_workspace *workspace,
                                       hipStream_t stream) {
  if (!workspace->bytes || workspace->given || call->desc.split_k)
    return wt_workspace_run(context, workspace, launch, call, stream);
  void *memory = wt_workspace_take(context, workspace->bytes, stream);
  if (!memory) {
    call->choice = choose(context, call, 0);
    call->product.parts = call->choice.parts, call->product.k_part = call->choice.k_part;
    return launch(context, call, NULL, stream);
  }
  const wt_status status = launch(context, call, memory, stream);
  const wt_status given = wt_workspace_give_back(context, memory, stream);
  return status ? status : given;
}

wt_status wt_gemm_mx(wt_context *context, const wt_gemm_mx_desc *desc, const void *a, const uint8_t *a_scale,
                     const void *b, const uint8_t *b_scale, void *c, struct ihipStream_t *stream) {
  gemm_mx_call call = {0};
  int previous;
  wt_status status = check_desc(context, desc, &call);
  if (!status) status = make_operands(context, &call, a, a_scale, b, b_scale, c);
  if (!status) status = choose_split(context, &call);
  if (!status) status = wt_device_enter(context, &previous);
  if (status) return status;
  const wt_workspace workspace = {.bytes = call.choice.workspace_bytes,
                                  .what = "the sums of the parts of K",
                                  .query = "wt_gemm_mx_workspace_size",
                                  .given = call.desc.workspace,
                                  .given_bytes = call.desc.workspace_bytes};
  status = check_memory(context, &call, &workspace);
  if (!status) status = launch_with_workspace(context, &call, &workspace, stream);
  wt_device_leave(previous);
  return status;
}
