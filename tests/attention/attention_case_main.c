// SPDX-License-Identifier: MIT
// Runs one case of attention from the command line, checked against float64 under every schedule:
// attention_case --device gfx950 --type bf16 --d 128 --heads 4 --kv-heads 2 --queries 300 --keys 500 --causal
// The tests print the options of a case that fails.
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <string.h>

#include "attention_case.h"
#include "tests/row_matrix.h"
#include "tools/core/tool.h"

typedef struct options {
  long long d, dv, batch, heads, kv_heads, queries, keys, window, waves;
  unsigned long long padding, shift, seed;
  const char *device, *type, *q_lengths, *k_lengths, *layout, *schedule;
  bool causal, sinks, alibi, alibi_batch, no_lse, backward, deterministic, help;
  double scale, soft_cap, dropout, scale_q, scale_k, scale_v, spread, drift;
} options;

enum { OPTIONS = 34 };

static void option_table(options *o, tool_option *table) {
  const tool_option rows[OPTIONS] = {
      {"device", TOOL_STRING, &o->device, "TARGET", "gfx950 (default) or gfx942"},
      {"type", TOOL_STRING, &o->type, "TYPE", "bf16 (default), f16, f8e4m3 or f8e5m2"},
      {"d", TOOL_SIZE, &o->d, "D", "of Q and K (default 128)"},
      {"dv", TOOL_SIZE, &o->dv, "D", "of V and O (default: as --d)"},
      {"batch", TOOL_SIZE, &o->batch, "N", "(default 1)"},
      {"heads", TOOL_SIZE, &o->heads, "N", "of Q (default 1)"},
      {"kv-heads", TOOL_SIZE, &o->kv_heads, "N", "(default: as --heads)"},
      {"queries", TOOL_SIZE, &o->queries, "N", "(default 256)"},
      {"keys", TOOL_SIZE, &o->keys, "N", "(default: as --queries)"},
      {"q-lengths", TOOL_STRING, &o->q_lengths, "N,N,..", "packed: of the sequences"},
      {"k-lengths", TOOL_STRING, &o->k_lengths, "N,N,..", "(default: as --q-lengths)"},
      {"causal", TOOL_FLAG, &o->causal, NULL, ""},
      {"sinks", TOOL_FLAG, &o->sinks, NULL, "a sink for each head"},
      {"alibi", TOOL_FLAG, &o->alibi, NULL, "a slope for each head"},
      {"alibi-batch", TOOL_FLAG, &o->alibi_batch, NULL, "slopes of each sequence"},
      {"window", TOOL_SIZE, &o->window, "N", "positions (default: none)"},
      {"scale", TOOL_FLOAT, &o->scale, "X", "of the softmax (default 1 / sqrt(D))"},
      {"soft-cap", TOOL_FLOAT, &o->soft_cap, "X", "of the scaled scores (default: none)"},
      {"dropout", TOOL_FLOAT, &o->dropout, "P", "of the weights (default: none)"},
      {"scale-q", TOOL_FLOAT, &o->scale_q, "X", "what one unit of Q stands for"},
      {"scale-k", TOOL_FLOAT, &o->scale_k, "X", ""},
      {"scale-v", TOOL_FLOAT, &o->scale_v, "X", ""},
      {"layout", TOOL_STRING, &o->layout, "NAME", "bshd (default), bhsd or qkv"},
      {"padding", TOOL_SEED, &o->padding, "N", "elements behind each row"},
      {"shift", TOOL_SEED, &o->shift, "N", "elements by which tensors miss their alignment"},
      {"spread", TOOL_FLOAT, &o->spread, "X", "standard deviation of Q (default 1)"},
      {"drift", TOOL_FLOAT, &o->drift, "X", "by how much K grows along its rows"},
      {"no-lse", TOOL_FLAG, &o->no_lse, NULL, "do not ask for the log-sum-exps"},
      {"seed", TOOL_SEED, &o->seed, "S", "of the numbers (default 1)"},
      {"backward", TOOL_FLAG, &o->backward, NULL, "the backward pass"},
      {"deterministic", TOOL_FLAG, &o->deterministic, NULL, "of it"},
      {"waves", TOOL_SIZE, &o->waves, "N", "of it: 4 or 8 (default: chosen)"},
      {"schedule", TOOL_STRING, &o->schedule, "NAME", "this one only, as in WT_SIM_SCHEDULE"},
      {"help", TOOL_FLAG, &o->help, NULL, "this text"},
  };
  memcpy(table, rows, sizeof rows);
}

