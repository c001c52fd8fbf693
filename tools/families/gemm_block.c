// SPDX-License-Identifier: MIT
// `wavetile gemm-block`: C = activation(alpha * A * B^T + beta * C + bias) for FP8 matrices with F32 scales
// for blocks of 128 elements.
#include <math.h>
#include <string.h>

#include "epilogue.h"
#include "mx_blocks.h"
#include "power_scales.h"

enum { A, A_SCALE, B, B_SCALE, OUT, BIAS, C, TENSORS };

typedef struct gemm_block_own {
  tool_sizes m, n, k;
  bool rows_of_b, transposed;
  const char *scales_name;
  wt_block_scales scales;
  epilogue end;        // alpha, beta, bias and activation
  const char *chosen;  // the kernel, once the product was called
} gemm_block_own;

static const family_tensor tensors[TENSORS] = {
    [A] = {"a", "A.npy", "the elements of A, M x K, as FP8 E4M3 bytes of the device (uint8)", "a",
           FAMILY_BLOCKS, FAMILY_CODE, false, false, "lda",
           "elements between the starts of rows of A on the device (default: packed)"},
    [A_SCALE] = {"a-scale", "S.npy", "their scales, one for 128 elements of a row: M x ceil(K / 128)",
                 "a_scale", FAMILY_BLOCKS, FAMILY_F32, false, false, "lda-scale",
                 "elements between the starts of their rows"},
    [B] = {"b", "B.npy", "the elements of B, N x K", "b", FAMILY_BLOCKS, FAMILY_CODE, false, false, "ldb",
           "elements between the starts of rows of B (default: packed)"},
    [B_SCALE] = {"b-scale", "S.npy",
                 "their scales, one for 128 x 128 elements: ceil(N / 128) x ceil(K / 128)", "b_scale",
                 FAMILY_BLOCKS, FAMILY_F32, false, false, "ldb-scale",
                 "elements between the starts of their rows"},
    [OUT] = {"out", "C.npy", "where C goes, M x N", "c", FAMILY_BLOCKS, FAMILY_VALUE, true, false, "ldc",
             "elements between the starts of rows of C (default: packed)"},
    [BIAS] = EPILOGUE_BIAS,
    [C] = EPILOGUE_C,
};

static int options(family_job *job, tool_option *table) {
  gemm_block_own *own = job->own;
  const tool_option rows[] = {
      {"m", TOOL_SIZES, &own->m, "M",
       "without files: random matrices of this shape, or of several: \"128,256\" or \"1:4096:x2\""},
      {"n", TOOL_SIZES, &own->n, "N", "rows of B, one or several; there is a run for each combination"},
      {"k", TOOL_SIZES, &own->k, "K", "elements of the rows, one or several"},
      {"rows-of-b", TOOL_FLAG, &own->rows_of_b, NULL,
       "a scale for 128 elements of each row of B, as of A: N x ceil(K / 128)"},
      {"transposed", TOOL_FLAG, &own->transposed, NULL,
       "arrays of scales are stored transposed, with a row for each block of 128 columns"},
      {"scales", TOOL_STRING, &own->scales_name, "KIND",
       "what numbers they are: f32 (default: any), or power-of-two, which the matrix cores of gfx950 apply"},
  };
  memcpy(table, rows, sizeof rows);
  const int count = sizeof rows / sizeof *rows;
  return count + epilogue_options(&own->end, table + count);
}

static int check_scales(gemm_block_own *own) {
  const int code = own->scales_name ? mx_scales_find(own->scales_name, &own->scales) : TOOL_OK;
  if (code || own->scales != WT_BLOCK_SCALES_E8M0) return code;
  return tool_error(TOOL_USAGE, "--scales is e8m0; pass f32 or power-of-two, or use gemm-mx");
}

static int check(family_job *job) {
  gemm_block_own *own = job->own;
  for (int i = 0; i < OUT; ++i) {
    if (job->files && !job->tensors[i].path)
      return tool_error(TOOL_USAGE, "--%s is missing; pass --a, --a-scale, --b and --b-scale",
                        tensors[i].option);
    job->tensors[i].wanted = true;
  }
  int code = check_scales(own);
  if (!code) code = epilogue_check(job, &own->end);
  if (code) return code;
  if (job->files || (own->m.now && own->n.now && own->k.now)) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--%s is missing; pass --m, --n and --k",
                    !own->m.now   ? "m"
                    : !own->n.now ? "n"
                                  : "k");
}

