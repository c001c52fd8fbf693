// SPDX-License-Identifier: MIT
// Implements `wavetile grouped`: products of groups of rows with a matrix each, and their gradients.
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device_memory.h"
#include "core/parallel.h"
#include "grouped.h"
#include "power_scales.h"

static const family_tensor tensors[TENSORS] = {
    [X] = {"x", "X.npy",
           "rows of all groups: [M][K]; masked [G][M][K]; with --scales mx packed bytes (uint8)", "x",
           FAMILY_OWN, FAMILY_VALUE, false, false, NULL, NULL},
    [W] = {"w", "W.npy", "a matrix for each group: [G][N][K]", "w", FAMILY_OWN, FAMILY_VALUE, false, false,
           NULL, NULL},
    [ROWS] = {"rows", "R.npy", "which rows are whose, as --contract says (whole numbers)", "rows", FAMILY_OWN,
              FAMILY_I32, false, false, NULL, NULL},
    [GROUP_SCALE] = {"group-scale", "V.npy", "G factors, one for each group's result", "group_scale",
                     FAMILY_OWN, FAMILY_F32, false, false, NULL, NULL},
    [ROW_SCALE] = {"row-scale", "V.npy", "a factor for each row of the result; with --dw [G][N]", "row_scale",
                   FAMILY_OWN, FAMILY_F32, false, false, NULL, NULL},
    [COLUMN_SCALE] = {"column-scale", "V.npy",
                      "factors of the columns of each group's result: [G][N], in gradients [G][K]",
                      "column_scale", FAMILY_OWN, FAMILY_F32, false, false, NULL, NULL},
    [BIAS] = {"bias", "V.npy", "summands [G][N], likewise", "bias", FAMILY_OWN, FAMILY_F32, false, false,
              NULL, NULL},
    [X_SCALE] = {"x-scale", "S.npy",
                 "with --scales, factors for 128 columns of X: [M][K / 128]; masked [G][M][K / 128]; with "
                 "--scales mx bytes (uint8) for 32 columns",
                 "x_scale", FAMILY_OWN, FAMILY_F32, false, false, NULL, NULL},
    [W_SCALE] = {"w-scale", "S.npy",
                 "the same of W: [G][N / 128][K / 128], or with --scales rows [G][N][K / 128], or with "
                 "--scales mx [G][N][K / 32]",
                 "w_scale", FAMILY_OWN, FAMILY_F32, false, false, NULL, NULL},
    [DY] = {"dy", "dY.npy", "the gradient of Y: computes those of X and W", "dy", FAMILY_OWN, FAMILY_VALUE,
            false, true, NULL, NULL},
    [DY_SCALE] =
        {"dy-scale", "S.npy",
         "with --scales, factors of dY. A gradient's operands have blocks along what is summed over: "
         "--dx takes dY as it is and W [G][K][N], --dw dY [N][M] and X [K][M] (masked: [N][G * M])",
         "dy_scale", FAMILY_OWN, FAMILY_F32, false, true, NULL, NULL},
    [Y] = {"out", "Y.npy", "where the result goes: [M][N]; masked [G][M][N]", "y", FAMILY_OWN, FAMILY_RESULT,
           true, false, NULL, NULL},
    [DX] = {"dx", "dX.npy", "where the gradient of X goes", "dx", FAMILY_OWN, FAMILY_RESULT, true, true, NULL,
            NULL},
    [DW] = {"dw", "dW.npy", "where the gradient of W goes", "dw", FAMILY_OWN, FAMILY_RESULT, true, true, NULL,
            NULL},
};

