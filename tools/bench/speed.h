// SPDX-License-Identifier: MIT
// `wavetile bench sim`: how fast the simulator runs on this host, beside what the host itself can do.
#ifndef WT_TOOLS_SPEED_H
#define WT_TOOLS_SPEED_H

#include <stdbool.h>
#include <stddef.h>

#include "wavetile.h"

enum { SPEED_MEMORIES = 5 };

// Describes a call of the C API whose execution is timed.
typedef struct speed_call {
  const char *name;
  char shape[64], kernel[64];
  wt_context *context;
  int (*run)(const struct speed_call *call);  // makes the call once, and waits for its end
  union {
    wt_gemm_desc gemm;
    wt_attention_desc attention;
    wt_norm_desc norm;
  } desc;
  void *memory[SPEED_MEMORIES];  // of the device, inputs filled with random numbers
} speed_call;

// Each prepares one call on the current device. It returns TOOL_OK, or reports and returns an exit code. The
// caller frees the call in either case.
int speed_gemm(speed_call *call, wt_context *context, long long size);       // E4M3, size^3, kernel chosen
int speed_attention(speed_call *call, wt_context *context, long long size);  // bf16, forward, 8 heads of 128
int speed_norm(speed_call *call, wt_context *context, long long size);       // bf16, size x size
void speed_call_free(speed_call *call);

// Describes sgemm of OpenBLAS, which is looked for when the program runs, since it is only compared with.
typedef struct speed_blas {
  void *library;     // NULL: not installed
  const char *core;  // the processor whose kernels OpenBLAS runs
  void *multiply;    // cblas_sgemm
  float *a, *b, *c;
  int size;
} speed_blas;

// Returns TOOL_OK also when OpenBLAS is not installed.
int speed_blas_open(speed_blas *blas, long long size, int threads);
void speed_blas_run(const speed_blas *blas);
void speed_blas_close(speed_blas *blas);

// Does what the new process of speed_start does: opens the device, makes one small call and waits for it.
int speed_first_launch(void);
// Measures the seconds from starting a process of this program to its end after speed_first_launch.
int speed_start(double *seconds);

#endif
