// SPDX-License-Identifier: MIT
// One rung of the GEMM ladder, through the C API, against a float64 reference: directed and random shapes,
// leading dimensions, byte offsets, transpositions, alpha, beta and batches, on every device, under every
// schedule with the same bits. Padding holds NaN on the way in and must be untouched on the way out.
//
//   ladder KERNEL [RANDOM_CASES]
#include <hip/hip_runtime_api.h>
#include <math.h>

#include "include/wavetile.h"
#include "tests/check.h"
#include "tests/kernels/fp8.h"

typedef struct gemm_case {
  int m, n, k;
  int lda, ldb, ldc;  // of the stored matrices
  int trans_a, trans_b;
  int offset_a, offset_b;          // bytes by which A and B miss the allocation's alignment
  int batch, gap_a, gap_b, gap_c;  // elements between the matrices of a batch; gap_b < 0: one B for all
  float alpha, beta;
  bool integers;  // small integers: the result is exact, bit by bit
} gemm_case;

typedef struct matrix {  // a stack of `batch` row-major matrices in one allocation
  int rows, columns, ld;
  long long stride;
  size_t bytes, element;
  unsigned char *host;
  void *device;
} matrix;

static const char *const schedules[] = {"late", "early", "lockstep", "random:1", "random:2", "random:3"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };
enum { POISON = 0xff };  // NaN as BF16 and as F32

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

static gemm_case random_case(test_rng *rng, bool transposable) {
  static const float scalars[] = {1.0f, -0.5f, 2.0f, 0.0f, 0.25f};
  gemm_case c = {.m = between(rng, 1, 150), .n = between(rng, 1, 150), .k = between(rng, 1, 280)};
  c.trans_a = transposable && between(rng, 0, 2) == 0;
  c.trans_b = transposable && between(rng, 0, 2) == 0;
  const int step = 1 << between(rng, 0, 4);  // 16: rows on the widest fast path
  c.lda = ((c.trans_a ? c.m : c.k) + between(rng, 0, 20) + step - 1) / step * step;
  c.ldb = ((c.trans_b ? c.n : c.k) + between(rng, 0, 20) + step - 1) / step * step;
  c.ldc = c.n + between(rng, 0, 9);
  c.offset_a = between(rng, 0, 1) ? 0 : between(rng, 0, 16);
  c.offset_b = between(rng, 0, 1) ? 0 : between(rng, 0, 16);
  c.batch = between(rng, 0, 3) ? 1 : between(rng, 2, 3);
  c.gap_a = between(rng, 0, 1) * between(rng, 0, 33);
  c.gap_b = between(rng, -1, 17);
  c.gap_c = between(rng, 0, 11);
  c.alpha = scalars[between(rng, 0, 4)];
  c.beta = scalars[between(rng, 0, 4)];
  c.integers = between(rng, 0, 1);
  return c;
}

// Rows that end at their leading dimension, the last of them at its last element: an access past it leaves
// the allocation.
static matrix matrix_create(int rows, int columns, int ld, int gap, int batch, size_t element, int offset) {
  matrix x = {.rows = rows, .columns = columns, .ld = ld, .element = element};
  x.stride = gap < 0 ? 0 : (long long)(rows - 1) * ld + columns + gap;
  x.bytes = (size_t)((batch - 1) * x.stride + (long long)(rows - 1) * ld + columns) * element;
  x.host = malloc(x.bytes);
  unsigned char *base = NULL;
  if (hip_failed(hipMalloc((void **)&base, x.bytes + (size_t)offset), "hipMalloc")) exit(test_result());
  x.device = base + offset;
  return x;
}

static void matrix_destroy(matrix *x, int offset) {
  hip_failed(hipFree((unsigned char *)x->device - offset), "hipFree");
  free(x->host);
}

static size_t at(const matrix *x, int batch, int row, int column) {
  return (size_t)(batch * x->stride + (long long)row * x->ld + column);
}

static void fill_input(matrix *x, int batch, wt_type type, bool integers, test_rng *rng) {
  memset(x->host, fp8_nan(type), x->bytes);
  uint8_t pool[64];
  for (int i = 0; i < 64; ++i) pool[i] = fp8_nearest(type, integers ? between(rng, -4, 4) : normal(rng) * 3);
  for (int b = 0; b < batch; ++b)
    for (int r = 0; r < x->rows; ++r)
      for (int c = 0; c < x->columns; ++c) x->host[at(x, b, r, c)] = pool[test_random(rng) % 64];
}

static void put(matrix *x, size_t index, float value) {
  if (x->element == 4) {
    memcpy(x->host + index * 4, &value, 4);
  } else {
    const uint16_t code = bf16_nearest(value);
    memcpy(x->host + index * 2, &code, 2);
  }
}

static float get(const matrix *x, const unsigned char *data, size_t index) {
  float value;
  uint16_t code;
  if (x->element == 4) {
    memcpy(&value, data + index * 4, 4);
    return value;
  }
  memcpy(&code, data + index * 2, 2);
  return bf16_value(code);
}

