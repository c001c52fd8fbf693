// SPDX-License-Identifier: MIT
// A matrix to FP8 and back, with one scale and with one per row, of rows whose sizes differ.
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/quantize/quantize.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o quantize
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetile.h>

enum { ROWS = 6, COLUMNS = 1000 };

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

int main(void) {
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  float *x = memory(ROWS * COLUMNS * sizeof *x), *back = memory(ROWS * COLUMNS * sizeof *back);
  float *scales = memory(ROWS * sizeof *scales);
  unsigned char *q = memory(ROWS * COLUMNS);
  unsigned state = 1;
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    state = state * 1664525 + 1013904223;
    x[i] = ldexpf((float)(int)(state >> 16) / 32768 - 1, -4 * (i / COLUMNS));  // each row 16 times smaller
  }

  const int ocp = strcmp(wt_context_target(context), "gfx950") == 0;
  wt_quantize_desc desc = WT_QUANTIZE_DESC_INIT;
  desc.rows = ROWS, desc.columns = COLUMNS;
  desc.type_x = WT_TYPE_F32;
  desc.type_q = ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  desc.workspace_bytes = WT_QUANTIZE_WORKSPACE_BYTES;
  desc.workspace = memory(desc.workspace_bytes);
  int wrong = 0;
  for (int scaling = WT_SCALING_TENSOR; scaling <= WT_SCALING_ROW; ++scaling) {
    desc.scaling = (wt_scaling)scaling;
    check(context, wt_quantize(context, &desc, x, q, scales, NULL));
    check(context, wt_dequantize(context, &desc, q, scales, back, NULL));
    if (hipDeviceSynchronize() != hipSuccess) return 1;
    printf(scaling == WT_SCALING_ROW ? "a scale per row:" : "one scale:      ");
    for (int row = 0; row < ROWS; ++row) {
      const double scale = (double)scales[scaling == WT_SCALING_ROW ? row : 0];
      double error = 0, size = 0;
      for (int i = row * COLUMNS; i < (row + 1) * COLUMNS; ++i) {
        const double off = fabs((double)back[i] - (double)x[i]), magnitude = fabs((double)x[i]);
        error += off, size += magnitude;
        // This is half a unit of 3 bits of fraction; below the normal numbers, half of 2^-9 (of 2^-10 in
        // FNUZ).
        wrong |= off > fmax(magnitude / 16, scale * 0x1p-10) * (1 + 0x1p-20);
      }
      printf(" %5.1f%%", 100 * error / size);
    }
    printf(" off, row by row\n");
  }
  wt_context_destroy(context);
  return wrong;
}
