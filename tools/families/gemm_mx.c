// SPDX-License-Identifier: MIT
// `wavetile gemm-mx` computes C = activation(alpha * A * B^T + beta * C + bias) for matrices in MX formats,
// as quantize-blocks writes them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "epilogue.h"
#include "mx_blocks.h"
#include "shuffled.h"

enum { A, A_SCALE, B, B_SCALE, OUT, OUT_Q, OUT_SCALE, BIAS, C, TENSORS };

typedef enum operand_layout { LAYOUT_ROWS, LAYOUT_SHUFFLED } operand_layout;

typedef struct gemm_mx_own {
  struct {
    const char *type_name, *rounding_name;
    const mx_type *type;  // C is in an MX format; NULL: it is of --dtype
    wt_scale_rounding rounding;
  } c;
  tool_sizes m, n, k;
  const char *type_a_name, *type_b_name;
  const mx_type *type_a, *type_b;           // type_a is NULL where A is of bf16, without scales
  const char *layout_name, *b_layout_name;  // of the scales, and of B
  operand_layout layout, b_layout;
  bool stored_shuffled[OUT];  // the file is shuffled, by tensor
  float *rows[OUT];           // of these files, for the verification
  uint8_t *shuffled[OUT];     // on the device, what the command shuffles
  epilogue end;               // alpha, beta, bias and activation
  long long split_k;          // 0: chosen
  long long batch;            // products, whose matrices lie one after the other
  const char *chosen;         // the kernel, once the product was called
} gemm_mx_own;

static const family_tensor tensors[TENSORS] = {
    [A] = {"a", "A.npy", "the packed elements of A, M x K, as bytes (uint8)", "a", FAMILY_BLOCKS, FAMILY_CODE,
           false, false, "lda", "bytes between the starts of rows of A on the device (default: packed)"},
    [A_SCALE] = {"a-scale", "S.npy", "their scales, a byte for 32 of them (uint8)", "a_scale", FAMILY_BLOCKS,
                 FAMILY_CODE, false, false, "lda-scale", "bytes between the starts of their rows"},
    [B] = {"b", "B.npy", "the packed elements of B, N x K", "b", FAMILY_BLOCKS, FAMILY_CODE, false, false,
           "ldb", "bytes between the starts of rows of B (default: packed)"},
    [B_SCALE] = {"b-scale", "S.npy", "their scales", "b_scale", FAMILY_BLOCKS, FAMILY_CODE, false, false,
                 "ldb-scale", "bytes between the starts of their rows"},
    [OUT] = {"out", "C.npy", "where C goes, M x N", "c", FAMILY_BLOCKS, FAMILY_VALUE, true, false, "ldc",
             "elements between the starts of rows of C (default: packed)"},
    [OUT_Q] = {"out-q", "Q.npy", "with --type-c: where the packed elements of C go, as bytes (uint8)", "c_q",
               FAMILY_BLOCKS, FAMILY_CODE, true, false, "ldq", "bytes between the starts of their rows"},
    [OUT_SCALE] = {"out-scale", "S.npy", "and their scales (uint8)", "c_scale", FAMILY_BLOCKS, FAMILY_CODE,
                   true, false, "ldc-scale", "bytes between the starts of rows of these scales"},
    [BIAS] = EPILOGUE_BIAS,
    [C] = EPILOGUE_C,
};

