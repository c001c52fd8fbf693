// SPDX-License-Identifier: MIT
// Declares the arguments of the kernels for layers of experts, shared by host (C) and device (HIP C++).
// Strides are in elements. A pair is a token and one of its slots: number token * top_k + slot.
#ifndef WT_KERNELS_EXPERTS_ARGS_H
#define WT_KERNELS_EXPERTS_ARGS_H

// A lane of a wave has up to 8 consecutive experts, a slot and a group.
enum {
  WT_EXPERTS_LANES = 64,
  WT_EXPERTS_MOST = 512,
  WT_EXPERTS_MOST_SLOTS = 64,
  WT_EXPERTS_MOST_GROUPS = 64
};

// Says what tokens choose experts by, and what makes the value of a group.
enum {
  WT_EXPERTS_BY_LOGIT = 0,  // the logit, which has the order of the scores; a group by its greatest
  WT_EXPERTS_BY_SCORE = 1,  // score + bias; a group by its greatest
  WT_EXPERTS_BY_PAIR = 2    // score + bias; a group by the sum of its two greatest
};

// experts_route: a wave per token, and so many tokens in a work-group. It has experts_route_<type>_<experts>,
// for up to so many experts.
enum { WT_EXPERTS_ROUTE_TOKENS = 4, WT_EXPERTS_ROUTE_THREADS = 256 };
typedef struct wt_experts_route_args {
  const void *logits;
  const float *bias;  // null: none
  int *ids;           // tokens x top_k, and the same for the weights
  float *weights;
  long long row;      // of logits
  int first, tokens;  // a launch takes the tokens from `first` on
  int experts, top_k;
  int groups, per_group, top_k_groups;  // groups is 0 where all experts can be chosen
  int scoring;                          // of wt_experts_scoring (experts.h)
  int choice;                           // WT_EXPERTS_BY_*
  int renormalise;                      // 1: weights are divided by their sum
  float scale;
} wt_experts_route_args;

// Describes the sort: the pairs are cut into `parts` of `per_part`, a multiple of 64, and a wave has one
// part. Pairs of expert e, or of none for e = experts, are those of bucket e. experts_count counts those of
// each part, experts_sum adds up the counts of each bucket (grid: x = buckets), and experts_place puts pairs
// into their places; experts_sort_alone does all of it where there is one part.
enum { WT_EXPERTS_MOST_PARTS = 256 };
typedef struct wt_experts_sort_args {
  const int *ids;
  int *counts;  // buckets x parts: the pairs of each bucket in a part, later in all parts before it
  int *totals;  // the pairs of each bucket
  int *offsets;
  int *order, *places;  // null: not written
  int pairs, experts;
  int parts, per_part;
} wt_experts_sort_args;

// experts_dispatch: copies each token's row to the place of each of its pairs. experts_combine: adds up the
// rows at these places. A place that is not below offsets[experts] is nobody's. Team t of a launch takes the
// pieces t, t + teams, ... of all tokens.
typedef struct wt_experts_move_args {
  const int *places, *offsets;
  const float *weights;  // of pairs; combine
  const void *from;      // rows of tokens (dispatch), or rows at places (combine)
  void *to;              // the other
  long long token_row;   // stride of the rows of tokens; those at places are packed
  int tokens, columns;
  int top_k, experts;
  int teams;
  int begin;  // combine: WT_EXPERTS_FROM_*
} wt_experts_move_args;

// Says what the sum of a token begins with.
enum { WT_EXPERTS_FROM_ZERO = 0, WT_EXPERTS_FROM_RESULT = 1 };  // with 0, or with what the result holds

#endif
