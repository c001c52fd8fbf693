// SPDX-License-Identifier: MIT
// Host time per simulated matrix instruction for each host variant. A tool for developers, not a test.
#include <time.h>

#include "mfma_ops.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
  isa_program *p = isa_assemble("gfx950", lines, COUNT);
  for (int n = 0; n < COUNT; ++n) {
    sim_wave *w = isa_begin(p, (size_t)n);
    for (int row = 0; row < 32; ++row)
      for (int lane = 0; lane < SIM_LANES; ++lane) w->v[row][lane] = 0x37363534u + (uint32_t)(lane * row);
    printf("%-110s", lines[n]);
    for (int v = 0; v < SIM_HOST_COUNT; ++v) {
      sim_op op;
      if (!mfma_op(p, (size_t)n, (sim_host)v, &op)) continue;
      long count = 0;
      double start = now(), spent;
      do {
        for (int i = 0; i < 100; ++i) op.run(w, &op);
        count += 100;
        spent = now() - start;
      } while (spent < 0.05);
      printf(" %s %.0f ns", mfma_variant_names[v], 1e9 * spent / (double)count);
    }
    putchar('\n');
  }
  isa_free(p);
  return 0;
}