static int options(family_job *job, tool_option *table) {
  gemm_mx_own *own = job->own;
  const tool_option rows[] = {
      {"m", TOOL_SIZES, &own->m, "M",
       "without files: random matrices of this shape, or of several: \"128,256\" or \"1:4096:x2\""},
      {"n", TOOL_SIZES, &own->n, "N", "rows of B, one or several; there is a run for each combination"},
      {"k", TOOL_SIZES, &own->k, "K", "elements of the rows, a multiple of 32, one or several"},
      {"type-a", TOOL_STRING, &own->type_a_name, "TYPE",
       "of A: f4e2m1 (default), f6e2m3, f6e3m2, f8e4m3 or f8e5m2" MX_OR_BF16},
      {"type-b", TOOL_STRING, &own->type_b_name, "TYPE",
       "of B (default: as A; with f8e5m2 it must be f8e4m3, with bf16 f4e2m1)"},
      {"scale-layout", TOOL_STRING, &own->layout_name, "LAYOUT",
       "of the scales in the product: rows (default), or shuffled, to which they are brought before it"},
      {"b-layout", TOOL_STRING, &own->b_layout_name, "LAYOUT",
       "of the elements of B in the product: rows (default) or shuffled"},
      {"a-scale-shuffled", TOOL_FLAG, &own->stored_shuffled[A_SCALE], NULL,
       "the file of A's scales is shuffled, as wavetile shuffle writes it, and is used as it is"},
      {"b-shuffled", TOOL_FLAG, &own->stored_shuffled[B], NULL, "the same of the file of B"},
      {"b-scale-shuffled", TOOL_FLAG, &own->stored_shuffled[B_SCALE], NULL, "the same of B's scales"},
      {"batch", TOOL_SIZE, &own->batch, "N",
       "products in one launch (default 1); in files the matrices A lie one after the other, and so do B and "
       "C"},
      {"split-k", TOOL_SIZE, &own->split_k, "N", "parts of K to sum apart, up to 1024 (default: chosen)"},
      {"type-c", TOOL_STRING, &own->c.type_name, "TYPE",
       "C is in an MX format, f8e4m3 or f4e2m1, with a scale for every 32 of a row (default: C is of "
       "--dtype)"},
      {"rounding", TOOL_STRING, &own->c.rounding_name, "HOW",
       "these scales follow from the largest magnitude: up (default), down, even or ceil"},
  };
  memcpy(table, rows, sizeof rows);
  const int count = sizeof rows / sizeof *rows;
  return count + epilogue_options(&own->end, table + count);
}

// Finds a layout by its name. Shuffled files have no other.
static int check_layout(const char *option, const char **name, const char *file, operand_layout *out) {
  static const char *const layouts[] = {"rows", "shuffled"};  // by operand_layout
  if (!*name) *name = layouts[file ? LAYOUT_SHUFFLED : LAYOUT_ROWS];
  const int layout = tool_word(*name, layouts, 2);
  if (layout < 0) return tool_error(TOOL_USAGE, "--%s is \"%s\"; pass rows or shuffled", option, *name);
  *out = (operand_layout)layout;
  if (!file || layout == LAYOUT_SHUFFLED) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--%s is rows, but --%s-shuffled is given; leave one of them out", option,
                    file);
}

static int check_layouts(family_job *job) {
  gemm_mx_own *own = job->own;
  const bool *stored = own->stored_shuffled;
  for (int i = A_SCALE; i < OUT; ++i) {
    family_data *t = &job->tensors[i];
    if (!stored[i]) continue;
    if (!t->path)
      return tool_error(TOOL_USAGE,
                        "--%s-shuffled is given, but there is no --%s; leave it out, or pass the file",
                        tensors[i].option, tensors[i].option);
    if (t->ld)
      return tool_error(TOOL_USAGE, "--%s is %lld, but a shuffled file is packed; leave it out",
                        tensors[i].ld, t->ld);
    if (i != B) t->shape = FAMILY_OWN;
  }
  const char *scales = stored[A_SCALE]   ? tensors[A_SCALE].option
                       : stored[B_SCALE] ? tensors[B_SCALE].option
                                         : NULL;
  const int code = check_layout("scale-layout", &own->layout_name, scales, &own->layout);
  return code ? code
              : check_layout("b-layout", &own->b_layout_name, stored[B] ? tensors[B].option : NULL,
                             &own->b_layout);
}

// C is either of --dtype or in an MX format.
static int check_c(family_job *job) {
  gemm_mx_own *own = job->own;
  family_data *t = job->tensors;
  if (own->c.type_name) {
    own->c.type = mx_type_find(own->c.type_name);
    if (!own->c.type || (own->c.type->type != WT_TYPE_F8E4M3 && own->c.type->type != WT_TYPE_F4E2M1))
      return tool_error(TOOL_USAGE, "--type-c is \"%s\"; pass f8e4m3 or f4e2m1", own->c.type_name);
  }
  for (int i = OUT; i <= OUT_SCALE; ++i) {
    t[i].wanted = (i == OUT) == !own->c.type;
    if (t[i].path && !t[i].wanted)
      return tool_error(TOOL_USAGE, "--%s is for C %s; %s", tensors[i].option,
                        i == OUT ? "of --dtype" : "in an MX format",
                        i == OUT ? "with --type-c pass --out-q and --out-scale" : "pass --type-c, too");
  }
  return mx_rounding_find(own->c.rounding_name, &own->c.rounding);
}

