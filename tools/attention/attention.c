// SPDX-License-Identifier: MIT
// `wavetile attention` computes O = softmax(scale * Q K^T) V and its gradients, on the user's tensors or
// random ones.
#include "attention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/input_file.h"
#include "core/whole_file.h"

enum { OWN_OPTIONS = 39, OPTIONS = OWN_OPTIONS + TOOL_RUN_ROWS + TOOL_RUN_EXPLAINS };

static void option_table(attention_options *o, tool_option *table) {
  const tool_option rows[OWN_OPTIONS] = {
      {"q", TOOL_STRING, &o->q, "Q.npy", "[batch][query][head][element], or without batch, or one head's"},
      {"k", TOOL_STRING, &o->k, "K.npy", "as Q, with keys; its heads divide those of Q (GQA, MQA)"},
      {"v", TOOL_STRING, &o->v, "V.npy", "as K"},
      {"out", TOOL_STRING, &o->out, "O.npy", "where the result goes, as Q"},
      {"lse", TOOL_STRING, &o->lse, "L.npy",
       "where the log-sum-exps go, [batch][head][query]; packed: [head][query]; without it they are not "
       "computed"},
      {"dout", TOOL_STRING, &o->dout, "G.npy",
       "the gradient with respect to O: runs the backward pass as well"},
      {"dq", TOOL_STRING, &o->dq, "G.npy", "where its results go, the gradients of Q, K and V"},
      {"dk", TOOL_STRING, &o->dk, "G.npy", "(all three are needed)"},
      {"dv", TOOL_STRING, &o->dv, "G.npy", ""},
      {"sinks", TOOL_STRING, &o->sinks, "S.npy",
       "a number for each head of Q: a score that is in the sum of the softmax alone (default: none)"},
      {"dsinks", TOOL_STRING, &o->dsinks, "G.npy", "where the gradient of the sinks goes"},
      {"q-offsets", TOOL_STRING, &o->q_offsets, "N.npy",
       "a packed batch: 0 and the row of Q where each sequence ends; tensors have no batch dimension"},
      {"k-offsets", TOOL_STRING, &o->k_offsets, "N.npy", "the same of K and V (default: as --q-offsets)"},
      {"queries", TOOL_SIZES, &o->queries, "N",
       "without files: random, normally distributed tensors of this length, or of several: \"128,256\", "
       "\"1:4096:x2\" or \"128:1024:+128\"; there is a run for each combination of this and the sizes below"},
      {"keys", TOOL_SIZES, &o->keys, "N", "(default: as --queries)"},
      {"batch", TOOL_SIZES, &o->batch, "N", "(default 1)"},
      {"heads", TOOL_SIZES, &o->heads, "N", "heads of Q (default 1)"},
      {"kv-heads", TOOL_SIZES, &o->kv_heads, "N", "heads of K and V (default: as --heads)"},
      {"head-dim", TOOL_SIZES, &o->head_dim, "D", "elements of a row of Q and K (default 128)"},
      {"value-dim", TOOL_SIZES, &o->value_dim, "D", "elements of a row of V (default: as --head-dim)"},
      {"ldq", TOOL_SIZE, &o->ldq, "N",
       "elements between the starts of rows, of all heads, of Q and its gradient on the device (default: "
       "packed)"},
      {"ldk", TOOL_SIZE, &o->ldk, "N", "elements between the starts of rows of K and its gradient"},
      {"ldv", TOOL_SIZE, &o->ldv, "N", "elements between the starts of rows of V and its gradient"},
      {"ldo", TOOL_SIZE, &o->ldo, "N", "elements between the starts of rows of O and its gradient"},
      {"stride-q", TOOL_SIZE, &o->stride_q, "N",
       "elements between the starts of batch members, of Q and its gradient on the device (default: packed)"},
      {"stride-k", TOOL_SIZE, &o->stride_k, "N", "elements between batch members of K and its gradient"},
      {"stride-v", TOOL_SIZE, &o->stride_v, "N", "elements between batch members of V and its gradient"},
      {"stride-o", TOOL_SIZE, &o->stride_o, "N", "elements between batch members of O and its gradient"},
      {"backward", TOOL_FLAG, &o->backward, NULL, "without files: run the backward pass as well"},
      {"dtype", TOOL_STRING, &o->dtype, "TYPE",
       "bf16 (default), f16, f8e4m3 or f8e5m2; FP8 is scaled by one factor per tensor"},
      {"out-dtype", TOOL_STRING, &o->out_dtype, "TYPE", "of files: f32 (default) or f16"},
      {"causal", TOOL_FLAG, &o->causal, NULL,
       "no query sees keys behind its own position, counted from the end"},
      {"window", TOOL_SIZE, &o->window, "N", "a query sees no key N or more positions away"},
      {"scale", TOOL_FLOAT, &o->scale, "X", "of Q K^T (default 1 / sqrt(head dim))"},
      {"soft-cap", TOOL_FLOAT, &o->soft_cap, "X",
       "takes each scaled score s to X * tanh(s / X), before the mask; up to 1024 (default: none)"},
      {"alibi-slopes", TOOL_STRING, &o->alibi_slopes, "S.npy",
       "ALiBi: [head] or [batch][head], of Q; a score gains the slope times the key's position minus the "
       "query's"},
      {"dropout", TOOL_FLOAT, &o->dropout, "P",
       "probability with which a weight of the softmax becomes 0 (default 0); --seed says which ones"},
      {"deterministic", TOOL_FLAG, &o->deterministic, NULL, "gradients with the same bits every time"},
      {"waves", TOOL_SIZE, &o->waves, "N", "of a work-group of the backward pass: 4 or 8 (default: chosen)"},
  };
  memcpy(table, rows, sizeof rows);
  tool_run_rows(&o->run, table + OWN_OPTIONS, true);
}

