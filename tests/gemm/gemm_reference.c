// SPDX-License-Identifier: MIT
// Makes, runs and checks GEMM cases; see gemm_reference.h.
#include "tests/gemm/gemm_reference.h"

#include <hip/hip_runtime_api.h>
#include <math.h>

#include "tests/kernels/fp8.h"

typedef struct matrix {  // a stack of `batch` row-major matrices in one allocation
  wt_type type;
  int rows, columns, ld, offset;
  long long stride;
  size_t bytes, element;
  unsigned char *host;
  void *device;
} matrix;

typedef struct vector {  // on host and device; both NULL when there is none
  float *host, *device;
} vector;

typedef struct gemm_run {
  const gemm_case *c;
  char what[320];
  matrix a, b, out;
  vector row_scale, column_scale, bias;
} gemm_run;

enum { POISON = 0xff };  // NaN as BF16, F16 and F32

// ---- numbers

int gemm_element(wt_type type) {
  if (type == WT_TYPE_F32 || type == WT_TYPE_I32) return 4;
  return type == WT_TYPE_BF16 || type == WT_TYPE_F16 ? 2 : 1;
}

double gemm_value(wt_type type, uint32_t bits) {
  const uint16_t half = (uint16_t)bits;
  float f32;
  switch (type) {
    case WT_TYPE_BF16: return bf16_value(half);
    case WT_TYPE_F16: return (double)f16_value(half);
    case WT_TYPE_F32: memcpy(&f32, &bits, sizeof f32); return f32;
    case WT_TYPE_I8: return (int8_t)bits;
    case WT_TYPE_I32: return (int32_t)bits;
    default: return fp8_value(type, (uint8_t)bits);
  }
}

uint32_t gemm_code(wt_type type, double value) {
  uint32_t word;
  const float f32 = (float)value;
  switch (type) {
    case WT_TYPE_BF16: return bf16_nearest(f32);
    case WT_TYPE_F16: return f16_nearest(value);
    case WT_TYPE_F32: memcpy(&word, &f32, sizeof word); return word;
    case WT_TYPE_I8: return (uint8_t)(int8_t)value;
    case WT_TYPE_I32: return (uint32_t)(int32_t)value;
    default: return fp8_nearest(type, value);
  }
}

// Half the distance between neighbours, relative to them, and the smallest half distance there is.
static double roundoff(wt_type type) {
  return type == WT_TYPE_BF16 ? 0x1p-8 : type == WT_TYPE_F16 ? 0x1p-11 : 0x1p-24;
}
static double smallest_step(wt_type type) { return type == WT_TYPE_F16 ? 0x1p-25 : 0x1p-126; }

static int hip_failed(hipError_t status, const char *what) {
  CHECK(status == hipSuccess, "%s: %s", what, hipGetErrorString(status));
  return status != hipSuccess;
}

static int between(test_rng *rng, int low, int high) {
  return low + (int)(test_random(rng) % (uint64_t)(high - low + 1));
}