// A of bf16 multiplies B of one type.
static int check_partner(const gemm_mx_own *own) {
  if (strcmp(own->type_a_name, "bf16") != 0 || !own->type_b_name || strcmp(own->type_b_name, "f4e2m1") == 0)
    return TOOL_OK;
  return tool_error(TOOL_USAGE, "--type-b is %s, but with --type-a bf16 it must be f4e2m1", own->type_b_name);
}

static int check(family_job *job) {
  gemm_mx_own *own = job->own;
  int code = mx_check_device(job, ", or use wavetile gemm");
  if (!code) code = check_partner(own);
  if (!code)
    code = mx_rows_option(job, A, "type-a", own->type_a_name,
                          "f4e2m1, f6e2m3, f6e3m2, f8e4m3 or f8e5m2" MX_OR_BF16, &own->type_a);
  const char *const as_a = own->type_a ? own->type_a_name : "f4e2m1";
  if (!code)
    code = mx_type_option("type-b", own->type_b_name ? own->type_b_name : as_a, MX_WITH_ITSELF, &own->type_b);
  if (!code) code = check_layouts(job);
  if (!code) code = check_c(job);
  if (!code) code = epilogue_check(job, &own->end);
  if (code) return code;
  if (!own->type_a && job->tensors[A_SCALE].path)
    return tool_error(TOOL_USAGE, "--a-scale is given, but A of bf16 has no scales; leave it out");
  for (int i = 0; i < OUT; ++i) {
    if (i == A_SCALE && !own->type_a) continue;
    if (job->files && !job->tensors[i].path)
      return tool_error(TOOL_USAGE, "--%s is missing; pass what quantize-blocks wrote", tensors[i].option);
    job->tensors[i].wanted = true;
  }
  if (job->files || (own->m.now && own->n.now && own->k.now)) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--%s is missing; pass --m, --n and --k",
                    !own->m.now   ? "m"
                    : !own->n.now ? "n"
                                  : "k");
}

// Returns the rows of all matrices of the batch together. From files, they are those of the array that was
// read.
static int64_t height(const family_job *job, int tensor) {
  const gemm_mx_own *own = job->own;
  if (tensor != B && tensor != B_SCALE) return job->rows;
  return job->files ? job->tensors[B].values.shape[0] : own->batch * own->n.now;
}

// Return the rows of one matrix A and of one B, M and N.
static int64_t rows_of_a(const family_job *job) { return job->rows / ((const gemm_mx_own *)job->own)->batch; }
static int64_t rows_of_b(const family_job *job) {
  return height(job, B) / ((const gemm_mx_own *)job->own)->batch;
}

static int64_t width(const family_job *job, int tensor) {
  const gemm_mx_own *own = job->own;
  if (tensor == A) return mx_row_numbers(own->type_a, job->columns);
  if (tensor == B) return mx_row_bytes(own->type_b, job->columns);
  if (tensor == OUT) return rows_of_b(job);
  if (tensor == OUT_Q) return own->c.type ? mx_row_bytes(own->c.type, rows_of_b(job)) : rows_of_b(job);
  return mx_row_blocks(tensor == OUT_SCALE ? rows_of_b(job) : job->columns);
}

static void dims(const family_job *job, int tensor, npy_array *out) {
  const gemm_mx_own *own = job->own;
  if (tensor != A_SCALE && tensor != B_SCALE) {
    epilogue_dims(&own->end, tensor, job->rows, rows_of_b(job), out);
    return;
  }
  const int64_t rows = tensor == A_SCALE ? rows_of_a(job) : rows_of_b(job);
  shuffled_dims(SHUFFLED_SCALES, rows, mx_row_blocks(job->columns), out);
  out->shape[0] *= own->batch;
}

static void make_shape(family_job *job) {
  const gemm_mx_own *own = job->own;
  job->rank = 2;
  job->positions = job->rows = job->shape[0] = own->batch * own->m.now;
  job->columns = job->shape[1] = own->k.now;
}

