// SPDX-License-Identifier: MIT
// What is said of a family's run, and the files it leaves.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/input_file.h"
#include "core/report.h"
#include "family.h"

static npy_type file_type(const family_job *job, int i) {
  if (job->tensors[i].element == FAMILY_CODE) return NPY_U8;
  return strcmp(job->out_dtype, "f16") == 0 ? NPY_F16 : NPY_F32;
}

static int check_float16(const family_job *job, int i) {
  const npy_array *v = &job->tensors[i].values;
  for (int64_t n = 0; n < npy_count(v); ++n)
    if (tool_beyond_float16(v->data[n]))
      return tool_error(TOOL_FAILED, "--%s: element %lld is %g, beyond float16; pass --out-dtype f32",
                        job->family->tensors[i].option, (long long)n, (double)v->data[n]);
  return TOOL_OK;
}

int family_write(const family_job *job) {
  const family *f = job->family;
  char message[4608];
  for (int i = 0; i < f->tensor_count; ++i)
    if (f->tensors[i].output && job->tensors[i].path && file_type(job, i) == NPY_F16) {
      const int code = check_float16(job, i);
      if (code) return code;
    }
  for (int i = 0; i < f->tensor_count; ++i)
    if (f->tensors[i].output && job->tensors[i].path &&
        !npy_write_array(job->tensors[i].path, file_type(job, i), &job->tensors[i].values, message,
                         sizeof message))
      return tool_error(TOOL_FAILED, "--%s %s", f->tensors[i].option, message);
  return TOOL_OK;
}

// Returns bytes of all tensors that are read and written, each once.
static double bytes_of(const family_job *job) {
  double bytes = 0;
  for (int i = 0; i < job->family->tensor_count; ++i) {
    const family_tensor *t = &job->family->tensors[i];
    // With a backward pass, what only the forward pass writes is not part of the pass that counts.
    const bool counts = job->tensors[i].wanted && t->option && (!job->backward || t->backward || !t->output);
    if (counts)
      bytes += (double)matrix_layout_count(&job->tensors[i].layout) *
               (job->tensors[i].element == FAMILY_CODE ? 1 : (double)job->tensors[i].type->size);
  }
  return bytes;
}

static const char *verdict_of(const family_job *job) {
  if (!job->verified) return "unchecked";
  return family_passed(job) ? "correct" : "wrong";
}

// Describes the largest error relative to its bound, of all outputs; the record keeps the names.
static void describe_errors(const family_job *job, record *r) {
  static char names[FAMILY_MOST_TENSORS][2][48];
  for (int i = 0; i < job->family->tensor_count; ++i) {
    const family_tensor *t = &job->family->tensors[i];
    if (!t->output || !job->tensors[i].wanted) continue;
    const family_result *result = &job->tensors[i].result;
    snprintf(names[i][0], sizeof names[i][0], "largest_error_%s", t->name);
    snprintf(names[i][1], sizeof names[i][1], "error_of_bound_%s", t->name);
    record_number(r, names[i][0], job->verified ? result->largest_error : NAN);
    record_number(r, names[i][1], job->verified ? result->ratio : NAN);
  }
}

void family_describe(const void *pointer, record *r) {
  const family_job *job = pointer;
  record_text(r, "family", job->family->name);
  record_text(r, "pass", job->backward ? "backward" : "forward"), record_brief(r);
  if (job->family->describe) job->family->describe(job, r);
  record_whole(r, "rows", job->rows), record_brief(r);
  record_whole(r, "columns", job->columns), record_brief(r);
  record_text(r, "dtype", job->family->has_bytes_alone ? "u8" : job->dtype), record_brief(r);
  if (job->family->has_weight) record_text(r, "type_weight", job->type_weight);
  if (job->family->has_products) record_text(r, "type_y", job->type_y);
  device_run_record(&job->run, job->family->flops ? job->family->flops(job) : NAN, bytes_of(job), r);
  record_text(r, "target", job->target);
  record_text(r, "device", job->device.name);
  describe_errors(job, r);
  record_text(r, "verdict", verdict_of(job)), record_brief(r);
}

// Prints a line for each wrong output.
static void report_wrong(const family_job *job) {
  for (int i = 0; i < job->family->tensor_count; ++i) {
    const family_tensor *t = &job->family->tensors[i];
    const family_data *d = &job->tensors[i];
    if (!t->output || !d->wanted) continue;
    if (!(d->result.ratio <= 1))
      report_row("wrong", "%s at row %lld, column %lld: error %.4g, bound %.4g", t->name,
                 (long long)(d->result.index / d->layout.cols), (long long)(d->result.index % d->layout.cols),
                 d->result.error, d->result.bound);
    if (!d->gaps_kept) report_row("wrong", "%s: memory between its rows was written", t->name);
  }
}

void family_report(const void *pointer) {
  const family_job *job = pointer;
  record r = {.count = 0};
  char text[64];
  family_describe(job, &r);
  for (int i = 0; i < r.count; ++i) {
    const char *value = record_value(&r.fields[i], text, sizeof text);
    if (*value) printf("  %-26s %s\n", r.fields[i].name, value);
  }
  if (job->run.predict) puts("  (what is predicted is modelled, not measured)");
  if (job->verified) report_wrong(job);
  for (int i = 0; i < job->family->tensor_count; ++i)
    if (job->family->tensors[i].output && job->tensors[i].path && (!job->verified || family_passed(job)))
      printf("  %-26s %s (%s)\n", "written", job->tensors[i].path, npy_type_name(file_type(job, i)));
}
