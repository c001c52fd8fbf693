// SPDX-License-Identifier: MIT
// Tests a case of attention as command line options.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "attention_case.h"

static const struct {
  const char *name;
  wt_type type;
} types[] = {
    {"bf16", WT_TYPE_BF16}, {"f16", WT_TYPE_F16}, {"f8e4m3", WT_TYPE_F8E4M3}, {"f8e5m2", WT_TYPE_F8E5M2}};
enum { TYPES = sizeof types / sizeof *types };

wt_type attention_case_type(const char *name) {
  for (int i = 0; i < TYPES; ++i)
    if (strcmp(types[i].name, name) == 0) return types[i].type;
  return (wt_type)0;
}

static const char *name_of(wt_type type) {
  for (int i = 0; i < TYPES; ++i)
    if (types[i].type == type) return types[i].name;
  return "?";
}

__attribute__((format(printf, 3, 4))) static void add(char *text, size_t size, const char *format, ...) {
  const size_t length = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + length, size - length, format, args);
  va_end(args);
}

static void add_lengths(char *text, size_t size, const char *option, const int *lengths, int count) {
  for (int i = 0; i < count; ++i) add(text, size, "%s%d", i ? "," : option, lengths[i]);
}

void attention_case_text(const attention_case *c, char *text, size_t size) {
  static const char *const layouts[] = {"bshd", "bhsd", "qkv"};
  snprintf(text, size, "--type %s --d %d", name_of(c->type), c->head_dim);
  if (c->value_dim != c->head_dim) add(text, size, " --dv %d", c->value_dim);
  add(text, size, " --heads %d --kv-heads %d", c->heads, c->kv_heads);
  if (c->packed) {
    add_lengths(text, size, " --q-lengths ", c->q_lengths, c->batch);
    add_lengths(text, size, " --k-lengths ", c->k_lengths, c->batch);
  } else {
    add(text, size, " --batch %d --queries %d --keys %d", c->batch, c->queries, c->keys);
  }
  if (c->causal) add(text, size, " --causal");
  if (c->window) add(text, size, " --window %d", c->window);
  if (c->scale != 0) add(text, size, " --scale %g", c->scale);
  if (c->soft_cap > 0) add(text, size, " --soft-cap %g", c->soft_cap);
  if (c->dropout > 0) add(text, size, " --dropout %g", c->dropout);
  if (c->scale_q != 0) add(text, size, " --scale-q %g", c->scale_q);
  if (c->scale_k != 0) add(text, size, " --scale-k %g", c->scale_k);
  if (c->scale_v != 0) add(text, size, " --scale-v %g", c->scale_v);
  if (c->sinks) add(text, size, " --sinks");
  if (c->alibi) add(text, size, " --alibi");
  if (c->alibi_batch) add(text, size, " --alibi-batch");
  if (!c->lse) add(text, size, " --no-lse");
  if (c->layout != ATTENTION_BSHD) add(text, size, " --layout %s", layouts[c->layout]);
  if (c->padding) add(text, size, " --padding %d", c->padding);
  if (c->shift) add(text, size, " --shift %d", c->shift);
  if (c->deterministic) add(text, size, " --deterministic");
  if (c->waves) add(text, size, " --waves %d", c->waves);
  add(text, size, " --spread %g --drift %g --seed %llu", c->spread, c->drift, (unsigned long long)c->seed);
}