static int take_shape(family_job *job) {
  const gemm_mx_own *own = job->own;
  const int64_t numbers = job->shape[job->rank - 1], block = mx_row_numbers(own->type_a, MX_BLOCK);
  if (job->rank != 2 || numbers % block)
    return tool_error(TOOL_USAGE, "--a %s has %d axes and rows of %lld %s; pass rows of blocks of %d %s",
                      job->tensors[A].path, job->rank, (long long)numbers, own->type_a ? "bytes" : "numbers",
                      (int)block, own->type_a ? "bytes" : "numbers");
  job->columns = job->shape[1] = numbers / block * MX_BLOCK;
  job->positions = job->rows = job->shape[0];
  return TOOL_OK;
}

// Brings what is shuffled in files to rows, for the verification.
static int make_rows(family_job *job) {
  gemm_mx_own *own = job->own;
  for (int i = A_SCALE; i < OUT; ++i) {
    if (!own->stored_shuffled[i]) continue;
    const shuffled_kind kind = i == B ? SHUFFLED_WEIGHTS : SHUFFLED_SCALES;
    const int64_t rows = i == A_SCALE ? rows_of_a(job) : rows_of_b(job);
    own->rows[i] = shuffled_to_rows(kind, &job->tensors[i].values, own->batch, rows, width(job, i));
    if (!own->rows[i])
      return tool_error(TOOL_FAILED, "out of host memory for --%s %s", tensors[i].option,
                        job->tensors[i].path);
  }
  return TOOL_OK;
}

// Returns the numbers of a row of A, B or their scales; NULL when the tensor does not take part.
static const float *row_of(const family_job *job, int tensor, int64_t row) {
  const float *rows = ((const gemm_mx_own *)job->own)->rows[tensor];
  return rows ? rows + row * width(job, tensor) : family_row(job, tensor, row);
}

static int lay_out(family_job *job) {
  const gemm_mx_own *own = job->own;
  if (job->columns % MX_BLOCK)
    return tool_error(TOOL_USAGE, "--k is %lld; pass a multiple of %d, of whole blocks",
                      (long long)job->columns, MX_BLOCK);
  const int64_t n = rows_of_b(job), bytes = width(job, B);
  static const int operands[] = {A, B};
  for (size_t i = 0; i < sizeof operands / sizeof *operands; ++i)
    if (height(job, operands[i]) % own->batch)
      return tool_error(TOOL_USAGE, "--%s has %lld rows; with --batch %lld pass a multiple of that",
                        tensors[operands[i]].option, (long long)height(job, operands[i]), own->batch);
  if (own->c.type && n % MX_BLOCK)
    return tool_error(TOOL_USAGE, "N is %lld; with --type-c pass a multiple of %d, of whole blocks",
                      (long long)n, MX_BLOCK);
  if (own->b_layout == LAYOUT_SHUFFLED && (n % WT_SHUFFLED_WEIGHT_ROWS || bytes % WT_SHUFFLED_WEIGHT_BYTES))
    return tool_error(
        TOOL_USAGE,
        "B has %lld rows of %lld bytes; for --b-layout shuffled pass an N that is a multiple of %d "
        "and a K whose rows are multiples of %d bytes",
        (long long)n, (long long)bytes, WT_SHUFFLED_WEIGHT_ROWS, WT_SHUFFLED_WEIGHT_BYTES);
  return TOOL_OK;
}

static int complete(family_job *job) {
  const gemm_mx_own *own = job->own;
  if (job->files) return make_rows(job);
  if (own->type_a) mx_tame(&job->tensors[A].values, own->type_a);
  if (own->type_a) mx_tame(&job->tensors[A_SCALE].values, NULL);
  mx_tame(&job->tensors[B].values, own->type_b), mx_tame(&job->tensors[B_SCALE].values, NULL);
  return TOOL_OK;
}

// The bytes of the shuffled scales of a matrix.
static int64_t scale_bytes(const family_job *job, int64_t rows) {
  return wt_shuffled_scale_bytes(rows, mx_row_blocks(job->columns));
}

