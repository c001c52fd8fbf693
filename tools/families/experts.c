// SPDX-License-Identifier: MIT
// `wavetile experts`: a layer of experts, from the router's logits to the sum of the experts' results.
#include "experts.h"

#include <string.h>

static const family_tensor tensors[TENSORS] = {
    [X] = {"x", "X.npy", "the tokens: [T][H]", "x", FAMILY_OWN, FAMILY_VALUE, false, false, NULL, NULL},
    [W_GATE_UP] = {"w-gate-up", "W.npy",
                   "gate and up matrices of each expert, one after the other: [E][2I][H]", "w_gate_up",
                   FAMILY_OWN, FAMILY_VALUE, false, false, NULL, NULL},
    [GATE_UP_SCALE] =
        {"gate-up-scale", "S.npy",
         "with --scales, their scales: [E][2I / 128][H / 128], rows [E][2I][H / 128], or mx bytes "
         "(uint8) [E][2I][H / 32]",
         "gate_up_scale", FAMILY_OWN, FAMILY_F32, false, false, NULL, NULL},
    [W_DOWN] = {"w-down", "W.npy", "down matrix of each expert: [E][H][I]", "w_down", FAMILY_OWN,
                FAMILY_VALUE, false, false, NULL, NULL},
    [DOWN_SCALE] = {"down-scale", "S.npy", "the same of the down matrices", "down_scale", FAMILY_OWN,
                    FAMILY_F32, false, false, NULL, NULL},
    [SHARED_GATE_UP] = {"shared-gate-up", "W.npy",
                        "gate and up of a network that every token passes: [2S][H]", "shared_gate_up",
                        FAMILY_OWN, FAMILY_VALUE, false, false, NULL, NULL},
    [SHARED_GATE_UP_SCALE] = {"shared-gate-up-scale", "S.npy", "its scales, without the first axis",
                              "shared_gate_up_scale", FAMILY_OWN, FAMILY_F32, false, false, NULL, NULL},
    [SHARED_DOWN] = {"shared-down", "W.npy", "its down matrix: [H][S]", "shared_down", FAMILY_OWN,
                     FAMILY_VALUE, false, false, NULL, NULL},
    [SHARED_DOWN_SCALE] = {"shared-down-scale", "S.npy", "its scales", "shared_down_scale", FAMILY_OWN,
                           FAMILY_F32, false, false, NULL, NULL},
    [LOGITS] = {"logits", "L.npy", "the router's logits, float32 on the device: [T][E]", "logits", FAMILY_OWN,
                FAMILY_F32, false, false, NULL, NULL},
    [BIAS] = {"bias", "B.npy", "a summand of each expert's score, for the choice alone: [E]", "bias",
              FAMILY_OWN, FAMILY_F32, false, false, NULL, NULL},
    [Y] = {"out", "Y.npy", "where the result goes: [T][H]", "y", FAMILY_OWN, FAMILY_VALUE, true, false, NULL,
           NULL},
    [IDS] = {"ids", "I.npy", "where the chosen experts go: [T][K]", "ids", FAMILY_OWN, FAMILY_I32, true,
             false, NULL, NULL},
    [WEIGHTS] = {"weights", "V.npy", "where their weights go: [T][K]", "weights", FAMILY_OWN, FAMILY_F32,
                 true, false, NULL, NULL},
};

