// SPDX-License-Identifier: MIT
// Attention backward, 4-wave interleave: each SIMD has one wave with all of its registers, and vector
// instructions are issued between the wave's own MFMAs.
//
//   multiplies               meanwhile                          reads           and then
//   S of block j             addresses of what comes
//   (Atomic) dQ of j - 1     P from S                           each phase
//   dP                       P from S                           what the next
//   dV                       dS from P and dP, additions to dQ  one wants       (Atomic) barrier
//   dK, or dQ                (Atomic) dS to LDS, additions, copies              barrier before the last phase
//   its last phase           copies
//
// After the barrier of block j, block j + 1 has landed. If the reads for the last phase were waited for as
// well, all waves are done with block j, whose stage takes block j + kStages. The atomic kernel does not wait
// for them if it has more than two stages. It copies into the stage of block j - 1, and so it may begin in
// front of the barrier: spread over more MFMAs, copies wait less for each other.
//
// With attention_dq::added (atomic in the table) one kernel computes dK, dV and dQ. dQ += dS K sums over the
// keys of all waves. Each wave keeps its part of K in registers and reads dS from LDS, one block late: P of
// this block then has MFMAs to hide under, and the atomic additions are spread over two products. A barrier
// before dS is written makes sure that all waves are done with the last dS, and the barrier of the block that
// all of them have written theirs.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_4WAVE_H
#define WT_KERNELS_ATTENTION_BACKWARD_4WAVE_H

#include "attention_backward_frame.h"
#include "attention_shared_product.h"

// Whether the kernel of dK and dV computes dQ, too, by atomic additions.
enum class attention_dq { elsewhere, added };

template <attention_gradient Of, class T, int D, attention_dq Dq = attention_dq::elsewhere,
          attention_variant Variant = attention_variant::plain, attention_path Path = attention_path::direct>
