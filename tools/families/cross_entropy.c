// SPDX-License-Identifier: MIT
// Implements `wavetile cross-entropy`: the losses of rows of logits, and the gradient of the logits.
#include <math.h>
#include <string.h>

#include "core/parallel.h"
#include "exponentials.h"
#include "family.h"

enum { X, LABELS, LOSS, DX, LSE, TOTAL, TENSORS };

static const family_tensor tensors[TENSORS] = {
    [X] = {"x", "X.npy", "the logits, a row of classes along the last of 2 to 4 axes", "x", FAMILY_MATRIX,
           FAMILY_VALUE, false, false, "ldx",
           "elements between the starts of rows of X on the device (default: rows are packed)"},
    [LABELS] = {"labels", "L.npy", "the class of each row: int32 or int64", "labels", FAMILY_ROWS, FAMILY_I32,
                false, false, NULL, NULL},
    [LOSS] = {"out", "LOSS.npy", "where the loss of each row goes", "loss", FAMILY_ROWS, FAMILY_F32, true,
              false, NULL, NULL},
    [DX] = {"dx", "DX.npy", "where the gradient of X goes, which is computed in the same pass", "dx",
            FAMILY_MATRIX, FAMILY_VALUE, true, false, "lddx",
            "elements between the starts of rows of DX (default: packed)"},
    [LSE] = {"lse", "LSE.npy", "where the log-sum-exp of each row goes", "lse", FAMILY_ROWS, FAMILY_F32, true,
             false, NULL, NULL},
    [TOTAL] = {NULL, NULL, NULL, "total", FAMILY_ONE, FAMILY_F32, true, false, NULL, NULL},
};

typedef struct cross_entropy_own {
  const char *reduction;
  double label_smoothing, grad_scale, ignore_index;
  wt_reduction reduction_kind;
} cross_entropy_own;

static int options(family_job *job, tool_option *table) {
  cross_entropy_own *own = job->own;
  const tool_option rows[] = {
      {"reduction", TOOL_STRING, &own->reduction, "NAME",
       "what DX is the gradient of: each row's loss (none, default), their sum, or their mean"},
      {"label-smoothing", TOOL_FLOAT, &own->label_smoothing, "S", "from 0 (default) to 1"},
      {"grad-scale", TOOL_FLOAT, &own->grad_scale, "X", "a factor of DX (default 1)"},
      {"ignore-index", TOOL_FLOAT, &own->ignore_index, "N",
       "the label of rows that have no loss and no gradient (default -100)"},
  };
  memcpy(table, rows, sizeof rows);
  return sizeof rows / sizeof *rows;
}

static int check(family_job *job) {
  static const char *const names[] = {"none", "sum", "mean"};  // by wt_reduction
  cross_entropy_own *own = job->own;
  family_data *t = job->tensors;
  int found = -1;
  for (int i = 0; i < 3; ++i)
    if (strcmp(own->reduction, names[i]) == 0) found = i;
  if (found < 0)
    return tool_error(TOOL_USAGE, "--reduction is \"%s\"; pass none, sum or mean", own->reduction);
  own->reduction_kind = (wt_reduction)found;
  if (!(own->label_smoothing >= 0 && own->label_smoothing <= 1))
    return tool_error(TOOL_USAGE, "--label-smoothing is %g; pass a number from 0 to 1", own->label_smoothing);
  if (own->ignore_index != rint(own->ignore_index) || fabs(own->ignore_index) > INT32_MAX)
    return tool_error(TOOL_USAGE, "--ignore-index is %.17g; pass a whole number of 32 bits",
                      own->ignore_index);
  if (job->files && !t[LABELS].path)
    return tool_error(TOOL_USAGE, "--labels is missing; pass the class of each row");
  t[LABELS].wanted = t[LOSS].wanted = true;  // the losses are always written
  t[TOTAL].wanted = own->reduction_kind != WT_REDUCTION_NONE;
  return TOOL_OK;
}

// A label that is outside the classes would make its row NaN.
static int complete(family_job *job) {
  const cross_entropy_own *own = job->own;
  family_data *t = job->tensors;
  int32_t *labels = t[LABELS].values.integers;
  for (int64_t i = 0; i < job->rows; ++i) {
    if (!job->files)
      labels[i] =
          (int32_t)(random_at(job->run_options.seed ^ 0x4c4142454cu, (uint64_t)i) % (uint64_t)job->columns);
    if (labels[i] != (int32_t)own->ignore_index && (labels[i] < 0 || labels[i] >= job->columns))
      return tool_error(
          TOOL_USAGE, "--labels %s: element [%lld] is %d; pass classes from 0 to %lld, or %d to ignore a row",
          t[LABELS].path, (long long)i, labels[i], (long long)job->columns - 1, (int)own->ignore_index);
  }
  return TOOL_OK;
}

static int call(family_job *job) {
  const cross_entropy_own *own = job->own;
  const family_data *t = job->tensors;
  wt_cross_entropy_desc d = WT_CROSS_ENTROPY_DESC_INIT;
  d.rows = job->rows, d.columns = job->columns, d.type = job->type->ocp;
  d.ldx = t[X].ld, d.lddx = t[DX].ld;
  d.ignore_index = (int32_t)own->ignore_index, d.label_smoothing = (float)own->label_smoothing;
  d.reduction = own->reduction_kind, d.grad_scale = (float)own->grad_scale;
  d.total = t[TOTAL].device, d.lse = t[LSE].device;
  return family_status(job, wt_cross_entropy(job->context, &d, t[X].device, t[LABELS].device, t[LOSS].device,
                                             t[DX].device, NULL));
}