static int options(family_job *job, tool_option *table) {
  experts_own *own = job->own;
  const tool_option rows[] = {
      {"tokens", TOOL_SIZES, &own->tokens, "T",
       "without files: this many random tokens, or several: \"8,64\", \"1:512:x2\" or \"8:32:+8\""},
      {"experts", TOOL_SIZES, &own->experts, "E", "experts, the same way"},
      {"hidden", TOOL_SIZES, &own->hidden, "H", "elements of a token, the same way"},
      {"inner", TOOL_SIZES, &own->inner, "I", "elements of an expert's gate, the same way"},
      {"shared-inner", TOOL_SIZE, &own->shared_inner, "S",
       "without files: elements of a shared network's gate (default: there is none)"},
      {"top-k", TOOL_SIZE, &own->top_k, "K", "experts of each token (default 2)"},
      {"scoring", TOOL_STRING, &own->scoring_name, "NAME", "of logits: softmax (default) or sigmoid"},
      {"groups", TOOL_SIZE, &own->groups, "G", "groups of experts (default 1)"},
      {"top-k-groups", TOOL_SIZE, &own->top_k_groups, "N", "groups that a token chooses from (default: all)"},
      {"renormalise", TOOL_FLAG, &own->renormalise, NULL, "divide the weights of a token by their sum"},
      {"scale", TOOL_FLOAT, &own->scale, "X", "factor of the weights (default 1)"},
      {"activation", TOOL_STRING, &own->activation_name, "NAME",
       "of gates: silu (default), gelu, relu or none"},
      {"scales", TOOL_STRING, &own->format.scales_name, "NAME",
       "of weights: none (default); tiles for 128 x 128 or rows for 128 elements of a row of FP8 E4M3; "
       "power-of-two and power-of-two-rows, which the matrix cores of gfx950 apply; or mx: weights are in MX "
       "formats. Their files are then bytes (uint8) as quantize and quantize-blocks write "
       "them, and tokens and activations are quantised on the way"},
      {"type-w", TOOL_STRING, &own->format.type_w_name, "TYPE",
       "of weights with --scales mx: f4e2m1 (default), f6e2m3, f6e3m2 or f8e4m3"},
      {"type-q", TOOL_STRING, &own->format.type_q_name, "TYPE",
       "to which tokens and activations are quantised there (default: as --type-w), or with --type-w f4e2m1 "
       "and --dtype bf16: bf16, as they are"},
  };
  memcpy(table, rows, sizeof rows);
  return sizeof rows / sizeof *rows;
}

static int check_words(experts_own *own) {
  static const char *const scorings[] = {"softmax", "sigmoid"};  // by wt_experts_scoring
  const int scoring = tool_word(own->scoring_name, scorings, 2);
  const int activation = tool_activation_word(own->activation_name);
  if (scoring < 0)
    return tool_error(TOOL_USAGE, "--scoring is \"%s\"; pass softmax or sigmoid", own->scoring_name);
  if (activation < 0)
    return tool_error(TOOL_USAGE, "--activation is \"%s\"; pass silu, gelu, relu or none",
                      own->activation_name);
  own->scoring = (wt_experts_scoring)scoring;
  own->activation = (wt_activation)activation;
  return TOOL_OK;
}

static int check_sizes(const experts_own *own) {
  const struct {
    const char *name;
    const tool_sizes *sizes;
  } needed[] = {
      {"tokens", &own->tokens}, {"experts", &own->experts}, {"hidden", &own->hidden}, {"inner", &own->inner}};
  for (size_t i = 0; i < sizeof needed / sizeof *needed; ++i)
    if (!needed[i].sizes->now)
      return tool_error(
          TOOL_USAGE,
          "--%s is missing; pass --tokens, --experts, --hidden and --inner, or --x, --w-gate-up, "
          "--w-down and --logits",
          needed[i].name);
  return TOOL_OK;
}

static int check_files(const family_job *job) {
  static const int needed[] = {W_GATE_UP, W_DOWN, LOGITS};
  const experts_own *own = job->own;
  for (size_t i = 0; i < sizeof needed / sizeof *needed; ++i)
    if (!job->tensors[needed[i]].path)
      return tool_error(TOOL_USAGE, "--%s is missing; pass --x, --w-gate-up, --w-down and --logits",
                        tensors[needed[i]].option);
  const bool gate_up = job->tensors[SHARED_GATE_UP].path, down = job->tensors[SHARED_DOWN].path;
  if (gate_up != down)
    return tool_error(TOOL_USAGE, "--%s is missing; pass both matrices of the shared network, or neither",
                      tensors[gate_up ? SHARED_DOWN : SHARED_GATE_UP].option);
  if (own->shared_inner)
    return tool_error(TOOL_USAGE,
                      "--shared-inner is for random inputs; pass --shared-gate-up and --shared-down");
  return TOOL_OK;
}

