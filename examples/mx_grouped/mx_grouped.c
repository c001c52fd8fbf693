// SPDX-License-Identifier: MIT
// Multiplies groups of tokens by a matrix each, forward and backward, in MXFP8: for the tokens of group g, Y
// = X W[g]^T, dX = dY W[g] and dW[g] = dY^T X. Each group takes up whole blocks of 32 tokens, the last of
// which are zero, so that no block of the gradient of the weights is of two groups (MI355X).
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/mx_grouped/mx_grouped.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o mx_grouped
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavetile.h>

enum { GROUPS = 4, INPUTS = 160, OUTPUTS = 96, BLOCK = WT_BLOCK_ELEMENTS };
static const int tokens_of[GROUPS] = {40, 0, 100, 9};

static void check(wt_context *context, wt_status status) {
  if (status == WT_SUCCESS) return;
  fprintf(stderr, "%s\n", wt_last_error(context));
  exit(1);
}

// Returns memory that host and device share, set to 0.
static void *memory(size_t bytes) {
  void *pointer = NULL;
  if (hipHostMalloc(&pointer, bytes, 0) != hipSuccess || hipMemset(pointer, 0, bytes) != hipSuccess) exit(1);
  return pointer;
}

static void fill(float *x, int count, unsigned *state) {
  for (int i = 0; i < count; ++i) {
    *state = *state * 1664525 + 1013904223;
    x[i] = (float)(*state >> 16) / 32768 - 1;
  }
}

// Describes a matrix in MXFP8, or its transpose.
typedef struct operand {
  void *q, *scale;
} operand;

static operand quantize(wt_context *context, const float *x, int rows, int columns, wt_type type,
                        wt_block_axis along, wt_block_shape shape) {
  wt_block_scale_desc desc = WT_BLOCK_SCALE_DESC_INIT;
  desc.rows = rows, desc.columns = columns;
  desc.type_x = WT_TYPE_F32, desc.type_q = type;
  desc.along = along, desc.shape = shape;
  const size_t elements = (size_t)rows * (size_t)columns;
  const operand o = {memory(elements), memory(elements / BLOCK)};
  check(context, wt_quantize_blocks(context, &desc, x, o.q, o.scale, NULL));
  return o;
}

// Describes the tokens of all groups: a row for each, and where the groups begin.
typedef struct layer {
  wt_context *context;
  int tokens;
  int32_t *offsets;
  float *x, *w, *dy, *y, *dx, *dw;
} layer;

static layer make_layer(wt_context *context) {
  layer l = {.context = context, .offsets = memory((GROUPS + 1) * sizeof(int32_t))};
  for (int g = 0; g < GROUPS; ++g)
    l.offsets[g + 1] = l.offsets[g] + (tokens_of[g] + BLOCK - 1) / BLOCK * BLOCK;
  l.tokens = l.offsets[GROUPS];
  const size_t tokens = (size_t)l.tokens;
  l.x = memory(tokens * INPUTS * sizeof(float)), l.dx = memory(tokens * INPUTS * sizeof(float));
  l.y = memory(tokens * OUTPUTS * sizeof(float)), l.dy = memory(tokens * OUTPUTS * sizeof(float));
  l.w = memory(sizeof(float[GROUPS][OUTPUTS][INPUTS])), l.dw = memory(sizeof(float[GROUPS][OUTPUTS][INPUTS]));
  unsigned state = 1;
  fill(l.w, GROUPS * OUTPUTS * INPUTS, &state);
  for (int g = 0; g < GROUPS; ++g) {
    fill(l.x + l.offsets[g] * INPUTS, tokens_of[g] * INPUTS, &state);
    fill(l.dy + l.offsets[g] * OUTPUTS, tokens_of[g] * OUTPUTS, &state);
  }
  return l;
}

static wt_grouped_desc sizes_of(const layer *l) {
  wt_grouped_desc desc = WT_GROUPED_DESC_INIT;
  desc.groups = GROUPS, desc.m = l->tokens, desc.n = OUTPUTS, desc.k = INPUTS;
  desc.type_x = desc.type_w = WT_TYPE_F8E4M3, desc.type_y = WT_TYPE_F8E5M2;
  return desc;
}

static void forward(const layer *l) {
  const operand x =
      quantize(l->context, l->x, l->tokens, INPUTS, WT_TYPE_F8E4M3, WT_BLOCKS_ALONG_ROWS, WT_BLOCKS_OF_LINES);
  const operand w = quantize(l->context, l->w, GROUPS * OUTPUTS, INPUTS, WT_TYPE_F8E4M3, WT_BLOCKS_ALONG_ROWS,
                             WT_BLOCKS_OF_SQUARES);
  wt_grouped_desc desc = sizes_of(l);
  desc.type_y = WT_TYPE_F32;
  desc.x_scale = x.scale, desc.w_scale = w.scale;
  check(l->context, wt_grouped_forward(l->context, &desc, x.q, w.q, l->y, l->offsets, NULL));
}

