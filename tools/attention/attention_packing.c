// SPDX-License-Identifier: MIT
// Handles packed batches of `wavetile attention`: where each sequence begins, from files of row numbers.
#include <stdlib.h>

#include "attention.h"

// Checks an option's numbers: 0 first, none less than the one before.
static int check_offsets(const char *option, const char *path, const npy_integers *x) {
  if (x->count < 2)
    return tool_error(TOOL_USAGE, "--%s: %s has %lld number; pass 0 and the end of each sequence", option,
                      path, (long long)x->count);
  if (x->data[0] != 0)
    return tool_error(TOOL_USAGE, "--%s: %s begins with %lld; the first sequence begins at row 0", option,
                      path, (long long)x->data[0]);
  for (int64_t i = 1; i < x->count; ++i) {
    if (x->data[i] < x->data[i - 1])
      return tool_error(TOOL_USAGE, "--%s: element [%lld] of %s is %lld, less than the one before, %lld; %s",
                        option, (long long)i, path, (long long)x->data[i], (long long)x->data[i - 1],
                        "pass row numbers that do not fall");
    if (x->data[i] > INT32_MAX)
      return tool_error(TOOL_USAGE, "--%s: element [%lld] of %s is %lld; row numbers are at most %d", option,
                        (long long)i, path, (long long)x->data[i], INT32_MAX);
  }
  if (x->data[x->count - 1] == 0)
    return tool_error(TOOL_USAGE, "--%s: all sequences of %s are empty; pass one row at least", option, path);
  return TOOL_OK;
}

static int read_offsets(const char *option, const char *path, npy_integers *out) {
  char message[4608];
  if (!npy_read_integers_path(path, out, message, sizeof message))
    return tool_error(TOOL_USAGE, "--%s %s", option, message);
  return check_offsets(option, path, out);
}

// Returns the numbers as the device has them, and sets the length of the longest sequence.
static int32_t *narrowed(const npy_integers *x, int64_t *longest) {
  int32_t *starts = malloc((size_t)x->count * sizeof *starts);
  *longest = 0;
  for (int64_t i = 0; starts && i < x->count; ++i) {
    starts[i] = (int32_t)x->data[i];
    if (i && x->data[i] - x->data[i - 1] > *longest) *longest = x->data[i] - x->data[i - 1];
  }
  return starts;
}

static int take_offsets(attention_job *job, const npy_integers *q, const npy_integers *k) {
  job->packed = true;
  job->batch = q->count - 1;
  job->q_rows = q->data[q->count - 1], job->k_rows = k->data[k->count - 1];
  job->q_starts = narrowed(q, &job->queries), job->k_starts = narrowed(k, &job->keys);
  if (job->q_starts && job->k_starts) return TOOL_OK;
  return tool_error(TOOL_FAILED, "out of host memory for %lld sequences", (long long)job->batch);
}

int attention_read_packing(attention_job *job) {
  const attention_options *o = &job->options;
  if (!o->q_offsets) return TOOL_OK;
  npy_integers q = {0}, k = {0};
  const bool same = !o->k_offsets;
  int code = read_offsets("q-offsets", o->q_offsets, &q);
  if (!code && !same) code = read_offsets("k-offsets", o->k_offsets, &k);
  if (!code && !same && q.count != k.count)
    code =
        tool_error(TOOL_USAGE, "%s has %lld numbers, but %s has %lld; pass as many, one more than sequences",
                   o->q_offsets, (long long)q.count, o->k_offsets, (long long)k.count);
  if (!code) code = take_offsets(job, &q, same ? &q : &k);
  npy_integers_free(&q);
  npy_integers_free(&k);
  return code;
}

attention_sequence attention_sequence_of(const attention_job *job, int64_t batch) {
  if (!job->packed)
    return (attention_sequence){batch * job->queries, job->queries, batch * job->keys, job->keys};
  const int32_t *q = job->q_starts + batch, *k = job->k_starts + batch;
  return (attention_sequence){q[0], q[1] - q[0], k[0], k[1] - k[0]};
}