static int64_t blocks_of(int64_t elements) { return (elements - 1) / WT_F32_BLOCK_ELEMENTS + 1; }

// Returns the rows of B. From files, they are those of the array that was read.
static int64_t rows_of_b(const family_job *job) {
  const gemm_block_own *own = job->own;
  return job->files ? job->tensors[B].values.shape[0] : own->n.now;
}

// The rows of a matrix, or those that have scales.
static int64_t rows_with_scales(const family_job *job, int tensor) {
  const gemm_block_own *own = job->own;
  if (tensor == B_SCALE && !own->rows_of_b) return blocks_of(rows_of_b(job));
  return tensor == B || tensor == B_SCALE ? rows_of_b(job) : job->rows;
}

static bool is_turned(const family_job *job, int tensor) {
  const gemm_block_own *own = job->own;
  return own->transposed && (tensor == A_SCALE || tensor == B_SCALE);
}

static int64_t height(const family_job *job, int tensor) {
  return is_turned(job, tensor) ? blocks_of(job->columns) : rows_with_scales(job, tensor);
}

static int64_t width(const family_job *job, int tensor) {
  if (is_turned(job, tensor)) return rows_with_scales(job, tensor);
  if (tensor == A_SCALE || tensor == B_SCALE) return blocks_of(job->columns);
  return tensor == OUT ? rows_of_b(job) : job->columns;
}

static void dims(const family_job *job, int tensor, npy_array *out) {
  const gemm_block_own *own = job->own;
  epilogue_dims(&own->end, tensor, job->rows, rows_of_b(job), out);
}

static void make_shape(family_job *job) {
  const gemm_block_own *own = job->own;
  job->rank = 2;
  job->positions = job->rows = job->shape[0] = own->m.now;
  job->columns = job->shape[1] = own->k.now;
}

static int take_shape(family_job *job) {
  if (job->rank != 2)
    return tool_error(TOOL_USAGE, "--a %s has %d axes; pass a matrix of M x K", job->tensors[A].path,
                      job->rank);
  job->columns = job->shape[1];
  job->positions = job->rows = job->shape[0];
  return TOOL_OK;
}

// Random bytes that are NaN on one of the chips become numbers.
static int complete(family_job *job) {
  const gemm_block_own *own = job->own;
  for (int i = A; i <= B && !job->files; i += B - A) {
    family_data *d = &job->tensors[i];
    for (int64_t n = 0; n < npy_count(&d->values); ++n) {
      const int code = (int)d->values.data[n];
      if ((code & 0x7f) == 0x7f || code == 0x80) d->values.data[n] = (float)(code ^ 0x40);
    }
  }
  if (own->scales != WT_BLOCK_SCALES_POWER_OF_TWO) return TOOL_OK;
  const int code = power_scales_take(job, A_SCALE, "--scales f32");
  return code ? code : power_scales_take(job, B_SCALE, "--scales f32");
}

static wt_gemm_block_desc descriptor(const family_job *job) {
  const gemm_block_own *own = job->own;
  const family_data *t = job->tensors;
  wt_gemm_block_desc d = WT_GEMM_BLOCK_DESC_INIT;
  d.m = job->rows, d.n = rows_of_b(job), d.k = job->columns;
  d.type_ab = element_type_on(element_type_find("f8e4m3", false), job->target);
  d.type_c = job->type->ocp;
  d.scales_of_b = own->rows_of_b ? WT_SCALES_OF_B_ROWS : WT_SCALES_OF_B_TILES;
  d.scales = own->scales;
  d.lda = t[A].ld, d.ldb = t[B].ld, d.ldc = t[OUT].ld;
  const int64_t a = t[A_SCALE].layout.ld, b = t[B_SCALE].layout.ld;
  d.a_scale_row = own->transposed ? 1 : a, d.a_scale_block = own->transposed ? a : 1;
  d.b_scale_row = own->transposed ? 1 : b, d.b_scale_block = own->transposed ? b : 1;
  d.alpha = (float)own->end.alpha, d.beta = (float)own->end.beta;
  d.bias = t[BIAS].device, d.activation = own->end.activation;
  return d;
}

static int prepare(family_job *job) {
  const gemm_block_own *own = job->own;
  return epilogue_prepare(job, &own->end);
}

