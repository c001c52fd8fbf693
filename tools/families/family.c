// SPDX-License-Identifier: MIT
// Implements the options that all families have, and the run for each combination of sizes.
#include "family.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/report.h"
#include "core/whole_file.h"

// ---- options

static int tensor_options(family_job *job, tool_option *table) {
  const family *f = job->family;
  int count = 0;
  for (int i = 0; i < f->tensor_count; ++i) {
    const family_tensor *t = &f->tensors[i];
    if (t->option)
      table[count++] = (tool_option){t->option, TOOL_STRING, &job->tensors[i].path, t->argument, t->help};
  }
  for (int i = 0; i < f->tensor_count; ++i) {
    const family_tensor *t = &f->tensors[i];
    if (t->ld) table[count++] = (tool_option){t->ld, TOOL_SIZE, &job->tensors[i].ld, "N", t->ld_help};
  }
  return count;
}

static int shared_options(family_job *job, tool_option *table) {
  const family *f = job->family;
  int count = 0;
  if (!f->own_shape) {
    table[count++] = (tool_option){"rows", TOOL_SIZES, &job->rows_option, "N",
                                   "without files: random, normally distributed inputs of this shape, or of "
                                   "several: \"128,256\", \"1:4096:x2\" or \"128:1024:+128\""};
    table[count++] = (tool_option){"columns", TOOL_SIZES, &job->columns_option, "N",
                                   "numbers of a row, one or several; there is a run for each combination"};
  }
  if (f->has_backward)
    table[count++] = (tool_option){"backward", TOOL_FLAG, &job->backward_option, NULL,
                                   "without files: run the backward pass, after the forward pass"};
  if (f->has_bytes_alone) return count;
  table[count++] =
      (tool_option){"dtype", TOOL_STRING, &job->dtype, "TYPE",
                    f->has_products ? "of the inputs on the device: bf16 (default), f16, f8e4m3 or f8e5m2"
                    : f->has_halves ? "of the matrices on the device: bf16 (default) or f16"
                                    : "of the matrices on the device: f32 (default), bf16 or f16"};
  if (f->has_products)
    table[count++] = (tool_option){"type-y", TOOL_STRING, &job->type_y, "TYPE",
                                   "of the result on the device: f32 (default), bf16 or f16"};
  if (f->has_weight)
    table[count++] = (tool_option){"type-weight", TOOL_STRING, &job->type_weight, "TYPE",
                                   "of weight and bias: f32 (default) or as --dtype"};
  table[count++] = (tool_option){"out-dtype", TOOL_STRING, &job->out_dtype, "TYPE",
                                 "of the files written: f32 (default) or f16"};
  return count;
}

static size_t option_table(family_job *job, tool_option *table) {
  int count = tensor_options(job, table);
  if (job->family->options) count += job->family->options(job, table + count);
  count += shared_options(job, table + count);
  tool_run_rows(&job->run_options, table + count, false);
  return (size_t)count + TOOL_RUN_ROWS;
}

// ---- checks before any work

static bool sizes_given(const tool_option *table, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (table[i].kind == TOOL_SIZES && ((const tool_sizes *)table[i].value)->count) return true;
  return false;
}

static int check_output_path(const family_job *job, int i) {
  const family_tensor *t = job->family->tensors;
  const char *path = job->tensors[i].path;
  for (int j = 0; j < i; ++j)
    if (t[j].output && job->tensors[j].path && strcmp(path, job->tensors[j].path) == 0)
      return tool_error(TOOL_USAGE, "--%s and --%s are both %s; pass different files", t[j].option,
                        t[i].option, path);
  char message[4608];
  return whole_file_allowed(path, message, sizeof message)
             ? TOOL_OK
             : tool_error(TOOL_USAGE, "--%s %s", t[i].option, message);
}

// The tensor whose file makes a run one of the backward pass: the gradient that comes in.
static int gradient_of(const family *f) {
  for (int i = 0; i < f->tensor_count; ++i)
    if (f->tensors[i].backward && !f->tensors[i].output && f->tensors[i].option) return i;
  return -1;
}