static void fill_output(matrix *x, int batch, test_rng *rng) {
  memset(x->host, POISON, x->bytes);
  for (int b = 0; b < batch; ++b)
    for (int r = 0; r < x->rows; ++r)
      for (int c = 0; c < x->columns; ++c) put(x, at(x, b, r, c), (float)between(rng, -8, 8));
}

// Checks `result` against float64. A sum of k products in f32, in any order, errs by at most k * 2^-24 of the
// sum of their magnitudes (Higham, Accuracy and Stability, 4.2); alpha, beta and the output's rounding are
// added.
static void check_result(const gemm_case *c, const matrix *a, const matrix *b, const matrix *out,
                         wt_type in_type, const unsigned char *result, const char *what) {
  double value[256];
  for (int i = 0; i < 256; ++i) value[i] = fp8_value(in_type, (uint8_t)i);
  unsigned char *touched = calloc(out->bytes, 1);
  for (int batch = 0; batch < c->batch; ++batch) {
    for (int i = 0; i < c->m; ++i) {
      for (int j = 0; j < c->n; ++j) {
        double sum = 0, magnitude = 0;
        for (int k = 0; k < c->k; ++k) {
          const double x = value[a->host[c->trans_a ? at(a, batch, k, i) : at(a, batch, i, k)]];
          const double y = value[b->host[c->trans_b ? at(b, batch, k, j) : at(b, batch, j, k)]];
          sum += x * y;
          magnitude += fabs(x * y);
        }
        const size_t index = at(out, batch, i, j);
        double want = (double)c->alpha * sum;
        if (c->beta != 0) want += (double)c->beta * get(out, out->host, index);
        const double got = get(out, result, index);
        double bound = 0;
        if (c->integers && out->element == 2) want = bf16_value(bf16_nearest((float)want));
        if (!c->integers) {
          bound = (c->k + 2) * 0x1p-24 * fabs(c->alpha) * magnitude + fabs(want) * 0x1p-22;
          if (out->element == 2) bound += (fabs(want) + bound) * 0x1p-8;  // BF16 has 8 significant bits
        }
        CHECK(fabs(got - want) <= bound, "%s: batch %d row %d column %d is %.9g, expected %.9g within %.3g",
              what, batch, i, j, got, want, bound);
        memset(touched + index * out->element, 1, out->element);
      }
    }
  }
  size_t stray = 0;
  for (size_t i = 0; i < out->bytes; ++i) stray += !touched[i] && result[i] != POISON;
  CHECK(stray == 0, "%s: %zu bytes between the rows of C were written", what, stray);
  free(touched);
}

// Runs one case under every schedule: the first result is checked, the others must have its bits.
static void run_case(wt_context *context, const char *kernel, const gemm_case *c, wt_type in_type,
                     wt_type out_type, test_rng *rng) {
  char what[256];
  snprintf(what, sizeof what,
           "%s %s type %d->%d m %d n %d k %d ld %d %d %d trans %d%d offset %d %d batch %d alpha %g beta %g",
           kernel, wt_context_target(context), in_type, out_type, c->m, c->n, c->k, c->lda, c->ldb, c->ldc,
           c->trans_a, c->trans_b, c->offset_a, c->offset_b, c->batch, (double)c->alpha, (double)c->beta);
  matrix a = matrix_create(c->trans_a ? c->k : c->m, c->trans_a ? c->m : c->k, c->lda, c->gap_a, c->batch, 1,
                           c->offset_a);
  matrix b = matrix_create(c->trans_b ? c->k : c->n, c->trans_b ? c->n : c->k, c->ldb, c->gap_b, c->batch, 1,
                           c->offset_b);
  matrix out = matrix_create(c->m, c->n, c->ldc, c->gap_c, c->batch, out_type == WT_TYPE_F32 ? 4 : 2, 0);
  fill_input(&a, c->batch, in_type, c->integers, rng);
  fill_input(&b, c->batch, in_type, c->integers, rng);
  fill_output(&out, c->batch, rng);
  if (c->beta == 0) memset(out.host, POISON, out.bytes);  // must not be read
  hip_failed(hipMemcpy(a.device, a.host, a.bytes, hipMemcpyHostToDevice), "copy of A");
  hip_failed(hipMemcpy(b.device, b.host, b.bytes, hipMemcpyHostToDevice), "copy of B");

  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = c->m, desc.n = c->n, desc.k = c->k;
  desc.type_a = desc.type_b = in_type, desc.type_c = out_type;
  desc.trans_a = c->trans_a, desc.trans_b = c->trans_b;
  desc.lda = c->lda, desc.ldb = c->ldb, desc.ldc = c->ldc;
  desc.batch = c->batch, desc.stride_a = a.stride, desc.stride_b = b.stride, desc.stride_c = out.stride;
  desc.alpha = c->alpha, desc.beta = c->beta, desc.kernel = kernel;

  unsigned char *first = malloc(out.bytes), *result = malloc(out.bytes);
  for (int s = 0; s < SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    hip_failed(hipMemcpy(out.device, out.host, out.bytes, hipMemcpyHostToDevice), "copy of C");
    const wt_status status = wt_gemm(context, &desc, a.device, b.device, out.device, NULL);
    CHECK(status == WT_SUCCESS, "%s: %s", what, wt_last_error(context));
    if (status != WT_SUCCESS || hip_failed(hipDeviceSynchronize(), what)) break;
    hip_failed(hipMemcpy(s == 0 ? first : result, out.device, out.bytes, hipMemcpyDeviceToHost), "copy back");
    if (s == 0) {
      check_result(c, &a, &b, &out, in_type, first, what);
    } else {
      CHECK(memcmp(first, result, out.bytes) == 0, "%s: schedule %s gives other bits than %s", what,
            schedules[s], schedules[0]);
    }
  }
  free(first);
  free(result);
  matrix_destroy(&a, c->offset_a);
  matrix_destroy(&b, c->offset_b);
  matrix_destroy(&out, 0);
}

