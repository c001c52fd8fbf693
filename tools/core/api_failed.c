// SPDX-License-Identifier: MIT
// Has the one table of the options that stand for members of descriptors, and the words of types.
#include "api_failed.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

// Members that are no option are named as they are.
static const tool_api_name common[] = {{"m", "--m"},
                                       {"n", "--n"},
                                       {"k", "--k"},
                                       {"type", "--dtype"},
                                       {"type_a", "--type-a"},
                                       {"type_b", "--type-b"},
                                       {"type_c", "--type-c"},
                                       {"type_x", "--dtype"},
                                       {"type_q", "--type-q"},
                                       {"type_weight", "--type-weight"},
                                       {"type_w", "--type-w"},
                                       {"type_y", "--type-y"},
                                       {"trans_a", "--trans-a"},
                                       {"trans_b", "--trans-b"},
                                       {"lda", "--lda"},
                                       {"ldb", "--ldb"},
                                       {"ldc", "--ldc"},
                                       {"ldx", "--ldx"},
                                       {"ldy", "--ldy"},
                                       {"ldq", "--ldq"},
                                       {"q_row_bytes", "--ldq"},
                                       {"scale_row", "--lds"},
                                       {"scales", "--scales"},
                                       {"rounding", "--rounding"},
                                       {"along", "--along"},
                                       {"shape", "--shape"},
                                       {"element_rounding", "--element-rounding"},
                                       {"ldgate", "--ldgate"},
                                       {"lddx", "--lddx"},
                                       {"lddy", "--lddy"},
                                       {"lddgate", "--lddgate"},
                                       {"ldresidual", "--ldresidual"},
                                       {"ldsum", "--ldsum"},
                                       {"lddsum", "--lddsum"},
                                       {"lddresidual", "--lddresidual"},
                                       {"stride_a", "--stride-a"},
                                       {"stride_b", "--stride-b"},
                                       {"stride_c", "--stride-c"},
                                       {"a_row_bytes", "--lda"},
                                       {"b_row_bytes", "--ldb"},
                                       {"c_row_bytes", "--ldq"},
                                       {"a_scale_row", "--lda-scale"},
                                       {"a_scale_row_bytes", "--lda-scale"},
                                       {"b_scale_row", "--ldb-scale"},
                                       {"b_scale_row_bytes", "--ldb-scale"},
                                       {"c_scale_row_bytes", "--ldc-scale"},
                                       {"c_rounding", "--rounding"},
                                       {"b_layout", "--b-layout"},
                                       {"scale_layout", "--scale-layout"},
                                       {"alpha", "--alpha"},
                                       {"beta", "--beta"},
                                       {"kernel", "--kernel"},
                                       {"activation", "--activation"},
                                       {"bias", "--bias"},
                                       {"row_scale", "--row-scale"},
                                       {"column_scale", "--column-scale"},
                                       {"split_k", "--split-k"},
                                       {"batch_invariant", "--batch-invariant"},
                                       {"workspace", "--workspace"},
                                       {"workspace_bytes", "--workspace"},
                                       {"c", "--c"},
                                       {"h", "--h"},
                                       {"w", "--w"},
                                       {"r", "--r"},
                                       {"s", "--s"},
                                       {"stride_h", "--stride"},
                                       {"stride_w", "--stride"},
                                       {"pad_top", "--pad"},
                                       {"pad_bottom", "--pad"},
                                       {"pad_left", "--pad"},
                                       {"pad_right", "--pad"},
                                       {"dilation_h", "--dilation"},
                                       {"dilation_w", "--dilation"},
                                       {"filter_scale", "--filter-scale"},
                                       {"groups", "--groups"},
                                       {"contract", "--contract"},
                                       {"group_scale", "--group-scale"},
                                       {"x_scale", "--x-scale"},
                                       {"w_scale", "--w-scale"},
                                       {"tokens", "--tokens"},
                                       {"experts", "--experts"},
                                       {"top_k", "--top-k"},
                                       {"top_k_groups", "--top-k-groups"},
                                       {"hidden", "--hidden"},
                                       {"inner", "--inner"},
                                       {"shared_inner", "--shared-inner"},
                                       {"scoring", "--scoring"},
                                       {"renormalise", "--renormalise"},
                                       {"scale", "--scale"},
                                       {"gate_up_scale", "--gate-up-scale"},
                                       {"down_scale", "--down-scale"},
                                       {"shared_gate_up", "--shared-gate-up"},
                                       {"shared_gate_up_scale", "--shared-gate-up-scale"},
                                       {"shared_down", "--shared-down"},
                                       {"shared_down_scale", "--shared-down-scale"},
                                       {"batch", "--batch"},
                                       {"heads", "--heads"},
                                       {"kv_heads", "--kv-heads"},
                                       {"queries", "--queries"},
                                       {"keys", "--keys"},
                                       {"head_dim", "--head-dim"},
                                       {"value_dim", "--value-dim"},
                                       {"causal", "--causal"},
                                       {"window", "--window"},
                                       {"softmax_scale", "--scale"},
                                       {"soft_cap", "--soft-cap"},
                                       {"alibi_slopes", "--alibi-slopes"},
                                       {"sinks", "--sinks"},
                                       {"q_offsets", "--q-offsets"},
                                       {"k_offsets", "--k-offsets"},
                                       {"deterministic", "--deterministic"},
                                       {"waves", "--waves"},
                                       {"rows", "--rows"},
                                       {"columns", "--columns"},
                                       {"rotary_dim", "--rotary-dim"},
                                       {"theta", "--theta"},
                                       {"offset", "--offset"},
                                       {"positions", "--positions"},
                                       {"inverse", "--inverse"},
                                       {"layout", "--layout"},
                                       {"epsilon", "--epsilon"},
                                       {"dropout", "--dropout"},
                                       {"seed", "--seed"},
                                       {"weight", "--weight"},
                                       {"residual", "--residual"},
                                       {"sum", "--sum"},
                                       {"dsum", "--dsum"},
                                       {"dresidual", "--dresidual"},
                                       {"dweight", "--dweight"},
                                       {"dbias", "--dbias"},
                                       {"given", "--given"},
                                       {"lse", "--lse"},
                                       {"ignore_index", "--ignore-index"},
                                       {"label_smoothing", "--label-smoothing"},
                                       {"reduction", "--reduction"},
                                       {"grad_scale", "--grad-scale"},
                                       {"output.type", "--quantize"},
                                       {"output.scales", "--scales"},
                                       {"output.rounding", "--rounding"},
                                       {"output.layout", "--scale-layout"},
                                       {"output.row_bytes", "--ldq"},
                                       {"output.scale_row", "--lds"}};