int family_main_tensor(const family_job *job) {
  return job->family->main_of ? job->family->main_of(job) : job->family->main;
}

int family_check_gradient(const family_job *job, const char *given, const char *outputs) {
  if (!given || job->backward_option) return TOOL_OK;
  if (job->files)
    return tool_error(TOOL_USAGE, "--gradient is %s, but it is for random inputs; pass %s", given, outputs);
  return tool_error(TOOL_USAGE,
                    "--gradient is %s, but there is no --backward; pass it, or leave --gradient out", given);
}

static int check_files(const family_job *job) {
  const family *f = job->family;
  const int first = family_main_tensor(job);
  const char *main = f->tensors[first].option;
  const int gradient = gradient_of(f);
  const bool backward = gradient >= 0 && job->tensors[gradient].path;
  bool output = false;
  if (!job->tensors[first].path)
    return tool_error(TOOL_USAGE, "--%s is missing; pass it and where a result goes", main);
  if (job->backward_option)
    return tool_error(TOOL_USAGE, "--backward is for random inputs; pass --%s", f->tensors[gradient].option);
  for (int i = 0; i < f->tensor_count; ++i) {
    const family_tensor *t = &f->tensors[i];
    if (!job->tensors[i].path) continue;
    output = output || (t->output && t->backward == backward);
    if (t->backward && !job->tensors[gradient].path)
      return tool_error(TOOL_USAGE, "--%s is %s, but there is no --%s; pass the gradient that comes in",
                        t->option, job->tensors[i].path, f->tensors[gradient].option);
    const int code = t->output ? check_output_path(job, i) : TOOL_OK;
    if (code) return code;
  }
  if (output) return TOOL_OK;
  for (int i = 0; i < f->tensor_count; ++i)
    if (f->tensors[i].output && f->tensors[i].option && f->tensors[i].backward == backward)
      return tool_error(TOOL_USAGE, "--%s is missing; pass where a result goes", f->tensors[i].option);
  return TOOL_OK;
}

static int check_sources(family_job *job, const tool_option *table, size_t count) {
  const family *f = job->family;
  const bool sizes = sizes_given(table, count);
  for (int i = 0; i < f->tensor_count; ++i) job->files = job->files || job->tensors[i].path;
  if (job->files && sizes)
    return tool_error(TOOL_USAGE, "both files and sizes are given; pass one or the other");
  const int gradient = gradient_of(f);
  job->backward = job->backward_option || (gradient >= 0 && job->tensors[gradient].path);
  if (job->files) return check_files(job);
  if (f->own_shape ? sizes : job->rows_option.now && job->columns_option.now) return TOOL_OK;
  const char *main = f->tensors[family_main_tensor(job)].option;
  return tool_error(TOOL_USAGE,
                    "there is no input: --%s is missing; pass --%s and where a result goes, or sizes%s", main,
                    main, f->own_shape ? "" : ", --rows and --columns");
}

static const element_type *float_type(const char *name) {
  const element_type *type = element_type_find(name, true);
  return type && type->ocp != WT_TYPE_I32 ? type : NULL;
}

// Checks the types of products: inputs, and the result.
static int check_product_types(family_job *job) {
  job->type = element_type_find(job->dtype, false), job->type_of_result = float_type(job->type_y);
  if (!job->type || job->type->ocp == WT_TYPE_I8)
    return tool_error(TOOL_USAGE, "--dtype is \"%s\"; pass bf16, f16, f8e4m3 or f8e5m2", job->dtype);
  if (!job->type_of_result)
    return tool_error(TOOL_USAGE, "--type-y is \"%s\"; pass f32, bf16 or f16", job->type_y);
  return TOOL_OK;
}

