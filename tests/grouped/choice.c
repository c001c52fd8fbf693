// SPDX-License-Identifier: MIT
// Which kernel wt_grouped_forward runs follows from the shape: with few rows in each group of an MX format,
// waves share a long K and stand side by side where it is short, and many rows take large tiles.
#include <hip/hip_runtime_api.h>
#include <string.h>

#include "check.h"
#include "wavetile.h"

static wt_context *context;

static const char *chosen(int64_t groups, int64_t rows, int64_t n, int64_t k) {
  static const unsigned char scales[1];
  wt_grouped_desc desc = WT_GROUPED_DESC_INIT;
  const char *kernel = NULL;
  desc.groups = groups, desc.m = rows, desc.n = n, desc.k = k;
  desc.type_x = desc.type_w = WT_TYPE_F4E2M1, desc.type_y = WT_TYPE_BF16;
  desc.x_scale = desc.w_scale = scales;
  CHECK(wt_grouped_chosen(context, &desc, WT_GROUPED_FORWARD, &kernel) == WT_SUCCESS, "%s",
        wt_last_error(context));
  return kernel ? kernel : "none";
}

static void expect(int64_t groups, int64_t rows, int64_t n, int64_t k, const char *kernel) {
  const char *const got = chosen(groups, rows, n, k);
  CHECK(strcmp(got, kernel) == 0, "%d groups, %d rows in all, %d x %d: %s, expected %s", (int)groups,
        (int)rows, (int)n, (int)k, got, kernel);
}

int main(void) {
  CHECK(wt_context_create(0, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  // These are the products of a layer of experts with one token, with four, and with many.
  expect(257, 9, 512, 7168, "grouped_mx_skinny_16x32");
  expect(257, 9, 7168, 256, "grouped_mx_skinny_16x256");
  expect(257, 36, 7168, 256, "grouped_mx_skinny_16x256");
  expect(32, 131072, 4096, 7168, "grouped_mx_256x256");
  expect(32, 131072, 7168, 2048, "grouped_mx_256x256");
  wt_context_destroy(context);
  return test_result();
}