static void print_help(const tool_option *table) {
  tool_help(
      "usage: wavetile attention --q Q.npy --k K.npy --v V.npy --out O.npy [options]\n"
      "       wavetile attention --queries N [options]\n\n"
      "Computes O = softmax(scale * Q K^T) V of each batch member and head. Tensors are rounded to the type "
      "asked for. A query that sees no key has zeros in O, and minus infinity as its log-sum-exp. In a "
      "packed batch the rows of all sequences follow each other, and none sees another's.\n",
      table, OPTIONS);
}

typedef struct named_file {
  const char *name, *path;
} named_file;

static int check_files(const attention_options *o) {
  const named_file needed[] = {{"q", o->q}, {"k", o->k}, {"v", o->v}, {"out", o->out}};
  for (int i = 0; i < 4; ++i)
    if (!needed[i].path)
      return tool_error(TOOL_USAGE, "--%s is missing; pass --q, --k, --v and --out", needed[i].name);
  if (o->backward)
    return tool_error(TOOL_USAGE, "--backward is for random tensors; pass --dout, --dq, --dk and --dv");
  const named_file gradients[] = {{"dout", o->dout}, {"dq", o->dq}, {"dk", o->dk}, {"dv", o->dv}};
  int count = 0;
  for (int i = 0; i < 4; ++i) count += gradients[i].path != NULL;
  for (int i = 0; i < 4 && count; ++i)
    if (!gradients[i].path)
      return tool_error(TOOL_USAGE, "--%s is missing; the backward pass takes --dout, --dq, --dk and --dv",
                        gradients[i].name);
  return TOOL_OK;
}

static int check_sources(const attention_options *o) {
  const char *const files[] = {o->q, o->k, o->v, o->out, o->lse, o->dout, o->dq, o->dk, o->dv};
  const long long sizes[] = {o->batch.now, o->heads.now,    o->kv_heads.now, o->queries.now,
                             o->keys.now,  o->head_dim.now, o->value_dim.now};
  bool any_file = false, any_size = false;
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) any_file = any_file || files[i];
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) any_size = any_size || sizes[i];
  if (any_file && any_size)
    return tool_error(TOOL_USAGE, "both files and sizes are given; pass one or the other");
  if (any_file) return check_files(o);
  if (!o->queries.now && !o->q_offsets)
    return tool_error(
        TOOL_USAGE,
        "there is nothing to attend to; pass --q, --k, --v and --out, or --queries or --q-offsets");
  return TOOL_OK;
}

