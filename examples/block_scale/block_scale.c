// SPDX-License-Identifier: MIT
// Converts a matrix to each MX format and back, with each way to choose the scales of its blocks, and a norm
// whose result is quantised as it is computed (MI355X).
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/block_scale/block_scale.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o block_scale
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetile.h>

enum { ROWS = 64, COLUMNS = 1024, ELEMENTS = ROWS * COLUMNS, BLOCKS = ELEMENTS / WT_BLOCK_ELEMENTS };

static void check(wt_context *context, wt_status status) {
  if (status == WT_SUCCESS) return;
  fprintf(stderr, "%s\n", wt_last_error(context));
  exit(1);
}

// Returns memory that host and device share.
static void *memory(size_t bytes) {
  void *pointer = NULL;
  if (hipHostMalloc(&pointer, bytes, 0) != hipSuccess) exit(1);
  return pointer;
}

// Returns a number that is about normally distributed.
static float next(unsigned *state) {
  int sum = 0;
  for (int i = 0; i < 12; ++i) {
    *state = *state * 1664525 + 1013904223;
    sum += (int)(*state >> 16) - 32768;
  }
  return (float)sum / 65536;
}

// Returns whether an RMS norm in MXFP4 has the bytes of one in F32 that is quantised after.
static int norm_agrees(wt_context *context, const float *x) {
  float *y = memory(ELEMENTS * sizeof *y);
  unsigned char *q = memory(ELEMENTS / 2), *scales = memory(BLOCKS);
  unsigned char *q_after = memory(ELEMENTS / 2), *scales_after = memory(BLOCKS);
  wt_norm_desc norm = WT_NORM_DESC_INIT;
  norm.rows = ROWS, norm.columns = COLUMNS;
  norm.kind = WT_NORM_RMS, norm.type = WT_TYPE_F32;
  check(context, wt_norm(context, &norm, x, y, NULL));
  norm.output.type = WT_TYPE_F4E2M1;
  norm.output.scale = scales;
  check(context, wt_norm(context, &norm, x, q, NULL));
  wt_block_scale_desc after = WT_BLOCK_SCALE_DESC_INIT;
  after.rows = ROWS, after.columns = COLUMNS;
  after.type_x = WT_TYPE_F32, after.type_q = WT_TYPE_F4E2M1;
  check(context, wt_quantize_blocks(context, &after, y, q_after, scales_after, NULL));
  if (hipDeviceSynchronize() != hipSuccess) return 0;
  return memcmp(q, q_after, ELEMENTS / 2) == 0 && memcmp(scales, scales_after, BLOCKS) == 0;
}

int main(void) {
  static const struct {
    const char *name;
    wt_type type;
    double bits;             // of an element with its part of the scale
    double relative, least;  // half a step: relative to a number, and of the smallest numbers
  } formats[] = {{"f8e4m3", WT_TYPE_F8E4M3, 8.25, 0x1p-4, 0x1p-10},
                 {"f8e5m2", WT_TYPE_F8E5M2, 8.25, 0x1p-3, 0x1p-17},
                 {"f6e2m3", WT_TYPE_F6E2M3, 6.25, 0x1p-4, 0x1p-4},
                 {"f6e3m2", WT_TYPE_F6E3M2, 6.25, 0x1p-3, 0x1p-5},
                 {"f4e2m1", WT_TYPE_F4E2M1, 4.25, 0x1p-2, 0x1p-2}};
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  float *x = memory(ELEMENTS * sizeof *x), *back = memory(ELEMENTS * sizeof *back);
  unsigned char *q = memory(ELEMENTS), *scales = memory(BLOCKS);
  unsigned state = 1;
  int wrong = 0;
  for (int i = 0; i < ELEMENTS; ++i) x[i] = next(&state);

  wt_block_scale_desc desc = WT_BLOCK_SCALE_DESC_INIT;
  desc.rows = ROWS, desc.columns = COLUMNS;
  desc.type_x = WT_TYPE_F32;
  printf("root mean square error     up    down    even    ceil\n");
  for (int f = 0; f < 5; ++f) {
    printf("%s, %.2f bits each", formats[f].name, formats[f].bits);
    for (int rounding = WT_SCALE_UP; rounding <= WT_SCALE_CEIL; ++rounding) {
      desc.type_q = formats[f].type;
      desc.rounding = (wt_scale_rounding)rounding;
      check(context, wt_quantize_blocks(context, &desc, x, q, scales, NULL));
      check(context, wt_dequantize_blocks(context, &desc, q, scales, back, NULL));
      if (hipDeviceSynchronize() != hipSuccess) return 1;
      double error = 0, size = 0;
      for (int i = 0; i < ELEMENTS; ++i) {
        const double off = (double)back[i] - (double)x[i];
        const double scale = ldexp(1, scales[i / WT_BLOCK_ELEMENTS] - 127);
        const double bound = fmax(fabs((double)x[i]) * formats[f].relative, scale * formats[f].least);
        wrong |= rounding == WT_SCALE_UP && fabs(off) > bound;  // the others may cut off what is large
        error += off * off, size += (double)x[i] * (double)x[i];
      }
      printf("  %5.2f%%", 100 * sqrt(error / size));
    }
    printf("\n");
  }
  wrong |= !norm_agrees(context, x);
  wt_context_destroy(context);
  return wrong;
}