static int options(family_job *job, tool_option *table) {
  grouped_own *own = job->own;
  const tool_option rows[] = {
      {"groups", TOOL_SIZES, &own->groups, "G",
       "without files: this many groups, or several: \"8,64\", \"1:512:x2\" or \"8:32:+8\""},
      {"m", TOOL_SIZES, &own->m, "M", "random, normally distributed rows; masked: of each group"},
      {"n", TOOL_SIZES, &own->n, "N", "columns of the result, the same way"},
      {"k", TOOL_SIZES, &own->k, "K", "columns of X, the same way"},
      {"contract", TOOL_STRING, &own->contract_name, "NAME",
       "what --rows holds: offsets (default): G + 1 numbers where groups begin and end; indices: the group "
       "of "
       "each row, -1 for padding; masked: how many of its M rows each group has"},
      {"share", TOOL_STRING, &own->share_name, "NAME",
       "without files: even (default), random, or one group with every row"},
      {"gradient", TOOL_STRING, &own->gradient, "NAME",
       "with --backward: x, w or both (default; not with --scales); with files those that go to one"},
      {"scales", TOOL_STRING, &own->scales_name, "NAME",
       "of blocks of 128 columns of f8e4m3: none (default), tiles for 128 rows of W together, or rows for "
       "each; power-of-two and power-of-two-rows, which the matrix cores of gfx950 apply; or mx: X and W are "
       "in MX formats, as quantize-blocks writes them"},
      {"type-x", TOOL_STRING, &own->type_names[X], "TYPE",
       "of X with --scales mx: f4e2m1 (default), f6e2m3, f6e3m2 or f8e4m3" MX_OR_BF16},
      {"type-w", TOOL_STRING, &own->type_names[W], "TYPE",
       "of W there (default: as the other matrix; with f8e5m2 it must be f8e4m3, with bf16 f4e2m1)"},
      {"type-dy", TOOL_STRING, &own->type_names[DY], "TYPE",
       "of dY in gradients there, as --type-x or f8e5m2"},
      {"alpha", TOOL_FLOAT, &own->alpha, "X", "factor of the sums (default 1)"},
      {"activation", TOOL_STRING, &own->activation_name, "NAME",
       "relu, gelu (tanh form) or silu, applied last"},
      {"kernel", TOOL_STRING, &own->kernel, "NAME",
       "of the pass, such as grouped_4wave_128x128 (default: the fastest that fits)"},
  };
  memcpy(table, rows, sizeof rows);
  return sizeof rows / sizeof *rows;
}

static int check_words(grouped_own *own) {
  static const char *const contracts[] = {"offsets", "indices", "masked"};  // by wt_grouped_contract
  static const char *const shares[] = {"even", "random", "one"}, *const gradients[] = {"x", "w", "both"};
  const int contract = tool_word(own->contract_name, contracts, 3);
  const int activation = tool_activation_word(own->activation_name);
  if (contract < 0)
    return tool_error(TOOL_USAGE, "--contract is \"%s\"; pass offsets, indices or masked",
                      own->contract_name);
  if (activation < 0)
    return tool_error(TOOL_USAGE, "--activation is \"%s\"; pass none, relu, gelu or silu",
                      own->activation_name);
  if (tool_word(own->share_name, shares, 3) < 0)
    return tool_error(TOOL_USAGE, "--share is \"%s\"; pass even, random or one", own->share_name);
  if (own->gradient && tool_word(own->gradient, gradients, 3) < 0)
    return tool_error(TOOL_USAGE, "--gradient is \"%s\"; pass x, w or both", own->gradient);
  own->contract = (wt_grouped_contract)contract;
  own->activation = (wt_activation)activation;
  return TOOL_OK;
}

// Describes the options and the fields of records that say the type of a matrix in an MX format.
static const struct {
  int tensor;
  const char *option, *field;
} type_options[] = {{X, "type-x", "type_x"}, {W, "type-w", "type_w"}, {DY, "type-dy", "type_dy"}};
enum { TYPE_OPTIONS = sizeof type_options / sizeof *type_options };

static const char *type_option_of(int tensor) {
  for (int i = 0; i < TYPE_OPTIONS; ++i)
    if (type_options[i].tensor == tensor) return type_options[i].option;
  return "";
}

// Checks which types MX formats have, and bytes in place of numbers.
static int check_mx(family_job *job) {
  grouped_own *own = job->own;
  const grouped_factors f = grouped_factors_of(job);
  for (int i = 0; i < TYPE_OPTIONS; ++i) {
    const int tensor = type_options[i].tensor;
    if (!own->type_names[tensor]) continue;
    if (own->scales != SCALES_MX)
      return tool_error(TOOL_USAGE, "--%s is given without --scales mx; pass --dtype for other inputs",
                        type_options[i].option);
    if (tensor != f.a && tensor != f.b)
      return tool_error(TOOL_USAGE,
                        "--%s is given, but this pass does not multiply that matrix; leave it out",
                        type_options[i].option);
  }
  if (own->scales != SCALES_MX) return TOOL_OK;
  const int refused = mx_check_device(job, ", or --scales tiles or rows");
  if (refused) return refused;
  const char *const a = own->type_names[f.a] ? own->type_names[f.a] : "f4e2m1";
  int code = mx_rows_option(job, f.a, type_option_of(f.a), a,
                            MX_WITH_ITSELF ", f8e5m2 in gradients" MX_OR_BF16, &own->types[f.a]);
  const char *const partner = !own->types[f.a] ? "f4e2m1" : strcmp(a, "f8e5m2") == 0 ? "f8e4m3" : a;
  const char *const b = own->type_names[f.b] ? own->type_names[f.b] : partner;
  if (!code) code = mx_type_option(type_option_of(f.b), b, MX_WITH_ITSELF, &own->types[f.b]);
  const int bytes[] = {f.b, f.a_scale, f.b_scale};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; ++i) job->tensors[bytes[i]].element = FAMILY_CODE;
  return code;
}

