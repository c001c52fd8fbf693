// SPDX-License-Identifier: MIT
// Verifies `wavetile gemm`, one product of the batch after the other.
#include <math.h>
#include <stdlib.h>

#include "gemm.h"

// Replaces stored matrices by their transposes, so that the verification sees K along the rows.
static bool transpose(gemm_input *input) {
  matrix_layout *l = &input->layout;
  const int64_t rows = l->rows, cols = l->cols, size = rows * cols;
  float *out = malloc((size_t)(l->members * size) * sizeof *out);
  if (!out) return false;
  for (int64_t i = 0; i < l->members * size; ++i)
    out[i / size * size + i % cols * rows + i % size / cols] = input->values.data[i];
  free(input->values.data);
  input->values.data = out;
  return true;
}

// Returns the matrix of a batch member: the only one where all use the same.
static const float *member_of(const gemm_input *input, int64_t member) {
  const matrix_layout *l = &input->layout;
  return input->values.data + (l->members > 1 ? member * l->rows * l->cols : 0);
}

// Merges the verdict on one member into that on all. The worst element of all members is kept.
static void keep(gemm_job *job, const verify_result *one, int64_t member) {
  verify_result *all = &job->verified;
  const bool worse = fmax(one->sample.ratio, one->group.ratio) > fmax(all->sample.ratio, all->group.ratio);
  const double largest = one->largest_error <= all->largest_error ? all->largest_error : one->largest_error;
  if (member == 0 || worse) all->sample = one->sample, all->group = one->group, job->worst_member = member;
  all->passed = one->passed && (member == 0 || all->passed);
  all->largest_error = largest;
  all->samples += one->samples;
}

int gemm_verify(gemm_job *job) {
  const gemm_options *o = &job->options;
  const double start = tool_seconds();
  bool ready = (!o->trans_a || transpose(&job->a)) && (!o->trans_b || transpose(&job->b));
  job->verified = (verify_result){.passed = false};
  for (int64_t member = 0; ready && member < job->batch; ++member) {
    const int64_t first = member * job->m * job->n;
    const verify_problem problem = {
        .m = job->m,
        .n = job->n,
        .k = job->k,
        .a = member_of(&job->a, member),
        .b = member_of(&job->b, member),
        .c = job->c.data ? job->c.data + first : NULL,
        .c0 = job->c0.data ? job->c0.data + first : NULL,
        .alpha = (double)(float)o->alpha * job->a.scale * job->b.scale,
        .beta = (double)(float)o->beta,
        .row_scale = job->row_scale.data,
        .column_scale = job->column_scale.data,
        .bias = job->bias.data,
        .activation = (int)job->activation,
        .output_roundoff = job->type_c->roundoff,
        .seed = o->run.seed + (uint64_t)member,
    };
    verify_result one;
    ready = job->c.integers ? verify_integers(&problem, job->c.integers + first, &one)
                            : verify_gemm(&problem, &one);
    if (ready) keep(job, &one, member);
  }
  if (!ready)
    return tool_error(TOOL_FAILED,
                      "out of host memory for the verification; pass --no-verify or a smaller shape");
  job->verify_seconds = tool_seconds() - start;
  return TOOL_OK;
}

bool gemm_passed(const gemm_job *job) {
  return job->verified.samples > 0 && job->verified.passed && job->gaps_kept;
}
