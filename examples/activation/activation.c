// SPDX-License-Identifier: MIT
// Computes SwiGLU of the two halves of each row, forward and backward in place, against the definition in
// double.
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/activation/activation.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o activation
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavetile.h>

enum { ROWS = 7, WIDTH = 300 };

static void check(wt_context *context, wt_status status) {
  if (status == WT_SUCCESS) return;
  fprintf(stderr, "%s\n", wt_last_error(context));
  exit(1);
}

// Returns memory that host and device share, with numbers from -4 to 4.
static float *numbers(size_t count) {
  static unsigned state = 1;
  float *x = NULL;
  if (hipHostMalloc((void **)&x, count * sizeof *x, 0) != hipSuccess) exit(1);
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    x[i] = (float)(int)(state >> 16) / 8192 - 4;
  }
  return x;
}

int main(void) {
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  // A row is what one product yields: WIDTH elements of the gate, then WIDTH that it gates.
  float *both = numbers(ROWS * 2 * WIDTH), *y = numbers(ROWS * WIDTH), *dy = numbers(ROWS * WIDTH);
  static double x[ROWS][WIDTH], gate[ROWS][WIDTH];
  for (int i = 0; i < ROWS * WIDTH; ++i) {
    gate[i / WIDTH][i % WIDTH] = (double)both[i / WIDTH * 2 * WIDTH + i % WIDTH];
    x[i / WIDTH][i % WIDTH] = (double)both[i / WIDTH * 2 * WIDTH + WIDTH + i % WIDTH];
  }

  wt_activation_desc desc = WT_ACTIVATION_DESC_INIT;
  desc.rows = ROWS, desc.columns = WIDTH;
  desc.type = WT_TYPE_F32;
  desc.activation = WT_ACTIVATION_SILU;
  desc.ldx = desc.ldgate = desc.lddx = desc.lddgate = 2 * WIDTH;
  check(context, wt_activate(context, &desc, both + WIDTH, both, y, NULL));
  check(context, wt_activate_backward(context, &desc, both + WIDTH, both, dy, both + WIDTH, both, NULL));
  if (hipDeviceSynchronize() != hipSuccess) return 1;

  double worst = 0;
  for (int row = 0; row < ROWS; ++row)
    for (int j = 0; j < WIDTH; ++j) {
      const double g = gate[row][j], v = x[row][j], s = 1 / (1 + exp(-g)), d = (double)dy[row * WIDTH + j];
      const float *of_row = both + row * 2 * WIDTH;
      worst = fmax(worst, fabs((double)y[row * WIDTH + j] - g * s * v));
      worst = fmax(worst, fabs((double)of_row[WIDTH + j] - g * s * d));
      worst = fmax(worst, fabs((double)of_row[j] - s * (1 + g * (1 - s)) * v * d));
    }
  printf("SwiGLU and its gradients are off by at most %.1e\n", worst);
  wt_context_destroy(context);
  return worst < 20 * 0x1p-19 ? 0 : 1;  // results are below 20, and off by a few 2^-23 of that
}