static int check(family_job *job) {
  experts_own *own = job->own;
  family_data *t = job->tensors;
  int code = check_words(own);
  if (!code) code = job->files ? check_files(job) : check_sizes(own);
  t[W_GATE_UP].wanted = t[W_DOWN].wanted = t[LOGITS].wanted = true;
  t[IDS].wanted = t[WEIGHTS].wanted = t[Y].wanted = true;  // the reference looks at all three
  t[SHARED_GATE_UP].wanted = t[SHARED_DOWN].wanted = t[SHARED_DOWN].path || own->shared_inner;
  return code ? code : experts_format_check(job, &own->format);
}

// ---- shapes

static void make_shape(family_job *job) { (void)job; }  // dims() takes it from the options

static int take_shape(family_job *job) {
  (void)job;
  return TOOL_OK;
}

experts_sizes experts_sizes_of(const family_job *job) {
  const experts_own *own = job->own;
  const family_data *t = job->tensors;
  const int64_t *x = t[X].values.shape, *w = t[W_GATE_UP].values.shape;
  if (!job->files)
    return (experts_sizes){own->tokens.now, own->experts.now, own->hidden.now, own->inner.now,
                           own->shared_inner};
  const bool shared = t[SHARED_GATE_UP].path;
  return (experts_sizes){x[0], w[0], x[1], w[1] / 2, shared ? t[SHARED_GATE_UP].values.shape[0] / 2 : 0};
}

static void set_dims(npy_array *out, int rank, int64_t first, int64_t second, int64_t third) {
  out->rank = rank;
  out->shape[0] = first;
  if (rank > 1) out->shape[1] = second;
  if (rank > 2) out->shape[2] = third;
}

// Say how many rows of elements or of scales a matrix of weights has, and how many numbers are in one; rank
// 3: `matrices` of them.
static void weight_dims(const experts_format *f, int rank, int64_t matrices, int64_t rows, int64_t columns,
                        bool scales, npy_array *out) {
  const int64_t high = scales ? experts_scale_rows(f, rows) : rows;
  const int64_t wide = scales ? experts_row_scales(f, columns) : experts_row_numbers(f, columns);
  if (rank == 3)
    set_dims(out, rank, matrices, high, wide);
  else
    set_dims(out, rank, high, wide, 0);
}

static void dims(const family_job *job, int tensor, npy_array *out) {
  const experts_own *own = job->own;
  const experts_format *f = &own->format;
  const experts_sizes s = experts_sizes_of(job);
  switch (tensor) {
    case W_GATE_UP:
    case GATE_UP_SCALE:
      weight_dims(f, 3, s.experts, 2 * s.inner, s.hidden, tensor == GATE_UP_SCALE, out);
      return;
    case W_DOWN:
    case DOWN_SCALE: weight_dims(f, 3, s.experts, s.hidden, s.inner, tensor == DOWN_SCALE, out); return;
    case SHARED_GATE_UP:
    case SHARED_GATE_UP_SCALE:
      weight_dims(f, 2, 1, 2 * s.shared_inner, s.hidden, tensor == SHARED_GATE_UP_SCALE, out);
      return;
    case SHARED_DOWN:
    case SHARED_DOWN_SCALE:
      weight_dims(f, 2, 1, s.hidden, s.shared_inner, tensor == SHARED_DOWN_SCALE, out);
      return;
    case LOGITS: set_dims(out, 2, s.tokens, s.experts, 0); return;
    case BIAS: set_dims(out, 1, s.experts, 0, 0); return;
    case IDS:
    case WEIGHTS: set_dims(out, 2, s.tokens, own->top_k, 0); return;
    default: set_dims(out, 2, s.tokens, s.hidden, 0); return;
  }
}

static int lay_out(family_job *job) {
  const experts_sizes s = experts_sizes_of(job);
  job->rows = s.tokens, job->columns = s.hidden;
  return TOOL_OK;
}

static int complete(family_job *job) {
  const experts_own *own = job->own;
  return experts_format_complete(job, &own->format);
}

static double flops(const family_job *job) {
  const experts_own *own = job->own;
  const experts_sizes s = experts_sizes_of(job);
  return 6.0 * (double)s.tokens * (double)s.hidden *
         ((double)own->top_k * (double)s.inner + (double)s.shared_inner);
}

// ---- the call

