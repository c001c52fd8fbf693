// SPDX-License-Identifier: MIT
// What `wavetile gemm` says at the end: the verification's verdict and the table.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "gemm.h"

double gemm_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Replaces a matrix by its transpose, so that the verification sees K along the rows.
static bool transpose(npy_matrix *matrix) {
  float *out = malloc((size_t)(matrix->rows * matrix->cols) * sizeof *out);
  if (!out) return false;
  for (int64_t r = 0; r < matrix->rows; ++r)
    for (int64_t c = 0; c < matrix->cols; ++c) out[c * matrix->rows + r] = matrix->data[r * matrix->cols + c];
  free(matrix->data);
  *matrix = (npy_matrix){matrix->cols, matrix->rows, out};
  return true;
}

int gemm_verify(gemm_job *job) {
  const gemm_options *o = &job->options;
  double start = gemm_seconds();
  bool ready = (!o->trans_a || transpose(&job->a.values)) && (!o->trans_b || transpose(&job->b.values));
  job->problem = (verify_problem){
      .m = job->m,
      .n = job->n,
      .k = job->k,
      .a = job->a.values.data,
      .b = job->b.values.data,
      .c = job->c.data,
      .c0 = job->c0.data,
      .alpha = (double)(float)o->alpha * job->a.scale * job->b.scale,
      .beta = (double)(float)o->beta,
      .output_roundoff = job->type_c == WT_TYPE_BF16 ? 0x1p-8 : 0x1p-24,
      .seed = o->seed,
  };
  if (!ready || !verify_gemm(&job->problem, &job->verified))
    return tool_error(TOOL_FAILED,
                      "out of host memory for the verification; pass --no-verify or a smaller shape");
  job->verify_seconds = gemm_seconds() - start;
  return TOOL_OK;
}

__attribute__((format(printf, 2, 3))) static void row(const char *label, const char *format, ...) {
  va_list args;
  va_start(args, format);
  printf("  %-13s ", label);
  vprintf(format, args);
  putchar('\n');
  va_end(args);
}

static void report_input(const char *name, const gemm_input *input, const fp8_format *format) {
  row(name, "largest magnitude %.6g, divided by scale %.6g, rounded to %s", (double)input->amax,
      (double)input->scale, format->name);
}

static void report_verification(const gemm_job *job) {
  const verify_result *v = &job->verified;
  row("checked", "all %" PRId64 " elements (Freivalds, %d random vectors, in groups of %d columns)",
      job->m * job->n, VERIFY_VECTORS, VERIFY_GROUP);
  row("", "and %" PRId64 " elements recomputed in float64", v->samples);
  row("largest error",
      "%.4g; relative to its bound: %.4g at C[%" PRId64 "][%" PRId64 "] (error %.4g, bound %.4g)",
      v->largest_error, v->sample.ratio, v->sample.row, v->sample.col, v->sample.error, v->sample.bound);
  row("", "groups, relative to their bound: %.4g at C[%" PRId64 "][%" PRId64 "..] (error %.4g, bound %.4g)",
      v->group.ratio, v->group.row, v->group.col, v->group.error, v->group.bound);
  row("verdict", "%s", v->passed ? "correct" : "WRONG: an error is above its bound");
}

void gemm_report(const gemm_job *job) {
  const gemm_options *o = &job->options;
  row("shape", "M %" PRId64 ", N %" PRId64 ", K %" PRId64 ": C = %s%g * %s * %s", job->m, job->n, job->k,
      o->beta != 0 ? "beta * C + " : "", o->alpha, o->trans_a ? "A^T" : "A", o->trans_b ? "B" : "B^T");
  row("types", "%s in, f32 sums, %s out", job->format->name, job->type_c == WT_TYPE_BF16 ? "BF16" : "F32");
  report_input("A", &job->a, job->format);
  report_input("B", &job->b, job->format);
  row("kernel", "%s", job->kernel);
  row("device", "%s, %s", job->device.name, job->target);
  if (job->verified.samples)
    report_verification(job);
  else
    row("checked", "nothing (pass --verify)");
  if (job->counted)
    row("executed", "%llu instructions in %llu work-groups", job->instructions, job->workgroups);
  else
    row("executed", "-");
  row("host seconds", "%.2f run, %.2f inputs, %.2f verification", job->run_seconds, job->input_seconds,
      job->verify_seconds);
  if (o->out) row("written", "%s (%s)", o->out, job->store_f16 ? "float16" : "float32");
}
