// SPDX-License-Identifier: MIT
// Implements `wavetile activation`: functions of elements, with and without a gate, and their gradients.
#include <math.h>
#include <string.h>

#include "block_result.h"

enum { X, GATE, Y, DY, DX, DGATE, Q, SCALE, TENSORS };

static const family_tensor tensors[TENSORS] = {
    [X] = {"x", "X.npy", "the elements, in 2 to 4 axes: float32, float64, float16 or whole numbers", "x",
           FAMILY_MATRIX, FAMILY_VALUE, false, false, "ldx",
           "elements between the starts of rows of X on the device (default: rows are packed)"},
    [GATE] = {"gate", "G.npy", "a gate of the shape of X: Y is then f(gate) * X", "gate", FAMILY_MATRIX,
              FAMILY_VALUE, false, false, "ldgate",
              "elements between the starts of rows of the gate (default: packed)"},
    [Y] = {"out", "Y.npy", "where the result goes", "y", FAMILY_MATRIX, FAMILY_VALUE, true, false, "ldy",
           "elements between the starts of rows of Y (default: packed)"},
    [DY] = {"dy", "DY.npy", "the gradient of Y: runs the backward pass", "dy", FAMILY_MATRIX, FAMILY_VALUE,
            false, true, "lddy", "elements between the starts of rows of DY (default: packed)"},
    [DX] = {"dx", "DX.npy", "where the gradient of X goes", "dx", FAMILY_MATRIX, FAMILY_VALUE, true, true,
            "lddx", "elements between the starts of rows of DX (default: packed)"},
    [DGATE] = {"dgate", "DG.npy", "where the gradient of the gate goes", "dgate", FAMILY_MATRIX, FAMILY_VALUE,
               true, true, "lddgate", "elements between the starts of rows of DGATE (default: packed)"},
    [Q] = BLOCK_RESULT_Q,
    [SCALE] = BLOCK_RESULT_SCALE,
};

typedef struct activation_own {
  const char *function;
  bool gated;
  wt_activation activation;
  block_result blocks;  // of Y
} activation_own;

static int options(family_job *job, tool_option *table) {
  activation_own *own = job->own;
  const tool_option rows[] = {
      {"function", TOOL_STRING, &own->function, "NAME",
       "relu, gelu (tanh form), silu (default), or none, for a gate"},
      {"gated", TOOL_FLAG, &own->gated, NULL, "without files: with a gate"},
  };
  memcpy(table, rows, sizeof rows);
  const int count = sizeof rows / sizeof *rows;
  return count + block_result_options(&own->blocks, table + count);
}

static int check(family_job *job) {
  activation_own *own = job->own;
  family_data *t = job->tensors;
  const int found = tool_activation_word(own->function);
  if (found < 0)
    return tool_error(TOOL_USAGE, "--function is \"%s\"; pass none, relu, gelu or silu", own->function);
  own->activation = (wt_activation)found;
  if (job->files && own->gated) return tool_error(TOOL_USAGE, "--gated is for random inputs; pass --gate");
  t[GATE].wanted = t[GATE].path || own->gated;
  if (t[DGATE].path && !t[GATE].wanted)
    return tool_error(TOOL_USAGE, "--dgate is %s, but there is no --gate; pass one", t[DGATE].path);
  if (job->backward) t[DX].wanted = true, t[DGATE].wanted = t[GATE].wanted;
  t[Y].wanted = t[Y].path || !job->backward;
  return block_result_check(job, &own->blocks);
}

static wt_activation_desc descriptor(const family_job *job) {
  const activation_own *own = job->own;
  const family_data *t = job->tensors;
  wt_activation_desc d = WT_ACTIVATION_DESC_INIT;
  d.rows = job->rows, d.columns = job->columns, d.type = job->type->ocp, d.activation = own->activation;
  d.ldx = t[X].ld, d.ldgate = t[GATE].ld, d.ldy = t[Y].ld;
  d.lddy = t[DY].ld, d.lddx = t[DX].ld, d.lddgate = t[DGATE].ld;
  return d;
}

static int forward(family_job *job) {
  const activation_own *own = job->own;
  wt_activation_desc d = descriptor(job);
  const family_data *t = job->tensors;
  d.output = block_result_output(job, &own->blocks);
  void *to = block_result_to(job, &own->blocks);
  return family_status(job, wt_activate(job->context, &d, t[X].device, t[GATE].device, to, NULL));
}

// The backward pass needs nothing of the forward pass, which runs when its result is asked for too.
static int prepare(family_job *job) {
  return job->backward && job->tensors[Y].wanted ? forward(job) : TOOL_OK;
}

static int call(family_job *job) {
  if (!job->backward) return forward(job);
  const wt_activation_desc d = descriptor(job);
  const family_data *t = job->tensors;
  return family_status(job, wt_activate_backward(job->context, &d, t[X].device, t[GATE].device, t[DY].device,
                                                 t[DX].device, t[DGATE].device, NULL));
}

// Describes f(x), its slope, and what their evaluation in f32 may be off by. GELU and SiLU are x * s(t), with
// the sigmoid s: a few ulp, the rounding of t, which exp() multiplies by |t|, and sigmoids below 2^-126,
// which are flushed. Their slope is s + x t' s (1 - s).
typedef struct value {
  double f, f_error, slope, slope_error;
} value;

