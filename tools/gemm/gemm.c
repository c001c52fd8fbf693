// SPDX-License-Identifier: MIT
// Implements `wavetile gemm`: C = activation(alpha * A * B^T + beta * C + bias), on the user's matrices or
// random ones.
#include "gemm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/input_file.h"
#include "core/whole_file.h"

enum { OWN_OPTIONS = 31, OPTIONS = OWN_OPTIONS + TOOL_RUN_ROWS + TOOL_RUN_EXPLAINS };

static void option_table(gemm_options *o, tool_option *table) {
  const tool_option rows[OWN_OPTIONS] = {
      {"a", TOOL_STRING, &o->a, "A.npy",
       "matrix A, M x K, or a batch of them: float32, float64, float16, int8, int32 or int64"},
      {"b", TOOL_STRING, &o->b, "B.npy", "matrix B, N x K, or a batch of them"},
      {"c", TOOL_STRING, &o->c, "C.npy", "matrix C before the call, M x N; needed when --beta is not 0"},
      {"out", TOOL_STRING, &o->out, "C.npy", "where the result goes"},
      {"m", TOOL_SIZES, &o->m, "M",
       "without --a and --b: random, normally distributed matrices of this shape, or of several: "
       "\"128,256\", "
       "\"1:4096:x2\" or \"128:1024:+128\""},
      {"n", TOOL_SIZES, &o->n, "N", "rows of B, one or several; there is a run for each combination"},
      {"k", TOOL_SIZES, &o->k, "K", "elements of their rows, one or several; all three sizes are needed"},
      {"batch", TOOL_SIZES, &o->batch, "N", "without files: this many products (default 1)"},
      {"lda", TOOL_SIZE, &o->lda, "N", "elements between the starts of rows of A (default: rows are packed)"},
      {"ldb", TOOL_SIZE, &o->ldb, "N", "elements between the starts of rows of B (default: packed)"},
      {"ldc", TOOL_SIZE, &o->ldc, "N", "elements between the starts of rows of C (default: packed)"},
      {"stride-a", TOOL_SEED, &o->stride_a, "N",
       "elements between the matrices A of a batch (default: packed); 0: all use the same A"},
      {"stride-b", TOOL_SEED, &o->stride_b, "N",
       "elements between the matrices B of a batch (default: packed); 0: all use the same B"},
      {"stride-c", TOOL_SEED, &o->stride_c, "N",
       "elements between the matrices C of a batch (default: packed)"},
      {"dtype", TOOL_STRING, &o->dtype, "TYPE",
       "of A and B: f8e4m3 (default), f8e5m2, bf16, f16 or i8; FP8 and i8 are scaled"},
      {"type-a", TOOL_STRING, &o->type_a, "TYPE", "of A alone (FP8 types may be mixed)"},
      {"type-b", TOOL_STRING, &o->type_b, "TYPE", "of B alone"},
      {"type-c", TOOL_STRING, &o->type_c, "TYPE",
       "of C on the device: f32, bf16, f16, or i32 with i8 (default: as --out-dtype)"},
      {"out-dtype", TOOL_STRING, &o->out_dtype, "TYPE",
       "f32 (default with files), bf16 (default without) or f16 (files only)"},
      {"trans-a", TOOL_FLAG, &o->trans_a, NULL, "A is stored K x M"},
      {"trans-b", TOOL_FLAG, &o->trans_b, NULL, "B is stored K x N"},
      {"alpha", TOOL_FLOAT, &o->alpha, "X", "factor of the product (default 1)"},
      {"beta", TOOL_FLOAT, &o->beta, "X", "factor of C (default 0)"},
      {"bias", TOOL_STRING, &o->bias, "V.npy", "N numbers, added to each row"},
      {"row-scale", TOOL_STRING, &o->row_scale, "V.npy", "M factors of the product's rows"},
      {"column-scale", TOOL_STRING, &o->column_scale, "V.npy", "N factors of its columns"},
      {"activation", TOOL_STRING, &o->activation, "NAME", "relu, gelu (tanh form) or silu, applied last"},
      {"split-k", TOOL_SIZES, &o->split_k, "N", "parts of K to sum apart (default: chosen)"},
      {"batch-invariant", TOOL_FLAG, &o->batch_invariant, NULL,
       "rows of C have the same bits whatever M and the batch are"},
      {"workspace", TOOL_SEED, &o->workspace, "BYTES", "at most, for the parts' sums (default: as needed)"},
      {"kernel", TOOL_STRING, &o->kernel, "NAME",
       "one of the kernels below (default: the fastest that fits)"},
  };
  memcpy(table, rows, sizeof rows);
  tool_run_rows(&o->run, table + OWN_OPTIONS, true);
}

