// SPDX-License-Identifier: MIT
// What `wavetile attention` says at the end.
#include <inttypes.h>

#include "attention.h"

static void report_shape(const attention_job *job) {
  if (job->packed)
    report_row("shape",
               "%" PRId64 " packed sequences, %" PRId64 " queries, %" PRId64 " keys; the longest %" PRId64
               " and %" PRId64,
               job->batch, job->q_rows, job->k_rows, job->queries, job->keys);
  else
    report_row("shape", "batch %" PRId64 ", %" PRId64 " queries, %" PRId64 " keys", job->batch, job->queries,
               job->keys);
  report_row("heads", "%" PRId64 " of Q, %" PRId64 " of K and V; rows of %" PRId64 ", in V of %" PRId64,
             job->heads, job->kv_heads, job->head_dim, job->value_dim);
  if (job->options.window)
    report_row("mask", "%sa window of %lld", job->options.causal ? "causal, " : "", job->options.window);
  else
    report_row("mask", "%s", job->options.causal ? "causal" : "none");
  report_row("scale", "%.6g", (double)job->softmax_scale);
}

static void report_tensor(const attention_job *job, const attention_tensor *tensor) {
  const char *title = element_type_title(job->type, job->target);
  if (!tensor->codes) return;
  if (tensor->scale == 1.0f)
    report_row(tensor->name, "largest magnitude %.6g, as %s", (double)tensor->amax, title);
  else
    report_row(tensor->name, "largest magnitude %.6g, divided by scale %.6g, rounded to %s",
               (double)tensor->amax, (double)tensor->scale, title);
}

static void report_verification(const attention_job *job) {
  report_row("checked", "all elements, against float64");
  for (int i = 0; i < (job->backward ? ATTENTION_RESULTS : ATTENTION_DQ); ++i) {
    const attention_result *r = &job->results[i];
    if (i == ATTENTION_LSE && !job->lse.data) continue;
    report_row(i == ATTENTION_O ? "errors" : "",
               "%s: largest %.4g; relative to its bound %.4g, in %s %" PRId64 ", head %" PRId64
               ", row %" PRId64,
               attention_result_names[i], r->largest_error, r->ratio,
               job->packed ? "sequence" : "batch member", r->sequence, r->head, r->row);
  }
  report_row("verdict", "%s", attention_passed(job) ? "correct" : "WRONG: an error is above its bound");
}

static void report_files(const attention_job *job) {
  const attention_options *o = &job->options;
  const char *type = job->file_type == NPY_F16 ? "float16" : "float32";
  const char *const files[] = {o->out, o->dq, o->dk, o->dv};
  for (int i = 0; i < 4; ++i)
    if (files[i]) report_row(i == 0 ? "written" : "", "%s (%s)", files[i], type);
  if (o->lse) report_row("", "%s (float32)", o->lse);
}

void attention_report(const attention_job *job) {
  report_shape(job);
  const attention_tensor *const tensors[] = {&job->q, &job->k, &job->v, &job->dout};
  for (int i = 0; i < 4; ++i) report_tensor(job, tensors[i]);
  report_row("passes", "%s, results in %s", job->backward ? "forward and backward" : "forward",
             job->output_type->title);
  if (job->workspace) report_row("workspace", "%zu bytes, for the backward pass", job->workspace);
  report_row("device", "%s, %s", job->device.name, job->target);
  if (job->verified)
    report_verification(job);
  else
    report_row("checked", "nothing (pass --verify)");
  if (job->counted)
    report_row("executed", "%llu instructions in %llu work-groups", job->instructions, job->workgroups);
  else
    report_row("executed", "-");
  report_row("host seconds", "%.2f run, %.2f inputs, %.2f verification", job->run_seconds, job->input_seconds,
             job->verify_seconds);
  if (job->verified && !attention_passed(job)) return;
  if (job->options.out) report_files(job);
}
