// SPDX-License-Identifier: MIT
// Sorts pairs by expert, by counting: one launch counts the pairs of each expert in each part, and the next
// adds up what lies before a part and puts each pair into its place. A wave has a part to itself and takes
// its pairs 64 at a time in their order, so that pairs of an expert keep it, and nothing depends on which
// wave is first.
#include "experts_args.h"
#include "kernels/lane_sum.h"
#include "wavetile_device.h"

namespace experts {

// Buckets, one for each expert and one for pairs of none, and how many of them a lane has.
constexpr int kMostBuckets = WT_EXPERTS_MOST + 1;
constexpr int kPerLane = (kMostBuckets + WT_EXPERTS_LANES - 1) / WT_EXPERTS_LANES;
constexpr int kBucketBits = 10;
static_assert(kMostBuckets <= 1 << kBucketBits, "lanes compare all bits of a bucket: raise kBucketBits");

// f(bucket, index) for each bucket of this lane.
template <class F>
WT_DEVICE void each_bucket(const wt_experts_sort_args &args, const F &f) {
  wt::unrolled<kPerLane>([&](auto i) WT_INLINE {
    const int bucket = i * WT_EXPERTS_LANES + wt::lane_id();
    if (bucket <= args.experts) f(bucket, i);
  });
}

// The active lanes that have the bucket of this lane.
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
  const int count = left < args.per_part ? left : args.per_part;
  const unsigned long before = (1ul << wt::lane_id()) - 1;
  for (int from = 0; from < count; from += WT_EXPERTS_LANES) {
    const int own = from + wt::lane_id();
    if (own < count) {
      const int pair = first + own, id = args.ids[pair];
      const int bucket = static_cast<unsigned>(id) < static_cast<unsigned>(args.experts) ? id : args.experts;
      const unsigned long peers = peers_of(bucket);
      const int number = next[bucket], earlier = __builtin_popcountl(peers & before);
      wt::compiler_fence();  // all lanes read before one writes
      if (earlier == 0) next[bucket] = number + __builtin_popcountl(peers);
      f(pair, number + earlier);
    }
    wt::barrier();
  }
}

}  // namespace experts

WT_KERNEL(WT_EXPERTS_LANES) experts_count(wt_experts_sort_args args) {
  WT_SHARED int next[experts::kMostBuckets];
  experts::each_bucket(args, [&](int bucket, auto) WT_INLINE { next[bucket] = 0; });
  wt::barrier();
  experts::each_pair(args, next, [](int, int) WT_INLINE {});
  int *counts = args.counts + wt::workgroup_x() * (args.experts + 1);
  experts::each_bucket(args, [&](int bucket, auto) WT_INLINE { counts[bucket] = next[bucket]; });
}

WT_KERNEL(WT_EXPERTS_LANES) experts_place(wt_experts_sort_args args) {
  WT_SHARED int next[experts::kMostBuckets];
  const int part = wt::workgroup_x();
  int all[experts::kPerLane] = {}, before[experts::kPerLane] = {};
  for (int p = 0; p < args.parts; ++p) {
    const int *counts = args.counts + p * (args.experts + 1);
    experts::each_bucket(args, [&](int bucket, auto i) WT_INLINE {
      const int count = counts[bucket];
      all[i] += count;
      before[i] += p < part ? count : 0;
    });
  }
  int sum = 0;  // of the buckets before
  wt::unrolled<experts::kPerLane>([&](auto i) WT_INLINE {
    const int bucket = i * WT_EXPERTS_LANES + wt::lane_id(), end = sum + lanes::sum_up_to(all[i]);
    const int begin = end - all[i];
    if (bucket <= args.experts) next[bucket] = begin + before[i];
    if (bucket <= args.experts && part == 0) args.offsets[bucket] = begin;
    sum = wt::readlane(end, WT_EXPERTS_LANES - 1);
  });
  wt::barrier();
  experts::each_pair(args, next, [&](int pair, int place) WT_INLINE {
    if (args.order) args.order[place] = pair;
    if (args.places) args.places[pair] = place;
  });
}
