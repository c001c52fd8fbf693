// SPDX-License-Identifier: MIT
// Measures the host's time per simulated matrix instruction for each host variant, in nanoseconds: exact /
// fast arithmetic. It is a tool for developers, not a test.
#include <time.h>

#include "mfma_ops.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(sim_wave *w, const sim_op *op) {
  long count = 0;
  double start = now(), spent;
  do {
    memset(&w->v[SIM_ACC], 0, 32 * sizeof w->v[0]);
    for (int i = 0; i < 100; ++i) op->run(w, op);
    count += 100;
    spent = now() - start;
  } while (spent < 0.05);
  return spent / (double)count;
}

int main(void) {
  static const char *const lines[] = {
      "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3]",
      "v_mfma_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[8:15], a[0:15]",
      "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[8:11], a[0:3] cbsz:4 blgp:4",
      "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[8:11], a[0:3], v16, v17 cbsz:4 blgp:4",
      "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3], v16, v17",
      "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:5], v[8:13], a[0:3] cbsz:2 blgp:3",
      "v_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[0:1], v[8:9], a[0:3]",
      "v_mfma_f32_16x16x32_bf16 a[0:3], v[0:3], v[8:11], a[0:3]",
      "v_mfma_f32_32x32x16_bf16 a[0:15], v[0:3], v[8:11], a[0:15]",
      "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[8:9], a[0:3]",
      "v_mfma_i32_16x16x64_i8 a[0:3], v[0:3], v[8:11], a[0:3]",
      "v_mfma_f32_32x32x2_f32 a[0:15], v0, v8, a[0:15]",
      "v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[8:9], a[0:3]",
      "v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[8:9], a[0:7]",
      "v_smfmac_f32_16x16x64_fp8_fp8 a[0:3], v[0:1], v[8:11], v16",
  };
  enum { COUNT = sizeof lines / sizeof lines[0] };
  test_rng rng = test_seed(20260103);
  isa_program *p = isa_assemble("gfx950", lines, COUNT);
  for (int n = 0; n < COUNT; ++n) {
    sim_wave *w = isa_begin(p, (size_t)n);
    // Scales near 1, and numbers of either sign below 2 as bf16, f16 and 8-bit types.
    for (int row = 0; row < 32; ++row)
      for (int lane = 0; lane < SIM_LANES; ++lane)
        w->v[row][lane] =
            row == 16 || row == 17 ? 0x7f7e7f80 : 0x3e003e00u | ((uint32_t)test_random(&rng) & 0x81bf81bfu);
    printf("%-110s", lines[n]);
    for (int v = 0; v < SIM_HOST_COUNT; ++v) {
      sim_op op;
      if (!mfma_op(p, (size_t)n, (sim_host)v, &op)) continue;
      printf(" %s", mfma_variant_names[v]);
      for (int mode = SIM_MFMA_EXACT; mode <= SIM_MFMA_FAST; ++mode) {
        isa_group(p)->mfma = (sim_mfma_mode)mode;
        printf("%s%.0f", mode ? " / " : " ", 1e9 * seconds_of(w, &op));
      }
    }
    putchar('\n');
  }
  isa_free(p);
  return 0;
}
