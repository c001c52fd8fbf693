// SPDX-License-Identifier: MIT
// `wavetile norm`: layer norm or RMS norm of the rows of the user's matrices, forward or backward.
#include "norm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "core/whole_file.h"

enum { OPTIONS = NORM_TENSORS + 10 };

static void make_tensors(norm_job *job) {
  static const norm_tensor all[NORM_TENSORS] = {
      [NORM_X] = {.option = "x"},
      [NORM_RESIDUAL] = {.option = "residual"},
      [NORM_DY] = {.option = "backward"},
      [NORM_DSUM] = {.option = "dsum"},
      [NORM_WEIGHT] = {.option = "weight", .vector = true},
      [NORM_BIAS] = {.option = "bias", .vector = true},
      [NORM_OUT] = {.option = "out", .output = true},
      [NORM_SUM] = {.option = "sum", .output = true},
      [NORM_DRESIDUAL] = {.option = "dresidual", .output = true},
      [NORM_DWEIGHT] = {.option = "dweight", .vector = true, .output = true},
      [NORM_DBIAS] = {.option = "dbias", .vector = true, .output = true},
  };
  memcpy(job->tensors, all, sizeof all);
}

static void option_table(norm_job *job, tool_option *table) {
  static const struct {
    const char *argument, *help;
  } files[NORM_TENSORS] = {
      [NORM_X] = {"X.npy", "the matrix whose rows are normalised: float32 or float16"},
      [NORM_RESIDUAL] = {"R.npy", "added to the rows before, after the dropout of X"},
      [NORM_DY] = {"DY.npy", "the gradient of Y: --out is then that of X"},
      [NORM_DSUM] = {"DS.npy", "with --backward: the gradient that arrives at the sum on other ways"},
      [NORM_WEIGHT] = {"V.npy", "a factor for each column"},
      [NORM_BIAS] = {"V.npy", "a summand for each column"},
      [NORM_OUT] = {"Y.npy", "where the result goes"},
      [NORM_SUM] = {"S.npy", "where dropout(X) + residual goes"},
      [NORM_DRESIDUAL] = {"DR.npy", "with --backward: where the gradient of the residual goes"},
      [NORM_DWEIGHT] = {"DW.npy", "with --backward: where the gradient of the weight goes"},
      [NORM_DBIAS] = {"DB.npy", "with --backward: where the gradient of the bias goes"},
  };
  for (int i = 0; i < NORM_TENSORS; ++i)
    table[i] = (tool_option){job->tensors[i].option, TOOL_STRING, &job->tensors[i].path, files[i].argument,
                             files[i].help};
  const tool_option rows[OPTIONS - NORM_TENSORS] = {
      {"layer", TOOL_FLAG, &job->layer, NULL, "layer norm (default)"},
      {"rms", TOOL_FLAG, &job->rms, NULL, "RMS norm"},
      {"epsilon", TOOL_FLOAT, &job->epsilon, "E", "added to the variance or mean square (default 1e-5)"},
      {"dropout", TOOL_FLOAT, &job->dropout, "P",
       "probability with which an element of X becomes 0 (default 0)"},
      {"seed", TOOL_SEED, &job->seed, "S", "says which ones (default 1)"},
      {"dtype", TOOL_STRING, &job->dtype, "TYPE",
       "of the matrices on the device: f32 (default), bf16 or f16"},
      {"type-weight", TOOL_STRING, &job->type_weight, "TYPE",
       "of weight and bias: f32 (default) or as --dtype"},
      {"out-dtype", TOOL_STRING, &job->out_dtype, "TYPE", "of the files written: f32 (default) or f16"},
      {"device", TOOL_STRING, &job->device_spec, "DEVICE", "sim:mi355x (default), sim:mi300x or hip:N"},
      {"help", TOOL_FLAG, &job->help, NULL, "this text"},
  };
  memcpy(table + NORM_TENSORS, rows, sizeof rows);
}