// Reads lengths separated by commas; returns how many, or -1.
static int parse_lengths(const char *text, int *lengths) {
  for (int count = 0; count < ATTENTION_MOST_BATCH; ++count) {
    char *end = NULL;
    lengths[count] = (int)strtol(text, &end, 10);
    if (end == text || lengths[count] < 0) return -1;
    if (*end == 0) return count + 1;
    if (*end != ',') return -1;
    text = end + 1;
  }
  return -1;
}

static int fill_case(const options *o, attention_case *c) {
  *c = (attention_case){.type = attention_case_type(o->type),
                        .head_dim = (int)o->d,
                        .value_dim = (int)(o->dv ? o->dv : o->d),
                        .batch = (int)o->batch,
                        .heads = (int)o->heads,
                        .kv_heads = (int)(o->kv_heads ? o->kv_heads : o->heads),
                        .queries = (int)o->queries,
                        .keys = (int)(o->keys ? o->keys : o->queries),
                        .packed = o->q_lengths != NULL,
                        .causal = o->causal,
                        .sinks = o->sinks,
                        .alibi = o->alibi || o->alibi_batch,
                        .alibi_batch = o->alibi_batch,
                        .lse = !o->no_lse,
                        .window = (int)o->window,
                        .scale = o->scale,
                        .soft_cap = o->soft_cap,
                        .dropout = o->dropout,
                        .scale_q = o->scale_q,
                        .scale_k = o->scale_k,
                        .scale_v = o->scale_v,
                        .padding = (int)o->padding,
                        .shift = (int)o->shift,
                        .spread = o->spread,
                        .drift = o->drift,
                        .seed = o->seed,
                        .deterministic = o->deterministic,
                        .waves = (int)o->waves};
  if (strcmp(o->layout, "bhsd") == 0) c->layout = ATTENTION_BHSD;
  if (strcmp(o->layout, "qkv") == 0) c->layout = ATTENTION_QKV;
  if (!c->packed) return TOOL_OK;
  c->batch = parse_lengths(o->q_lengths, c->q_lengths);
  if (c->batch < 0 || parse_lengths(o->k_lengths ? o->k_lengths : o->q_lengths, c->k_lengths) != c->batch)
    return tool_error(TOOL_USAGE, "--q-lengths and --k-lengths need as many lengths, up to %d",
                      ATTENTION_MOST_BATCH);
  return TOOL_OK;
}

static bool same_lengths(const attention_case *c) {
  if (!c->packed) return c->keys == c->queries;
  return memcmp(c->q_lengths, c->k_lengths, (size_t)c->batch * sizeof *c->q_lengths) == 0;
}

int main(int argc, char **argv) {
  options o = {.d = 128,
               .batch = 1,
               .heads = 1,
               .queries = 256,
               .seed = 1,
               .device = "gfx950",
               .type = "bf16",
               .layout = "bshd",
               .spread = 1};
  tool_option table[OPTIONS];
  option_table(&o, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, NULL, 0);
  if (code) return code;
  if (o.help) return tool_options_help(table, OPTIONS), TOOL_OK;
  attention_case c;
  code = fill_case(&o, &c);
  if (code) return code;
  if (c.layout == ATTENTION_QKV && !same_lengths(&c))
    return tool_error(TOOL_USAGE, "--layout qkv has as many keys as queries; pass no others");
  setenv("WT_SIM_DEVICES", strcmp(o.device, "gfx942") == 0 ? "mi300x" : "mi355x", 1);
  wt_context *context = NULL;
  if (wt_context_create(0, &context) != WT_SUCCESS) return tool_error(TOOL_FAILED, "%s", wt_last_error(NULL));
  const attention_verdict v = (o.backward ? attention_case_backward : attention_case_forward)(
      context, &c, o.schedule ? &o.schedule : row_schedules, o.schedule ? 1 : ROW_SCHEDULES);
  wt_context_destroy(context);
  char text[512];
  attention_case_text(&c, text, sizeof text);
  printf("%s\nerror / bound: %s %.3g, %.3g, %.3g; %llu instructions in %llu work-groups\n%s%s\n", text,
         o.backward ? "dQ, dK, dV" : "O, LSE", v.ratios[0], v.ratios[1], v.ratios[2], v.instructions,
         v.workgroups, v.correct ? "correct" : "WRONG: ", v.message);
  return v.correct ? TOOL_OK : TOOL_FAILED;
}