// This is what one does instead of passing nothing, on a command line.
static const struct {
  const char *phrase, *other;
} phrases[] = {{"pass WT_BLOCK_SCALES_F32 (1) as desc->output.scales", "pass --scales f32"},
               {"pass WT_BLOCK_SCALES_F32 (1) as desc->scales", "pass --scales f32"},
               {"pass desc->scales WT_BLOCK_SCALES_F32", "pass --scales tiles or rows"},
               {"or 0 for packed rows", "or leave it out for packed rows"},
               {"leave it at 0", "leave it out"},
               {"(0 means ", "(by default "},
               {"pass 0 to ", "leave it out to "},
               {"pass NULL to ", "leave it out to "}};

static const char *const member_marks[] = {"desc->", "desc: "};  // ahead of a member's name
static const char type_mark[] = "WT_TYPE_", fnuz_mark[] = "_FNUZ";

static bool is_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Has the names of a command, and those of all commands.
typedef struct name_lists {
  const tool_api_name *names[2];
  size_t count[2];
} name_lists;

static name_lists lists_of(const tool_api_name *names, size_t count) {
  return (name_lists){{names, common}, {count, sizeof common / sizeof *common}};
}

static const char *option_of(const name_lists *lists, const char *word, size_t length) {
  for (int list = 0; list < 2; ++list)
    for (size_t i = 0; i < lists->count[list]; ++i) {
      const tool_api_name *name = &lists->names[list][i];
      if (strlen(name->member) == length && memcmp(name->member, word, length) == 0) return name->option;
    }
  return NULL;
}