// Returns whether the first matrix has no scales, as it is of bf16 and the second one in an MX format.
static bool is_widened(const family_job *job) {
  const grouped_own *own = job->own;
  const char *const name = own->type_names[grouped_factors_of(job).a];
  return own->scales == SCALES_MX && name && strcmp(name, "bf16") == 0;
}

// With scales, a gradient has operands of its own.
static int check_scaled_gradient(const family_job *job) {
  const grouped_own *own = job->own;
  const family_data *t = job->tensors;
  if (!job->backward) return TOOL_OK;
  if (t[DX].wanted && t[DW].wanted)
    return tool_error(TOOL_USAGE,
                      "--scales %s is given, and two gradients are wanted, whose operands differ; pass %s",
                      own->scales_name, job->files ? "--dx or --dw" : "--gradient x or --gradient w");
  const grouped_factors f = grouped_factors_of(job);
  for (int i = X; i <= W; ++i)
    if (t[i].path && i != f.b)
      return tool_error(TOOL_USAGE,
                        "--%s is given, but with --scales this gradient is of dY and %s; leave it out",
                        tensors[i].option, f.b == X ? "X" : "W");
  return TOOL_OK;
}

static int check_scales(family_job *job) {
  static const int of_scales[] = {X_SCALE, W_SCALE, DY_SCALE};
  grouped_own *own = job->own;
  family_data *t = job->tensors;
  int code = weight_scales_option(own->scales_name, &own->scales, &own->kind);
  if (!code && own->scales) code = check_scaled_gradient(job);
  const grouped_factors f = grouped_factors_of(job);
  for (size_t n = 0; n < sizeof of_scales / sizeof *of_scales && !code; ++n) {
    const int i = of_scales[n];
    if (!own->scales && t[i].path)
      code = tool_error(TOOL_USAGE,
                        "--%s is given without --scales; pass --scales tiles, rows, power-of-two or mx",
                        tensors[i].option);
    const bool wanted = own->scales && (i == f.b_scale || (i == f.a_scale && !is_widened(job)));
    if (own->scales && t[i].path && !wanted)
      code = tool_error(TOOL_USAGE, "--%s is given, but that matrix has no scales here; leave it out",
                        tensors[i].option);
    if (wanted && job->files && !t[i].path)
      code = tool_error(TOOL_USAGE, "--%s is missing; with --scales %s pass --%s and --%s", tensors[i].option,
                        own->scales_name, tensors[f.a_scale].option, tensors[f.b_scale].option);
    t[i].wanted = wanted;
  }
  if (code || !own->scales || own->scales == SCALES_MX || strcmp(job->dtype, "f8e4m3") == 0) return code;
  return tool_error(TOOL_USAGE, "--dtype is %s, but --scales %s needs f8e4m3", job->dtype, own->scales_name);
}

static int check_sources(const family_job *job) {
  const grouped_own *own = job->own;
  const struct {
    const char *name;
    const tool_sizes *sizes;
  } needed[] = {{"groups", &own->groups}, {"m", &own->m}, {"n", &own->n}, {"k", &own->k}};
  for (size_t i = 0; i < sizeof needed / sizeof *needed && !job->files; ++i)
    if (!needed[i].sizes->now)
      return tool_error(TOOL_USAGE,
                        "--%s is missing; pass --groups, --m, --n and --k, or --x, --w and --rows",
                        needed[i].name);
  return TOOL_OK;
}

// Checks the files that a run needs beside the main one.
static int check_files(const family_job *job) {
  const grouped_own *own = job->own;
  const grouped_factors f = grouped_factors_of(job);
  const int first = own->scales ? f.a : X, second = own->scales ? f.b : W;
  const int needed[] = {second, ROWS};
  for (int i = 0; i < 2 && job->files; ++i)
    if (!job->tensors[needed[i]].path)
      return tool_error(TOOL_USAGE, "--%s is missing; pass --%s, --%s and --rows", tensors[needed[i]].option,
                        tensors[first].option, tensors[second].option);
  return TOOL_OK;
}