struct attention_backward_4wave
    : attention_backward_frame<T, D, Of, Path, 4, wt::placement::pinned, Variant> {
  using frame = attention_backward_frame<T, D, Of, Path, 4, wt::placement::pinned, Variant>;
  static constexpr bool kAtomic = Dq == attention_dq::added;
  using frame::frame, frame::kBlock, frame::kPhases, frame::kFirstDp, frame::kFirstSum, frame::kStages,
      typename frame::stream;
  using dq_product = attention_shared_product<T, frame::kRows, kBlock, D, 4>;
  // In how many phases the copies are issued, and how many blocks ahead.
  static constexpr int kCopying = kAtomic && kStages > 2 ? 2 : 1, kAhead = kStages + 1 - kCopying;
  struct lds : frame::lds {
    typename dq_product::a_lds ds;
  };
  dq_product dq;

  // K of the work-group goes from the waves' own rows through the LDS stages of the streamed ones.
  WT_DEVICE void prepare(lds &memory) {
    if constexpr (kAtomic) {
      using own_rows = wt::rt_a<T, frame::kOwn, frame::kRowPart, 32>;
      own_rows keys[frame::phases::kRowParts];
      wt::unrolled<frame::phases::kRowParts>(
          [&](auto part) WT_INLINE { keys[part.value] = release(this->own[0][part.value]); });
      dq.share_b(keys, memory.rows);
    }
  }

  // The loop over `blocks`, the blocks of streamed rows, of which there is at least one.
  WT_DEVICE void main_loop(const stream &from, attention_blocks blocks, float *dq_sum) {
    using wt::sched::run_phases;
    const typename dq_product::exchange ds{static_cast<lds &>(from.memory).ds};
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

    // What a wave issues after the copies of block j + 1 and before block j's barrier.
    constexpr int kCopies = decltype(copies(0))::kSize, kAdditions = kAtomic ? dq_product::kSums : 0,
                  kEarly = kCopies * (kCopying - 1) / 2;
    constexpr int kIssued = (kAhead - 2) * (kCopies + kAdditions) + kAdditions + kEarly,
                  kLater = kIssued < wt::kAnyVmem ? kIssued : wt::kAnyVmem - 1;

    const auto dq_products = [&](auto step) WT_INLINE {
      settle_transposed(dq.a[step.value]);
      return mma_ABt_list<step == 0 ? wt::addend::zero : wt::addend::accumulator>(dq.sum, dq.a[step.value],
                                                                                  dq.b[step.value]);
    };
    // Adds to dQ of block j, in rows of D elements; does nothing if there is no such block. The additions are
    // issued in order: each uses the `far` that the last one at a multiple of 4096 bytes has left.
    using layout = wt::accumulator<32, 32>;
    constexpr int kFloat = sizeof(float), kBytes = kBlock * D * kFloat;
    const int lane = wt::lane_id();
    const int at = (layout::row(lane, 0) * D + dq.first_column() + layout::column(lane, 0)) * kFloat;
    int far = 0;
    const auto additions = [&](int j) WT_INLINE {
      const wt::buffer to =
          wt::make_buffer(dq_sum + static_cast<long long>(j) * kBlock * D, j < blocks.begin ? 0 : kBytes);
      return wt::list_of<dq_product::kSums>([this, at, to, &far](auto n) WT_INLINE {
        constexpr int kEach = layout::kElements, kRow = n / kEach * layout::kRows + layout::row(0, n % kEach),
                      kThere = kRow * D * kFloat, kNear = kThere % 4096;  // fits into the instruction
        if constexpr (kNear == 0) {
          far = kThere;
          wt::forget_uniform(far);  // or a register keeps each of them
        }
        wt::buffer_atomic_add(to, at + kNear, dq.sum.fragment[n / kEach][0][n % kEach], far);
      });
    };

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
      if constexpr (kAtomic) {
        const auto dq_reads = [&](auto n) WT_INLINE {
          if constexpr (n == dq_product::kSteps) {
            return reads(wt::index<kFirstDp>{});
          } else {
            return dq.template reads<n>(ds);
          }
        };
        wt::sched::interleave(products(wt::index<kFirstDp - 1>{}), dq_reads(wt::index<0>{}));
        run_phases<0, 1>(dq_products, dq_reads);
        constexpr int kSince =
            decltype(dq_products(wt::index<0>{}))::kSize + decltype(dq_reads(wt::index<1>{}))::kSize;
        const auto p = this->template exponentials<kSince>(j * kBlock);
        run_phases<1, dq_product::kSteps>(dq_products, dq_reads, share_of<0, 3>(p));
        run_phases<kFirstDp, kFirstSum>(products, reads, share_of<1, 3>(p) + share_of<2, 3>(p));
      } else {
        run_phases<kFirstDp - 1, kFirstDp + 1>(products, reads);
        run_phases<kFirstDp + 1, kFirstSum>(
            products, reads,
            this->template exponentials<decltype(size(wt::index<kFirstDp>{}))::value>(j * kBlock));
      }
      const auto others =
          wt::list_of<kAdditions>([&, j](auto n) WT_INLINE { additions(j - 1).template issue<n>(); });
      if constexpr (frame::kOfKeys) {
        this->drop_weights();
        settle(this->weights[1]);
        // The fourth list begins behind the fourth MFMA, or the last one.
        constexpr int kMfmas = decltype(products(wt::index<kFirstSum>{}))::kSize,
                      kReads = decltype(reads(wt::index<kFirstSum + 1>{}))::kSize,
                      kBefore = kMfmas < 4 ? kMfmas : 4;
        const auto ds_of = this->template differences<kBefore + kReads * kBefore / kMfmas>();
        run_phases<kFirstSum, kFirstSum + 1>(products, reads, steps_along(j), share_of<0, 3>(others),
                                             share_of<0, 2>(ds_of));
        run_phases<kFirstSum + 1, kLast>(products, reads, share_of<1, 2>(ds_of), share_of<1, 3>(others));
      } else {
        issue_all(this->differences() + steps_along(j));
      }
      settle(this->weights[0]);
      const auto next_copies =
          wt::list_of<kCopies>([&, j](auto n) WT_INLINE { copies(j + kAhead).template issue<n>(); });
      if constexpr (kAtomic) wt::raw_barrier();
      const auto writes = wt::only_if<kAtomic>(ds.writes(this->weights[0]));
      if constexpr (kCopying == 2) {
        static_assert(kLast + 2 == kPhases, "the writes are in the one phase before the last");
        // The writes come early, two with each MFMA, as the barrier waits for them.
        const auto next_reads = reads(wt::index<kLast + 1>{});
        constexpr wt::sched::pattern<9> kPattern = D == 64 ? "00112223" : "0011223.";
        wt::sched::interleave<kPattern>(products(wt::index<kLast>{}), writes, next_reads,
                                        share_of<2, 3>(others), share_of<0, 2>(next_copies));
        constexpr int kReadsBefore = (decltype(writes)::kSize - 1) / 2 * 2;  // the last write
        wt::wait_counts<kLater, decltype(next_reads)::kSize - kReadsBefore>();
      } else {
        run_phases<kLast, kPhases - 1>(products, reads, writes, share_of<2, 3>(others));
        wt::wait_counts<kLater, 0>();
      }
      wt::raw_barrier();
      run_phases<kPhases - 1, kPhases>(products, reads, share_of<kCopying - 1, kCopying>(next_copies));
    };

    wt::wait_lds<0>();
    wt::raw_barrier();
    wt::unrolled<kAhead>([&](auto i) WT_INLINE {
      if constexpr (i > 0) issue_all(advances());
      issue_all(copies(blocks.begin + i));
    });
    if constexpr (kAtomic) {
      zero(this->weights[0]);
      ds.write(this->weights[0]);
    }
    // An iteration counts what the one before it has issued, too, if copies begin in front of the barrier.
    // The first iteration has none before it, and the second block must have landed as well.
    wt::wait_counts<(kAhead - kCopying) * kCopies, 0>();
    wt::raw_barrier();
    issue_all(this->template reads<0>(from, blocks.begin));
#pragma unroll 1
    for (int j = blocks.begin; j < blocks.end; ++j) block(j);
    wt::mfma_result_wait();  // the compiler may move the sums, and knows nothing of their MFMAs
    keep(this->sum), keep(this->own);
    if constexpr (kAtomic) {
      keep(dq.b);
      issue_all(dq.template reads<0>(ds));
      run_phases<0, dq_product::kSteps, wt::sched::last_phase::reads_nothing>(
          dq_products, [&](auto n) WT_INLINE { return dq.template reads<n>(ds); });
      wt::mfma_result_wait();
      issue_all(additions(blocks.end - 1));
      keep(dq.b);
    }
    wt::wait_vmem<kAdditions>();  // for the copies of blocks that nobody reads
  }

 private:
  using sequel = attention_sequel<typename frame::blocks::block, 1, 4, Path, Variant>;
};

#endif
