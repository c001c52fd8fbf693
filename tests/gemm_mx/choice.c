// SPDX-License-Identifier: MIT
// Which kernel wt_gemm_mx runs, and into how many parts it cuts K, follow from the shape: A and B count
// alike, so that they may change places where tiles are square, and K is cut where there are few tiles for
// it.
#include <hip/hip_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "wavetile.h"

typedef struct choice {
  const char *kernel;
  size_t workspace_bytes;
} choice;

static wt_context *context;

static choice choice_of(wt_type type, int64_t m, int64_t n, int64_t k) {
  wt_gemm_mx_desc desc = WT_GEMM_MX_DESC_INIT;
  choice c = {.kernel = NULL};
  desc.type_a = desc.type_b = type, desc.type_c = WT_TYPE_F32;
  desc.m = m, desc.n = n, desc.k = k;
  CHECK(wt_gemm_mx_workspace_size(context, &desc, &c.workspace_bytes) == WT_SUCCESS, "%s",
        wt_last_error(context));
  CHECK(wt_gemm_mx_chosen(context, &desc, &c.kernel) == WT_SUCCESS, "%s", wt_last_error(context));
  return c;
}

// The tile is what stands behind the last "_" of a name.
static bool has_square_tiles(const char *kernel) {
  const char *tile = kernel ? strrchr(kernel, '_') : NULL;
  char *end = NULL;
  return tile && strtol(tile + 1, &end, 10) == strtol(end + 1, NULL, 10);
}

static void a_and_b_may_change_places(void) {
  static const wt_type types[] = {WT_TYPE_F4E2M1, WT_TYPE_F8E4M3};
  int compared = 0;
  for (int t = 0; t < 2; ++t)
    for (int64_t m = 64; m <= 2048; m *= 2)
      for (int64_t n = 2 * m; n <= 4096; n *= 2)
        for (int64_t k = 1024; k <= 1 << 17; k *= 2) {
          const choice wide = choice_of(types[t], m, n, k), high = choice_of(types[t], n, m, k);
          if (!has_square_tiles(wide.kernel) || !has_square_tiles(high.kernel)) continue;
          ++compared;
          CHECK(wide.kernel == high.kernel && wide.workspace_bytes == high.workspace_bytes,
                "%d x %d x %d: %s with %zu bytes, and turned %s with %zu bytes", (int)m, (int)n, (int)k,
                wide.kernel, wide.workspace_bytes, high.kernel, high.workspace_bytes);
        }
  CHECK(compared > 50, "only %d shapes compared", compared);
}

static void k_is_cut_where_tiles_are_few(void) {
  const choice few = choice_of(WT_TYPE_F4E2M1, 64, 128, 1 << 17),
               many = choice_of(WT_TYPE_F4E2M1, 64, 8192, 8192),
               large = choice_of(WT_TYPE_F4E2M1, 8192, 8192, 8192);
  CHECK(few.workspace_bytes >= 8 * 64 * 128 * 4, "few tiles and a long K: %zu bytes for sums",
        few.workspace_bytes);
  CHECK(many.workspace_bytes == 0, "few rows, and a tile for every compute unit: %zu bytes for sums",
        many.workspace_bytes);
  CHECK(large.workspace_bytes == 0, "a large product: %zu bytes for sums", large.workspace_bytes);
}

static const char *chosen(wt_gemm_mx_desc desc) {
  const char *kernel = NULL;
  CHECK(wt_gemm_mx_chosen(context, &desc, &kernel) == WT_SUCCESS, "%s", wt_last_error(context));
  return kernel ? kernel : "none";
}

// C in 16 bits of several rounds of tiles, alpha times the product, of a K in whole groups of steps.
static void persistent_kernels_take_what_they_can(void) {
  wt_gemm_mx_desc desc = WT_GEMM_MX_DESC_INIT;
  float bias = 0;
  desc.type_a = desc.type_b = WT_TYPE_F4E2M1, desc.type_c = WT_TYPE_BF16;
  desc.m = 8192, desc.n = desc.k = 4096;
  for (int layout = 0; layout < 2; ++layout) {
    desc.scale_layout = (wt_scale_layout)layout;
    CHECK(strstr(chosen(desc), "persistent"), "two rounds of tiles: %s", chosen(desc));
    static const char *const what[] = {
        "one round of tiles",        "C in F32", "a bias", "K that ends within a group", "a short K",
        "rows of C beside 16 bytes", "a batch"};
    wt_gemm_mx_desc others[] = {desc, desc, desc, desc, desc, desc, desc};
    others[0].m = 4096, others[1].type_c = WT_TYPE_F32, others[2].bias = &bias, others[3].k = 4064;
    others[4].k = 1024, others[5].ldc = 4100, others[6].batch = 2;
    for (int i = 0; i < 7; ++i)
      CHECK(!strstr(chosen(others[i]), "persistent"), "%s: %s", what[i], chosen(others[i]));
  }
}

int main(void) {
  CHECK(wt_context_create(0, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  a_and_b_may_change_places();
  k_is_cut_where_tiles_are_few();
  persistent_kernels_take_what_they_can();
  wt_context_destroy(context);
  return test_result();
}