// With scales, files of a gradient have its operands alone.
static int main_of(const family_job *job) {
  const grouped_own *own = job->own;
  return job->backward && strcmp(own->scales_name, "none") != 0 ? DY : X;
}

// A gradient is that of the scaled sums; factors of rows and columns are of one gradient.
static int check_backward(const family_job *job) {
  const grouped_own *own = job->own;
  const family_data *t = job->tensors;
  const char *given = own->activation ? "activation" : t[BIAS].path ? "bias" : NULL;
  if (job->backward && given)
    return tool_error(
        TOOL_USAGE,
        "--%s is given, but the gradient is that of the scaled sums; leave it out, and apply it to dY",
        given);
  for (int i = ROW_SCALE; i <= COLUMN_SCALE; ++i)
    if (job->backward && t[i].path && t[DX].wanted && t[DW].wanted)
      return tool_error(TOOL_USAGE,
                        "--%s is given, but the gradients of X and W have factors of their own; ask for one "
                        "of them",
                        tensors[i].option);
  if (job->backward && own->kernel && job->tensors[DX].wanted && job->tensors[DW].wanted)
    return tool_error(TOOL_USAGE,
                      "--kernel is %s, but the gradients of X and W are computed by two kernels; ask for one "
                      "of them",
                      own->kernel);
  return TOOL_OK;
}

static int check(family_job *job) {
  grouped_own *own = job->own;
  family_data *t = job->tensors;
  int code = check_words(own);
  if (!code) code = check_sources(job);
  if (!code) code = family_check_gradient(job, own->gradient, "--dx or --dw");
  if (!job->files && job->backward) {
    const char *const gradient = own->gradient ? own->gradient : "both";
    t[Y].wanted = false;
    t[DX].wanted = strcmp(gradient, "w") != 0, t[DW].wanted = strcmp(gradient, "x") != 0;
  }
  if (!code) code = check_backward(job);
  if (code) return code;
  code = check_scales(job);
  if (!code) code = check_files(job);
  if (!code) code = check_mx(job);
  t[X].wanted = t[W].wanted = t[ROWS].wanted = true;
  if (own->scales && job->backward) t[grouped_factors_of(job).b == X ? W : X].wanted = false;
  if (!job->backward) t[Y].wanted = true;
  return code;
}

static void make_shape(family_job *job) { (void)job; }  // grouped_dims takes it from the options

// ---- values

// Returns the largest finite number of the type on any device; infinite where it is not FP8.
static double largest_of(const element_type *type) {
  return type->format_ocp ? fmin(type->format_ocp->max, type->format_fnuz->max) : INFINITY;
}

static int check_range(const family_job *job, int tensor) {
  const npy_array *values = &job->tensors[tensor].values;
  if (job->tensors[tensor].element == FAMILY_CODE) return TOOL_OK;
  for (int64_t n = 0; values->data && n < npy_count(values); ++n)
    if (fabs((double)values->data[n]) > largest_of(job->type))
      return tool_error(TOOL_USAGE, "--%s holds %g, beyond %s; pass bf16, or divide it and pass --alpha",
                        tensors[tensor].option, (double)values->data[n], job->dtype);
  return TOOL_OK;
}

// Checks that there are whole blocks.
static int check_blocks(const family_job *job) {
  const grouped_own *own = job->own;
  const grouped_sizes s = grouped_sizes_of(job);
  static const char *const names[] = {"k", "n", "m"};  // by wt_grouped_pass
  const wt_grouped_pass pass = grouped_pass_of(job);
  const int64_t size = pass == WT_GROUPED_FORWARD ? s.k : pass == WT_GROUPED_BACKWARD_INPUT ? s.n : s.m;
  const bool masked = own->contract == WT_GROUP_MASKED;
  if (masked && s.rows != s.groups * s.m)
    return tool_error(TOOL_USAGE,
                      "--dy has rows of %lld elements, but %lld groups have as many each; pass a multiple",
                      (long long)s.rows, (long long)s.groups);
  const bool whole = own->scales == SCALES_MX || (grouped_grain(job) > 1 && masked);
  if (whole && size % grouped_block(job))
    return tool_error(TOOL_USAGE, "--%s is %lld; with --scales %s pass a multiple of %d, of whole blocks",
                      names[pass], (long long)size, own->scales_name, (int)grouped_block(job));
  return TOOL_OK;
}