static void print_help(const tool_option *table) {
  tool_help(
      "usage: wavetile norm --x X.npy --out Y.npy [options]\n"
      "       wavetile norm --x X.npy --backward DY.npy --out DX.npy [options]\n\n"
      "Computes sum = dropout(X) + residual, Y = (sum - mean) / sqrt(variance + epsilon) * weight + bias for "
      "each row (with --rms without the mean), or the gradients of that.\n",
      table, OPTIONS);
}

static int check_files(norm_job *job) {
  const norm_tensor *t = job->tensors;
  job->backward = t[NORM_DY].path != NULL;
  if (!t[NORM_X].path || !t[NORM_OUT].path)
    return tool_error(TOOL_USAGE, "--%s is missing; pass --x and --out", t[NORM_X].path ? "out" : "x");
  static const norm_tensor_id backward[] = {NORM_DSUM, NORM_DRESIDUAL, NORM_DWEIGHT, NORM_DBIAS};
  for (int i = 0; i < 4; ++i)
    if (t[backward[i]].path && !job->backward)
      return tool_error(TOOL_USAGE, "--%s is %s, but there is no --backward; pass the gradient of Y",
                        t[backward[i]].option, t[backward[i]].path);
  if (job->rms && job->layer)
    return tool_error(TOOL_USAGE, "--layer and --rms are both given; pass one of them");
  if (!(job->dropout >= 0 && (float)job->dropout < 1))
    return tool_error(TOOL_USAGE, "--dropout is %g; pass a probability from 0 to below 1", job->dropout);
  if (job->epsilon < 0) return tool_error(TOOL_USAGE, "--epsilon is %g; pass 0 or more", job->epsilon);
  for (int i = 0; i < NORM_TENSORS; ++i) {
    if (!t[i].output || !t[i].path) continue;
    for (int j = 0; j < i; ++j)
      if (t[j].output && t[j].path && strcmp(t[i].path, t[j].path) == 0)
        return tool_error(TOOL_USAGE, "--%s and --%s are both %s; pass different files", t[j].option,
                          t[i].option, t[i].path);
    char message[4608];
    if (!whole_file_allowed(t[i].path, message, sizeof message))
      return tool_error(TOOL_USAGE, "--%s %s", t[i].option, message);
  }
  return TOOL_OK;
}

static const element_type *float_type(const char *name) {
  const element_type *type = element_type_find(name, true);
  return type && type->ocp != WT_TYPE_I32 ? type : NULL;
}

static int check_types(norm_job *job) {
  const element_type *type = float_type(job->dtype), *weight = float_type(job->type_weight);
  if (!type) return tool_error(TOOL_USAGE, "--dtype is \"%s\"; pass f32, bf16 or f16", job->dtype);
  if (!weight || (weight->ocp != WT_TYPE_F32 && weight != type))
    return tool_error(TOOL_USAGE, "--type-weight is \"%s\"; pass f32, or %s as --dtype", job->type_weight,
                      job->dtype);
  for (int i = 0; i < NORM_TENSORS; ++i) job->tensors[i].type = job->tensors[i].vector ? weight : type;
  const bool half = strcmp(job->out_dtype, "f16") == 0;
  if (!half && strcmp(job->out_dtype, "f32") != 0)
    return tool_error(TOOL_USAGE, "--out-dtype is \"%s\"; pass f32 or f16", job->out_dtype);
  job->file_type = half ? NPY_F16 : NPY_F32;
  return TOOL_OK;
}

