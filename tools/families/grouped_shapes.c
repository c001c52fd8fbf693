// SPDX-License-Identifier: MIT
// Finds the shapes of `wavetile grouped`: which tensors are multiplied, and what their axes are.
#include <string.h>

#include "grouped.h"

wt_grouped_pass grouped_pass_of(const family_job *job) {
  if (!job->backward) return WT_GROUPED_FORWARD;
  return job->tensors[DX].wanted ? WT_GROUPED_BACKWARD_INPUT : WT_GROUPED_BACKWARD_WEIGHT;
}

grouped_factors grouped_factors_of(const family_job *job) {
  const grouped_own *own = job->own;
  const wt_grouped_pass pass = grouped_pass_of(job);
  const bool forward = pass == WT_GROUPED_FORWARD, weight = pass == WT_GROUPED_BACKWARD_WEIGHT;
  const int a = forward ? X : DY, b = weight ? X : W;
  return (grouped_factors){
      a, b, forward ? X_SCALE : DY_SCALE, weight ? X_SCALE : W_SCALE, own->types[a], own->types[b]};
}

int64_t grouped_block(const family_job *job) {
  const grouped_own *own = job->own;
  return own->scales == SCALES_MX ? MX_BLOCK : WT_F32_BLOCK_ELEMENTS;
}

int64_t grouped_grain(const family_job *job) {
  const grouped_own *own = job->own;
  return own->scales && grouped_pass_of(job) == WT_GROUPED_BACKWARD_WEIGHT ? grouped_block(job) : 1;
}

int64_t grouped_scaled_row(const family_job *job, int64_t j) {
  const grouped_own *own = job->own;
  return own->scales == SCALES_TILES ? j / WT_F32_BLOCK_ELEMENTS : j;
}

grouped_lines grouped_lines_of(const family_job *job) {
  const grouped_sizes s = grouped_sizes_of(job);
  const wt_grouped_pass pass = grouped_pass_of(job);
  grouped_lines l = {.depth = s.rows, .b_rows = s.k};
  if (pass == WT_GROUPED_FORWARD) l.depth = s.k, l.b_rows = s.n;
  if (pass == WT_GROUPED_BACKWARD_INPUT) l.depth = s.n;
  l.b_scaled_rows = grouped_scaled_row(job, l.b_rows - 1) + 1;
  return l;
}

// Returns the elements of a row of a file.
static int64_t elements(const mx_type *type, int64_t numbers) {
  return type ? numbers / mx_row_bytes(type, MX_BLOCK) * MX_BLOCK : numbers;
}

// Where no file has a matrix for each group, the rows say how many there are.
static int64_t groups_of_rows(const family_job *job) {
  const grouped_own *own = job->own;
  const npy_array *rows = &job->tensors[ROWS].values;
  int64_t groups = 1;
  switch (own->contract) {
    case WT_GROUP_OFFSETS: return rows->shape[0] - 1;
    case WT_GROUP_MASKED: return rows->shape[0];
    case WT_GROUP_INDICES: break;
  }
  for (int64_t i = 0; rows->integers && i < rows->shape[0]; ++i)
    if (rows->integers[i] >= groups) groups = (int64_t)rows->integers[i] + 1;
  return groups;
}

// Returns the same sizes of files: of x and w, or in gradients with scales of what is multiplied.
static grouped_sizes sizes_of_files(const family_job *job) {
  const grouped_own *own = job->own;
  const int64_t *x = job->tensors[X].values.shape, *w = job->tensors[W].values.shape;
  const int64_t *dy = job->tensors[DY].values.shape;
  const bool masked = own->contract == WT_GROUP_MASKED;
  const mx_type *const type = own->types[own->scales && job->backward ? DY : X];
  if (!own->scales || !job->backward)
    return (grouped_sizes){w[0], x[masked], w[1], elements(type, x[1 + masked]), 0};
  if (grouped_pass_of(job) == WT_GROUPED_BACKWARD_INPUT)
    return (grouped_sizes){w[0], dy[masked], elements(type, dy[1 + masked]), w[1], 0};
  const int64_t groups = groups_of_rows(job), tokens = elements(type, dy[1]);
  return (grouped_sizes){groups, masked && groups > 0 ? tokens / groups : tokens, dy[0], x[0], tokens};
}

