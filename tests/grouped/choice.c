// SPDX-License-Identifier: MIT
// Which kernel wt_grouped_forward runs follows from the shape: with few rows in each group of an MX format,
// waves share a long K and stand side by side where it is short, and many rows take large tiles. FP8 is
// computed by kernels for powers of two where its scales are promised to be such and K has whole blocks
// of 32.
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

// Does the same for FP8 with F32 scales.
static const char *chosen_of_f8(wt_block_scales scales, wt_scales_of_b of_w, wt_grouped_pass pass, int64_t m,
                                int64_t k) {
  static const float of_blocks[1];
  wt_grouped_desc desc = WT_GROUPED_DESC_INIT;
  const char *kernel = NULL;
  desc.groups = 8, desc.m = m, desc.n = 4096, desc.k = k;
  desc.type_x = desc.type_w = desc.type_y = WT_TYPE_F8E4M3;
  desc.scales = scales, desc.scales_of_w = of_w;
  if (pass == WT_GROUPED_FORWARD)
    desc.type_y = WT_TYPE_BF16, desc.x_scale = desc.w_scale = of_blocks;
  else
    desc.type_w = WT_TYPE_BF16, desc.y_scale = desc.x_scale = of_blocks;
  CHECK(wt_grouped_chosen(context, &desc, pass, &kernel) == WT_SUCCESS, "%s", wt_last_error(context));
  return kernel ? kernel : "none";
}

static void powers_of_two_have_kernels_of_their_own(void) {
  static const struct {
    wt_block_scales scales;
    wt_scales_of_b of_w;
    wt_grouped_pass pass;
    int64_t m, k;
    const char *kernel;
  } cases[] = {
      {WT_BLOCK_SCALES_F32, WT_SCALES_OF_B_TILES, WT_GROUPED_FORWARD, 8192, 7168, "grouped_block_tiles_"},
      {WT_BLOCK_SCALES_POWER_OF_TWO, WT_SCALES_OF_B_TILES, WT_GROUPED_FORWARD, 8192, 7168,
       "grouped_block_powers_tiles_256x256"},
      {WT_BLOCK_SCALES_POWER_OF_TWO, WT_SCALES_OF_B_ROWS, WT_GROUPED_FORWARD, 8192, 7168,
       "grouped_block_powers_rows_256x256"},
      {WT_BLOCK_SCALES_POWER_OF_TWO, WT_SCALES_OF_B_TILES, WT_GROUPED_FORWARD, 512, 7168,
       "grouped_block_powers_tiles_128x128"},
      {WT_BLOCK_SCALES_POWER_OF_TWO, WT_SCALES_OF_B_TILES, WT_GROUPED_FORWARD, 8192, 7160,
       "grouped_block_tiles_"},
      {WT_BLOCK_SCALES_POWER_OF_TWO, WT_SCALES_OF_B_ROWS, WT_GROUPED_BACKWARD_WEIGHT, 8192, 7168,
       "grouped_block_powers_rows_256x256"},
      {WT_BLOCK_SCALES_POWER_OF_TWO, WT_SCALES_OF_B_ROWS, WT_GROUPED_BACKWARD_WEIGHT, 8200, 7168,
       "grouped_block_rows_"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const char *const got =
        chosen_of_f8(cases[i].scales, cases[i].of_w, cases[i].pass, cases[i].m, cases[i].k);
    CHECK(strncmp(got, cases[i].kernel, strlen(cases[i].kernel)) == 0,
          "scales %d of %d, pass %d, m %d, k %d: %s, expected %s", (int)cases[i].scales, (int)cases[i].of_w,
          (int)cases[i].pass, (int)cases[i].m, (int)cases[i].k, got, cases[i].kernel);
  }
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
  powers_of_two_have_kernels_of_their_own();
  wt_context_destroy(context);
  return test_result();
}
