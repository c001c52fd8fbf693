// SPDX-License-Identifier: MIT
// This is attention backward in 8-wave ping-pong. Two waves share a SIMD, and one multiplies while the other
// computes P and dS. attention_backward_schedule.h holds the schedule.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_8WAVE_H
#define WT_KERNELS_ATTENTION_BACKWARD_8WAVE_H

#include "attention_backward_frame.h"
#include "attention_backward_schedule.h"

template <attention_gradient Of, class Type, int D, attention_path Path>
struct attention_backward_8wave : attention_backward_frame<Type, D, Of, Path, 8, wt::placement::compiler> {
  using frame = attention_backward_frame<Type, D, Of, Path, 8, wt::placement::compiler>;
  using frame::frame, frame::kBlock, frame::kStages, frame::kOfKeys, frame::kSums, frame::kPhases,
      frame::kFirstSum, typename frame::T, typename frame::stream, typename frame::lds,
      typename frame::blocks, typename frame::phases;
  static_assert(wt::copies_to_lds<typename stream::copier, int>);
  static constexpr int kWaves = 8, kAhead = kStages - 1;
  static constexpr int kRowPointer = wt::sched::kNoPointer, kColumnPointer = wt::sched::kNoPointer;
  static constexpr bool kIsDirect = Path == attention_path::direct;
  // These count the events that the ops of a block have.
  static constexpr int kRowReads = blocks::kRowReads, kColumnReads = blocks::kColumnReads,
                       kStartReads = stream::kVectorReads, kStartCopies = stream::kVectorCopies,
                       kRowCopies = stream::copier::kCopies;

  // Loops over `blocks`, the blocks of streamed rows, of which there is at least one.
  WT_DEVICE void main_loop(const stream &from, attention_blocks streamed, float *) {
    const int first = streamed.begin, count = streamed.end - first;
    const auto reads = [&](auto op, wt::u32 stage) WT_INLINE {
      static constexpr int kPhase = op.value.part;
      const int block = static_cast<int>(stage);  // of those in LDS
      if constexpr (op.value.buffer == kStarts) {
        return this->template starts<kPhase>(from, block);
      } else {
        return this->phase.template reads<kPhase>(from.blocks, block);
      }
    };
    const auto multiplies = [&](auto op) WT_INLINE { return this->template products<op.value.b.part>(); };
    const auto copies = [&](auto op, int step, wt::u32 stage) WT_INLINE {
      const int block = first + (step < count ? step : count - 1);  // past the end the last one comes again
      if constexpr (op.value.buffer == kStarts) {
        return from.vector_copies(block, static_cast<int>(stage));
      } else {
        static constexpr int kMatrix = op.value.buffer;
        return from.copy[kMatrix].copies(block, from.memory.rows.stage[stage][kMatrix]);
      }
    };
    const auto weigh = [&](auto, int step, const auto &others) WT_INLINE {
      this->begin_differences();
      wt::sched::interleave(this->exponentials((first + step) * kBlock) + this->differences(), others);
      // These are computed here; the compiler would postpone them until their use, after the reads.
      wt::unrolled<kSums>([&](auto i) WT_INLINE { forget(this->weights[i.value]); });
    };
    wt::raw_barrier();  // other waves may still read the last head's blocks
    wt::sched::run<attention_backward_schedule<attention_backward_8wave>>(
        count, wt::sched::lists{.copy = copies, .read = reads, .multiply = multiplies, .vector = weigh});
  }
};

#endif