static value evaluate(wt_activation activation, double x) {
  if (activation == WT_ACTIVATION_NONE) return (value){x, 0, 1, 0};
  if (activation == WT_ACTIVATION_RELU) return (value){x > 0 ? x : 0, 0, x > 0, 0};
  const bool gelu = activation == WT_ACTIVATION_GELU;
  const double t = gelu ? 1.5957691216057308 * (x + 0.044715 * x * x * x) : x;
  const double t_slope = gelu ? 1.5957691216057308 * (1 + 3 * 0.044715 * x * x) : 1;
  const double s = 1 / (1 + exp(-t)), relative = family_u * (16 + 8 * fabs(t));
  const double flushed = (1 + fabs(x) * (1 + fabs(t_slope))) * 0x1p-126;
  return (value){.f = x * s,
                 .f_error = relative * fabs(x * s) + flushed,
                 .slope = s + x * t_slope * s / (1 + exp(t)),
                 .slope_error = relative * s * (1 + 2 * fabs(x * t_slope)) + flushed};
}

// Multiplies, and finds the bound of the product: an error in the first factor, and the roundings.
static void multiply(double a, double a_error, double b, double *want, double *bound) {
  *want = a * b;
  *bound = fabs(b) * a_error + 2 * family_u * fabs(*want);
}

// Compares a row of a gradient, which is rounded once more.
static void compare_row(family_job *job, int tensor, int64_t row, const double *want, double *bound) {
  for (int64_t j = 0; j < job->columns; ++j) bound[j] = family_rounded(job, tensor, want[j], bound[j]);
  family_compare(job, tensor, row * job->columns, job->columns, want, bound);
}

static void compare_forward(family_job *job, int64_t row, const value *values, double *want, double *bound) {
  const activation_own *own = job->own;
  const float *x = family_row(job, X, row), *gate = family_row(job, GATE, row);
  for (int64_t j = 0; j < job->columns; ++j)
    multiply(values[j].f, values[j].f_error, gate ? x[j] : 1, &want[j], &bound[j]);
  block_result_compare(job, &own->blocks, row, want, bound);
}

static void compare_backward(family_job *job, int64_t row, const value *values, double *want, double *bound) {
  const float *x = family_row(job, X, row), *dy = family_row(job, DY, row);
  const bool gated = job->tensors[GATE].wanted;
  for (int64_t j = 0; j < job->columns; ++j) {
    const value *v = &values[j];
    multiply(gated ? v->f : v->slope, gated ? v->f_error : v->slope_error, dy[j], &want[j], &bound[j]);
  }
  compare_row(job, DX, row, want, bound);
  if (!gated) return;
  for (int64_t j = 0; j < job->columns; ++j)
    multiply(values[j].slope, values[j].slope_error, (double)x[j] * dy[j], &want[j], &bound[j]);
  compare_row(job, DGATE, row, want, bound);
}

static void reference_row(family_job *job, int64_t row, double *scratch) {
  const activation_own *own = job->own;
  const float *argument = family_row(job, job->tensors[GATE].wanted ? GATE : X, row);
  double *want = scratch, *bound = scratch + job->columns;
  value *values = (value *)(void *)(scratch + 2 * job->columns);  // four numbers each
  for (int64_t j = 0; j < job->columns; ++j) values[j] = evaluate(own->activation, argument[j]);
  compare_forward(job, row, values, want, bound);
  if (job->backward) compare_backward(job, row, values, want, bound);
}

static int64_t width(const family_job *job, int tensor) {
  const activation_own *own = job->own;
  return block_result_width(job, &own->blocks, tensor);
}

static void dims(const family_job *job, int tensor, npy_array *out) {
  (void)tensor;  // shuffled scales are the only tensor of this kind
  block_result_dims(job, out);
}

static int lay_out(family_job *job) {
  const activation_own *own = job->own;
  return block_result_complete(job, &own->blocks);
}

static void describe(const family_job *job, record *r) {
  const activation_own *own = job->own;
  record_text(r, "function", own->function), record_brief(r);
  record_flag(r, "gated", job->tensors[GATE].wanted), record_brief(r);
  block_result_describe(&own->blocks, r);
}

int tool_activation(int argc, char **argv) {
  static const family activation = {
      .name = "activation",
      .text =
          "usage: wavetile activation --function silu --x X.npy [--gate G.npy] --out Y.npy [options]\n"
          "       wavetile activation --x X.npy --quantize TYPE --q Q.npy --scale S.npy [options]\n"
          "       wavetile activation --x X.npy --dy DY.npy --dx DX.npy [options]\n"
          "       wavetile activation --rows N --columns N [options]\n\n"
          "Computes Y = f(X), or with a gate Y = f(gate) * X (SwiGLU: silu; GeGLU: gelu), or the gradients "
          "of X and of the gate from that of Y.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = X,
      .has_backward = true,
      .options = options,
      .check = check,
      .width = width,
      .dims = dims,
      .lay_out = lay_out,
      .prepare = prepare,
      .call = call,
      .reference_row = reference_row,
      .scratch = 6,
      .describe = describe,
  };
  activation_own own = {.function = "silu", .blocks = {.y = Y, .q = Q, .scale = SCALE}};
  return family_main(&activation, &own, argc, argv);
}