static int route(family_job *job) {
  const experts_own *own = job->own;
  const family_data *t = job->tensors;
  const experts_sizes s = experts_sizes_of(job);
  wt_experts_route_desc d = WT_EXPERTS_ROUTE_DESC_INIT;
  d.tokens = s.tokens, d.experts = s.experts, d.top_k = own->top_k, d.type = WT_TYPE_F32;
  d.scoring = own->scoring, d.groups = own->groups, d.top_k_groups = own->top_k_groups;
  d.renormalise = own->renormalise, d.scale = (float)own->scale, d.bias = t[BIAS].device;
  return family_status(
      job, wt_experts_route(job->context, &d, t[LOGITS].device, t[IDS].device, t[WEIGHTS].device, NULL));
}

static int forward(family_job *job) {
  const experts_own *own = job->own;
  const family_data *t = job->tensors;
  const experts_sizes s = experts_sizes_of(job);
  wt_experts_desc d = WT_EXPERTS_DESC_INIT;
  d.tokens = s.tokens, d.experts = s.experts, d.top_k = own->top_k, d.hidden = s.hidden, d.inner = s.inner;
  d.type = job->type->ocp, d.activation = own->activation;
  d.shared_gate_up = t[SHARED_GATE_UP].device, d.shared_down = t[SHARED_DOWN].device;
  d.shared_inner = s.shared_inner;
  experts_format_describe(job, &own->format, &d);
  int code = family_status(job, wt_experts_workspace_size(job->context, &d, &d.workspace_bytes));
  if (!code) code = family_workspace(job, d.workspace_bytes);
  d.workspace = job->workspace;
  return code ? code
              : family_status(job, wt_experts_forward(job->context, &d, t[X].device, t[W_GATE_UP].device,
                                                      t[W_DOWN].device, t[IDS].device, t[WEIGHTS].device,
                                                      t[Y].device, NULL));
}

static int call(family_job *job) {
  const int code = route(job);
  return code ? code : forward(job);
}

static void describe(const family_job *job, record *r) {
  const experts_own *own = job->own;
  const experts_sizes s = experts_sizes_of(job);
  record_whole(r, "experts", s.experts), record_brief(r);
  record_whole(r, "top_k", own->top_k), record_brief(r);
  record_whole(r, "inner", s.inner), record_brief(r);
  record_whole(r, "shared_inner", s.shared_inner);
  record_text(r, "scoring", own->scoring_name);
  record_whole(r, "groups", own->groups);
  record_whole(r, "top_k_groups", own->top_k_groups ? own->top_k_groups : own->groups);
  record_text(r, "activation", own->activation_name);
  record_text(r, "scales", own->format.scales_name);
  record_text(r, "type_w", own->format.w ? own->format.w->name : own->format.scales ? "f8e4m3" : job->dtype);
  record_text(r, "type_q",
              own->format.q                            ? own->format.q->name
              : experts_format_quantizes(&own->format) ? "f8e4m3"
                                                       : job->dtype);
}

int tool_experts(int argc, char **argv) {
  static const family experts = {
      .name = "experts",
      .text =
          "usage: wavetile experts --x X.npy --w-gate-up W.npy --w-down W.npy --logits L.npy --out Y.npy "
          "[options]\n"
          "       wavetile experts --tokens T --experts E --hidden H --inner I [options]\n\n"
          "Routes each token to K experts by its logits, and adds up what their networks make of it, with "
          "weights: (activation(x * w_gate^T) * (x * w_up^T)) * w_down^T. The rows of a record are tokens, "
          "its columns the elements of one.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = X,
      .has_halves = true,
      .has_chain = true,
      .own_shape = true,
      .options = options,
      .check = check,
      .make_shape = make_shape,
      .dims = dims,
      .flops = flops,
      .take_shape = take_shape,
      .lay_out = lay_out,
      .complete = complete,
      .call = call,
      .reference_row = experts_reference_row,
      .scratch = 2,
      .describe = describe,
  };
  experts_own own = {.top_k = 2,
                     .groups = 1,
                     .scoring_name = "softmax",
                     .activation_name = "silu",
                     .scale = 1,
                     .format = {.scales_name = "none"}};
  return family_main(&experts, &own, argc, argv);
}
