// SPDX-License-Identifier: MIT
// Computes grouped products through the C API: three experts, each with a matrix of its own, take the tokens
// that were sent to them. Expert 1 gets none.
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/grouped/grouped.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o grouped
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wavetile.h>

enum { EXPERTS = 3, TOKENS = 7, OUTPUTS = 2, INPUTS = 8 };

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
  static const int32_t begins[EXPERTS + 1] = {0, 4, 4, TOKENS};
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  unsigned short *x = memory(TOKENS * INPUTS * sizeof *x);
  unsigned short *w = memory(EXPERTS * OUTPUTS * INPUTS * sizeof *w);
  float *y = memory(TOKENS * OUTPUTS * sizeof *y);
  int32_t *rows = memory(sizeof begins);
  memcpy(rows, begins, sizeof begins);
  // Token t is all t + 1; output 0 of an expert sums its token, and output 1 sums it as often as the expert's
  // number says.
  for (int i = 0; i < TOKENS * INPUTS; ++i) x[i] = bf16((float)(i / INPUTS + 1));
  for (int i = 0; i < EXPERTS * OUTPUTS * INPUTS; ++i) {
    const int expert = i / INPUTS / OUTPUTS, output = i / INPUTS % OUTPUTS;
    w[i] = bf16(output ? (float)expert : 1);
  }

  wt_grouped_desc desc = WT_GROUPED_DESC_INIT;
  desc.groups = EXPERTS, desc.m = TOKENS, desc.n = OUTPUTS, desc.k = INPUTS;
  desc.type_x = desc.type_w = WT_TYPE_BF16, desc.type_y = WT_TYPE_F32;
  check(context, wt_grouped_forward(context, &desc, x, w, y, rows, NULL));
  if (hipDeviceSynchronize() != hipSuccess) return 1;

  int wrong = 0;
  for (int expert = 0; expert < EXPERTS; ++expert)
    for (int token = rows[expert]; token < rows[expert + 1]; ++token) {
      const float sum = (float)(INPUTS * (token + 1));
      printf("token %d went to expert %d: %g %g\n", token, expert, (double)y[token * OUTPUTS],
             (double)y[token * OUTPUTS + 1]);
      wrong += y[token * OUTPUTS] != sum || y[token * OUTPUTS + 1] != sum * (float)expert;
    }
  (void)hipHostFree(x), (void)hipHostFree(w), (void)hipHostFree(y), (void)hipHostFree(rows);
  wt_context_destroy(context);
  return wrong != 0;
}