static int lay_out(family_job *job) {
  const grouped_sizes s = grouped_sizes_of(job);
  job->rows = s.rows, job->columns = job->backward ? s.k : s.n;
  return check_blocks(job);
}

// Makes random bytes numbers.
static void tame(family_job *job) {
  const grouped_own *own = job->own;
  const grouped_factors f = grouped_factors_of(job);
  if (own->scales != SCALES_MX || job->files) return;
  if (f.type_a) mx_tame(&job->tensors[f.a].values, f.type_a);
  if (f.type_a) mx_tame(&job->tensors[f.a_scale].values, NULL);
  mx_tame(&job->tensors[f.b].values, f.type_b), mx_tame(&job->tensors[f.b_scale].values, NULL);
}

// Makes powers of two of random scales, and checks those of files, where --scales promises them.
static int take_powers(family_job *job) {
  const grouped_own *own = job->own;
  const grouped_factors f = grouped_factors_of(job);
  if (own->kind != WT_BLOCK_SCALES_POWER_OF_TWO) return TOOL_OK;
  const char *const instead = weight_scales_any(own->scales);
  const int code = power_scales_take(job, f.a_scale, instead);
  return code ? code : power_scales_take(job, f.b_scale, instead);
}

static int complete(family_job *job) {
  int code = take_powers(job);
  if (code) return code;
  tame(job);
  if (job->files)
    code = grouped_check_rows(job);
  else
    grouped_make_rows(job);
  if (!code) code = check_range(job, X);
  if (!code) code = check_range(job, W);
  if (!code) code = check_range(job, DY);
  return code ? code : grouped_find_owners(job);
}

static double flops(const family_job *job) {
  const grouped_own *own = job->own;
  const grouped_sizes s = grouped_sizes_of(job);
  const int products = job->backward ? job->tensors[DX].wanted + job->tensors[DW].wanted : 1;
  return 2.0 * (double)own->counted * (double)s.n * (double)s.k * products;
}

// ---- the call

static wt_grouped_desc descriptor(const family_job *job) {
  const grouped_own *own = job->own;
  const family_data *t = job->tensors;
  const grouped_sizes s = grouped_sizes_of(job);
  wt_grouped_desc d = WT_GROUPED_DESC_INIT;
  d.groups = s.groups, d.m = s.m, d.n = s.n, d.k = s.k;
  d.contract = own->contract;
  d.alpha = (float)own->alpha;
  d.group_scale = t[GROUP_SCALE].device;
  d.row_scale = t[ROW_SCALE].device, d.column_scale = t[COLUMN_SCALE].device;
  d.type_x = d.type_w = d.type_y = element_type_on(job->type, job->target);
  if (own->types[X]) d.type_x = own->types[X]->type;
  if (own->types[W]) d.type_w = own->types[W]->type;
  if (own->types[DY]) d.type_y = own->types[DY]->type;
  d.x_scale = t[X_SCALE].device, d.w_scale = t[W_SCALE].device, d.y_scale = t[DY_SCALE].device;
  d.scales = own->kind;
  if (own->scales == SCALES_ROWS) d.scales_of_w = WT_SCALES_OF_B_ROWS;
  return d;
}

// Rows that are nobody's shall be 0 in files.
static int prepare(family_job *job) {
  for (int i = 0; i < TENSORS; ++i) {
    const family_data *d = &job->tensors[i];
    if (!tensors[i].output || !d->wanted) continue;
    const size_t bytes = (size_t)matrix_layout_span(&d->layout) * d->type->size;
    const hipError_t error = hipMemset(d->device, 0, bytes);
    if (error != hipSuccess) return tool_hip_failed("clearing the results", error);
  }
  return TOOL_OK;
}

// Reports a refusal in the words of this command: the types of what is multiplied are --dtype, or in an MX
// format options of their own, and that of the result is --type-y.
static int report(const family_job *job, wt_status status, wt_grouped_pass pass) {
  static const char *const members[] = {"type_x", "type_w", "type_y"}, *const options[] = {"--type-x",
                                                                                           "--type-w",
                                                                                           "--type-dy"};
  static const int results[] = {[WT_GROUPED_FORWARD] = 2,
                                [WT_GROUPED_BACKWARD_INPUT] = 0,
                                [WT_GROUPED_BACKWARD_WEIGHT] = 1};  // of `members`
  const grouped_own *own = job->own;
  tool_api_name names[3];
  for (int i = 0; i < 3; ++i) {
    const char *const factor = own->scales == SCALES_MX ? options[i] : "--dtype";
    names[i] = (tool_api_name){members[i], i == results[pass] ? "--type-y" : factor};
  }
  return family_status_as(job, status, names, 3);
}