static int call(family_job *job) {
  gemm_block_own *own = job->own;
  const family_data *t = job->tensors;
  const wt_gemm_block_desc d = descriptor(job);
  wt_status status = wt_gemm_block_chosen(job->context, &d, &own->chosen);
  if (!status)
    status = wt_gemm_block(job->context, &d, t[A].device, t[A_SCALE].device, t[B].device, t[B_SCALE].device,
                           t[OUT].device, NULL);
  return family_status(job, status);
}

static void decode(const void *context, int operand, int64_t row, float *numbers, float *factors) {
  const family_job *job = context;
  const fp8_format *format = element_format_on(element_type_find("f8e4m3", false), job->target);
  const gemm_block_own *own = job->own;
  const int tensor = operand ? B : A, scale = operand ? B_SCALE : A_SCALE;
  const int64_t scaled = operand && !own->rows_of_b ? row / WT_F32_BLOCK_ELEMENTS : row;
  const float *codes = family_row(job, tensor, row);
  for (int64_t i = 0; i < job->columns; ++i) numbers[i] = fp8_decode(format, (uint8_t)codes[i]);
  for (int64_t n = 0; n < blocks_of(job->columns); ++n)
    factors[n] =
        is_turned(job, scale) ? family_row(job, scale, n)[scaled] : family_row(job, scale, scaled)[n];
}

static bool reference_begin(family_job *job) {
  const int64_t rows[2] = {job->rows, rows_of_b(job)};
  return scaled_operands_make(&job->operands, rows, job->columns, WT_F32_BLOCK_ELEMENTS, decode, job);
}

// The sum of a block is rounded as sums in f32 are, its scale once, and each sum of blocks once. Powers of
// two are exact, and all of K may be one sum.
static void reference_row(family_job *job, int64_t row, double *scratch) {
  (void)scratch;
  const gemm_block_own *own = job->own;
  const int64_t k = job->columns, n = rows_of_b(job), blocks = blocks_of(k);
  const double error = own->scales == WT_BLOCK_SCALES_POWER_OF_TWO
                           ? family_sum_error(k + blocks + 5)
                           : family_sum_error(WT_F32_BLOCK_ELEMENTS) + family_sum_error(blocks + 5);
  for (int64_t j = 0; j < n; ++j) {
    const dot_sum products = scaled_dot(&job->operands, row, j);
    double bound;
    const double want = epilogue_apply(job, &own->end, row, j, products.sum, error * products.size, &bound);
    bound = family_rounded(job, OUT, want, bound);
    family_compare(job, OUT, row * n + j, 1, &want, &bound);
  }
}

static double flops(const family_job *job) {
  return 2.0 * (double)job->rows * (double)rows_of_b(job) * (double)job->columns;
}

static void describe(const family_job *job, record *r) {
  const gemm_block_own *own = job->own;
  record_text(r, "scales_of_b", own->rows_of_b ? "rows" : "tiles"), record_brief(r);
  record_text(r, "scales", mx_scales_name(own->scales)), record_brief(r);
  epilogue_describe(&own->end, r);
  record_whole(r, "n", rows_of_b(job)), record_brief(r);
  record_text(r, "kernel", own->chosen ? own->chosen : "");
}

int tool_gemm_block(int argc, char **argv) {
  static const family gemm_block = {
      .name = "gemm-block",
      .text =
          "usage: wavetile gemm-block --a A.npy --a-scale S.npy --b B.npy --b-scale S.npy --out C.npy "
          "[options]\n"
          "       wavetile gemm-block --m M --n N --k K [options]\n\n"
          "Computes C = activation(alpha * A * B^T + beta * C + bias), where A and B are FP8 and have F32 "
          "scales: of A, one for every 128 elements of a row; of B, one for every 128 x 128 elements.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = A,
      .own_shape = true,
      .options = options,
      .check = check,
      .make_shape = make_shape,
      .height = height,
      .width = width,
      .dims = dims,
      .take_shape = take_shape,
      .complete = complete,
      .flops = flops,
      .prepare = prepare,
      .call = call,
      .reference_begin = reference_begin,
      .reference_row = reference_row,
      .describe = describe,
  };
  gemm_block_own own = {.scales = WT_BLOCK_SCALES_F32, .end = EPILOGUE_INIT(OUT, BIAS, C)};
  return family_main(&gemm_block, &own, argc, argv);
}
