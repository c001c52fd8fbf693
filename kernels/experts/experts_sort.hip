// SPDX-License-Identifier: MIT
// Sorts pairs by expert, by counting: the pairs of each expert in each part are counted, the counts are added
// up along the parts, and each pair goes into its place. A wave has a part to itself and takes its pairs 64
// at a time in their order, so that pairs of an expert keep it, and nothing depends on which wave is first.
#include "experts_args.h"
#include "kernels/lane_sum.h"
#include "wavetile_device.h"

namespace experts {

constexpr int kLanes = WT_EXPERTS_LANES;
// There are so many buckets, one for each expert and one for pairs of none, and a lane has so many of them.
constexpr int kMostBuckets = WT_EXPERTS_MOST + 1;
constexpr int kPerLane = (kMostBuckets + kLanes - 1) / kLanes;
constexpr int kBucketBits = 10;
static_assert(kMostBuckets <= 1 << kBucketBits, "lanes compare all bits of a bucket: raise kBucketBits");

// So many rounds of 64 pairs have their ids loaded ahead.
constexpr int kAhead = 4;

// f(bucket, index) for each bucket of this lane.
template <class F>
WT_DEVICE void each_bucket(const wt_experts_sort_args &args, const F &f) {
  wt::unrolled<kPerLane>([&](auto i) WT_INLINE {
    const int bucket = i * kLanes + wt::lane_id();
    if (bucket <= args.experts) f(bucket, i);
  });
}

// Returns the active lanes that have the bucket of this lane.
WT_DEVICE unsigned long peers_of(int bucket) {
  unsigned long peers = wt::ballot(true);
  wt::unrolled<kBucketBits>([&](auto bit) WT_INLINE {
    const bool set = bucket >> bit & 1;
    const unsigned long others = wt::ballot(set);
    peers &= set ? others : ~others;
  });
  return peers;
}

// f(pair, number) for each pair of the wave's part, where `next` says for each bucket the number of its next
// pair. Lanes with the same bucket count those before them; the first one moves the bucket on.
template <class F>
WT_DEVICE void each_pair(const wt_experts_sort_args &args, int *next, const F &f) {
  const int first = wt::workgroup_x() * args.per_part, left = args.pairs - first;
  const int last = (left < args.per_part ? left : args.per_part) - 1;
  const unsigned long before = (1ul << wt::lane_id()) - 1;
  const int *from = args.ids + first;
  const auto id_at = [&](int own) WT_INLINE { return from[own < last ? own : last]; };
  int own = wt::lane_id(), ids[kAhead];
  wt::unrolled<kAhead>([&](auto i) WT_INLINE { ids[i] = id_at(own + i * kLanes); });
  for (int begin = 0; begin <= last; begin += kLanes, own += kLanes) {
    const int id = ids[0];
    wt::unrolled<kAhead - 1>([&](auto i) WT_INLINE { ids[i] = ids[i + 1]; });
    ids[kAhead - 1] = id_at(own + kAhead * kLanes);
    if (own <= last) {
      const int bucket = static_cast<unsigned>(id) < static_cast<unsigned>(args.experts) ? id : args.experts;
      const unsigned long peers = peers_of(bucket);
      const int number = next[bucket], earlier = __builtin_popcountl(peers & before);
      wt::compiler_fence();  // all lanes read before one writes
      if (earlier == 0) next[bucket] = number + __builtin_popcountl(peers);
      f(first + own, number + earlier);
    }
    wt::barrier();
  }
}

// Counts the pairs of each bucket in the wave's part.
WT_DEVICE void count(const wt_experts_sort_args &args, int *next) {
  each_bucket(args, [&](int bucket, auto) WT_INLINE { next[bucket] = 0; });
  wt::barrier();
  each_pair(args, next, [](int, int) WT_INLINE {});
}

// Places the pairs of the wave's part, where a lane's buckets have so many pairs, and so many of them in the
// parts before.
WT_DEVICE void place(const wt_experts_sort_args &args, int *next, const int (&totals)[kPerLane],
                     const int (&earlier)[kPerLane]) {
  int sum = 0;  // of the buckets before
  wt::unrolled<kPerLane>([&](auto i) WT_INLINE {
    const int bucket = i * kLanes + wt::lane_id(), end = sum + lanes::sum_up_to(totals[i]);
    const int begin = end - totals[i];
    if (bucket <= args.experts) next[bucket] = begin + earlier[i];
    if (bucket <= args.experts && wt::workgroup_x() == 0) args.offsets[bucket] = begin;
    sum = wt::readlane(end, kLanes - 1);
  });
  wt::barrier();
  each_pair(args, next, [&](int pair, int to) WT_INLINE {
    if (args.order) args.order[to] = pair;
    if (args.places) args.places[pair] = to;
  });
}

}  // namespace experts

WT_KERNEL(WT_EXPERTS_LANES) experts_count(wt_experts_sort_args args) {
  WT_SHARED int next[experts::kMostBuckets];
  experts::count(args, next);
  const int part = wt::workgroup_x();
  experts::each_bucket(
      args, [&](int bucket, auto) WT_INLINE { args.counts[bucket * args.parts + part] = next[bucket]; });
}

WT_KERNEL(WT_EXPERTS_LANES) experts_sum(wt_experts_sort_args args) {
  constexpr int kChunks = WT_EXPERTS_MOST_PARTS / experts::kLanes;
  const int bucket = wt::workgroup_x();
  int *const counts = args.counts + bucket * args.parts;
  int own[kChunks], sum = 0;
  wt::unrolled<kChunks>([&](auto i) WT_INLINE {
    const int part = i * experts::kLanes + wt::lane_id();
    own[i] = part < args.parts ? counts[part] : 0;
  });
  wt::unrolled<kChunks>([&](auto i) WT_INLINE {
    const int part = i * experts::kLanes + wt::lane_id(), end = sum + lanes::sum_up_to(own[i]);
    if (part < args.parts) counts[part] = end - own[i];
    sum = wt::readlane(end, experts::kLanes - 1);
  });
  if (wt::lane_id() == 0) args.totals[bucket] = sum;
}

WT_KERNEL(WT_EXPERTS_LANES) experts_place(wt_experts_sort_args args) {
  WT_SHARED int next[experts::kMostBuckets];
  int totals[experts::kPerLane] = {}, earlier[experts::kPerLane] = {};
  experts::each_bucket(args, [&](int bucket, auto i) WT_INLINE {
    totals[i] = args.totals[bucket];
    earlier[i] = args.counts[bucket * args.parts + wt::workgroup_x()];
  });
  experts::place(args, next, totals, earlier);
}

WT_KERNEL(WT_EXPERTS_LANES) experts_sort_alone(wt_experts_sort_args args) {
  WT_SHARED int next[experts::kMostBuckets];
  int totals[experts::kPerLane] = {};
  const int earlier[experts::kPerLane] = {};
  experts::count(args, next);
  experts::each_bucket(args, [&](int bucket, auto i) WT_INLINE { totals[i] = next[bucket]; });
  wt::barrier();
  experts::place(args, next, totals, earlier);
}
