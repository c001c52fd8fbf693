// SPDX-License-Identifier: MIT
// Applies the rotary embedding in both layouts, far into a text, checks one head against the definition, and
// goes the way back.
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/rotary/rotary.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o rotary
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavetile.h>

enum { ROWS = 20, HEADS = 11, D = 128, TURNED = 96, OFFSET = 100000, ROW = 13, HEAD = 9 };

static void check(wt_context *context, wt_status status) {
  if (status == WT_SUCCESS) return;
  fprintf(stderr, "%s\n", wt_last_error(context));
  exit(1);
}

// Returns memory that host and device share, with numbers from -1 to 1.
static _Float16 *numbers(size_t count) {
  static unsigned state = 1;
  _Float16 *x = NULL;
  if (hipHostMalloc((void **)&x, count * sizeof *x, 0) != hipSuccess) exit(1);
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    x[i] = (_Float16)((float)(int)(state >> 24) / 128 - 1);
  }
  return x;
}

// Returns how far y is from the embedding of the head x at a position.
static double error_of(const _Float16 *x, const _Float16 *y, wt_rotary_layout layout, int position) {
  double worst = 0;
  for (int i = 0; i < TURNED / 2; ++i) {
    const int first = layout == WT_ROTARY_HALF ? i : 2 * i;
    const int second = layout == WT_ROTARY_HALF ? i + TURNED / 2 : 2 * i + 1;
    const double angle = position * pow(10000, -2.0 * i / TURNED), c = cos(angle), s = sin(angle);
    worst = fmax(worst, fabs((double)y[first] - ((double)x[first] * c - (double)x[second] * s)));
    worst = fmax(worst, fabs((double)y[second] - ((double)x[first] * s + (double)x[second] * c)));
  }
  for (int i = TURNED; i < D; ++i) worst = fmax(worst, fabs((double)y[i] - (double)x[i]));
  return worst;
}

int main(void) {
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  const size_t count = ROWS * HEADS * D, at = (ROW * HEADS + HEAD) * D;
  _Float16 *x = numbers(count), *y = numbers(count);

  wt_rotary_desc desc = WT_ROTARY_DESC_INIT;
  desc.type = WT_TYPE_F16;
  desc.rows = ROWS, desc.heads = HEADS, desc.head_dim = D;
  desc.rotary_dim = TURNED;
  desc.offset = OFFSET;
  int wrong = 0;
  for (int layout = WT_ROTARY_HALF; layout <= WT_ROTARY_INTERLEAVED; ++layout) {
    desc.layout = (wt_rotary_layout)layout, desc.inverse = 0;
    check(context, wt_rotary(context, &desc, x, y, NULL));
    if (hipDeviceSynchronize() != hipSuccess) return 1;
    const double error = error_of(x + at, y + at, desc.layout, OFFSET + ROW);
    desc.inverse = 1;  // in place
    check(context, wt_rotary(context, &desc, y, y, NULL));
    if (hipDeviceSynchronize() != hipSuccess) return 1;
    double back = 0;
    for (size_t i = 0; i < count; ++i) back = fmax(back, fabs((double)y[i] - (double)x[i]));
    printf("%s: off by at most %.1e, and turned back by %.1e\n", layout ? "interleaved" : "half", error,
           back);
    // Below 2, half of F16's last place is 2^-11; turning back turns that error of a pair, and adds its own.
    wrong |= error > 0x1.01p-11 || back > 2.42 * 0x1.01p-11;
  }
  wt_context_destroy(context);
  return wrong;
}