// The offsets say what sequences there are: nothing else may.
static int check_packing(const attention_options *o) {
  if (o->k_offsets && !o->q_offsets)
    return tool_error(TOOL_USAGE, "--k-offsets is %s, but there is no --q-offsets; pass both", o->k_offsets);
  if (!o->q_offsets) return TOOL_OK;
  const struct {
    const char *name;
    long long value;
  } sizes[] = {{"batch", o->batch.now}, {"queries", o->queries.now}, {"keys", o->keys.now}};
  for (int i = 0; i < 3; ++i)
    if (sizes[i].value)
      return tool_error(TOOL_USAGE, "--%s is %lld, but --q-offsets gives the sequences; leave it out",
                        sizes[i].name, sizes[i].value);
  return TOOL_OK;
}

static int check_types(attention_job *job) {
  const attention_options *o = &job->options;
  const char *name = o->dtype ? o->dtype : "bf16";
  job->type = element_type_find(name, false);
  if (!job->type || job->type->ocp == WT_TYPE_I8)
    return tool_error(TOOL_USAGE, "--dtype is \"%s\"; pass bf16, f16, f8e4m3 or f8e5m2", name);
  job->output_type = job->type->size == 1 ? element_type_find("bf16", true) : job->type;
  const char *file = o->out_dtype ? o->out_dtype : "f32";
  if (strcmp(file, "f32") != 0 && strcmp(file, "f16") != 0)
    return tool_error(TOOL_USAGE, "--out-dtype is \"%s\"; pass f32 or f16", file);
  job->file_type = strcmp(file, "f16") == 0 ? NPY_F16 : NPY_F32;
  return TOOL_OK;
}

static int check_values(const attention_options *o) {
  if (o->scale <= 0)
    return tool_error(TOOL_USAGE, "--scale is %g; pass a positive number, or leave it out", o->scale);
  if (o->soft_cap <= 0)
    return tool_error(TOOL_USAGE, "--soft-cap is %g; pass a positive number, or leave it out", o->soft_cap);
  if (o->waves && o->waves != 4 && o->waves != 8)
    return tool_error(TOOL_USAGE, "--waves is %lld; pass 4 or 8", o->waves);
  return TOOL_OK;
}

static int check_outputs(const attention_options *o) {
  const named_file outputs[] = {{"out", o->out}, {"lse", o->lse}, {"dq", o->dq},
                                {"dk", o->dk},   {"dv", o->dv},   {"dsinks", o->dsinks}};
  enum { OUTPUTS = sizeof outputs / sizeof *outputs };
  char message[4608];
  if (o->dsinks && (!o->sinks || !o->dout))
    return tool_error(TOOL_USAGE, "--dsinks is %s, but there is no --%s; pass both", o->dsinks,
                      o->sinks ? "dout" : "sinks");
  for (int i = 0; i < OUTPUTS; ++i) {
    if (outputs[i].path && !whole_file_allowed(outputs[i].path, message, sizeof message))
      return tool_error(TOOL_USAGE, "--%s %s", outputs[i].name, message);
    for (int j = 0; j < i; ++j)
      if (outputs[i].path && outputs[j].path && strcmp(outputs[i].path, outputs[j].path) == 0)
        return tool_error(TOOL_USAGE, "--%s and --%s are both %s; pass different files", outputs[j].name,
                          outputs[i].name, outputs[i].path);
  }
  return TOOL_OK;
}

static int check_float16(const char *name, const npy_array *array) {
  for (int64_t i = 0; i < npy_count(array); ++i)
    if (tool_beyond_float16(array->data[i]))
      return tool_error(TOOL_FAILED, "element %lld of --%s is %g, beyond float16; pass --out-dtype f32",
                        (long long)i, name, (double)array->data[i]);
  return TOOL_OK;
}

