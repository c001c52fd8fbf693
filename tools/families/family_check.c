// SPDX-License-Identifier: MIT
// The verification of a family's results: every element of every output against the family's reference.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "core/parallel.h"
#include "family.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // of all results

const float *family_row(const family_job *job, int tensor, int64_t row) {
  const family_data *d = &job->tensors[tensor];
  return d->wanted && d->values.data ? d->values.data + row * d->layout.cols : NULL;
}

double family_sum_error(int64_t terms) { return family_u * fmin((double)terms, 8 * sqrt((double)terms)); }

double family_rounded(const family_job *job, int tensor, double want, double bound) {
  const element_type *type = job->tensors[tensor].type;
  const double smallest = type->ocp == WT_TYPE_F16 ? 0x1p-25 : 0x1p-126;  // f32 results may lack subnormals
  return bound + type->roundoff * (fabs(want) + bound) + smallest;
}

// gemm/verify.c has the reasons for the slack.
double family_activated(wt_activation activation, double x, double *slack) {
  *slack = 0;
  if (activation == WT_ACTIVATION_NONE) return x;
  if (activation == WT_ACTIVATION_RELU) return x > 0 ? x : 0;
  const double t = activation == WT_ACTIVATION_GELU ? 1.5957691216057308 * (x + 0.044715 * x * x * x) : x;
  const double y = x / (1.0 + exp(-t));
  *slack = family_u * fabs(y) * (16 + 8 * fabs(t)) + fabs(x) * 0x1p-126;
  return y;
}

static void keep(family_result *worst, const family_result *other) {
  if (!(other->largest_error <= worst->largest_error)) worst->largest_error = other->largest_error;
  if (other->ratio < worst->ratio || (other->ratio == worst->ratio && other->index >= worst->index)) return;
  const double largest = worst->largest_error;
  *worst = *other;
  worst->largest_error = largest;
}

void family_want_exactly(const family_job *job, float number, double *want, double *bound) {
  unsigned char code[sizeof(float)];
  *want = number, *bound = isnan(number) ? NAN : 0;
  if (!isfinite(number)) return;
  element_encode(job->type, NULL, number, code);
  *want = element_decode(job->type, NULL, code);
}

void family_compare(family_job *job, int tensor, int64_t first, int64_t count, const double *want,
                    const double *bound) {
  family_data *d = &job->tensors[tensor];
  if (!d->wanted) return;
  family_result worst = {.ratio = -1};
  for (int64_t i = 0; i < count; ++i) {
    const double got = d->values.data[first + i];
    const bool both_nan = isnan(got) && isnan(want[i]) && isnan(bound[i]);
    const double error = got == want[i] || both_nan ? 0 : fabs(got - want[i]);
    const double ratio = error == 0                                    ? 0
                         : isfinite(bound[i]) && error / bound[i] >= 0 ? error / bound[i]
                                                                       : INFINITY;
    const family_result one = {ratio, error, bound[i], first + i, error};
    keep(&worst, &one);
  }
  pthread_mutex_lock(&lock);
  keep(&d->result, &worst);
  pthread_mutex_unlock(&lock);
}

typedef struct check {
  family_job *job;
  atomic_bool no_memory;
} check;

static void check_rows(void *pointer, int64_t begin, int64_t end) {
  check *c = pointer;
  const family *f = c->job->family;
  double *scratch = malloc(((size_t)f->scratch * (size_t)c->job->columns + 1) * sizeof *scratch);
  if (!scratch) c->no_memory = true;
  for (int64_t row = begin; scratch && row < end; ++row) f->reference_row(c->job, row, scratch);
  free(scratch);
}

static void check_columns(void *pointer, int64_t begin, int64_t end) {
  check *c = pointer;
  for (int64_t column = begin; column < end; ++column) c->job->family->reference_column(c->job, column);
}

int family_verify(family_job *job) {
  const family *f = job->family;
  check c = {.job = job};
  for (int i = 0; i < f->tensor_count; ++i)
    job->tensors[i].result = (family_result){.ratio = -1, .index = INT64_MAX};
  job->kept = malloc(((size_t)f->kept * (size_t)job->rows + 1) * sizeof *job->kept);
  c.no_memory = !job->kept || (f->reference_begin && !f->reference_begin(job));
  if (!c.no_memory) parallel_for(job->rows, check_rows, &c);
  job->verified = !c.no_memory;
  if (job->verified && f->reference_column) parallel_for(job->columns, check_columns, &c);
  if (job->verified && f->reference_end) f->reference_end(job);
  scaled_operands_free(&job->operands);
  if (job->verified) return TOOL_OK;
  return tool_error(TOOL_FAILED,
                    "out of host memory for the verification; pass --no-verify or a smaller shape");
}

// An output that was compared with nothing does not pass.
bool family_passed(const family_job *job) {
  for (int i = 0; i < job->family->tensor_count; ++i) {
    const family_data *d = &job->tensors[i];
    const bool good = d->result.ratio >= 0 && d->result.ratio <= 1 && d->gaps_kept;
    if (job->family->tensors[i].output && d->wanted && !good) return false;
  }
  return job->verified;
}
