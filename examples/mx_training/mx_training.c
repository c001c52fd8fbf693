// SPDX-License-Identifier: MIT
// Runs a linear layer, forward and backward, in MXFP8: Y = X W^T and the gradients dX = dY W and dW = dY^T X.
// Each product takes matrices that are quantised along its K, so that X and dY are quantised twice, along
// their rows and along their columns. W shares its scales in squares, so that forward and backward see the
// same weights. Gradients are E5M2, which has more range (MI355X).
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/mx_training/mx_training.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o mx_training
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavetile.h>

enum { TOKENS = 128, INPUTS = 256, OUTPUTS = 192 };

static void check(wt_context *context, wt_status status) {
  if (status == WT_SUCCESS) return;
  fprintf(stderr, "%s\n", wt_last_error(context));
  exit(1);
}

// Returns memory that host and device share.
static void *memory(size_t bytes) {
  void *pointer = NULL;
  if (hipHostMalloc(&pointer, bytes, 0) != hipSuccess) exit(1);
  return pointer;
}

typedef struct matrix {
  int rows, columns;
  float *x;
} matrix;

static matrix make_matrix(int rows, int columns) {
  return (matrix){rows, columns, memory((size_t)rows * (size_t)columns * sizeof(float))};
}

static matrix random_matrix(int rows, int columns, unsigned *state) {
  const matrix m = make_matrix(rows, columns);
  for (int i = 0; i < rows * columns; ++i) {
    *state = *state * 1664525 + 1013904223;
    m.x[i] = (float)(*state >> 16) / 32768 - 1;
  }
  return m;
}

// Describes a matrix in an MX format, whose rows lie along the K of a product.
typedef struct operand {
  wt_type type;
  int rows, k;
  void *q;
  uint8_t *scale;
} operand;

static operand quantize(wt_context *context, matrix m, wt_type type, wt_block_axis along,
                        wt_block_shape shape) {
  wt_block_scale_desc desc = WT_BLOCK_SCALE_DESC_INIT;
  desc.rows = m.rows, desc.columns = m.columns;
  desc.type_x = WT_TYPE_F32, desc.type_q = type;
  desc.along = along, desc.shape = shape;
  const size_t elements = (size_t)m.rows * (size_t)m.columns;
  operand o = {type, m.rows, m.columns, memory(elements), memory(elements / WT_BLOCK_ELEMENTS)};
  if (along == WT_BLOCKS_ALONG_COLUMNS) o.rows = m.columns, o.k = m.rows;
  check(context, wt_quantize_blocks(context, &desc, m.x, o.q, o.scale, NULL));
  return o;
}

// Returns C = A B^T.
static matrix multiply(wt_context *context, operand a, operand b) {
  wt_gemm_mx_desc desc = WT_GEMM_MX_DESC_INIT;
  desc.m = a.rows, desc.n = b.rows, desc.k = a.k;
  desc.type_a = a.type, desc.type_b = b.type, desc.type_c = WT_TYPE_F32;
  const matrix c = make_matrix(a.rows, b.rows);
  check(context, wt_gemm_mx(context, &desc, a.q, a.scale, b.q, b.scale, c.x, NULL));
  return c;
}

// Returns an element of a matrix, or of its transpose.
static double at(matrix m, int row, int column, int transposed) {
  return (double)(transposed ? m.x[column * m.columns + row] : m.x[row * m.columns + column]);
}

// Compares C with the product of A and B^T, or of their transposes. Returns whether it is near enough.
static int compare(const char *name, matrix c, matrix a, int a_transposed, matrix b, int b_transposed) {
  const int k = a_transposed ? a.rows : a.columns;
  double error = 0, size = 0;
  for (int i = 0; i < c.rows; ++i)
    for (int j = 0; j < c.columns; ++j) {
      double want = 0;
      for (int l = 0; l < k; ++l) want += at(a, i, l, a_transposed) * at(b, j, l, b_transposed);
      const double off = at(c, i, j, 0) - want;
      error += off * off, size += want * want;
    }
  printf("%-2s is off by %.1f%% (root mean square)\n", name, 100 * sqrt(error / size));
  return sqrt(error / size) < 0.1;
}

int main(void) {
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  unsigned state = 1;
  const matrix x = random_matrix(TOKENS, INPUTS, &state), w = random_matrix(OUTPUTS, INPUTS, &state);
  const matrix dy = random_matrix(TOKENS, OUTPUTS, &state);
  const wt_block_axis rows = WT_BLOCKS_ALONG_ROWS, columns = WT_BLOCKS_ALONG_COLUMNS;
  const wt_block_shape lines = WT_BLOCKS_OF_LINES, squares = WT_BLOCKS_OF_SQUARES;
  const wt_type e4m3 = WT_TYPE_F8E4M3, e5m2 = WT_TYPE_F8E5M2;

  const matrix y =
      multiply(context, quantize(context, x, e4m3, rows, lines), quantize(context, w, e4m3, rows, squares));
  const matrix dx = multiply(context, quantize(context, dy, e5m2, rows, lines),
                             quantize(context, w, e4m3, columns, squares));
  const matrix dw = multiply(context, quantize(context, dy, e5m2, columns, lines),
                             quantize(context, x, e4m3, columns, lines));
  if (hipDeviceSynchronize() != hipSuccess) return 1;

  const int right =
      compare("Y", y, x, 0, w, 0) & compare("dX", dx, dy, 0, w, 1) & compare("dW", dw, dy, 1, x, 1);
  wt_context_destroy(context);
  return !right;
}