static bool begins(const char *text, const char *mark) { return strncmp(text, mark, strlen(mark)) == 0; }

// Skips the number of a type, " (6)", which says nothing to those who name types.
static const char *skip_number(const char *at) {
  if (!begins(at, " (")) return at;
  const char *end = at + 2 + strspn(at + 2, "0123456789");
  return *end == ')' && end > at + 2 ? end + 1 : at;
}

// Writes what stands for the word that begins at `at`, and returns where it ends.
static const char *replace_word(const name_lists *lists, const char *at, char *out, size_t size) {
  bool member = false;
  for (int i = 0; i < 2 && !member; ++i) {
    member = begins(at, member_marks[i]);
    if (member) at += strlen(member_marks[i]);
  }
  size_t length = 0;
  while (is_word(at[length]) || (member && at[length] == '.' && is_word(at[length + 1]))) ++length;
  // A word without such a mark is taken for a member only if it has an underscore.
  const char *option = member || memchr(at, '_', length) ? option_of(lists, at, length) : NULL;
  if (option) {
    snprintf(out, size, "%s", option);
  } else if (begins(at, type_mark)) {
    const size_t skip = strlen(type_mark), end = strlen(fnuz_mark);
    const bool fnuz = length > end && begins(at + length - end, fnuz_mark);
    snprintf(out, size, "%.*s", (int)(length - skip - (fnuz ? end : 0)), at + skip);
    for (; *out; ++out) *out = (char)tolower((unsigned char)*out);
    return skip_number(at + length);
  } else {
    snprintf(out, size, "%.*s", (int)length, at);
  }
  return at + length;
}

// Writes what stands for the phrase that begins at `at`, and returns where it ends; NULL when none does.
static const char *replace_phrase(const char *at, char *out, size_t size) {
  for (size_t i = 0; i < sizeof phrases / sizeof *phrases; ++i)
    if (begins(at, phrases[i].phrase)) {
      snprintf(out, size, "%s", phrases[i].other);
      return at + strlen(phrases[i].phrase);
    }
  return NULL;
}

static void write_sentence(const name_lists *lists, const char *message, char *out, size_t size) {
  size_t used = 0;
  while (*message && used + 1 < size) {
    const char *after = replace_phrase(message, out + used, size - used);
    if (after) {
      message = after;
      used += strlen(out + used);
    } else if (is_word(*message)) {
      message = replace_word(lists, message, out + used, size - used);
      used += strlen(out + used);
    } else {
      out[used++] = *message++;
    }
  }
  out[used] = 0;
}

void tool_api_sentence(const char *message, char *out, size_t size) {
  const name_lists lists = lists_of(NULL, 0);
  write_sentence(&lists, message, out, size);
}

int tool_api_code(wt_status status) {
  // A build without the kernel, or a device that fails, is no mistake in an option. What the device's chip
  // has not is a mistake in --device, or in the option that asks for it.
  const bool failed =
      (status >= WT_ERROR_NO_DEVICE && status != WT_ERROR_UNSUPPORTED_TARGET) || status == WT_ERROR_NOT_BUILT;
  return failed ? TOOL_FAILED : TOOL_USAGE;
}

void *tool_api_nowhere(int i) { return (void *)(uintptr_t)(4096 * (i + 1)); }

bool tool_api_lacks_memory(wt_status status) {
  return status == WT_ERROR_BUFFER || status == WT_ERROR_NULL_ARGUMENT;
}

int tool_api_failed_as(const wt_context *context, wt_status status, const tool_api_name *names,
                       size_t count) {
  char sentence[2048];
  const name_lists lists = lists_of(names, count);
  write_sentence(&lists, wt_last_error(context), sentence, sizeof sentence);
  return tool_error(tool_api_code(status), "%s", sentence);
}

int tool_api_failed(const wt_context *context, wt_status status) {
  return tool_api_failed_as(context, status, NULL, 0);
}