// Sets the distances from one matrix of the batch to the next.
static void set_strides(const family_job *job, wt_gemm_mx_desc *d) {
  const gemm_mx_own *own = job->own;
  const family_data *t = job->tensors;
  const bool scales = own->layout == LAYOUT_SHUFFLED, elements = own->b_layout == LAYOUT_SHUFFLED;
  d->batch = own->batch;
  d->a_stride_bytes = d->m * t[A].layout.ld * (own->type_a ? 1 : 2);
  d->b_stride_bytes = d->n * (elements ? width(job, B) : t[B].layout.ld);
  if (own->type_a) d->a_scale_stride_bytes = scales ? scale_bytes(job, d->m) : d->m * t[A_SCALE].layout.ld;
  d->b_scale_stride_bytes = scales ? scale_bytes(job, d->n) : d->n * t[B_SCALE].layout.ld;
  if (!own->c.type) {
    d->c_stride = d->m * t[OUT].layout.ld;
    return;
  }
  d->c_stride_bytes = d->m * t[OUT_Q].layout.ld;
  d->c_scale_stride_bytes = d->m * t[OUT_SCALE].layout.ld;
}

static wt_gemm_mx_desc descriptor(const family_job *job) {
  const gemm_mx_own *own = job->own;
  const family_data *t = job->tensors;
  wt_gemm_mx_desc d = WT_GEMM_MX_DESC_INIT;
  d.m = rows_of_a(job), d.n = rows_of_b(job), d.k = job->columns;
  d.type_a = own->type_a ? own->type_a->type : WT_TYPE_BF16;
  d.type_b = own->type_b->type, d.type_c = job->type->ocp;
  d.a_row_bytes = own->type_a ? t[A].ld : 2 * t[A].ld, d.ldc = t[OUT].ld;
  d.scale_layout = own->layout == LAYOUT_SHUFFLED ? WT_SCALES_SHUFFLED : WT_SCALES_BY_ROWS;
  d.b_layout = own->b_layout == LAYOUT_SHUFFLED ? WT_WEIGHTS_SHUFFLED : WT_WEIGHTS_BY_ROWS;
  if (own->b_layout == LAYOUT_ROWS) d.b_row_bytes = t[B].ld;
  if (own->layout == LAYOUT_ROWS) d.b_scale_row_bytes = t[B_SCALE].ld;
  if (own->layout == LAYOUT_ROWS && own->type_a) d.a_scale_row_bytes = t[A_SCALE].ld;
  d.alpha = (float)own->end.alpha, d.beta = (float)own->end.beta;
  d.bias = t[BIAS].device, d.activation = own->end.activation;
  d.split_k = (int32_t)own->split_k;
  if (own->c.type) {
    d.type_c = own->c.type->type, d.ldc = 0, d.c_rounding = own->c.rounding;
    d.c_scale = t[OUT_SCALE].device, d.c_row_bytes = t[OUT_Q].ld, d.c_scale_row_bytes = t[OUT_SCALE].ld;
  }
  if (own->batch > 1) set_strides(job, &d);
  return d;
}

// Shuffles the scales of A or of B, matrix by matrix: groups of 32 rows do not reach into the next one.
static int shuffle_scales(const family_job *job, int tensor) {
  const gemm_mx_own *own = job->own;
  const family_data *scale = &job->tensors[tensor];
  const int64_t rows = tensor == A_SCALE ? rows_of_a(job) : rows_of_b(job);
  wt_shuffle_scales_desc d = WT_SHUFFLE_SCALES_DESC_INIT;
  d.rows = rows, d.blocks = mx_row_blocks(job->columns), d.scale_row_bytes = scale->ld;
  wt_status status = WT_SUCCESS;
  for (int64_t member = 0; member < own->batch && !status; ++member)
    status =
        wt_shuffle_scales(job->context, &d, (const uint8_t *)scale->device + member * rows * scale->layout.ld,
                          own->shuffled[tensor] + member * scale_bytes(job, rows), NULL);
  return family_status(job, status);
}

static int shuffle_b(const family_job *job) {
  const gemm_mx_own *own = job->own;
  const family_data *b = &job->tensors[B];
  wt_shuffle_weights_desc d = WT_SHUFFLE_WEIGHTS_DESC_INIT;
  d.rows = height(job, B), d.row_bytes = width(job, B), d.weight_row_bytes = b->ld;
  return family_status(job, wt_shuffle_weights(job->context, &d, b->device, own->shuffled[B], NULL));
}