static void print_help(const tool_option *table) {
  tool_help(
      "usage: wavetile gemm --dtype bf16 --a A.npy --b B.npy --out C.npy [options]\n"
      "       wavetile gemm --m M --n N --k K [options]\n\n"
      "Computes C = activation(row scale * column scale * alpha * A * B^T + beta * C + bias). A and B are "
      "rounded to the types asked for; to FP8 and i8 they are scaled, each by one factor.\n",
      table, OPTIONS);
  puts("\nkernels:");
  for (size_t i = 0; i < wt_gemm_kernel_count(); ++i) {
    wt_gemm_kernel_info info = {.struct_size = sizeof info};
    if (wt_gemm_kernel_at(i, &info)) continue;
    char idea[512];
    snprintf(idea, sizeof idea, "%s; needs %s", info.idea, info.needs);
    printf("  %s\n      ", info.name);
    tool_print_wrapped(idea, strlen(idea), 6);
  }
}

static int check_sources(const gemm_options *o) {
  const bool sizes = o->m.now || o->n.now || o->k.now || o->batch.now;
  if (o->a || o->b || o->out || o->c) {
    if (sizes)
      return tool_error(TOOL_USAGE,
                        "both files and --m, --n, --k or --batch are given; pass one or the other");
    if (!o->a || !o->b || !o->out)
      return tool_error(TOOL_USAGE, "--%s is missing; pass --a, --b and --out",
                        !o->a   ? "a"
                        : !o->b ? "b"
                                : "out");
    if (o->beta != 0 && !o->c)
      return tool_error(TOOL_USAGE, "--beta is %g, which needs the C it multiplies; pass --c", o->beta);
    if (o->beta == 0 && o->c)
      return tool_error(TOOL_USAGE, "--c is %s, but --beta is 0, so it would not be used; pass --beta", o->c);
    return TOOL_OK;
  }
  if (sizes && (!o->m.now || !o->n.now || !o->k.now))
    return tool_error(TOOL_USAGE, "--%s is missing; pass --m, --n and --k, or --a, --b and --out",
                      !o->m.now   ? "m"
                      : !o->n.now ? "n"
                                  : "k");
  if (!sizes)
    return tool_error(TOOL_USAGE,
                      "there is nothing to multiply; pass --a, --b and --out, or --m, --n and --k");
  return TOOL_OK;
}

static int check_input_type(const char *option, const char *name, const element_type **out) {
  *out = element_type_find(name, false);
  if (*out) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--%s is \"%s\"; pass f8e4m3, f8e5m2, bf16, f16 or i8", option, name);
}

static int check_output_types(gemm_job *job) {
  const gemm_options *o = &job->options;
  const char *file = o->out_dtype ? o->out_dtype : o->out ? "f32" : "bf16";
  bool f16 = strcmp(file, "f16") == 0;
  if (!f16 && strcmp(file, "bf16") != 0 && strcmp(file, "f32") != 0)
    return tool_error(TOOL_USAGE, "--out-dtype is \"%s\"; pass f32, bf16 or f16", file);
  if (f16 && !o->out)
    return tool_error(
        TOOL_USAGE, "--out-dtype is f16, which is for files only; pass --out, --type-c f16, or bf16 or f32");
  const char *device = o->type_c ? o->type_c : f16 ? "f32" : file;
  job->type_c = element_type_find(device, true);
  if (!job->type_c) return tool_error(TOOL_USAGE, "--type-c is \"%s\"; pass f32, bf16, f16 or i32", device);
  job->file_type = job->type_c->ocp == WT_TYPE_I32                             ? NPY_I32
                   : f16 || (!o->out_dtype && job->type_c->ocp == WT_TYPE_F16) ? NPY_F16
                                                                               : NPY_F32;
  return TOOL_OK;
}

static int check_types(gemm_job *job) {
  const gemm_options *o = &job->options;
  const char *both = o->dtype ? o->dtype : "f8e4m3";
  int code = check_input_type(o->type_a ? "type-a" : "dtype", o->type_a ? o->type_a : both, &job->a.type);
  if (!code)
    code = check_input_type(o->type_b ? "type-b" : "dtype", o->type_b ? o->type_b : both, &job->b.type);
  return code ? code : check_output_types(job);
}

