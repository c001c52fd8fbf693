// SPDX-License-Identifier: MIT
// Runs the pipelines of pipeline_schedules.h on the device. Each lane reads what other waves have copied, and
// the sums depend on the order: data of another step, buffer or stage changes them (pipeline_device.c knows
// how).
#include "ops/isa/buffer.h"
#include "ops/isa/lds.h"
#include "ops/isa/mfma_pinned.h"
#include "tests/kernels/sched/pipeline_schedules.h"

namespace {

using namespace pipelines;
using wt::u32;

constexpr int kThreads = 256, kXWords = 2 * kThreads, kYWords = kThreads;  // per step

// Returns whether the schedule advances the addresses of a buffer.
template <const auto &Schedule>
constexpr bool advanced(int buffer) {
  for (int i = 0; i < Schedule.kOps; ++i) {
    if (Schedule.advances_for(i, buffer)) return true;
  }
  return false;
}

// Returns whether a read loads what a sum begins with.
template <const auto &Schedule>
constexpr bool started(int sum) {
  for (const op &o : Schedule.ops) {
    if (o.adds() && o.sum == sum && !o.start.is_absent()) return true;
  }
  return false;
}

// Returns whether the schedule adds to a sum.
template <const auto &Schedule>
constexpr bool multiplied(int sum) {
  for (const op &o : Schedule.ops) {
    if (o.what == does::multiply && o.sum == sum) return true;
  }
  return false;
}

// Says whether a run may end within the steps that are fetched together: its tail has zeros for the others,
// where memory has something else.
enum class ends { with_whole_steps, with_a_tail };

template <const auto &Schedule, ends Ends>
WT_DEVICE void run_small(const u32 *x_data, const u32 *y_data, u32 *out, int steps) {
  WT_SHARED u32 x_tile[Schedule.stages[kX]][kXWords];
  WT_SHARED u32 y_tile[Schedule.stages[kY]][kYWords];
  constexpr int kTogether = Schedule.together();
  const int whole = steps / kTogether * kTogether, all = (steps + kTogether - 1) / kTogether * kTogether;
  const wt::buffer from_x = wt::make_buffer(x_data, all * kXWords * 4);
  const wt::buffer from_y = wt::make_buffer(y_data, all * kYWords * 4);
  const int thread = wt::thread_id();
  const u32 wave_bytes = static_cast<u32>(wt::wave_id() * wt::target::kWaveLanes * 4);
  const u32 lds_x = wt::lds_address(&x_tile), lds_y = wt::lds_address(&y_tile);
  const u32 read_x = lds_x + static_cast<u32>((thread + 81) % kThreads * 4);
  const u32 read_y = lds_y + static_cast<u32>((kThreads - 1 - thread) * 4);
  u32 x_held[2][2], x_fragment[2], y_fragment, sum[2] = {}, made = 0;
  u32 loaded = static_cast<u32>(thread) * 0x9e3779b9u;  // a fragment that is there before the run
  int prepared[2] = {};                                 // the step of the next copy of X and of Y
  int first_held = 0;                                   // the first of the steps that x_held has
  u32 pointer[2] = {read_x, 0};                         // kAtX and kAtY: that of Y is advanced before its use

  const auto copies = [&](auto op, int step, u32 stage) WT_INLINE {
    constexpr int kBuffer = op.value.buffer;
    constexpr bool kIsX = kBuffer == kX;
    constexpr int kWords = kIsX ? kXWords : kYWords;
    const wt::buffer from = kIsX ? from_x : from_y;
    const u32 to = (kIsX ? lds_x : lds_y) + stage * (kWords * 4) + wave_bytes;
    const int bytes = (advanced<Schedule>(kBuffer) ? prepared[kBuffer] : step) * kWords * 4;
    return wt::list_of<op.value.events>([=](auto i) WT_INLINE {
      const int lane_bytes = (thread + i * kThreads) * 4;
      if constexpr (op.value.through_registers) {
        wt::ds_write(to + static_cast<u32>(thread % wt::target::kWaveLanes * 4),
                     wt::buffer_load<u32>(from, lane_bytes, bytes), i * kThreads * 4);
      } else {
        wt::buffer_load_to_lds<4>(from, lane_bytes, bytes, to + i * kThreads * 4);
      }
    });
  };
  const auto advances = [&](auto op, auto... stage) WT_INLINE {
    constexpr int kBuffer = op.value.buffer, kPointer = op.value.pointer;
    return wt::list_of<1>([&, stage...](auto) WT_INLINE {
      if constexpr (kPointer == kNoPointer) {
        ++prepared[kBuffer];
      } else {
        pointer[kPointer] =
            kBuffer == kX ? read_x + (stage + ...) * (kXWords * 4) : read_y + (stage + ...) * (kYWords * 4);
        wt::forget(pointer[kPointer]);
      }
    });
  };
  const auto fetches = [&](auto op, int step) WT_INLINE {
    static_assert(op.value.buffer == kX && op.value.steps == 2);
    return wt::list_of<2>([&x_held, from_x, thread, step](auto i) WT_INLINE {
      for (int n = 0; n < 2; ++n) {
        x_held[n][i.value] =
            wt::buffer_load<u32>(from_x, (thread + i * kThreads) * 4, (step + n) * kXWords * 4);
      }
    });
  };
  const auto puts = [&](auto op, u32 stage) WT_INLINE {
    const u32 to = lds_x + stage * (kXWords * 4) + static_cast<u32>(thread * 4);
    constexpr int kNth = op.nth;
    return wt::list_of<2>([&x_held, to](auto i)
                              WT_INLINE { wt::ds_write(to, x_held[kNth][i.value], i * kThreads * 4); });
  };
  const auto copies_tail = [&](auto op, int step, u32 stage) WT_INLINE {
    constexpr bool kIsX = op.value.buffer == kX;
    constexpr int kWords = kIsX ? kXWords : kYWords;
    const int past_end = step < steps ? 0 : -0x7fffffff - 1;
    const wt::buffer from = kIsX ? from_x : from_y;
    const u32 to = (kIsX ? lds_x : lds_y) + stage * (kWords * 4) + wave_bytes;
    return wt::list_of<op.value.events>([=](auto i) WT_INLINE {
      wt::buffer_load_to_lds<4>(from, (thread + i * kThreads) * 4 | past_end, step * kWords * 4,
                                to + i * kThreads * 4);
    });
  };
  const auto fetches_tail = [&](auto op, int step) WT_INLINE {
    first_held = step;
    return fetches(op, step);
  };
  const auto puts_tail = [&](auto op, u32 stage) WT_INLINE {
    const u32 to = lds_x + stage * (kXWords * 4) + static_cast<u32>(thread * 4);
    constexpr int kNth = op.nth;
    const u32 kept = first_held + kNth < steps ? ~0u : 0u;
    return wt::list_of<2>([&x_held, to, kept](auto i) WT_INLINE {
      wt::ds_write(to, x_held[kNth][i.value] & kept, i * kThreads * 4);
    });
  };
  const auto reads = [&](auto op, u32 stage) WT_INLINE {
    constexpr int kPointer = op.value.pointer;
    const auto place = [&](u32 by_stage) WT_INLINE {
      if constexpr (kPointer == kNoPointer)
        return by_stage;
      else
        return pointer[kPointer];
    };
    if constexpr (op.value.buffer == kX) {
      const u32 from = place(read_x + stage * (kXWords * 4));
      constexpr int kPart = op.value.part;  // a word, where there are several reads
      constexpr bool kStarts = op.value.fragment == kBegin;
      return wt::list_of<op.value.events>([from, &x_fragment, &sum](auto i) WT_INLINE {
        u32 &to = kStarts ? sum[0] : x_fragment[kPart + i];
        to = wt::ds_read<u32>(from, (kPart + i) * kThreads * 4);
      });
    } else {
      const u32 from = place(read_y + stage * (kYWords * 4));
      return wt::list_of<1>([from, &y_fragment](auto) WT_INLINE { y_fragment = wt::ds_read<u32>(from); });
    }
  };
  const auto value = [&](int fragment) WT_INLINE {
    switch (fragment) {
      case kX: return Schedule.is_open() ? x_fragment[0] : x_fragment[0] ^ (x_fragment[1] * 3);
      case kX1: return x_fragment[1];
      case kMade: return made;
      case kLoaded: return loaded;
      default: return y_fragment;
    }
  };
  const auto vectors = [&](auto op, int step, const auto &...others) WT_INLINE {
    if constexpr (op.value.number >= 2) {
      const auto part = wt::list_of<1>([&, step](auto) WT_INLINE {
        made = op.value.number == 2 ? sum[0] * 5 : made + static_cast<u32>(step);
        wt::forget(made);
      });
      interleave(others..., part);
      return;
    } else if constexpr (op.value.number == 0) {
      made = sum[0] * 5 + static_cast<u32>(step);
      (issue_all(others), ...);
      sum[1] = sum[1] * 3 + sum[0];
    } else {
      made ^= sum[1] + sum[0];
      sum[1] += made;
    }
    wt::forget(made);
    wt::forget(sum[1]);
  };
  const auto multiplies = [&](auto op) WT_INLINE {
    return wt::list_of<2>([&](auto i) WT_INLINE {
      u32 &to = sum[op.value.sum];
      if (op.to == wt::addend::zero && i == 0) to = 0;
      to = i == 0 ? to ^ value(op.value.a.fragment) : (to << 7 | to >> 25) + value(op.value.b.fragment);
      wt::keep_in_place<wt::register_place<wt::register_kind::vgpr>>(
          to);  // or the compiler adds up where it likes, after later waits
    });
  };
  const auto stores = [&](auto op) WT_INLINE {
    constexpr int kNth = op.nth;
    return wt::list_of<1>([out, thread](auto) WT_INLINE { out[(2 + kNth) * kThreads + thread] = 7 + kNth; });
  };
  // Each sum is written as soon as it is complete, where the schedule has an epilogue.
  const auto finish = [&] {
    if constexpr (Schedule.depth() == 0 || Schedule.is_open()) {
      return no_list{};
    } else {
      return [&sum, out, thread](auto n) WT_INLINE {
        return wt::list_of<1>([&sum, out, thread, n](auto) WT_INLINE { out[2 * thread + n] = sum[n.value]; });
      };
    }
  }();
  const auto in_tail = [](const auto &list) WT_INLINE {
    if constexpr (Ends == ends::with_a_tail) {
      return list;
    } else {
      return no_list{};
    }
  };
  const lists of{.copy = copies,
                 .fetch = fetches,
                 .put = puts,
                 .read = reads,
                 .multiply = multiplies,
                 .vector = vectors,
                 .advance = advances,
                 .store = stores,
                 .finish = finish,
                 .copy_tail = in_tail(copies_tail),
                 .fetch_tail = in_tail(fetches_tail),
                 .put_tail = in_tail(puts_tail)};
  if constexpr (Schedule.stores_between == 0) {
    run<Schedule>(all, of, all - whole);
  } else {
    static_assert(Schedule.stores_between == 1);
    start<Schedule>(of);
    out[5 * kThreads + thread] = 6;
    sum[0] = ~0u;  // to be set anew
    resume<Schedule>(steps, of);
  }
  if (started<Schedule>(0)) sum[0] = 0;  // it holds the start of a step past the end
  for (int n = 0; n < 2; ++n) {
    const bool is_finished = Schedule.depth() > 0 && !Schedule.is_open() && multiplied<Schedule>(n);
    if (!is_finished) out[2 * thread + n] = sum[n];
  }
}

}  // namespace

#define SMALL_ENDING(name, schedule, how)                                                       \
  WT_KERNEL(256) pipeline_##name(const wt::u32 *x, const wt::u32 *y, wt::u32 *out, int steps) { \
    run_small<pipelines::schedule, ends::how>(x, y, out, steps);                                \
  }
#define SMALL(name, schedule) SMALL_ENDING(name, schedule, with_whole_steps)
SMALL(plain, kPlain)
SMALL(deep, kDeep)
SMALL(rotated, kRotated)
SMALL(led, kLed)
SMALL(lagging, kLagging)
SMALL(fetched, kFetched)
SMALL(fetched_lagging, kFetchedLagging)
SMALL_ENDING(fetched_tail, kFetched, with_a_tail)
SMALL(storing, kStoring)
SMALL(attentive, kAttentive)
SMALL(attentive_through, kAttentiveThrough)
SMALL(started, kStarted)
SMALL(beside, kBeside)
