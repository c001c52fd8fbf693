// SPDX-License-Identifier: MIT
// Writes what `wavetile gemm` says of a run: a report, or a record with the columns of hipblaslt-bench.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "gemm.h"

static void report_input(const gemm_job *job, const char *name, const gemm_input *input) {
  const char *title = element_type_title(input->type, job->target);
  if (input->scale == 1.0f)
    report_row(name, "largest magnitude %.6g, as %s", (double)input->amax, title);
  else
    report_row(name, "largest magnitude %.6g, divided by scale %.6g, rounded to %s", (double)input->amax,
               (double)input->scale, title);
}

// Returns by how much the product of the rounded inputs differs from that of the inputs, roughly: independent
// errors of relative root mean squares a and b add up to sqrt(a^2 + b^2).
static double rounding_of(const gemm_job *job) { return hypot(job->a.rounding, job->b.rounding); }

static void report_rounding(const gemm_job *job) {
  const gemm_options *o = &job->options;
  if (!o->a || rounding_of(job) == 0) return;
  const bool by_default = !o->dtype && !(o->type_a && o->type_b);
  report_row("rounding", "A by %.2g%%, B by %.2g%%, so that the product is off by about %.2g%% (RMS)%s",
             100 * job->a.rounding, 100 * job->b.rounding, 100 * rounding_of(job),
             by_default ? "; FP8 is the default, and --dtype bf16 or f16 costs less" : "");
}