// W is transposed as one matrix. The matrices of the groups then lie beside each other, and so do their
// scales.
static void backward_input(const layer *l) {
  const operand dy = quantize(l->context, l->dy, l->tokens, OUTPUTS, WT_TYPE_F8E5M2, WT_BLOCKS_ALONG_ROWS,
                              WT_BLOCKS_OF_LINES);
  const operand w = quantize(l->context, l->w, GROUPS * OUTPUTS, INPUTS, WT_TYPE_F8E4M3,
                             WT_BLOCKS_ALONG_COLUMNS, WT_BLOCKS_OF_SQUARES);
  wt_grouped_desc desc = sizes_of(l);
  desc.type_x = WT_TYPE_F32;
  desc.ldw = GROUPS * OUTPUTS, desc.w_group = OUTPUTS;
  desc.w_scale_row = GROUPS * OUTPUTS / BLOCK, desc.w_scale_group = OUTPUTS / BLOCK;
  desc.y_scale = dy.scale, desc.w_scale = w.scale;
  check(l->context, wt_grouped_backward_input(l->context, &desc, dy.q, w.q, l->dx, l->offsets, NULL));
}

// Blocks are of tokens.
static void backward_weight(const layer *l) {
  const operand dy = quantize(l->context, l->dy, l->tokens, OUTPUTS, WT_TYPE_F8E5M2, WT_BLOCKS_ALONG_COLUMNS,
                              WT_BLOCKS_OF_LINES);
  const operand x = quantize(l->context, l->x, l->tokens, INPUTS, WT_TYPE_F8E4M3, WT_BLOCKS_ALONG_COLUMNS,
                             WT_BLOCKS_OF_LINES);
  wt_grouped_desc desc = sizes_of(l);
  desc.type_w = WT_TYPE_F32;
  desc.y_scale = dy.scale, desc.x_scale = x.scale;
  check(l->context, wt_grouped_backward_weight(l->context, &desc, dy.q, x.q, l->dw, l->offsets, NULL));
}

typedef struct errors {
  double off, size;
} errors;

static void add_error(errors *e, float got, double want) {
  e->off += ((double)got - want) * ((double)got - want), e->size += want * want;
}

static int is_near(const char *name, errors e) {
  printf("%-2s is off by %.1f%% (root mean square)\n", name, 100 * sqrt(e.off / e.size));
  return sqrt(e.off / e.size) < 0.1;
}

// Compares all three with plain loops over the tokens of each group.
static int compare(const layer *l) {
  errors y = {0, 0}, dx = {0, 0}, dw = {0, 0};
  for (int g = 0; g < GROUPS; ++g) {
    const float *w = l->w + g * OUTPUTS * INPUTS;
    static double sums[OUTPUTS][INPUTS];
    for (int j = 0; j < OUTPUTS; ++j)
      for (int i = 0; i < INPUTS; ++i) sums[j][i] = 0;
    for (int t = l->offsets[g]; t < l->offsets[g] + tokens_of[g]; ++t) {
      const float *x = l->x + t * INPUTS, *of_y = l->dy + t * OUTPUTS;
      for (int j = 0; j < OUTPUTS; ++j) {
        double sum = 0;
        for (int i = 0; i < INPUTS; ++i) {
          sum += (double)x[i] * (double)w[j * INPUTS + i];
          sums[j][i] += (double)of_y[j] * (double)x[i];
        }
        add_error(&y, l->y[t * OUTPUTS + j], sum);
      }
      for (int i = 0; i < INPUTS; ++i) {
        double sum = 0;
        for (int j = 0; j < OUTPUTS; ++j) sum += (double)of_y[j] * (double)w[j * INPUTS + i];
        add_error(&dx, l->dx[t * INPUTS + i], sum);
      }
    }
    for (int j = 0; j < OUTPUTS; ++j)
      for (int i = 0; i < INPUTS; ++i) add_error(&dw, l->dw[(g * OUTPUTS + j) * INPUTS + i], sums[j][i]);
  }
  return is_near("Y", y) & is_near("dX", dx) & is_near("dW", dw);
}

int main(void) {
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  const layer l = make_layer(context);
  forward(&l);
  backward_input(&l);
  backward_weight(&l);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  const int right = compare(&l);
  wt_context_destroy(context);
  return !right;
}
