// SPDX-License-Identifier: MIT
// Computes a convolution through the C API: one filter sums the 3 x 3 pixels around each pixel of an image,
// and another tells how much brighter the right side is than the left.
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/conv/conv.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o conv
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetile.h>

enum { SIZE = 6, CHANNELS = 8, FILTERS = 2, TAPS = 3 };

static void check(wt_context *context, wt_status status) {
  if (status == WT_SUCCESS) return;
  fprintf(stderr, "%s\n", wt_last_error(context));
  exit(1);
}

// Returns memory that host and device share.
static void *memory(size_t bytes) {
  void *pointer = NULL;
  if (hipHostMalloc(&pointer, bytes, 0) != hipSuccess) exit(1);
  memset(pointer, 0, bytes);
  return pointer;
}

// Returns the BF16 code of a number that BF16 has: the upper half of the float's.
static unsigned short bf16(float value) {
  unsigned bits;
  memcpy(&bits, &value, sizeof bits);
  return (unsigned short)(bits >> 16);
}

int main(void) {
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  unsigned short *x = memory(SIZE * SIZE * CHANNELS * sizeof *x);
  unsigned short *w = memory(FILTERS * TAPS * TAPS * CHANNELS * sizeof *w);
  // Channel 0 of the image is dark on the left and bright on the right; the other channels are 0.
  for (int i = 0; i < SIZE * SIZE; ++i) x[i * CHANNELS] = bf16(i % SIZE < SIZE / 2 ? 1 : 3);
  for (int tap = 0; tap < TAPS * TAPS; ++tap) {
    w[tap * CHANNELS] = bf16(1);
    w[(TAPS * TAPS + tap) * CHANNELS] = bf16((float)(tap % TAPS - 1));
  }

  wt_conv_desc desc = WT_CONV_DESC_INIT;
  desc.n = 1, desc.h = SIZE, desc.w = SIZE, desc.c = CHANNELS;
  desc.k = FILTERS, desc.r = TAPS, desc.s = TAPS;
  desc.pad_top = desc.pad_bottom = desc.pad_left = desc.pad_right = 1;
  desc.type_x = desc.type_w = WT_TYPE_BF16, desc.type_y = WT_TYPE_F32;
  int64_t p, q;
  check(context, wt_conv_output_size(context, &desc, &p, &q));
  float *y = memory((size_t)(p * q) * FILTERS * sizeof *y);
  check(context, wt_conv_forward(context, &desc, x, w, y, NULL));
  if (hipDeviceSynchronize() != hipSuccess) return 1;

  int wrong = 0;
  for (int row = 0; row < p; ++row)
    for (int column = 0; column < q; ++column) {
      float sum = 0, edge = 0;
      for (int r = row - 1; r <= row + 1; ++r)
        for (int s = column - 1; s <= column + 1; ++s) {
          if (r < 0 || r >= SIZE || s < 0 || s >= SIZE) continue;
          const float pixel = s < SIZE / 2 ? 1 : 3;
          sum += pixel, edge += pixel * (float)(s - column);
        }
      const float *got = y + (row * q + column) * FILTERS;
      wrong |= got[0] != sum || got[1] != edge;
      printf("%4g %4g%s", (double)got[0], (double)got[1], column + 1 < q ? " |" : "\n");
    }
  wt_context_destroy(context);
  return wrong;
}