static double normal(test_rng *rng) {
  const double u = ((double)(test_random(rng) >> 11) + 1) * 0x1p-53,
               v = (double)(test_random(rng) >> 11) * 0x1p-53;
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

// ---- cases

static int round_up(int value, int step) { return (value + step - 1) / step * step; }

void gemm_types_of(const wt_context *context, gemm_types types[GEMM_TYPES]) {
  static const wt_type floats[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  static const wt_type integers[] = {WT_TYPE_I32, WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  const bool ocp = strcmp(wt_context_target(context), "gfx950") == 0;
  const wt_type e4m3 = ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ,
                e5m2 = ocp ? WT_TYPE_F8E5M2 : WT_TYPE_F8E5M2_FNUZ;
  const gemm_types all[GEMM_TYPES] = {{e4m3, e4m3, floats, 3, true},
                                      {e4m3, e5m2, floats, 3, false},
                                      {e5m2, e4m3, floats, 3, false},
                                      {e5m2, e5m2, floats, 3, false},
                                      {WT_TYPE_BF16, WT_TYPE_BF16, floats, 3, true},
                                      {WT_TYPE_F16, WT_TYPE_F16, floats, 3, true},
                                      {WT_TYPE_I8, WT_TYPE_I8, integers, 4, false}};
  memcpy(types, all, sizeof all);
}

gemm_case gemm_case_random(test_rng *rng, const gemm_ranges *r, wt_type type_a, wt_type type_b,
                           wt_type type_c) {
  static const float scalars[] = {1.0f, -0.5f, 2.0f, 0.0f, 0.25f}, whole[] = {1.0f, -3.0f, 2.0f, 0.0f, -1.0f};
  const float *factors = type_c == WT_TYPE_I32 ? whole : scalars;
  // Copies take 16 bytes of a stored row.
  const int least_side = r->orders == GEMM_TRANSPOSED ? 16 / gemm_element(type_a) : 1;
  gemm_case c = {.m = between(rng, least_side, r->most_m),
                 .n = between(rng, least_side, r->most_n),
                 .k = between(rng, r->least_k, r->most_k),
                 .type_a = type_a,
                 .type_b = type_b,
                 .type_c = type_c};
  c.trans_a = r->orders != GEMM_K_CONTIGUOUS && between(rng, 0, 2) == 0;
  c.trans_b = r->orders != GEMM_K_CONTIGUOUS && between(rng, 0, 2) == 0;
  if (r->orders == GEMM_TRANSPOSED && !c.trans_a && !c.trans_b)
    c.trans_a = between(rng, 0, 2) != 0, c.trans_b = !c.trans_a || between(rng, 0, 1);
  // Rows at multiples of 16 elements take the widest fast path of the others.
  const int element = gemm_element(type_a), least = (r->alignment + element - 1) / element;
  const int step = least << between(rng, 0, 4 - __builtin_ctz((unsigned)least));
  c.lda = round_up((c.trans_a ? c.m : c.k) + between(rng, 0, 20), step);
  c.ldb = round_up((c.trans_b ? c.n : c.k) + between(rng, 0, 20), step);
  c.ldc = c.n + between(rng, 0, 9);
  c.offset_a = between(rng, 0, 1) ? 0 : between(rng, 0, 16 / least) * least * element;
  c.offset_b = between(rng, 0, 1) ? 0 : between(rng, 0, 16 / least) * least * element;
  c.batch = between(rng, 0, 3) ? 1 : between(rng, 2, 3);
  // A gap is from the last element of a matrix to the first of the next.
  const int last_a = least > 1 ? c.lda - (c.trans_a ? c.m : c.k) : 0;
  const int last_b = least > 1 ? c.ldb - (c.trans_b ? c.n : c.k) : 0;
  c.gap_a = last_a + between(rng, 0, 1) * round_up(between(rng, 0, 33), least);
  c.gap_b = between(rng, 0, 4) ? last_b + round_up(between(rng, 0, 17), least) : -1;
  c.gap_c = between(rng, 0, 11);
  c.alpha = factors[between(rng, 0, 4)];
  c.beta = factors[between(rng, 0, 4)];
  c.integers = between(rng, 0, 1);
  if (!r->epilogues) return c;
  c.split_k = between(rng, 0, 2) ? 1 : between(rng, 0, 5);
  c.workspace = c.split_k != 1;
  if (type_c == WT_TYPE_I32) return c;
  c.row_scale = between(rng, 0, 2) == 0;
  c.column_scale = between(rng, 0, 2) == 0;
  c.bias = between(rng, 0, 2) == 0;
  c.activation = between(rng, 0, 1) ? WT_ACTIVATION_NONE : (wt_activation)between(rng, 0, 3);
  return c;
}

// ---- memory

// Places rows so that they end at their leading dimension, the last of them at its last element: an access
// past it leaves the allocation.
static matrix matrix_create(wt_type type, int rows, int columns, int ld, int gap, int batch, int offset) {
  matrix x = {.type = type, .rows = rows, .columns = columns, .ld = ld, .offset = offset};
  x.element = (size_t)gemm_element(type);
  x.stride = gap < 0 ? 0 : (long long)(rows - 1) * ld + columns + gap;
  x.bytes = (size_t)((batch - 1) * x.stride + (long long)(rows - 1) * ld + columns) * x.element;
  x.host = malloc(x.bytes);
  unsigned char *base = NULL;
  if (hip_failed(hipMalloc((void **)&base, x.bytes + (size_t)offset), "hipMalloc")) exit(test_result());
  x.device = base + offset;
  return x;
}

static void matrix_destroy(matrix *x) {
  hip_failed(hipFree((unsigned char *)x->device - x->offset), "hipFree");
  free(x->host);
}

static size_t at(const matrix *x, int batch, int row, int column) {
  return (size_t)(batch * x->stride + (long long)row * x->ld + column);
}

static void put(matrix *x, size_t index, uint32_t code) {
  memcpy(x->host + index * x->element, &code, x->element);  // little-endian
}

static uint32_t get(const matrix *x, const unsigned char *data, size_t index) {
  uint32_t code = 0;
  memcpy(&code, data + index * x->element, x->element);
  return code;
}

static void fill_input(matrix *x, int batch, bool integers, test_rng *rng) {
  const bool fp8 = x->element == 1 && x->type != WT_TYPE_I8;
  memset(x->host, fp8 ? fp8_nan(x->type) : POISON, x->bytes);
  uint32_t pool[64];
  for (int i = 0; i < 64; ++i) {
    const double value = integers                ? between(rng, -4, 4)
                         : x->type == WT_TYPE_I8 ? between(rng, -128, 127)
                                                 : normal(rng) * 3;
    pool[i] = gemm_code(x->type, value);
  }
  for (int b = 0; b < batch; ++b)
    for (int r = 0; r < x->rows; ++r)
      for (int c = 0; c < x->columns; ++c) put(x, at(x, b, r, c), pool[test_random(rng) % 64]);
}

// C before the call, which is not to be read when beta is 0.
static void fill_output(matrix *x, const gemm_case *c, test_rng *rng) {
  memset(x->host, POISON, x->bytes);
  for (int b = 0; b < c->batch && c->beta != 0; ++b)
    for (int r = 0; r < x->rows; ++r)
      for (int j = 0; j < x->columns; ++j) put(x, at(x, b, r, j), gemm_code(x->type, between(rng, -8, 8)));
}

static vector vector_create(bool wanted, int count, bool factors, bool integers, test_rng *rng) {
  static const float powers[] = {1.0f, 2.0f, 0.5f, -1.0f};
  vector x = {NULL, NULL};
  if (!wanted) return x;
  const size_t bytes = (size_t)count * sizeof(float);
  x.host = malloc(bytes);
  for (int i = 0; i < count; ++i)
    x.host[i] = !integers ? (float)normal(rng)
                : factors ? powers[between(rng, 0, 3)]
                          : (float)between(rng, -9, 9);
  if (hip_failed(hipMalloc((void **)&x.device, bytes), "hipMalloc") ||
      hip_failed(hipMemcpy(x.device, x.host, bytes, hipMemcpyHostToDevice), "copy of a vector"))
    exit(test_result());
  return x;
}

static void vector_destroy(vector *x) {
  hip_failed(hipFree(x->device), "hipFree");
  free(x->host);
}

// ---- the reference

// Returns y = x * sigmoid(t) for GELU and SiLU; *slack is what its evaluation in f32 may add to the error: a
// few ulp, the rounding of t, which exp() multiplies by |t|, and sigmoids below 2^-126, which the hardware
// flushes (include/ops/functions.h).
static double activated(wt_activation activation, double x, double *slack) {
  *slack = 0;
  if (activation == WT_ACTIVATION_NONE) return x;
  if (activation == WT_ACTIVATION_RELU) return x > 0 ? x : 0;
  const double t = activation == WT_ACTIVATION_SILU ? x : 2 * 0.7978845608028654 * (x + 0.044715 * x * x * x);
  const double y = x / (1 + exp(-t));
  *slack = fabs(y) * (16 + 8 * fabs(t)) * 0x1p-24 + fabs(x) * 0x1p-126;
  return y;
}

typedef struct element {
  double sum, magnitude;  // of the products, and of their absolute values
  double before;          // C
  float row_scale, column_scale, bias;
} element;

// Returns whether `got` is right. A sum of k products in f32, in any order, errs by at most k * 2^-24 of the
// sum of their magnitudes (Higham, Accuracy and Stability, 4.2); the steps of the epilogue and the rounding
// of C are added. No activation has a slope above 1.2.
static bool is_right(const gemm_case *c, const element *e, uint32_t got_code, double *want, double *bound) {
  const double got = gemm_value(c->type_c, got_code);
  *bound = 0;
  if (c->type_c == WT_TYPE_I32) {
    const uint32_t exact = (uint32_t)(int64_t)c->alpha * (uint32_t)(int64_t)e->sum +
                           (uint32_t)(int64_t)c->beta * (uint32_t)(int64_t)e->before;
    *want = (int32_t)exact;
    return got_code == exact;
  }
  const double factor = (double)c->alpha * e->row_scale * e->column_scale;
  const double product = factor * e->sum, old = (double)c->beta * e->before;
  const double x = product + old + e->bias;
  double slack, error = 0;
  *want = activated(c->activation, x, &slack);
  if (!c->integers)
    error =
        (c->k + 6) * 0x1p-24 * fabs(factor) * e->magnitude + 0x1p-22 * (fabs(old) + fabs((double)e->bias));
  if (!c->integers || slack > 0) {
    *bound = 1.2 * error + slack;
    *bound += (fabs(*want) + *bound) * roundoff(c->type_c) + smallest_step(c->type_c);
    if (c->type_c == WT_TYPE_F16 && isinf(got))
      return fabs(*want) + *bound >= 65520 && (got > 0) == (*want > 0);
  } else {
    *want = gemm_value(c->type_c, gemm_code(c->type_c, (float)*want));
  }
  return got == *want || fabs(got - *want) <= *bound;
}

// Adds the products of a row of A with ABREAST columns of B, and their magnitudes. Columns stand beside each
// other, so that their sums need not wait for each other.
enum { ABREAST = 8 };
typedef struct dots {
  double sum[ABREAST], magnitude[ABREAST];
} dots;

static dots dots_of(const double *row, const double *columns, int k) {
  dots d = {0};
  for (int i = 0; i < k; ++i, columns += ABREAST)
    for (int j = 0; j < ABREAST; ++j) {
      const double product = row[i] * columns[j];
      d.sum[j] += product;
      d.magnitude[j] += fabs(product);
    }
  return d;
}

// Returns B's numbers: ABREAST columns after the other, in each k after k. Columns past the end are 0.
static double *columns_of(const gemm_case *c, const matrix *b, int batch) {
  const size_t wide = (size_t)round_up(c->n, ABREAST), k = (size_t)c->k;
  double *columns = calloc(wide * k, sizeof *columns);
  for (int j = 0; j < c->n; ++j)
    for (int i = 0; i < c->k; ++i)
      columns[((size_t)j / ABREAST * k + (size_t)i) * ABREAST + (size_t)j % ABREAST] =
          gemm_value(b->type, get(b, b->host, c->trans_b ? at(b, batch, i, j) : at(b, batch, j, i)));
  return columns;
}

static void check_element(const gemm_run *run, const unsigned char *result, int batch, int i, int j,
                          double sum, double magnitude) {
  const gemm_case *c = run->c;
  const matrix *out = &run->out;
  const size_t index = at(out, batch, i, j);
  const element e = {.sum = sum,
                     .magnitude = magnitude,
                     .before = c->beta != 0 ? gemm_value(out->type, get(out, out->host, index)) : 0,
                     .row_scale = run->row_scale.host ? run->row_scale.host[i] : 1,
                     .column_scale = run->column_scale.host ? run->column_scale.host[j] : 1,
                     .bias = run->bias.host ? run->bias.host[j] : 0};
  double want, bound;
  const uint32_t code = get(out, result, index);
  CHECK(is_right(c, &e, code, &want, &bound),
        "%s: batch %d row %d column %d is %.9g, expected %.9g within %.3g", run->what, batch, i, j,
        gemm_value(out->type, code), want, bound);
}

static void check_result(const gemm_run *run, const unsigned char *result) {
  const gemm_case *c = run->c;
  const matrix *a = &run->a, *out = &run->out;
  unsigned char *touched = calloc(out->bytes, 1);
  double *row = malloc((size_t)c->k * sizeof *row);
  for (int batch = 0; batch < c->batch; ++batch) {
    double *columns = columns_of(c, &run->b, batch);
    for (int i = 0; i < c->m; ++i) {
      for (int k = 0; k < c->k; ++k)
        row[k] = gemm_value(a->type, get(a, a->host, c->trans_a ? at(a, batch, k, i) : at(a, batch, i, k)));
      for (int j = 0; j < c->n; j += ABREAST) {
        const dots d = dots_of(row, columns + (size_t)j * (size_t)c->k, c->k);
        for (int n = 0; n < ABREAST && j + n < c->n; ++n)
          check_element(run, result, batch, i, j + n, d.sum[n], d.magnitude[n]);
      }
      memset(touched + at(out, batch, i, 0) * out->element, 1, (size_t)c->n * out->element);
    }
    free(columns);
  }
  size_t stray = 0;
  for (size_t i = 0; i < out->bytes; ++i) stray += !touched[i] && result[i] != POISON;
  CHECK(stray == 0, "%s: %zu bytes between the rows of C were written", run->what, stray);
  free(touched);
  free(row);
}

// ---- running

static void describe(gemm_run *run, const char *kernel, const char *target) {
  const gemm_case *c = run->c;
  snprintf(
      run->what, sizeof run->what,
      "%s %s types %d %d %d m %d n %d k %d ld %d %d %d trans %d%d offset %d %d batch %d gaps %d %d alpha "
      "%g beta %g%s%s%s%s activation %d split %d%s",
      kernel ? kernel : "chosen", target, c->type_a, c->type_b, c->type_c, c->m, c->n, c->k, c->lda, c->ldb,
      c->ldc, c->trans_a, c->trans_b, c->offset_a, c->offset_b, c->batch, c->gap_a, c->gap_b,
      (double)c->alpha, (double)c->beta, c->integers ? " integers" : "", c->row_scale ? " row_scale" : "",
      c->column_scale ? " column_scale" : "", c->bias ? " bias" : "", c->activation, c->split_k,
      c->workspace ? " workspace" : "");
}

static wt_gemm_desc descriptor(const gemm_run *run, const char *kernel) {
  const gemm_case *c = run->c;
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = c->m, desc.n = c->n, desc.k = c->k;
  desc.type_a = c->type_a, desc.type_b = c->type_b, desc.type_c = c->type_c;
  desc.trans_a = c->trans_a, desc.trans_b = c->trans_b;
  desc.lda = c->lda, desc.ldb = c->ldb, desc.ldc = c->ldc;
  desc.batch = c->batch;
  desc.stride_a = run->a.stride, desc.stride_b = run->b.stride, desc.stride_c = run->out.stride;
  desc.alpha = c->alpha, desc.beta = c->beta, desc.kernel = kernel;
  desc.row_scale = run->row_scale.device, desc.column_scale = run->column_scale.device;
  desc.bias = run->bias.device, desc.activation = c->activation, desc.split_k = c->split_k;
  return desc;
}

static void run_schedules(wt_context *context, const gemm_run *run, const wt_gemm_desc *desc,
                          const char *const *schedules, int count) {
  const matrix *out = &run->out;
  unsigned char *first = malloc(out->bytes), *result = malloc(out->bytes);
  for (int s = 0; s < count; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    hip_failed(hipMemcpy(out->device, out->host, out->bytes, hipMemcpyHostToDevice), "copy of C");
    if (desc->workspace)
      hip_failed(hipMemset(desc->workspace, POISON, desc->workspace_bytes), "clearing the workspace");
    const wt_status status = wt_gemm(context, desc, run->a.device, run->b.device, out->device, NULL);
    CHECK(status == WT_SUCCESS, "%s: %s", run->what, wt_last_error(context));
    if (status != WT_SUCCESS || hip_failed(hipDeviceSynchronize(), run->what)) break;
    unsigned char *to = s == 0 ? first : result;
    hip_failed(hipMemcpy(to, out->device, out->bytes, hipMemcpyDeviceToHost), "copy back");
    if (s == 0)
      check_result(run, first);
    else
      CHECK(memcmp(first, result, out->bytes) == 0, "%s: schedule %s gives other bits than %s", run->what,
            schedules[s], schedules[0]);
  }
  free(first);
  free(result);
}

bool gemm_case_run(wt_context *context, const char *kernel, const gemm_case *c, const char *const *schedules,
                   int schedule_count, test_rng *rng) {
  const int failures = check_failures;
  gemm_run run = {.c = c};
  describe(&run, kernel, wt_context_target(context));
  run.a = matrix_create(c->type_a, c->trans_a ? c->k : c->m, c->trans_a ? c->m : c->k, c->lda, c->gap_a,
                        c->batch, c->offset_a);
  run.b = matrix_create(c->type_b, c->trans_b ? c->k : c->n, c->trans_b ? c->n : c->k, c->ldb, c->gap_b,
                        c->batch, c->offset_b);
  run.out = matrix_create(c->type_c, c->m, c->n, c->ldc, c->gap_c, c->batch, 0);
  fill_input(&run.a, c->batch, c->integers, rng);
  fill_input(&run.b, c->batch, c->integers, rng);
  fill_output(&run.out, c, rng);
  run.row_scale = vector_create(c->row_scale, c->m, true, c->integers, rng);
  run.column_scale = vector_create(c->column_scale, c->n, true, c->integers, rng);
  run.bias = vector_create(c->bias, c->n, false, c->integers, rng);
  hip_failed(hipMemcpy(run.a.device, run.a.host, run.a.bytes, hipMemcpyHostToDevice), "copy of A");
  hip_failed(hipMemcpy(run.b.device, run.b.host, run.b.bytes, hipMemcpyHostToDevice), "copy of B");

  wt_gemm_desc desc = descriptor(&run, kernel);
  if (c->workspace) {
    CHECK(wt_gemm_workspace_size(context, &desc, &desc.workspace_bytes) == WT_SUCCESS, "%s: %s", run.what,
          wt_last_error(context));
    if (desc.workspace_bytes) hip_failed(hipMalloc(&desc.workspace, desc.workspace_bytes), "hipMalloc");
  }
  run_schedules(context, &run, &desc, schedules, schedule_count);
  hip_failed(hipFree(desc.workspace), "hipFree");
  vector_destroy(&run.row_scale);
  vector_destroy(&run.column_scale);
  vector_destroy(&run.bias);
  matrix_destroy(&run.a);
  matrix_destroy(&run.b);
  matrix_destroy(&run.out);
  return check_failures == failures;
}
