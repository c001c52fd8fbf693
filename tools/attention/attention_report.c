// SPDX-License-Identifier: MIT
// Writes what `wavetile attention` says at the end.
#include <inttypes.h>
#include <math.h>

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
  if (job->soft_cap > 0) report_row("soft cap", "%.6g", (double)job->soft_cap);
  if (job->options.sinks) report_row("sinks", "%s", job->options.sinks);
  if (job->options.alibi_slopes) report_row("ALiBi", "%s", job->options.alibi_slopes);
  if (job->options.dropout > 0) report_row("dropout", "%.6g", job->options.dropout);
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

// Some results are made only on request.
static bool attention_has(const attention_job *job, attention_output which) {
  if (which == ATTENTION_LSE) return job->lse.data;
  return which != ATTENTION_DSINKS || job->dsinks.data;
}

static void report_verification(const attention_job *job) {
  report_row("checked", "all elements, against float64");
  for (int i = 0; i < (job->backward ? ATTENTION_RESULTS : ATTENTION_DQ); ++i) {
    const attention_result *r = &job->results[i];
    if (!attention_has(job, (attention_output)i)) continue;
    report_row(i == ATTENTION_O ? "errors" : "",
               "%s: largest %.4g; relative to its bound %.4g, in %s %" PRId64 ", head %" PRId64
               ", row %" PRId64,
               attention_result_names[i], r->largest_error, r->ratio,
               job->packed ? "sequence" : "batch member", r->sequence, r->head, r->row);
  }
  report_row("verdict", "%s",
             attention_passed(job) ? "correct"
             : job->gaps_kept      ? "WRONG: an error is above its bound"
                                   : "WRONG: memory between the rows of a result was written");
}

static void report_files(const attention_job *job) {
  const attention_options *o = &job->options;
  const char *type = job->file_type == NPY_F16 ? "float16" : "float32";
  const char *const files[] = {o->out, o->dq, o->dk, o->dv};
  for (int i = 0; i < 4; ++i)
    if (files[i]) report_row(i == 0 ? "written" : "", "%s (%s)", files[i], type);
  if (o->lse) report_row("", "%s (float32)", o->lse);
  if (o->dsinks) report_row("", "%s (float32)", o->dsinks);
}

void attention_report(const void *pointer) {
  const attention_job *job = pointer;
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
  device_run_report(&job->run);
  report_row("host seconds", "%.2f run, %.2f inputs, %.2f verification", job->run.seconds, job->input_seconds,
             job->verify_seconds);
  if (job->verified && !attention_passed(job)) return;
  if (job->options.out) report_files(job);
}

// Returns the keys that the queries of all sequences see, of one head.
static double seen_keys(const attention_job *job) {
  double seen = 0;
  for (int64_t batch = 0; batch < job->batch; ++batch) {
    const attention_sequence s = attention_sequence_of(job, batch);
    for (int64_t query = 0; query < s.queries; ++query) {
      const int64_t position = query + s.keys - s.queries, window = job->options.window;
      const int64_t first = window && position - window + 1 > 0 ? position - window + 1 : 0;
      int64_t end = window && position + window < s.keys ? position + window : s.keys;
      if (job->options.causal && position + 1 < end) end = position + 1;
      if (end > first) seen += (double)(end - first);
    }
  }
  return seen;
}

// Returns bytes of the tensors that the passes read and write, each once.
static double bytes_of(const attention_job *job) {
  const npy_array *const inputs[] = {&job->q.values, &job->k.values, &job->v.values, &job->dout.values};
  const npy_array *const outputs[] = {&job->o, &job->dq, &job->dk, &job->dv};
  double bytes = 0;
  for (int i = 0; i < 4; ++i) {
    if (inputs[i]->data) bytes += (double)npy_count(inputs[i]) * (double)job->type->size;
    if (outputs[i]->data) bytes += (double)npy_count(outputs[i]) * (double)job->output_type->size;
  }
  return bytes;
}

void attention_describe(const void *pointer, record *r) {
  const attention_job *job = pointer;
  const attention_options *o = &job->options;
  static const char *const errors[ATTENTION_RESULTS] = {"error_of_bound_o",  "error_of_bound_lse",
                                                        "error_of_bound_dq", "error_of_bound_dk",
                                                        "error_of_bound_dv", "error_of_bound_dsinks"};
  const double dims = (double)(job->head_dim + job->value_dim);
  // There are two operations for each query, key that it sees, and element of a row of K and of V; the
  // backward pass has five such products to the forward pass's two.
  const double flops = 2 * seen_keys(job) * (double)job->heads * dims * (job->backward ? 3.5 : 1);
  record_text(r, "pass", job->backward ? "forward and backward" : "forward"), record_brief(r);
  record_whole(r, "batch_count", job->batch), record_brief(r);
  record_whole(r, "heads", job->heads), record_brief(r);
  record_whole(r, "kv_heads", job->kv_heads);
  record_whole(r, "queries", job->queries), record_brief(r);
  record_whole(r, "keys", job->keys), record_brief(r);
  record_whole(r, "head_dim", job->head_dim), record_brief(r);
  record_whole(r, "value_dim", job->value_dim);
  record_flag(r, "packed", job->packed);
  record_flag(r, "causal", o->causal);
  record_whole(r, "window", o->window);
  record_number(r, "scale", job->softmax_scale);
  record_number(r, "soft_cap", job->soft_cap);
  record_flag(r, "sinks", o->sinks != NULL);
  record_flag(r, "alibi", o->alibi_slopes != NULL);
  record_number(r, "dropout", o->dropout);
  record_whole(r, "ldq", job->q.layout.ld);
  record_whole(r, "stride_q", matrix_layout_stride(&job->q.layout));
  record_whole(r, "ldk", job->k.layout.ld);
  record_whole(r, "stride_k", matrix_layout_stride(&job->k.layout));
  record_whole(r, "ldv", job->v.layout.ld);
  record_whole(r, "stride_v", matrix_layout_stride(&job->v.layout));
  record_whole(r, "ldo", job->dout.layout.ld);
  record_whole(r, "stride_o", matrix_layout_stride(&job->dout.layout));
  record_text(r, "type", element_type_title(job->type, job->target));
  record_text(r, "output_type", job->output_type->title);
  device_run_record(&job->run, flops, bytes_of(job), r);
  record_text(r, "target", job->target);
  record_text(r, "device", job->device.name);
  record_whole(r, "workspace_bytes", (long long)job->workspace);
  for (int i = 0; i < (job->backward ? ATTENTION_RESULTS : ATTENTION_DQ); ++i)
    if (attention_has(job, (attention_output)i))
      record_number(r, errors[i], job->verified ? job->results[i].ratio : NAN);
  record_text(r, "verdict", !job->verified ? "unchecked" : attention_passed(job) ? "correct" : "wrong");
  record_brief(r);
}