grouped_sizes grouped_sizes_of(const family_job *job) {
  const grouped_own *own = job->own;
  grouped_sizes s = {own->groups.now, own->m.now, own->n.now, own->k.now, 0};
  if (job->files) s = sizes_of_files(job);
  if (!s.rows) s.rows = own->contract == WT_GROUP_MASKED ? s.groups * s.m : s.m;
  return s;
}

int grouped_take_shape(family_job *job) {
  const grouped_own *own = job->own;
  const int main = family_main_tensor(job);
  const npy_array *values = &job->tensors[main].values;
  const mx_type *type = own->types[main];
  const int64_t bytes = values->shape[values->rank - 1];
  if (!type || bytes % mx_row_bytes(type, MX_BLOCK) == 0) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--%s %s has rows of %lld bytes; pass blocks of %d bytes",
                    job->family->tensors[main].option, job->tensors[main].path, (long long)bytes,
                    (int)mx_row_bytes(type, MX_BLOCK));
}

static void set_shape(npy_array *out, int rank, int64_t first, int64_t second, int64_t third) {
  const int64_t shape[] = {first, second, third};
  out->rank = rank;
  memcpy(out->shape, shape, sizeof shape);
}

// Sets a row for each token, of all groups one below the other.
static void set_tokens(const family_job *job, npy_array *out, int64_t columns) {
  const grouped_own *own = job->own;
  const grouped_sizes s = grouped_sizes_of(job);
  if (own->contract == WT_GROUP_MASKED)
    set_shape(out, 3, s.groups, s.m, columns);
  else
    set_shape(out, 2, s.m, columns, 0);
}

// Sets the shape of matrices that are multiplied, and of their scales: a row has what is summed over.
static bool set_factor(const family_job *job, int tensor, npy_array *out) {
  const grouped_factors f = grouped_factors_of(job);
  const grouped_sizes s = grouped_sizes_of(job);
  const grouped_lines l = grouped_lines_of(job);
  const bool weight = grouped_pass_of(job) == WT_GROUPED_BACKWARD_WEIGHT;
  const int64_t blocks = (l.depth - 1) / grouped_block(job) + 1;
  const int64_t a_columns = tensor == f.a ? mx_row_numbers(f.type_a, l.depth) : blocks;
  const int64_t b_columns = tensor == f.b ? mx_row_numbers(f.type_b, l.depth) : blocks;
  const int64_t b_rows = tensor == f.b ? l.b_rows : l.b_scaled_rows;
  if (tensor == f.a || tensor == f.a_scale) {
    if (weight)
      set_shape(out, 2, s.n, a_columns, 0);
    else
      set_tokens(job, out, a_columns);
    return true;
  }
  if (tensor != f.b && tensor != f.b_scale) return false;
  if (weight)
    set_shape(out, 2, b_rows, b_columns, 0);
  else
    set_shape(out, 3, s.groups, b_rows, b_columns);
  return true;
}

void grouped_dims(const family_job *job, int tensor, npy_array *out) {
  const grouped_own *own = job->own;
  const grouped_sizes s = grouped_sizes_of(job);
  if (own->scales && set_factor(job, tensor, out)) return;
  switch (tensor) {
    case ROWS:
      set_shape(out, 1,
                own->contract == WT_GROUP_MASKED    ? s.groups
                : own->contract == WT_GROUP_INDICES ? s.m
                                                    : s.groups + 1,
                0, 0);
      return;
    case GROUP_SCALE: set_shape(out, 1, s.groups, 0, 0); return;
    case ROW_SCALE:
      if (grouped_pass_of(job) == WT_GROUPED_BACKWARD_WEIGHT)
        set_shape(out, 2, s.groups, s.n, 0);
      else
        set_shape(out, 1, s.rows, 0, 0);
      return;
    case COLUMN_SCALE: set_shape(out, 2, s.groups, job->backward ? s.k : s.n, 0); return;
    case BIAS: set_shape(out, 2, s.groups, s.n, 0); return;
    case W:
    case DW: set_shape(out, 3, s.groups, s.n, s.k); return;
    default: set_tokens(job, out, tensor == X || tensor == DX ? s.k : s.n);
  }
}