// Returns the bytes of a tensor that the command shuffles; 0 where it does not.
static int64_t bytes_to_shuffle(const family_job *job, int tensor) {
  const gemm_mx_own *own = job->own;
  const operand_layout layout = tensor == B ? own->b_layout : own->layout;
  if (layout == LAYOUT_ROWS || own->stored_shuffled[tensor] || !job->tensors[tensor].wanted) return 0;
  if (tensor == B) return height(job, B) * width(job, B);
  return own->batch * scale_bytes(job, tensor == A_SCALE ? rows_of_a(job) : rows_of_b(job));
}

// Shuffles what is to be shuffled: the scales of A and of B, and B; and brings C to its place.
static int prepare(family_job *job) {
  gemm_mx_own *own = job->own;
  int64_t bytes = 0;
  for (int i = A_SCALE; i < OUT; ++i) bytes += bytes_to_shuffle(job, i);
  int code = epilogue_prepare(job, &own->end);
  if (!code) code = family_workspace(job, (size_t)bytes);
  uint8_t *next = job->workspace;
  for (int i = A_SCALE; i < OUT && !code; ++i) {
    own->shuffled[i] = bytes_to_shuffle(job, i) ? next : NULL;
    if (!own->shuffled[i]) continue;
    next += bytes_to_shuffle(job, i);
    code = i == B ? shuffle_b(job) : shuffle_scales(job, i);
  }
  return code;
}

// Returns a tensor as the product takes it.
static void *operand(const family_job *job, int tensor) {
  const gemm_mx_own *own = job->own;
  return own->shuffled[tensor] ? own->shuffled[tensor] : job->tensors[tensor].device;
}

static int call(family_job *job) {
  gemm_mx_own *own = job->own;
  const family_data *t = job->tensors;
  const wt_gemm_mx_desc d = descriptor(job);
  wt_status status = wt_gemm_mx_chosen(job->context, &d, &own->chosen);
  if (!status)
    status = wt_gemm_mx(job->context, &d, t[A].device, operand(job, A_SCALE), operand(job, B),
                        operand(job, B_SCALE), t[own->c.type ? OUT_Q : OUT].device, NULL);
  return family_status(job, status);
}

// Returns whether an element, times the scale, is the nearest to some number within `bound` of `want`.
static bool is_nearest(const mx_type *type, double element, double scale, double want, double bound) {
  const double most = (double)type->numbers.max, size = fmin((fabs(want) + bound) / scale, most);
  const double limited = fmin(fmax(want / scale, -most), most);
  int exponent = type->numbers.min_exponent + 1;  // of the power of two above the number
  if (size > 0) frexp(size, &exponent);
  const int least = type->numbers.min_exponent;
  const double gap = ldexp(1, (exponent - 1 > least ? exponent - 1 : least) - type->numbers.mantissa_bits);
  return fabs(element - limited) <= gap / 2 + bound / scale;
}

// Compares a block of C: a scale that some numbers within the bounds have, and elements that are right for
// that scale. A byte with a wrong element is compared with -1, which no byte is.
static void compare_block(family_job *job, int64_t row, int64_t block, const double *want,
                          const double *bound) {
  const gemm_mx_own *own = job->own;
  const mx_type *type = own->c.type;
  const int bytes = (int)mx_row_bytes(type, MX_BLOCK);
  const float *got = family_row(job, OUT_Q, row), *scales = family_row(job, OUT_SCALE, row);
  const double none[MX_BLOCK] = {0};
  float least[MX_BLOCK], most[MX_BLOCK];
  double packed[MX_BLOCK], from, to;
  for (int i = 0; i < MX_BLOCK; ++i) {
    const double low = fabs(want[i]) - bound[i];
    least[i] = (float)(low < 0 ? 0 : low), most[i] = (float)(fabs(want[i]) + bound[i]);
  }
  mx_encode(type, own->c.rounding, least, packed, &from);
  mx_encode(type, own->c.rounding, most, packed, &to);
  const double scale = fmin(fmax((double)scales[block], from), to);
  family_compare(job, OUT_SCALE, row * width(job, OUT_SCALE) + block, 1, &scale, none);
  for (int i = 0; i < bytes; ++i) packed[i] = scale == MX_SCALE_NAN ? 0 : (double)got[block * bytes + i];
  for (int i = 0; i < MX_BLOCK && scale != MX_SCALE_NAN; ++i) {
    const double element = (double)mx_element(type, got, block * MX_BLOCK + i);
    if (!is_nearest(type, element, mx_scale((int)scale), want[i], bound[i])) packed[i * type->bits / 8] = -1;
  }
  family_compare(job, OUT_Q, row * width(job, OUT_Q) + block * bytes, bytes, packed, none);
}