static int check_activation(gemm_job *job) {
  const char *wanted = job->options.activation ? job->options.activation : "none";
  const int activation = tool_activation_word(wanted);
  if (activation < 0)
    return tool_error(TOOL_USAGE, "--activation is \"%s\"; pass none, relu, gelu or silu", wanted);
  job->activation = (wt_activation)activation;
  return TOOL_OK;
}

static int check_kernel(const char *name) {
  if (!name) return TOOL_OK;
  for (size_t i = 0; i < wt_gemm_kernel_count(); ++i) {
    wt_gemm_kernel_info info = {.struct_size = sizeof info};
    if (wt_gemm_kernel_at(i, &info) == WT_SUCCESS && strcmp(info.name, name) == 0) return TOOL_OK;
  }
  return tool_error(TOOL_USAGE, "--kernel is \"%s\"; wavetile gemm --help lists the kernels", name);
}

static int check_output(const gemm_options *o) {
  char message[4608];
  if (!o->out || whole_file_allowed(o->out, message, sizeof message)) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--out %s", message);
}

static int write_output(const gemm_job *job) {
  const char *path = job->options.out;
  char message[4608];
  if (job->file_type == NPY_F16)
    for (int64_t i = 0; i < npy_count(&job->c); ++i)
      if (tool_beyond_float16(job->c.data[i]))
        return tool_error(TOOL_FAILED, "C[%lld][%lld] is %g, beyond float16; pass --out-dtype f32",
                          (long long)(i / job->n), (long long)(i % job->n), (double)job->c.data[i]);
  if (npy_write_array(path, job->file_type, &job->c, message, sizeof message)) return TOOL_OK;
  return tool_error(TOOL_FAILED, "--out %s", message);
}

static int run(void *pointer, bool *wrong) {
  gemm_job *job = pointer;
  const gemm_options *o = &job->options;
  const bool verify = tool_run_verifies(&o->run, !o->a);
  job->run = (device_run){.predict = o->run.predict, .computes = verify || o->out || !o->run.predict};
  const double start = tool_seconds();
  int code = tool_device_open(o->run.device, &job->device);
  if (code) return code;
  if (o->a || !o->run.explain)
    tool_run_say(&o->run, o->a ? "reading the matrices" : "making random matrices");
  code = gemm_make_inputs(job);
  job->input_seconds = tool_seconds() - start;
  if (code) return code;
  if (o->run.explain) return gemm_explain(job);
  tool_run_say(&o->run, "rounding and multiplying on the device");
  code = gemm_run(job);
  if (!code && verify) {
    tool_run_say(&o->run, "verifying");
    code = gemm_verify(job);
  }
  if (code) return code;
  *wrong = verify && !gemm_passed(job);
  return o->out && !*wrong ? write_output(job) : TOOL_OK;
}

// Frees what a run made, and keeps what the options say.
static void release(void *pointer) {
  gemm_job *job = pointer;
  npy_array *const arrays[] = {
      &job->bias, &job->row_scale, &job->column_scale, &job->a.values, &job->b.values, &job->c0, &job->c};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) npy_array_free(arrays[i]);
  free(job->a.codes), free(job->b.codes);
  job->a = (gemm_input){.type = job->a.type};
  job->b = (gemm_input){.type = job->b.type};
  job->verified = (verify_result){.passed = false};
}

int tool_gemm(int argc, char **argv) {
  static const tool_run_steps steps = {run, gemm_report, gemm_describe, release};
  gemm_job job = {.options = {.run = TOOL_RUN_OPTIONS_INIT,
                              .alpha = 1.0,
                              .workspace = UINT64_MAX,
                              .stride_a = UINT64_MAX,
                              .stride_b = UINT64_MAX,
                              .stride_c = UINT64_MAX}};
  gemm_options *o = &job.options;
  tool_option table[OPTIONS];
  option_table(o, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, NULL, 0);
  if (code) return code;
  if (o->run.help) {
    print_help(table);
    return TOOL_OK;
  }
  code = check_sources(o);
  if (!code) code = check_types(&job);
  if (!code) code = check_activation(&job);
  if (!code) code = check_kernel(o->kernel);
  if (!code) code = check_output(o);
  if (!code) code = tool_run_prepare(&o->run, argv - 1);  // the whole command line begins one before ours
  return code ? code : tool_run_each(&o->run, table, OPTIONS, &steps, &job);
}
