// SPDX-License-Identifier: MIT
// Routes tokens to experts, a wave per token: scores, the best groups, and then the best experts of them, one
// after the other.
#include "experts_args.h"
#include "experts_choice.h"
#include "kernels/fetch_arguments.h"

namespace experts {

static_assert(WT_EXPERTS_ROUTE_TOKENS * wt::target::kWaveLanes == WT_EXPERTS_ROUTE_THREADS,
              "a wave has a token: make a work-group of as many waves");

constexpr float kLowest = -3.40282347e38f;
enum { kSoftmax, kSigmoid };  // wt_experts_scoring (experts.h)

WT_DEVICE float sum_of_lanes(float x) {
  return wt::reduce_lanes<wt::target::kWaveLanes - 1>(x, [](float a, float b) WT_INLINE { return a + b; });
}

// Returns the inverse of a sum of scores; 0 where there is nothing to divide.
WT_DEVICE float inverse_of(float sum) { return sum == 0.0f ? 0.0f : 1.0f / sum; }

template <int Each>
WT_DEVICE void score_by_softmax(float (&score)[Each], const float (&logit)[Each]) {
  float max = kLowest, sum = 0.0f;
  wt::unrolled<Each>([&](auto i) WT_INLINE { max = wt::max(max, logit[i]); });
  max = wt::reduce_lanes<wt::target::kWaveLanes - 1>(
      max, [](float a, float b) WT_INLINE { return wt::max(a, b); });
  wt::unrolled<Each>([&](auto i) WT_INLINE {
    score[i] = wt::exp(logit[i] - max);
    sum += score[i];
  });
  const float inverse = inverse_of(sum_of_lanes(sum));
  wt::unrolled<Each>([&](auto i) WT_INLINE { score[i] *= inverse; });
}

// Returns the value of a group by what it is made of.
template <int Each>
WT_DEVICE int order_of_group(const wt_experts_route_args &args, candidates<Each> members,
                             const float (&score)[Each]) {
  const auto first = members.take(score);
  if (args.choice != WT_EXPERTS_BY_PAIR || args.per_group == 1) return first.order;
  return order_of(value_of(first.order) + value_of(members.take(score).order));
}

// Leaves the experts of the best groups.
template <int Each>
WT_DEVICE void choose_groups(const wt_experts_route_args &args, candidates<Each> &all,
                             const float (&score)[Each]) {
  int own = kAbsent;  // a lane per group
  for (int g = 0; g < args.groups; ++g) {
    const int order = order_of_group(args, all.among(g * args.per_group, args.per_group), score);
    own = wt::lane_id() == g ? order : own;
  }
  candidates<Each> chosen = all.among(0, 0);
  for (int g = 0; g < args.top_k_groups; ++g) {
    const int group = best(own).lane;
    chosen.add(all.among(group * args.per_group, args.per_group));
    own = wt::lane_id() == group ? kAbsent : own;
  }
  all = chosen;
}

template <class T, int Each>
WT_DEVICE void route(const wt_experts_route_args &args) {
  const int token = args.first + wt::workgroup_x() * WT_EXPERTS_ROUTE_TOKENS + wt::wave_id();
  if (token >= args.tokens) return;
  const T *from = static_cast<const T *>(args.logits) + token * args.row;
  float logit[Each], score[Each];
  wt::unrolled<Each>([&](auto i) WT_INLINE {
    const int expert = candidates<Each>::expert(i);
    logit[i] = expert < args.experts ? wt::to_f32(from[expert]) : -__builtin_inff();
  });
  if (args.scoring == kSoftmax) {
    score_by_softmax(score, logit);
  } else {
    wt::unrolled<Each>([&](auto i) WT_INLINE { score[i] = wt::sigmoid(logit[i]); });
  }

  candidates<Each> all;
  wt::unrolled<Each>([&](auto i) WT_INLINE {
    const int expert = candidates<Each>::expert(i);
    const bool exists = expert < args.experts;
    const float bias = exists && args.bias ? args.bias[expert] : 0.0f;
    const float choice = args.choice == WT_EXPERTS_BY_LOGIT ? logit[i] : score[i] + bias;
    all.order[i] = exists ? order_of(choice) : kAbsent;
  });
  if (args.groups > 0) choose_groups(args, all, score);

  int id = 0;  // a lane per slot
  float weight = 0.0f;
  for (int slot = 0; slot < args.top_k; ++slot) {
    const auto next = all.take(score);
    id = wt::lane_id() == slot ? next.expert : id;
    weight = wt::lane_id() == slot ? next.value : weight;
  }
  const float divided = args.renormalise ? inverse_of(sum_of_lanes(weight)) : 1.0f;
  if (wt::lane_id() >= args.top_k) return;
  const int pair = token * args.top_k + wt::lane_id();
  args.ids[pair] = id;
  args.weights[pair] = weight * divided * args.scale;
}

}  // namespace experts

#define ROUTE(type, most)                                     \
  WT_KERNEL(WT_EXPERTS_ROUTE_THREADS)                         \
  experts_route_##type##_##most(wt_experts_route_args args) { \
    fetch_arguments<sizeof(wt_experts_route_args)>();         \
    experts::route<wt::type, most / WT_EXPERTS_LANES>(args);  \
  }
#define ROUTES(type) ROUTE(type, 64) ROUTE(type, 128) ROUTE(type, 256) ROUTE(type, 512)
ROUTES(f32)
ROUTES(bf16)
ROUTES(f16)