static void decode(const void *context, int operand, int64_t row, float *numbers, float *factors) {
  const family_job *job = context;
  const gemm_mx_own *own = job->own;
  const mx_type *type = operand ? own->type_b : own->type_a;
  const float *codes = row_of(job, operand ? B : A, row);
  const float *scales = row_of(job, operand ? B_SCALE : A_SCALE, row);
  for (int64_t i = 0; i < job->columns; ++i) numbers[i] = mx_element(type, codes, i);
  for (int64_t n = 0; n < mx_row_blocks(job->columns); ++n)
    factors[n] = scales ? (float)mx_scale((int)scales[n]) : 1;
}

static bool reference_begin(family_job *job) {
  const int64_t rows[2] = {job->rows, height(job, B)};
  return scaled_operands_make(&job->operands, rows, job->columns, MX_BLOCK, decode, job);
}

// The sum's rounding in f32 and that of the result make the bound.
static void reference_row(family_job *job, int64_t row, double *scratch) {
  (void)scratch;
  const gemm_mx_own *own = job->own;
  const int64_t k = job->columns, n = rows_of_b(job), first = row / rows_of_a(job) * n;  // of its B
  double want[MX_BLOCK], bound[MX_BLOCK];
  for (int64_t j = 0; j < n; ++j) {
    const dot_sum products = scaled_dot(&job->operands, row, first + j);
    const double error = family_sum_error(k + 3) * products.size;
    const int at = (int)(j % MX_BLOCK);
    want[at] = epilogue_apply(job, &own->end, row, j, products.sum, error, &bound[at]);
    if (own->c.type) {
      if (at == MX_BLOCK - 1) compare_block(job, row, j / MX_BLOCK, want, bound);
    } else {
      bound[at] = family_rounded(job, OUT, want[at], bound[at]);
      family_compare(job, OUT, row * n + j, 1, &want[at], &bound[at]);
    }
  }
}

static void describe(const family_job *job, record *r) {
  const gemm_mx_own *own = job->own;
  record_text(r, "type_a", own->type_a_name), record_brief(r);
  record_text(r, "type_b", own->type_b->name), record_brief(r);
  record_text(r, "scale_layout", own->layout_name), record_brief(r);
  record_text(r, "b_layout", own->b_layout_name), record_brief(r);
  record_text(r, "type_c", own->c.type ? own->c.type->name : job->type->name), record_brief(r);
  epilogue_describe(&own->end, r);
  record_whole(r, "n", rows_of_b(job)), record_brief(r);
  record_whole(r, "batch_count", own->batch), record_brief(r);
  record_text(r, "kernel", own->chosen ? own->chosen : "");
}

int tool_gemm_mx(int argc, char **argv) {
  static const family gemm_mx = {
      .name = "gemm-mx",
      .text =
          "usage: wavetile gemm-mx --a A.npy --a-scale S.npy --b B.npy --b-scale S.npy --out C.npy "
          "[options]\n"
          "       wavetile gemm-mx --m M --n N --k K [options]\n\n"
          "Computes C = activation(alpha * A * B^T + beta * C + bias), where A and B are in MX formats: "
          "packed elements, and a scale for every 32 of them along K, as wavetile quantize-blocks writes "
          "both (gfx950).\n",
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
      .lay_out = lay_out,
      .complete = complete,
      .prepare = prepare,
      .call_needs_prepare = true,
      .call = call,
      .reference_begin = reference_begin,
      .reference_row = reference_row,
      .describe = describe,
  };
  gemm_mx_own own = {
      .c = {.rounding_name = "up"}, .type_a_name = "f4e2m1", .batch = 1, .end = EPILOGUE_INIT(OUT, BIAS, C)};
  const int code = family_main(&gemm_mx, &own, argc, argv);
  for (int i = 0; i < OUT; ++i) free(own.rows[i]);
  return code;
}