static int forward(family_job *job) {
  grouped_own *own = job->own;
  const family_data *t = job->tensors;
  wt_grouped_desc d = descriptor(job);
  d.type_y = job->type_of_result->ocp;
  d.bias = t[BIAS].device, d.activation = own->activation, d.kernel = own->kernel;
  wt_status status = wt_grouped_chosen(job->context, &d, WT_GROUPED_FORWARD, &own->chosen);
  if (!status)
    status =
        wt_grouped_forward(job->context, &d, t[X].device, t[W].device, t[Y].device, t[ROWS].device, NULL);
  return report(job, status, WT_GROUPED_FORWARD);
}

static int backward(family_job *job) {
  grouped_own *own = job->own;
  const family_data *t = job->tensors;
  const wt_type result = job->type_of_result->ocp;
  wt_grouped_desc by_x = descriptor(job), by_w = by_x;
  by_x.type_x = result, by_w.type_w = result;
  by_x.kernel = by_w.kernel = own->kernel;
  const wt_grouped_pass pass = grouped_pass_of(job);
  const wt_grouped_desc *first = pass == WT_GROUPED_BACKWARD_INPUT ? &by_x : &by_w;
  wt_status status = wt_grouped_chosen(job->context, first, pass, &own->chosen);
  if (!status && t[DX].wanted)
    status = wt_grouped_backward_input(job->context, &by_x, t[DY].device, t[W].device, t[DX].device,
                                       t[ROWS].device, NULL);
  if (status) return report(job, status, pass);
  if (t[DW].wanted)
    status = wt_grouped_backward_weight(job->context, &by_w, t[DY].device, t[X].device, t[DW].device,
                                        t[ROWS].device, NULL);
  return report(job, status, WT_GROUPED_BACKWARD_WEIGHT);
}

static int call(family_job *job) { return job->backward ? backward(job) : forward(job); }

static void describe(const family_job *job, record *r) {
  const grouped_own *own = job->own;
  const grouped_sizes s = grouped_sizes_of(job);
  record_whole(r, "groups", s.groups), record_brief(r);
  record_whole(r, "m", s.m), record_brief(r);
  record_whole(r, "n", s.n), record_brief(r);
  record_whole(r, "k", s.k), record_brief(r);
  record_text(r, "contract", own->contract_name), record_brief(r);
  record_text(r, "scales", own->scales_name);
  for (int i = 0; i < TYPE_OPTIONS; ++i) {
    const int tensor = type_options[i].tensor;
    if (job->tensors[tensor].wanted)
      record_text(r, type_options[i].field, own->types[tensor] ? own->types[tensor]->name : job->dtype);
  }
  record_whole(r, "rows_of_groups", own->counted);
  record_text(r, "activation", own->activation_name);
  record_text(r, "kernel", own->chosen ? own->chosen : "");
}

int tool_grouped(int argc, char **argv) {
  static const family grouped = {
      .name = "grouped",
      .text =
          "usage: wavetile grouped --x X.npy --w W.npy --rows R.npy --out Y.npy [options]\n"
          "       wavetile grouped --groups G --m M --n N --k K [options]\n\n"
          "Multiplies the rows of each group with the transposed matrix of that group: "
          "Y = activation(scales * alpha * X * W^T + bias). Rows that are nobody's are 0 in the result.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = X,
      .main_of = main_of,
      .has_backward = true,
      .has_products = true,
      .own_shape = true,
      .options = options,
      .check = check,
      .make_shape = make_shape,
      .dims = grouped_dims,
      .flops = flops,
      .take_shape = grouped_take_shape,
      .lay_out = lay_out,
      .complete = complete,
      .prepare = prepare,
      .call = call,
      .reference_begin = grouped_reference_begin,
      .reference_row = grouped_reference_row,
      .reference_end = grouped_reference_end,
      .scratch = 2,
      .describe = describe,
  };
  grouped_own own = {.contract_name = "offsets",
                     .share_name = "even",
                     .activation_name = "none",
                     .scales_name = "none",
                     .alpha = 1};
  const int code = family_main(&grouped, &own, argc, argv);
  free(own.owner);
  return code;
}