static int read_input(norm_job *job, norm_tensor *t) {
  char message[4608];
  const bool good = t->vector ? npy_read_vector(t->path, &t->values, message, sizeof message)
                              : npy_read_matrix(t->path, &t->values, message, sizeof message);
  if (!good) return tool_error(TOOL_USAGE, "--%s %s", t->option, message);
  const npy_matrix *x = &job->tensors[NORM_X].values, *v = &t->values;
  if (v->cols != x->cols || (!t->vector && v->rows != x->rows))
    return tool_error(TOOL_USAGE, "--%s %s is %lld x %lld, but X is %lld x %lld; pass %s", t->option, t->path,
                      (long long)v->rows, (long long)v->cols, (long long)x->rows, (long long)x->cols,
                      t->vector ? "one number for each column of X" : "a matrix of the shape of X");
  for (int64_t i = 0; t->type->ocp == WT_TYPE_F16 && i < v->rows * v->cols; ++i)
    if (fabsf(v->data[i]) >= 65520.0f)  // rounds to infinity: half an ulp above 65504
      return tool_error(TOOL_USAGE, "--%s %s holds %g, beyond float16; pass bf16 or f32 as its type",
                        t->option, t->path, (double)v->data[i]);
  return TOOL_OK;
}

static int read_inputs(norm_job *job) {
  int code = TOOL_OK;
  for (int i = 0; i < NORM_TENSORS && !code; ++i)
    if (job->tensors[i].path && !job->tensors[i].output) code = read_input(job, &job->tensors[i]);
  job->rows = job->tensors[NORM_X].values.rows, job->columns = job->tensors[NORM_X].values.cols;
  return code;
}

// All outputs are checked before the first is written.
static int write_outputs(const norm_job *job) {
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i < NORM_TENSORS; ++i) {
      const norm_tensor *t = &job->tensors[i];
      if (!t->output || !t->path) continue;
      const npy_matrix *v = &t->values;
      for (int64_t n = 0; pass == 0 && job->file_type == NPY_F16 && n < v->rows * v->cols; ++n)
        if (fabsf(v->data[n]) >= 65520.0f && isfinite(v->data[n]))
          return tool_error(
              TOOL_FAILED, "--%s: element [%lld][%lld] is %g, beyond float16; pass --out-dtype f32",
              t->option, (long long)(n / v->cols), (long long)(n % v->cols), (double)v->data[n]);
      char message[4608];
      if (pass == 1 && !npy_write_matrix(t->path, job->file_type, v, message, sizeof message))
        return tool_error(TOOL_FAILED, "--%s %s", t->option, message);
    }
  return TOOL_OK;
}

static void report(const norm_job *job) {
  report_row("norm", "%s, %s", job->rms ? "RMS" : "layer",
             job->backward ? "forward and backward" : "forward");
  report_row("rows", "%lld of %lld, %s; weights %s", (long long)job->rows, (long long)job->columns,
             job->dtype, job->type_weight);
  if (job->dropout > 0) report_row("dropout", "%g, seed %llu", job->dropout, job->seed);
  report_row("device", "%s", job->device.name);
  if (job->counted)
    report_row("executed", "%llu instructions of waves in %llu work-groups", job->instructions,
               job->workgroups);
  report_row("host time", "%.3f s to run", job->run_seconds);
}

int tool_norm(int argc, char **argv) {
  norm_job job = {.dtype = "f32",
                  .type_weight = "f32",
                  .out_dtype = "f32",
                  .device_spec = "sim:mi355x",
                  .epsilon = 1e-5,
                  .seed = 1};
  make_tensors(&job);
  tool_option table[OPTIONS];
  option_table(&job, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, NULL, 0);
  if (code) return code;
  if (job.help) {
    print_help(table);
    return TOOL_OK;
  }
  code = check_files(&job);
  if (!code) code = check_types(&job);
  if (!code) code = tool_device_prepare(job.device_spec, argv - 1);
  if (!code) code = read_inputs(&job);
  if (!code) code = tool_device_open(job.device_spec, &job.device);
  const double start = tool_seconds();
  if (!code) code = norm_run(&job);
  job.run_seconds = tool_seconds() - start;
  if (!code) code = write_outputs(&job);
  if (!code) report(&job);
  for (int i = 0; i < NORM_TENSORS; ++i) npy_matrix_free(&job.tensors[i].values);
  return code;
}
