// SPDX-License-Identifier: MIT
// Lets a wave choose among experts. Lane l holds the values of experts l * Each to l * Each + Each - 1 as
// integers of the same order, so that the greatest is found by a maximum over lanes and a vote: the first
// lane that holds it has the lowest number.
#ifndef WT_KERNELS_EXPERTS_CHOICE_H
#define WT_KERNELS_EXPERTS_CHOICE_H

#include <wavetile_device.h>

namespace experts {

// An expert that cannot be chosen comes after every number and after NaN.
constexpr int kSignificant = 0x7fffffff, kAbsent = -kSignificant - 1, kNan = kAbsent + 1;

// Return the order of a number, and the number of an order.
WT_DEVICE int order_of(float value) {
  const int bits = __builtin_bit_cast(int, value + 0.0f);  // no -0
  return value == value ? bits ^ (bits >> 31 & kSignificant) : kNan;
}
WT_DEVICE float value_of(int order) {
  const float value = __builtin_bit_cast(float, order ^ (order >> 31 & kSignificant));
  return order > kNan ? value : __builtin_nanf("");
}

// Who has the greatest of all lanes' orders: the first of several.
struct best {
  int lane, order;
  WT_DEVICE explicit best(int own) {
    order = wt::reduce_lanes<wt::target::kWaveLanes - 1>(
        own, [](int a, int b) WT_INLINE { return a > b ? a : b; });
    order = wt::readfirstlane(order);
    lane = __builtin_ctzl(wt::ballot(own == order));
  }
};

// Says what a wave still has to choose from.
template <int Each>
struct candidates {
  int order[Each];

  WT_DEVICE static int expert(int slot) { return wt::lane_id() * Each + slot; }

  // Returns those of `count` experts from `first` on; the others are absent.
  WT_DEVICE candidates among(int first, int count) const {
    candidates some;
    wt::unrolled<Each>([&](auto i) WT_INLINE {
      const unsigned place = static_cast<unsigned>(expert(i) - first);
      some.order[i] = place < static_cast<unsigned>(count) ? order[i] : kAbsent;
    });
    return some;
  }

  // Adds those of another, which are absent here.
  WT_DEVICE void add(const candidates &more) {
    wt::unrolled<Each>([&](auto i)
                           WT_INLINE { order[i] = more.order[i] == kAbsent ? order[i] : more.order[i]; });
  }

  // Takes the best away. Returns it, its order and what `of` holds for it, the same in all lanes.
  struct taken {
    int expert, order;
    float value;
  };
  WT_DEVICE taken take(const float (&of)[Each]) {
    int own = order[0];
    wt::unrolled<Each>([&](auto i) WT_INLINE { own = order[i] > own ? order[i] : own; });
    const best found(own);
    int slot = 0;
    float value = of[0];
    wt::unrolled<Each>([&](auto i) WT_INLINE {
      static constexpr int kSlot = Each - 1 - i;  // the last one found is the lowest
      slot = order[kSlot] == found.order ? kSlot : slot;
      value = order[kSlot] == found.order ? of[kSlot] : value;
    });
    wt::unrolled<Each>(
        [&](auto i) WT_INLINE { order[i] = wt::lane_id() == found.lane && slot == i ? kAbsent : order[i]; });
    return {found.lane * Each + wt::readlane(slot, found.lane), found.order, wt::readlane(value, found.lane)};
  }
};

}  // namespace experts

#endif
