// SPDX-License-Identifier: MIT
// Attention backward, 4-wave interleave, with the same bits every time: dK and dV of a work-group's keys, or
// dQ of its queries. Each SIMD has one wave with all of its registers, and vector instructions are issued
// between the wave's own MFMAs.
//
//   multiplies           meanwhile                     reads           and then
//   S of block j         addresses of what comes       each phase
//   dP                   P from S                      what the next
//   dV                   dS from P and dP              one wants
//   dK, or dQ            -                                             barrier before the last phase
//   its last phase       copies
//
// After the barrier of block j, block j + 1 has landed. As the reads for the last phase were waited for as
// well, all waves are done with block j, whose stage takes block j + kStages.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_4WAVE_H
#define WT_KERNELS_ATTENTION_BACKWARD_4WAVE_H

#include "attention_backward_frame.h"

template <attention_gradient Of, class T, int D, attention_variant Variant = attention_variant::plain,
          attention_path Path = attention_path::direct>
struct attention_backward_4wave
    : attention_backward_frame<T, D, Of, Path, 4, wt::placement::pinned, Variant> {
  using frame = attention_backward_frame<T, D, Of, Path, 4, wt::placement::pinned, Variant>;
  using frame::frame, frame::kBlock, frame::kPhases, frame::kFirstDp, frame::kFirstSum, frame::kStages,
      typename frame::stream;
  static constexpr int kAhead = kStages;  // how many blocks ahead copies are
  using typename frame::lds;

  // The loop over `blocks`, the blocks of streamed rows, of which there is at least one.
  WT_DEVICE void main_loop(const stream &from, attention_blocks blocks, float *) {
    using wt::sched::run_phases;
    sequel next[2] = {sequel(from.copy[0].from, blocks.begin), sequel(from.copy[1].from, blocks.begin)};
    const auto advances = [&]() WT_INLINE { return next[0].advances() + next[1].advances(); };
    const auto copies = [&](int j) WT_INLINE {
      auto &to = from.memory.rows.stage[frame::blocks::stage_of(j)];
      const auto vectors = wt::list_of<stream::kVectorCopies>([&, j](auto n) WT_INLINE {
        from.vector_copies(j < blocks.end ? j : blocks.end - 1, j).template issue<n>();
      });
      return next[0].copies(wt::lds_address(&to[0])) + next[1].copies(wt::lds_address(&to[1])) +
             wt::only_if<frame::kOfKeys>(vectors);
    };

    constexpr int kCopies = decltype(copies(0))::kSize;
    // What a wave issues after the copies of block j + 1 and before block j's barrier.
    constexpr int kLater = frame::countable((kAhead - 2) * kCopies);

    // The LDS addresses of the rows that are read next, a register for each read of a part of a row;
    // steps_along and steps_across advance them to the next block.
    auto along = from.blocks.along.at(from.offset_of(blocks.begin));
    auto across = from.blocks.across;
    constexpr bool kKeepsAcross = frame::phases::kColumnParts == 1;
    constexpr int kAlong = sizeof along.base / 4, kAcross = kKeepsAcross ? sizeof across.base / 4 : 0;
    wt::unrolled<kAcross>([&](auto b)
                              WT_INLINE { across.base[b.value] += from.offset_of(blocks.begin - 1); });
    const auto steps_along = [&](int j) WT_INLINE {
      const wt::u32 step = from.offset_of(j + 1) - from.offset_of(j);
      return wt::list_of<kAlong>([&, step](auto b) WT_INLINE {
        along.base[b.value] += step;
        wt::forget(along.base[b.value]);  // or the compiler adds where the sum is used
      });
    };
    const auto steps_across = [&](int j) WT_INLINE {
      const wt::u32 step = from.offset_of(j + 1) - from.offset_of(j);
      return wt::list_of<kAcross>([&, step](auto b) WT_INLINE {
        across.base[b.value] += step;
        wt::forget(across.base[b.value]);
      });
    };

    const auto block = [&](int j) WT_INLINE {
      const auto products = [&](auto n) WT_INLINE { return this->template products<n>(); };
      const auto reads = [&](auto n) WT_INLINE {
        constexpr int kN = n % kPhases;
        using now = typename frame::phases::template phase<kN>;
        if constexpr (now::kMakes) {
          return this->template starts<kN>(from, j + n / kPhases) +
                 along.at(now::kI * sizeof(typename frame::blocks::block))
                     .template reads<now::kPart * frame::kRowPart>(this->phase.rows[kN % 2]);
        } else if constexpr (kKeepsAcross) {
          return across.reads(this->phase.columns[kN % 2],
                              (now::kI * 2 + now::kHalf) * sizeof(typename frame::blocks::half_block));
        } else {
          return this->template reads<kN>(from, j);
        }
      };
      // A lower bound of the number of micro-ops in phase N.
      const auto size = [&](auto n) WT_INLINE {
        return wt::index<decltype(products(n))::kSize + decltype(reads(wt::index<n + 1>{}))::kSize>{};
      };
      constexpr int kLast = kPhases - frame::phases::kOfSum;  // of the sums
      run_phases<0, kFirstDp - 1>(products, reads, advances(), steps_across(j - 1));
      run_phases<kFirstDp - 1, kFirstDp + 1>(products, reads);
      run_phases<kFirstDp + 1, kFirstSum>(
          products, reads,
          this->template exponentials<decltype(size(wt::index<kFirstDp>{}))::value>(j * kBlock));
      if constexpr (frame::kOfKeys) {
        this->drop_weights();
        settle(this->weights[1]);
        // The third list begins behind the third MFMA, or the last one.
        constexpr int kMfmas = decltype(products(wt::index<kFirstSum>{}))::kSize,
                      kReads = decltype(reads(wt::index<kFirstSum + 1>{}))::kSize,
                      kBefore = kMfmas < 3 ? kMfmas : 3;
        const auto ds_of = this->template differences<kBefore + kReads * kBefore / kMfmas>();
        run_phases<kFirstSum, kFirstSum + 1>(products, reads, steps_along(j), share_of<0, 2>(ds_of));
        run_phases<kFirstSum + 1, kLast>(products, reads, share_of<1, 2>(ds_of));
      } else {
        issue_all(this->differences() + steps_along(j));
      }
      settle(this->weights[0]);
      const auto next_copies =
          wt::list_of<kCopies>([&, j](auto n) WT_INLINE { copies(j + kAhead).template issue<n>(); });
      run_phases<kLast, kPhases - 1>(products, reads);
      wt::wait_counts<kLater, 0>();
      wt::raw_barrier();
      run_phases<kPhases - 1, kPhases>(products, reads, next_copies);
    };

    wt::wait_lds<0>();
    wt::raw_barrier();
    wt::unrolled<kAhead>([&](auto i) WT_INLINE {
      if constexpr (i > 0) issue_all(advances());
      issue_all(copies(blocks.begin + i));
    });
    wt::wait_counts<(kAhead - 1) * kCopies, 0>();
    wt::raw_barrier();
    issue_all(this->template reads<0>(from, blocks.begin));
#pragma unroll 1
    for (int j = blocks.begin; j < blocks.end; ++j) block(j);
    wt::mfma_result_wait();  // the compiler may move the sums, and knows nothing of their MFMAs
    keep(this->sum), keep(this->own);
    wt::wait_vmem<0>();  // for the copies of blocks that nobody reads
  }

 private:
  using sequel = attention_sequel<typename frame::blocks::block, 1, 4, Path, Variant>;
};

#endif