static bool ignored(const family_job *job, int64_t row) {
  const cross_entropy_own *own = job->own;
  return job->tensors[LABELS].values.integers[row] == (int32_t)own->ignore_index;
}

static double counted_rows(const family_job *job) {
  double count = 0;
  for (int64_t i = 0; i < job->rows; ++i) count += !ignored(job, i);
  return count;
}

enum { KEPT_LOSS, KEPT_BOUND, KEPT };

static void compare_one(family_job *job, int tensor, int64_t row, double want, double bound) {
  bound = family_rounded(job, tensor, want, bound);
  family_compare(job, tensor, row, 1, &want, &bound);
}

static void compare_gradient(family_job *job, int64_t row, const double *probability, double *relative,
                             double shared, double *want) {
  const cross_entropy_own *own = job->own;
  const double smoothing = (double)(float)own->label_smoothing, count = (double)job->columns;
  double scale = (double)(float)own->grad_scale;
  if (own->reduction_kind == WT_REDUCTION_MEAN) scale /= counted_rows(job);
  const int32_t label = job->tensors[LABELS].values.integers[row];
  double *bound = relative;
  for (int64_t j = 0; j < job->columns; ++j) {
    const double hit = j == label ? 1 - smoothing : 0, spread = smoothing / count;
    want[j] = scale * (probability[j] - hit - spread);
    bound[j] = fabs(scale) * (probability[j] * (relative[j] + shared + 4 * family_u) +
                              4 * family_u * (probability[j] + hit + spread));
    bound[j] = family_rounded(job, DX, want[j], bound[j]);
    if (ignored(job, row)) want[j] = bound[j] = 0;
  }
  family_compare(job, DX, row * job->columns, job->columns, want, bound);
}

static void reference_row(family_job *job, int64_t row, double *scratch) {
  const cross_entropy_own *own = job->own;
  const float *x = family_row(job, X, row);
  double *probability = scratch, *relative = scratch + job->columns, *want = scratch + 2 * job->columns;
  const double smoothing = (double)(float)own->label_smoothing;
  double mean = 0, magnitudes = 0;
  const exponentials e = exponentials_of(x, job->columns, probability, relative);
  double lse = e.lse, lse_bound = e.error + family_u * (2 * fabs(e.lse) + 2 * fabs(e.most) +
                                                        2 * log((double)job->columns) + 4);
  for (int64_t j = 0; j < job->columns; ++j) mean += x[j], magnitudes += fabs(x[j]);
  mean /= (double)job->columns, magnitudes /= (double)job->columns;
  const bool none = ignored(job, row);
  const double hit = none ? 0 : x[job->tensors[LABELS].values.integers[row]];
  double loss = lse - (1 - smoothing) * hit - smoothing * mean;
  double bound = lse_bound + smoothing * (family_sum_error(job->columns) + family_u) * magnitudes +
                 4 * family_u * (fabs(lse) + fabs(hit) + fabs(mean));
  if (none) lse = loss = lse_bound = bound = 0;
  double *kept = job->kept + row * KEPT;
  kept[KEPT_LOSS] = loss, kept[KEPT_BOUND] = bound;
  compare_one(job, LOSS, row, loss, bound);
  if (job->tensors[LSE].wanted) compare_one(job, LSE, row, lse, lse_bound);
  if (job->tensors[DX].wanted) compare_gradient(job, row, probability, relative, lse_bound, want);
}

static void reference_end(family_job *job) {
  const cross_entropy_own *own = job->own;
  if (!job->tensors[TOTAL].wanted) return;
  double sum = 0, bound = 0;
  for (int64_t i = 0; i < job->rows; ++i) {
    const double *kept = job->kept + i * KEPT;
    sum += kept[KEPT_LOSS];
    bound += kept[KEPT_BOUND] + (family_sum_error(job->rows) + 2 * family_u) * fabs(kept[KEPT_LOSS]);
  }
  const double count = own->reduction_kind == WT_REDUCTION_MEAN ? counted_rows(job) : 1;
  compare_one(job, TOTAL, 0, count > 0 ? sum / count : 0, count > 0 ? bound / count : 0);
}

static void describe(const family_job *job, record *r) {
  const cross_entropy_own *own = job->own;
  const family_data *total = &job->tensors[TOTAL];
  record_text(r, "reduction", own->reduction), record_brief(r);
  record_number(r, "label_smoothing", own->label_smoothing);
  record_number(r, "grad_scale", own->grad_scale);
  record_number(r, "ignore_index", own->ignore_index);
  record_flag(r, "gradient", job->tensors[DX].wanted);
  record_number(r, "total", total->wanted && total->values.data ? total->values.data[0] : NAN);
}

int tool_cross_entropy(int argc, char **argv) {
  static const family cross_entropy = {
      .name = "cross-entropy",
      .text =
          "usage: wavetile cross-entropy --x X.npy --labels L.npy --out LOSS.npy [--dx DX.npy] [options]\n"
          "       wavetile cross-entropy --rows N --columns N [options]\n\n"
          "Computes the loss of each row of logits X, log(sum of exp(X)) - (1 - S) * X[label] - S * mean of "
          "X with the label smoothing S, and the gradient of X.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = X,
      .options = options,
      .check = check,
      .complete = complete,
      .call = call,
      .reference_row = reference_row,
      .reference_end = reference_end,
      .scratch = 3,
      .kept = KEPT,
      .describe = describe,
  };
  cross_entropy_own own = {.reduction = "none", .grad_scale = 1, .ignore_index = -100};
  return family_main(&cross_entropy, &own, argc, argv);
}