static int write_outputs(const attention_job *job) {
  const attention_options *o = &job->options;
  const struct {
    const char *name, *path;
    npy_type type;
    const npy_array *array;
  } outputs[] = {{"out", o->out, job->file_type, &job->o}, {"dq", o->dq, job->file_type, &job->dq},
                 {"dk", o->dk, job->file_type, &job->dk},  {"dv", o->dv, job->file_type, &job->dv},
                 {"lse", o->lse, NPY_F32, &job->lse},      {"dsinks", o->dsinks, NPY_F32, &job->dsinks}};
  enum { OUTPUTS = sizeof outputs / sizeof *outputs };
  for (int i = 0; i < OUTPUTS; ++i)
    if (outputs[i].path && outputs[i].type == NPY_F16) {
      const int code = check_float16(outputs[i].name, outputs[i].array);
      if (code) return code;
    }
  char message[4608];
  for (int i = 0; i < OUTPUTS; ++i)
    if (outputs[i].path &&
        !npy_write_array(outputs[i].path, outputs[i].type, outputs[i].array, message, sizeof message))
      return tool_error(TOOL_FAILED, "--%s %s", outputs[i].name, message);
  return TOOL_OK;
}

static int run(void *pointer, bool *wrong) {
  attention_job *job = pointer;
  const attention_options *o = &job->options;
  const bool verify = tool_run_verifies(&o->run, !o->q);
  job->run = (device_run){.predict = o->run.predict, .computes = verify || o->out || !o->run.predict};
  double start = tool_seconds();
  int code = tool_device_open(o->run.device, &job->device);
  if (code) return code;
  if (o->q || !o->run.explain) tool_run_say(&o->run, o->q ? "reading the tensors" : "making random tensors");
  code = attention_make_inputs(job);
  job->input_seconds = tool_seconds() - start;
  if (code) return code;
  if (o->run.explain) return attention_explain(job);
  tool_run_say(&o->run, "rounding, and attention on the device");
  code = attention_run(job);
  if (!code && verify) {
    tool_run_say(&o->run, "verifying");
    start = tool_seconds();
    code = attention_verify(job);
    job->verify_seconds = tool_seconds() - start;
  }
  if (code) return code;
  *wrong = verify && !attention_passed(job);
  return o->out && !*wrong ? write_outputs(job) : TOOL_OK;
}

// Frees what a run made, and keeps what the options say.
static void release(void *pointer) {
  attention_job *job = pointer;
  attention_tensor *const inputs[] = {&job->q, &job->k, &job->v, &job->dout};
  npy_array *const others[] = {&job->o,  &job->lse,   &job->dq,     &job->dk,
                               &job->dv, &job->sinks, &job->dsinks, &job->slopes};
  for (int i = 0; i < 4; ++i) {
    npy_array_free(&inputs[i]->values);
    free(inputs[i]->codes);
    *inputs[i] = (attention_tensor){.name = NULL};
  }
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) npy_array_free(others[i]);
  free(job->q_starts);
  free(job->k_starts);
  job->q_starts = job->k_starts = NULL;
  job->verified = false;
}

int tool_attention(int argc, char **argv) {
  static const tool_run_steps steps = {run, attention_report, attention_describe, release};
  attention_job job = {.options = {.run = TOOL_RUN_OPTIONS_INIT, .scale = NAN, .soft_cap = NAN}};
  attention_options *o = &job.options;
  tool_option table[OPTIONS];
  option_table(o, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, NULL, 0);
  if (code) return code;
  if (o->run.help) {
    print_help(table);
    return TOOL_OK;
  }
  code = check_packing(o);
  if (!code) code = check_sources(o);
  if (!code) code = check_types(&job);
  if (!code) code = check_values(o);
  if (!code) code = check_outputs(o);
  if (!code) code = tool_run_prepare(&o->run, argv - 1);  // the whole command line begins one before ours
  return code ? code : tool_run_each(&o->run, table, OPTIONS, &steps, &job);
}
