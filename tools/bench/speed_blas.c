// SPDX-License-Identifier: MIT
// Calls cblas_sgemm of the OpenBLAS that the system has.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "bench/speed.h"
#include "core/random_normal.h"
#include "core/tool.h"

// These are from cblas.h: enum CBLAS_ORDER, enum CBLAS_TRANSPOSE.
enum { ROW_MAJOR = 101, NO_TRANSPOSE = 111, TRANSPOSE = 112 };

typedef void sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float *a,
                   int lda, const float *b, int ldb, float beta, float *c, int ldc);

static void find(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);  // ISO C has no cast from void * to a function pointer
}

// OpenBLAS chooses its kernels by a list of processors; on one that is newer than the list it falls back to
// SSE3, which would be no fair measure. So it is told, unless the user does.
static void choose_core(void) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
  else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    setenv("OPENBLAS_CORETYPE", "Haswell", 0);
#endif
}

int speed_blas_open(speed_blas *blas, long long size, int threads) {
  void (*set_threads)(int count) = NULL;
  char *(*core_name)(void) = NULL;
  sgemm *multiply = NULL;
  *blas = (speed_blas){.size = (int)size};
  choose_core();
  void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library) return TOOL_OK;
  find(library, "cblas_sgemm", &multiply);
  find(library, "openblas_set_num_threads", &set_threads);
  find(library, "openblas_get_corename", &core_name);
  if (!multiply || !set_threads || !core_name) {
    dlclose(library);
    return tool_error(TOOL_FAILED, "libopenblas.so.0 has no cblas_sgemm; install another build of OpenBLAS");
  }
  set_threads(threads);
  blas->core = core_name();
  const size_t count = (size_t)size * (size_t)size;
  blas->a = malloc(count * sizeof(float)), blas->b = malloc(count * sizeof(float));
  blas->c = calloc(count, sizeof(float));
  blas->library = library;
  memcpy(&blas->multiply, &multiply, sizeof multiply);
  if (!blas->a || !blas->b || !blas->c) return tool_error(TOOL_FAILED, "out of host memory for sgemm");
  random_normal(blas->a, (int64_t)count, 1);
  random_normal(blas->b, (int64_t)count, 2);
  return TOOL_OK;
}

// Computes C = A * B^T, as the library's product.
void speed_blas_run(const speed_blas *blas) {
  const int n = blas->size;
  sgemm *multiply;
  memcpy(&multiply, &blas->multiply, sizeof multiply);
  multiply(ROW_MAJOR, NO_TRANSPOSE, TRANSPOSE, n, n, n, 1, blas->a, n, blas->b, n, 0, blas->c, n);
}

void speed_blas_close(speed_blas *blas) {
  free(blas->a);
  free(blas->b);
  free(blas->c);
  if (blas->library) dlclose(blas->library);
}
