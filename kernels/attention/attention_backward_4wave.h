// SPDX-License-Identifier: MIT
// Attention backward, 4-wave interleave, with the same bits every time: dK and dV of a work-group's keys, or
// dQ of its queries. Each SIMD has one wave with all of its registers, and vector instructions are issued
// between the wave's own MFMAs. attention_backward_schedule.h holds the schedule.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_4WAVE_H
#define WT_KERNELS_ATTENTION_BACKWARD_4WAVE_H

#include "attention_backward_frame.h"
#include "attention_backward_schedule.h"

template <attention_gradient Of, class Type, int D, attention_variant Variant = attention_variant::plain,
          attention_path Path = attention_path::direct>
struct attention_backward_4wave
    : attention_backward_frame<Type, D, Of, Path, 4, wt::placement::pinned, Variant> {
  using frame = attention_backward_frame<Type, D, Of, Path, 4, wt::placement::pinned, Variant>;
  using frame::frame, frame::kStages, frame::kOfKeys, frame::kSums, frame::kPhases, frame::kFirstSum,
      frame::kBlock, frame::kFirstDp, typename frame::T, typename frame::stream, typename frame::lds,
      typename frame::blocks, typename frame::phases;
  using sequel = attention_sequel<typename blocks::block, 1, 4, Path, Variant>;
  static_assert(wt::copies_to_lds<sequel>);
  static constexpr int kWaves = 4, kAhead = kStages;  // kAhead: how many blocks ahead copies are
  static constexpr bool kIsDirect = Path == attention_path::direct;
  // These count the events that the ops of a block have.
  static constexpr int kRowReads = blocks::kRowReads, kColumnReads = blocks::kColumnReads,
                       kStartReads = stream::kVectorReads, kStartCopies = stream::kVectorCopies,
                       kRowCopies = sequel::kCopies;
  // A register for each read of a part of a row holds its address, and moves from stage to stage; so does
  // one for each read of columns, where their parts are the same for all.
  static constexpr int kRowPointer = 0,
                       kColumnPointer = phases::kColumnParts == 1 ? 1 : wt::sched::kNoPointer;

  // Loops over `streamed`, the blocks of streamed rows, of which there is at least one.
  WT_DEVICE void main_loop(const stream &from, attention_blocks streamed, float *) {
    using namespace wt::sched;
    const int first = streamed.begin, count = streamed.end - first;
    sequel next[2] = {sequel(from.copy[0].from, first), sequel(from.copy[1].from, first)};
    auto along = from.blocks.along;
    auto across = from.blocks.across;
    wt::unrolled<sizeof across.base / 4>(
        [&](auto b) WT_INLINE { across.base[b.value] += kStageBytes * (kStages - 1); });

    const auto bring = [&]<int Buffer>(wt::index<Buffer>, int step, wt::u32 stage) WT_INLINE {
      if constexpr (Buffer == kStarts) {
        const int block =
            first + (step < count ? step : count - 1);  // past the end the last one's come again
        return from.vector_copies(block, static_cast<int>(stage));
      } else {
        return next[Buffer].copies(from.memory.rows.stage[stage][Buffer]);
      }
    };
    // What a copy needs is formed where it stands, as scalar registers are dearer than instructions.
    const auto copies = [&](auto op, int step, wt::u32 stage) WT_INLINE {
      if constexpr (frame::kGeneral) wt::forget_uniform(stage);  // or it is kept, in several forms
      static constexpr wt::index<op.value.buffer> kBuffer;
      return wt::list_of<op.value.events>([=](auto n)
                                              WT_INLINE { bring(kBuffer, step, stage).template issue<n>(); });
    };
    const auto advances = [&](auto op, auto... stage) WT_INLINE {
      if constexpr (op.value.pointer == kNoPointer) {
        return next[op.value.buffer].advances();
      } else if constexpr (op.value.pointer == kRowPointer) {
        return moves(along, stage...);
      } else {
        return moves(across, stage...);
      }
    };
    const auto reads = [&](auto op, wt::u32 stage) WT_INLINE {
      static constexpr int kN = op.value.part;
      using now = typename phases::template phase<kN>;
      if constexpr (op.value.buffer == kStarts) {
        return this->template starts<kN>(from, static_cast<int>(stage));
      } else if constexpr (op.value.pointer == kNoPointer) {
        return this->phase.template reads<kN>(from.blocks, static_cast<int>(stage));
      } else if constexpr (op.value.pointer == kRowPointer) {
        return along.at(now::kI * sizeof(typename blocks::block))
            .template reads<now::kPart * frame::kRowPart>(this->phase.rows[kN % 2]);
      } else {
        return across.reads(this->phase.columns[kN % 2],
                            (now::kI * 2 + now::kHalf) * sizeof(typename blocks::half_block));
      }
    };
    const auto multiplies = [&](auto op) WT_INLINE { return this->template products<op.value.b.part>(); };
    const auto weigh = [&](auto op, int step, const auto &...others) WT_INLINE {
      static constexpr int kPart = op.value.number - kDiffer;
      if constexpr (op.value.number == kWeigh) {
        this->make_weights((first + step) * kBlock, others...);
      } else {
        this->template make_differences<kPart>(others...);
      }
    };
    wt::wait_lds<0>();
    wt::raw_barrier();  // other waves may still read the last head's blocks
    run<attention_backward_schedule<attention_backward_4wave>>(
        count,
        lists{.copy = copies, .read = reads, .multiply = multiplies, .vector = weigh, .advance = advances});
    wt::mfma_result_wait();  // the compiler may move the sums, and knows nothing of their MFMAs
    keep(this->sum), keep(this->own);
  }

 private:
  static constexpr wt::u32 kStageBytes = sizeof(typename blocks::memory) / kStages;

  // Moves the addresses of a reader from the stage before to stage `stage`.
  template <class Reader>
  WT_DEVICE static auto moves(Reader &reader, wt::u32 stage) {
    const wt::u32 step = stage == 0 ? 0 - kStageBytes * (kStages - 1) : kStageBytes;
    return wt::list_of<sizeof reader.base / 4>([&, step](auto b) WT_INLINE {
      reader.base[b.value] += step;
      wt::forget(reader.base[b.value]);  // or the compiler adds where the sum is used
    });
  }

  // Makes P from S of the block of streamed rows from `streamed` on, beside the last MFMAs of dP. Since those
  // of S, the phase before has been issued.
  template <class Multiplies, class Reads, class Others>
  WT_DEVICE void make_weights(int streamed, const Multiplies &multiplies, const Reads &reads,
                              const Others &others) {
    static constexpr int kSince = decltype(this->template products<kFirstDp>())::kSize + kRowReads;
    wt::sched::interleave(multiplies, reads, this->template exponentials<kSince>(streamed), others);
    if constexpr (kOfKeys) {
      this->drop_weights();
      settle(this->weights[1]);
    }
  }
  // Makes part Part of dS beside the MFMAs of dV: half beside their first phase, the rest beside the others.
  template <int Part, class Multiplies, class Reads, class Others>
  WT_DEVICE void make_differences(const Multiplies &multiplies, const Reads &reads, const Others &others) {
    static constexpr int kParts = phases::kOfSum;
    if constexpr (Part == 0) {
      // The vector begins behind the third MFMA, or the last one.
      static constexpr int kMfmas = Multiplies::kSize, kBefore = kMfmas < 3 ? kMfmas : 3;
      this->template begin_differences<kBefore + Reads::kSize * kBefore / kMfmas>();
      wt::sched::interleave(multiplies, reads, others, wt::share_of<0, 2>(this->differences()));
    } else {
      const auto rest = wt::share_of<1, 2>(this->differences());
      wt::sched::interleave(multiplies, reads, wt::share_of<Part - 1, kParts - 1>(rest), others);
    }
    if constexpr (Part + 1 == kParts) settle(this->weights[0]);
  }
  // Makes all of dS at once, where dQ is summed.
  template <int Part, class Others>
  WT_DEVICE void make_differences(const Others &others) {
    this->begin_differences();
    issue_all(this->differences() + others);
    settle(this->weights[0]);
  }
};

#endif