static const gemm_case directed[] = {
    {.m = 1, .n = 1, .k = 1, .lda = 1, .ldb = 1, .ldc = 1, .batch = 1, .alpha = 1, .integers = true},
    // exactly one tile of the larger rungs, on their fast path only
    {.m = 128,
     .n = 128,
     .k = 256,
     .lda = 256,
     .ldb = 256,
     .ldc = 128,
     .batch = 1,
     .alpha = 1,
     .integers = true},
    // the fast path, then a tail in K, with edges in M and N over two tiles
    {.m = 130,
     .n = 140,
     .k = 301,
     .lda = 304,
     .ldb = 320,
     .ldc = 151,
     .batch = 1,
     .alpha = 0.5f,
     .beta = 2,
     .integers = true},
    // rows at addresses that are multiples of 4 but not of 16
    {.m = 65, .n = 33, .k = 140, .lda = 140, .ldb = 148, .ldc = 33, .offset_b = 4, .batch = 1, .alpha = -1},
    // rows at odd addresses
    {.m = 37,
     .n = 70,
     .k = 131,
     .lda = 131,
     .ldb = 131,
     .ldc = 70,
     .offset_a = 1,
     .offset_b = 3,
     .batch = 2,
     .alpha = 1,
     .beta = 1},
    // one B for the whole batch
    {.m = 20,
     .n = 18,
     .k = 160,
     .lda = 160,
     .ldb = 160,
     .ldc = 18,
     .batch = 3,
     .gap_b = -1,
     .alpha = 2,
     .integers = true},
    // rows so far apart that 32-bit offsets of rows past the end would come round to row 0: for A and B row
    // 64, for C row 32
    {.m = 1,
     .n = 1,
     .k = 130,
     .lda = 1 << 26,
     .ldb = 1 << 26,
     .ldc = 1 << 25,
     .batch = 1,
     .alpha = 1,
     .integers = true},
    // rows so far apart that a tile does not fit behind one buffer descriptor
    {.m = 2,
     .n = 2,
     .k = 130,
     .lda = 17000000,
     .ldb = 17000000,
     .ldc = 8500000,
     .batch = 1,
     .alpha = 1,
     .beta = 0.5f,
     .integers = true},
};

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: ladder KERNEL [RANDOM_CASES]\n");
    return 2;
  }
  const char *kernel = argv[1];
  const int random_cases = argc > 2 ? atoi(argv[2]) : 6;
  const bool transposable = kernel[5] == '0' && kernel[6] <= '3';  // gemm_01 to gemm_03 take any strides
  test_rng rng = test_seed(20260101);
  int devices = 0;
  if (hip_failed(hipGetDeviceCount(&devices), "hipGetDeviceCount")) return test_result();
  CHECK(devices >= 1, "there is no device");
  for (int device = 0; device < devices; ++device) {
    wt_context *context;
    const wt_status status = wt_context_create(device, &context);
    CHECK(status == WT_SUCCESS, "device %d: %s", device, wt_last_error(NULL));
    if (status != WT_SUCCESS || hip_failed(hipSetDevice(device), "hipSetDevice")) break;
    const bool ocp = strcmp(wt_context_target(context), "gfx950") == 0;
    const wt_type ins[2] = {ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ,
                            ocp ? WT_TYPE_F8E5M2 : WT_TYPE_F8E5M2_FNUZ};
    const wt_type outs[2] = {WT_TYPE_BF16, WT_TYPE_F32};
    size_t turn = 0;  // every combination of types comes round
    for (size_t i = 0; i < sizeof directed / sizeof *directed; ++i, ++turn)
      run_case(context, kernel, &directed[i], ins[turn % 2], outs[turn / 2 % 2], &rng);
    for (int i = 0; i < random_cases; ++i, ++turn) {
      const gemm_case c = random_case(&rng, transposable);
      run_case(context, kernel, &c, ins[turn % 2], outs[turn / 2 % 2], &rng);
    }
    wt_context_destroy(context);
  }
  return test_result();
}
