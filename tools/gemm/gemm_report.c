// SPDX-License-Identifier: MIT
// What `wavetile gemm` says at the end: the verification's verdict and the table.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gemm.h"

// Replaces a matrix by its transpose, so that the verification sees K along the rows.
static bool transpose(npy_matrix *matrix) {
  float *out = malloc((size_t)(matrix->rows * matrix->cols) * sizeof *out);
  if (!out) return false;
  for (int64_t r = 0; r < matrix->rows; ++r)
    for (int64_t c = 0; c < matrix->cols; ++c) out[c * matrix->rows + r] = matrix->data[r * matrix->cols + c];
  free(matrix->data);
  *matrix = (npy_matrix){.rows = matrix->cols, .cols = matrix->rows, .data = out};
  return true;
}

int gemm_verify(gemm_job *job) {
  const gemm_options *o = &job->options;
  double start = tool_seconds();
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
      .row_scale = job->row_scale.data,
      .column_scale = job->column_scale.data,
      .bias = job->bias.data,
      .activation = (int)job->activation,
      .output_roundoff = job->type_c->roundoff,
      .seed = o->run.seed,
  };
  ready = ready && (job->c.integers ? verify_integers(&job->problem, job->c.integers, &job->verified)
                                    : verify_gemm(&job->problem, &job->verified));
  if (!ready)
    return tool_error(TOOL_FAILED,
                      "out of host memory for the verification; pass --no-verify or a smaller shape");
  job->verify_seconds = tool_seconds() - start;
  return TOOL_OK;
}

static void report_input(const gemm_job *job, const char *name, const gemm_input *input) {
  const char *title = element_type_title(input->type, job->target);
  if (input->scale == 1.0f)
    report_row(name, "largest magnitude %.6g, as %s", (double)input->amax, title);
  else
    report_row(name, "largest magnitude %.6g, divided by scale %.6g, rounded to %s", (double)input->amax,
               (double)input->scale, title);
}

static void report_verification(const gemm_job *job) {
  const verify_result *v = &job->verified;
  if (v->group.ratio < 0) {
    report_row("checked", "all %" PRId64 " elements, recomputed in float64", v->samples);
  } else if (job->c.integers) {
    report_row("checked", "all %" PRId64 " elements modulo 2^32 (Freivalds, %d random vectors)",
               job->m * job->n, VERIFY_VECTORS);
    report_row("", "and %" PRId64 " elements recomputed, exactly", v->samples);
  } else {
    report_row("checked", "all %" PRId64 " elements (Freivalds, %d random vectors, in groups of %d columns)",
               job->m * job->n, VERIFY_VECTORS, VERIFY_GROUP);
    report_row("", "and %" PRId64 " elements recomputed in float64", v->samples);
  }
  report_row("largest error",
             "%.4g; relative to its bound: %.4g at C[%" PRId64 "][%" PRId64 "] (error %.4g, bound %.4g)",
             v->largest_error, v->sample.ratio, v->sample.row, v->sample.col, v->sample.error,
             v->sample.bound);
  if (v->group.ratio >= 0)
    report_row(
        "", "groups, relative to their bound: %.4g at C[%" PRId64 "][%" PRId64 "..] (error %.4g, bound %.4g)",
        v->group.ratio, v->group.row, v->group.col, v->group.error, v->group.bound);
  report_row("verdict", "%s", v->passed ? "correct" : "WRONG: an error is above its bound");
}

static void report_epilogue(const gemm_job *job) {
  const gemm_options *o = &job->options;
  if (job->row_scale.data) report_row("row scale", "%s", o->row_scale);
  if (job->column_scale.data) report_row("column scale", "%s", o->column_scale);
  if (job->bias.data) report_row("bias", "%s", o->bias);
  if (job->activation) report_row("activation", "%s", o->activation);
  if (job->workspace_used) report_row("workspace", "%zu bytes, for a split of K", job->workspace_used);
}

void gemm_report(const gemm_job *job) {
  const gemm_options *o = &job->options;
  report_row("shape", "M %" PRId64 ", N %" PRId64 ", K %" PRId64 ": C = %s%g * %s * %s", job->m, job->n,
             job->k, o->beta != 0 ? "beta * C + " : "", o->alpha, o->trans_a ? "A^T" : "A",
             o->trans_b ? "B" : "B^T");
  const char *a = element_type_title(job->a.type, job->target),
             *b = element_type_title(job->b.type, job->target);
  report_row("types", "%s%s%s in, %s sums, %s out", a, a == b ? "" : " and ", a == b ? "" : b,
             job->a.type->ocp == WT_TYPE_I8 ? "i32" : "f32", job->type_c->title);
  report_input(job, "A", &job->a);
  report_input(job, "B", &job->b);
  report_epilogue(job);
  report_row("kernel", "%s", job->kernel);
  report_row("device", "%s, %s", job->device.name, job->target);
  if (job->verified.samples)
    report_verification(job);
  else
    report_row("checked", "nothing (pass --verify)");
  if (job->counted)
    report_row("executed", "%llu instructions in %llu work-groups", job->instructions, job->workgroups);
  else
    report_row("executed", "-");
  report_row("host seconds", "%.2f run, %.2f inputs, %.2f verification", job->run_seconds, job->input_seconds,
             job->verify_seconds);
  if (o->out)
    report_row("written", "%s (%s)", o->out,
               job->file_type == NPY_F16   ? "float16"
               : job->file_type == NPY_I32 ? "int32"
                                           : "float32");
}