static int check_row_types(family_job *job) {
  job->type = float_type(job->dtype), job->type_of_weight = float_type(job->type_weight);
  if (job->family->has_halves && (!job->type || job->type->size != sizeof(uint16_t)))
    return tool_error(TOOL_USAGE, "--dtype is \"%s\"; pass bf16 or f16", job->dtype);
  if (!job->type) return tool_error(TOOL_USAGE, "--dtype is \"%s\"; pass f32, bf16 or f16", job->dtype);
  if (!job->type_of_weight || (job->type_of_weight->ocp != WT_TYPE_F32 && job->type_of_weight != job->type))
    return tool_error(TOOL_USAGE, "--type-weight is \"%s\"; pass f32, or %s as --dtype", job->type_weight,
                      job->dtype);
  return TOOL_OK;
}

static int check_types(family_job *job) {
  const int code = (job->family->has_products ? check_product_types : check_row_types)(job);
  if (code) return code;
  if (strcmp(job->out_dtype, "f32") != 0 && strcmp(job->out_dtype, "f16") != 0)
    return tool_error(TOOL_USAGE, "--out-dtype is \"%s\"; pass f32 or f16", job->out_dtype);
  return TOOL_OK;
}

// Tensors that have files take part, and in random runs all outputs of the passes; the family adds its own.
static void choose_tensors(family_job *job) {
  const family *f = job->family;
  for (int i = 0; i < f->tensor_count; ++i) {
    const family_tensor *t = &f->tensors[i];
    const bool random_output = !job->files && t->output && t->option && (!t->backward || job->backward);
    job->tensors[i].wanted = job->tensors[i].path || random_output;
    job->tensors[i].shape = t->shape, job->tensors[i].element = t->element;
  }
  job->tensors[family_main_tensor(job)].wanted = true;
  const int gradient = gradient_of(f);
  if (gradient >= 0) job->tensors[gradient].wanted = job->backward;
}

// ---- the run

static int run(void *pointer, bool *wrong) {
  family_job *job = pointer;
  const tool_run_options *o = &job->run_options;
  const bool verify = tool_run_verifies(o, !job->files);
  job->run = (device_run){.predict = o->predict,
                          .computes = verify || job->files || !o->predict || job->family->has_chain};
  int code = tool_device_open(o->device, &job->device);
  if (!code) tool_run_say(o, job->files ? "reading the inputs" : "making random inputs");
  if (!code) code = family_make_inputs(job);
  if (!code) tool_run_say(o, "running on the device");
  if (!code) code = family_run(job);
  if (!code && verify) {
    tool_run_say(o, "verifying");
    code = family_verify(job);
  }
  if (code) return code;
  *wrong = verify && !family_passed(job);
  return *wrong ? TOOL_OK : family_write(job);
}

// Frees what a run made, and keeps what the options say.
static void release(void *pointer) {
  family_job *job = pointer;
  for (int i = 0; i < job->family->tensor_count; ++i) {
    npy_array_free(&job->tensors[i].values);
    job->tensors[i].result = (family_result){.ratio = 0};
  }
  free(job->kept);
  job->kept = NULL;
  job->verified = false;
}

int family_main(const family *f, void *own, int argc, char **argv) {
  static const tool_run_steps steps = {run, family_report, family_describe, release};
  family_job job = {.family = f,
                    .dtype = f->has_products || f->has_halves ? "bf16" : "f32",
                    .type_weight = "f32",
                    .type_y = "f32",
                    .out_dtype = "f32",
                    .run_options = TOOL_RUN_OPTIONS_INIT,
                    .own = own};
  tool_option table[FAMILY_MOST_OPTIONS];
  const size_t count = option_table(&job, table);
  int code = tool_options_parse(argc, argv, table, count, NULL, 0);
  if (code) return code;
  if (job.run_options.help) {
    tool_help(f->text, table, count);
    return TOOL_OK;
  }
  code = check_sources(&job, table, count);
  if (!code) code = check_types(&job);
  if (!code) choose_tensors(&job);
  if (!code && f->check) code = f->check(&job);
  if (!code) code = tool_run_prepare(&job.run_options, argv - 1);  // the command line begins one before ours
  return code ? code : tool_run_each(&job.run_options, table, count, &steps, &job);
}