static void report_verification(const gemm_job *job) {
  const verify_result *v = &job->verified;
  if (v->group.ratio < 0) {
    report_row("checked", "all %" PRId64 " elements, recomputed in float64", v->samples);
  } else if (job->c.integers) {
    report_row("checked", "all %" PRId64 " elements modulo 2^32 (Freivalds, %d random vectors)",
               npy_count(&job->c), VERIFY_VECTORS);
    report_row("", "and %" PRId64 " elements recomputed, exactly", v->samples);
  } else {
    report_row("checked", "all %" PRId64 " elements (Freivalds, %d random vectors, in groups of %d columns)",
               npy_count(&job->c), VERIFY_VECTORS, VERIFY_GROUP);
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
  if (job->batch > 1) report_row("", "these are of member %" PRId64 " of the batch", job->worst_member);
  report_row("verdict", "%s",
             !v->passed        ? "WRONG: an error is above its bound"
             : !job->gaps_kept ? "WRONG: memory between the rows of C was written"
                               : "correct");
}

static void report_epilogue(const gemm_job *job) {
  const gemm_options *o = &job->options;
  if (job->row_scale.data) report_row("row scale", "%s", o->row_scale);
  if (job->column_scale.data) report_row("column scale", "%s", o->column_scale);
  if (job->bias.data) report_row("bias", "%s", o->bias);
  if (job->activation) report_row("activation", "%s", o->activation);
  if (job->workspace_used) report_row("workspace", "%zu bytes, for a split of K", job->workspace_used);
}

void gemm_report(const void *pointer) {
  const gemm_job *job = pointer;
  const gemm_options *o = &job->options;
  report_row("shape", "M %" PRId64 ", N %" PRId64 ", K %" PRId64 ": C = %s%g * %s * %s", job->m, job->n,
             job->k, o->beta != 0 ? "beta * C + " : "", o->alpha, o->trans_a ? "A^T" : "A",
             o->trans_b ? "B" : "B^T");
  if (job->batch > 1) report_row("batch", "%" PRId64, job->batch);
  const char *a = element_type_title(job->a.type, job->target),
             *b = element_type_title(job->b.type, job->target);
  report_row("types", "%s%s%s in, %s sums, %s out", a, a == b ? "" : " and ", a == b ? "" : b,
             job->a.type->ocp == WT_TYPE_I8 ? "i32" : "f32", job->type_c->title);
  report_input(job, "A", &job->a);
  report_input(job, "B", &job->b);
  report_rounding(job);
  report_epilogue(job);
  report_row("kernel", "%s", job->kernel);
  report_row("device", "%s, %s", job->device.name, job->target);
  if (job->verified.samples)
    report_verification(job);
  else
    report_row("checked", "nothing (pass --verify)");
  device_run_report(&job->run);
  report_row("host seconds", "%.2f run, %.2f inputs, %.2f verification", job->run.seconds, job->input_seconds,
             job->verify_seconds);
  if (o->out)
    report_row("written", "%s (%s)", o->out,
               job->file_type == NPY_F16   ? "float16"
               : job->file_type == NPY_I32 ? "int32"
                                           : "float32");
}

// ---- the record

// Returns a type's name in hipblaslt-bench.
static const char *bench_type(wt_type type) {
  switch (type) {
    case WT_TYPE_F8E4M3: return "f8_r";
    case WT_TYPE_F8E5M2: return "bf8_r";
    case WT_TYPE_F8E4M3_FNUZ: return "f8_fnuz_r";
    case WT_TYPE_F8E5M2_FNUZ: return "bf8_fnuz_r";
    case WT_TYPE_BF16: return "bf16_r";
    case WT_TYPE_F16: return "f16_r";
    case WT_TYPE_F32: return "f32_r";
    case WT_TYPE_I8: return "i8_r";
    case WT_TYPE_I32: return "i32_r";
    case WT_TYPE_F6E2M3: return "f6_r";
    case WT_TYPE_F6E3M2: return "bf6_r";
    case WT_TYPE_F4E2M1: return "f4_r";
  }
  return "?";
}

// Describes the columns that hipblaslt-bench prints, under its names, in its order. Matrices are row-major
// here: N for A is M x K, N for B is K x N.
static void describe_call(const gemm_job *job, record *r) {
  const gemm_options *o = &job->options;
  const wt_type a = element_type_on(job->a.type, job->target), b = element_type_on(job->b.type, job->target);
  const matrix_layout *c = &job->layout_c;
  record_text(r, "transA", o->trans_a ? "T" : "N"), record_brief(r);
  record_text(r, "transB", o->trans_b ? "N" : "T"), record_brief(r);
  record_whole(r, "grouped_gemm", 0);
  record_whole(r, "batch_count", job->batch), record_brief(r);
  record_whole(r, "m", job->m), record_brief(r);
  record_whole(r, "n", job->n), record_brief(r);
  record_whole(r, "k", job->k), record_brief(r);
  record_number(r, "alpha", o->alpha);
  record_whole(r, "lda", job->a.layout.ld);
  record_whole(r, "stride_a", matrix_layout_stride(&job->a.layout));
  record_number(r, "beta", o->beta);
  record_whole(r, "ldb", job->b.layout.ld);
  record_whole(r, "stride_b", matrix_layout_stride(&job->b.layout));
  record_whole(r, "ldc", c->ld);
  record_whole(r, "stride_c", matrix_layout_stride(c));
  record_whole(r, "ldd", c->ld);
  record_whole(r, "stride_d", matrix_layout_stride(c));
  record_text(r, "a_type", bench_type(a)), record_brief(r);
  record_text(r, "b_type", bench_type(b));
  record_text(r, "c_type", bench_type(job->type_c->ocp));
  record_text(r, "d_type", bench_type(job->type_c->ocp)), record_brief(r);
  record_text(r, "compute_type", a == WT_TYPE_I8 ? "i32_r" : "f32_r");
  record_number(r, "scaleA", job->a.scale);
  record_number(r, "scaleB", job->b.scale);
  record_text(r, "activation_type", job->activation ? o->activation : "none");
  record_flag(r, "bias_vector", job->bias.data != NULL);
}

void gemm_describe(const void *pointer, record *r) {
  const gemm_job *job = pointer;
  const verify_result *v = &job->verified;
  const double m = (double)job->m, n = (double)job->n, k = (double)job->k, batch = (double)job->batch;
  const double bytes = (double)job->a.layout.members * m * k * (double)job->a.type->size +
                       (double)job->b.layout.members * n * k * (double)job->b.type->size +
                       batch * m * n * (double)job->type_c->size * (job->options.beta != 0 ? 2 : 1);
  describe_call(job, r);
  device_run_record(&job->run, 2 * m * n * k * batch, bytes, r);
  record_text(r, "kernel", job->kernel), record_brief(r);
  record_text(r, "target", job->target);
  record_text(r, "device", job->device.name);
  record_whole(r, "workspace_bytes", (long long)job->workspace_used);
  record_number(r, "rounding_a", job->a.rounding);
  record_number(r, "rounding_b", job->b.rounding);
  record_number(r, "largest_error", v->samples ? v->largest_error : NAN);
  record_number(r, "error_of_bound", v->samples ? fmax(v->sample.ratio, v->group.ratio) : NAN);
  record_text(r, "verdict", !v->samples ? "unchecked" : gemm_passed(job) ? "correct" : "wrong");
  record_brief(r);
}
