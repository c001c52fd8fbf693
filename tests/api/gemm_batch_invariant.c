// SPDX-License-Identifier: MIT
// With batch_invariant, a row of C has the same bits for every m from 1 to 512, wherever it stands among the
// other rows, with or without a split of K, and whichever of the kernels computes it. The kernels for few
// rows, which it leaves out, sum in another order, which this test must notice.
#include "gemm_device.h"

#define OK(call)                                                             \
  do {                                                                       \
    hipError_t error_ = (call);                                              \
    CHECK(error_ == hipSuccess, "%s: %s", #call, hipGetErrorString(error_)); \
  } while (0)

enum { ROWS = 512, COLUMNS = 48, MOST_K = 1000, LD = 1008 };

static size_t bytes_of(wt_type type) { return type == WT_TYPE_F32 ? 4 : type == WT_TYPE_BF16 ? 2 : 1; }

typedef struct problem {
  wt_context *context;
  wt_gemm_desc desc;
  unsigned char *a, *b, *c;
  unsigned char *expected, *got;  // ROWS rows of C on the host, of all rows together and of some
  size_t element_a, row_bytes;    // of C
} problem;

// Numbers of so many exponents that no sum of their products is exact in f32, so that its bits depend on the
// order: in BF16 eight, in FP8 all. No FP8 code of these is a NaN.
static void fill(unsigned char *to, wt_type type, test_rng *rng) {
  uint16_t *halves = (uint16_t *)(void *)to;
  for (int i = 0; i < ROWS * LD; ++i) {
    const unsigned bits = (unsigned)test_random(rng);
    if (type == WT_TYPE_BF16)
      halves[i] = (uint16_t)((bits & 0x83ff) | 0x3c00);
    else
      to[i] = (unsigned char)((bits & 0xfe) | ((bits & 0x7e) == 0) << 3);
  }
}

static void *copied(const void *host, size_t bytes) {
  void *memory = NULL;
  OK(hipMalloc(&memory, bytes));
  OK(hipMemcpy(memory, host, bytes, hipMemcpyHostToDevice));
  return memory;
}

static problem make(wt_context *context, wt_type type, wt_type type_c, int k, test_rng *rng) {
  const size_t bytes = (size_t)ROWS * LD * bytes_of(type);
  unsigned char *host = malloc(bytes);
  problem p = {.context = context, .desc = WT_GEMM_DESC_INIT, .element_a = bytes_of(type)};
  p.row_bytes = COLUMNS * bytes_of(type_c);
  fill(host, type, rng);
  p.a = copied(host, bytes);
  fill(host, type, rng);
  p.b = copied(host, bytes);
  p.expected = calloc(ROWS, p.row_bytes), p.got = calloc(ROWS, p.row_bytes);
  p.c = copied(p.expected, ROWS * p.row_bytes);
  p.desc.n = COLUMNS, p.desc.k = k, p.desc.lda = p.desc.ldb = LD;
  p.desc.type_a = p.desc.type_b = type, p.desc.type_c = type_c;
  p.desc.batch_invariant = 1;
  free(host);
  return p;
}

static void destroy(problem *p) {
  OK(hipFree(p->a));
  OK(hipFree(p->b));
  OK(hipFree(p->c));
  free(p->expected), free(p->got);
}

// Computes `rows` rows from row `first` of A on.
static bool compute(problem *p, int first, int rows, unsigned char *result) {
  p->desc.m = rows;
  const size_t skipped = (size_t)first * (p->desc.trans_a ? 1 : LD) * p->element_a;
  if (wt_gemm(p->context, &p->desc, p->a + skipped, p->b, p->c, NULL)) return false;
  OK(hipDeviceSynchronize());
  OK(hipMemcpy(result, p->c, (size_t)rows * p->row_bytes, hipMemcpyDeviceToHost));
  return true;
}

// Returns whether these rows have the bits that they have among all rows.
static bool is_same(problem *p, int first, int rows) {
  CHECK(compute(p, first, rows, p->got), "%s", wt_last_error(p->context));
  return memcmp(p->got, p->expected + (size_t)first * p->row_bytes, (size_t)rows * p->row_bytes) == 0;
}

static void every_m(problem *p, const char *what, int step, test_rng *rng) {
  CHECK(compute(p, 0, ROWS, p->expected), "%s", wt_last_error(p->context));
  for (int rows = 1; rows <= ROWS; rows += step) {
    const int first = (int)(test_random(rng) % (uint64_t)(ROWS - rows + 1));
    CHECK(is_same(p, first, rows), "%s: rows %d to %d have other bits when they are alone", what, first,
          first + rows - 1);
  }
}

// At least so many kernels can run it.
static void every_kernel(problem *p, const char *what, int least) {
  int count = 0;
  for (size_t i = 0; i < wt_gemm_kernel_count(); ++i) {
    wt_gemm_kernel_info info = {.struct_size = sizeof info};
    if (wt_gemm_kernel_at(i, &info)) continue;
    p->desc.kernel = info.name;
    if (!compute(p, 2, 300, p->got)) continue;  // from an address at a multiple of 4 bytes
    CHECK(memcmp(p->got, p->expected + 2 * p->row_bytes, 300 * p->row_bytes) == 0, "%s: %s has other bits",
          what, info.name);
    ++count;
  }
  CHECK(count >= least, "%s: only %d kernels can run this", what, count);
  p->desc.kernel = NULL;
}

static void check_device(wt_context *context, test_rng *rng) {
  const bool ocp = is_gfx950(context);
  const wt_type f8 = ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  problem bf16 = make(context, WT_TYPE_BF16, WT_TYPE_F32, 400, rng);
  every_m(&bf16, "BF16", ocp ? 1 : 5, rng);
  every_kernel(&bf16, "BF16", 10);
  for (int trans = 1; trans < 4; ++trans) {
    bf16.desc.trans_a = trans & 1, bf16.desc.trans_b = trans >> 1;
    every_m(&bf16, "BF16, transposed", 23, rng);
    every_kernel(&bf16, "BF16, transposed", ocp ? 4 : 2);
  }
  bf16.desc.trans_a = bf16.desc.trans_b = 0;
  bf16.desc.k = MOST_K, bf16.desc.split_k = 3;
  every_m(&bf16, "BF16 with a split K", 37, rng);
  bf16.desc.batch_invariant = 0, bf16.desc.split_k = 0;
  bf16.desc.kernel = "gemm_4wave_64x64";
  CHECK(compute(&bf16, 0, ROWS, bf16.expected), "%s", wt_last_error(context));
  bf16.desc.kernel = "gemm_skinny_16x64";
  CHECK(!is_same(&bf16, 0, 8), "waves that share K give the same bits, too");
  destroy(&bf16);
  problem fp8 = make(context, f8, WT_TYPE_BF16, 408, rng);
  every_m(&fp8, "FP8", ocp ? 5 : 1, rng);
  every_kernel(&fp8, "FP8", 10);
  fp8.desc.k = 403;  // no whole chunk of 16 bytes
  every_m(&fp8, "FP8 with an odd K", 29, rng);
  destroy(&fp8);
}

int main(void) {
  test_rng rng = test_seed(41);
  for (int device = 0; device < 2; ++device) {
    wt_context *context;
    CHECK(wt_context_create(device, &context) == WT_SUCCESS, "device %d: %s", device, wt_last_error(NULL));
    OK(hipSetDevice(device));
    check_device(context, &rng);
    wt_context_destroy(context);
  }
  return test_result();
}
