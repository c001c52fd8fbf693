// SPDX-License-Identifier: MIT
// Attention backward in one kernel, 4-wave interleave: dK and dV of a work-group's keys, and dQ by atomic
// additions. Each SIMD has one wave with all of its registers. The loop has about as many cycles of other
// instructions as of MFMAs, so these are spread over all of them:
//
//   multiplies           vectors                       global memory              LDS, beside reads
//   S of block j         -                             copies of dO, numbers      -
//   dP                   P from S, from the middle on  -                          -
//   dQ of block j - 1    P                             -                          -
//   dV, first half       P to the middle; dS           additions, from there on   -
//   dV, second half      dS                            additions to dQ            half of dS
//   dK, but for its end  -                             additions                  the rest of dS
//   dK, its last phase   -                             barrier; copies of Q       -
//
// Each phase reads what the next one multiplies. dQ += dS K sums over the keys of all waves: each wave keeps
// its part of K in registers and reads dS from LDS, one block late. There are as many stages of dS as of the
// blocks, and an iteration takes a block of each stage, so that LDS addresses are constants of the
// instructions. The one barrier of a block stands in the last phase. By then block j + 1 and dS of block j
// are there. All waves are done with block j, whose stage is filled next, and with the dS before.
//
// -lse is added when S is scaled, in one instruction with it, so that it is read only while S is multiplied,
// when LDS has little else to do.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_DKVQ_H
#define WT_KERNELS_ATTENTION_BACKWARD_DKVQ_H

#include "attention_backward_frame.h"
#include "attention_shared_product.h"

template <class Type, int D>
using attention_backward_dkvq_frame =
    attention_backward_frame<Type, D, attention_gradient::of_keys, attention_path::direct, 4,
                             wt::placement::pinned, attention_variant::plain, wt::target::kGfx950 ? 3 : 2>;

template <class Type, int D>
struct attention_backward_dkvq : attention_backward_dkvq_frame<Type, D> {
  using frame = attention_backward_dkvq_frame<Type, D>;
  using frame::frame, frame::kBlock, frame::kPhases, frame::kFirstDp, frame::kFirstSum, typename frame::T,
      frame::kStages, typename frame::stream, typename frame::blocks, typename frame::phases;
  using dq_product = attention_shared_product<T, frame::kRows, kBlock, D, 4>;
  using sequel =
      attention_sequel<typename blocks::block, 1, 4, attention_path::direct, attention_variant::plain>;
  static constexpr int kHalf = kFirstSum + phases::kColumnParts;  // of dV
  static constexpr int kFirstDk = kPhases - phases::kOfSum, kLast = kPhases - 1;
  static constexpr int kAdditions = dq_product::kSums;
  struct lds : frame::lds {
    typename dq_product::a_lds ds[kStages];
  };
  dq_product dq;

  // K of the work-group goes from the waves' own rows through the LDS stages of the streamed ones.
  WT_DEVICE void prepare(lds &memory) {
    using own_rows = wt::rt_a<T, frame::kOwn, frame::kRowPart, 32>;
    own_rows keys[phases::kRowParts];
    wt::unrolled<phases::kRowParts>([&](auto part)
                                        WT_INLINE { keys[part.value] = release(this->own[0][part.value]); });
    dq.share_b(keys, memory.rows);
  }

  // The loop over `streamed`, the blocks of queries, of which there is at least one.
  WT_DEVICE void main_loop(const stream &from, attention_blocks streamed, float *dq_sum) {
    using namespace wt::sched;
    lds &memory = static_cast<lds &>(from.memory);
    int lane = wt::lane_id();
    wt::forget(lane);

    // ---- copies of the next block
    sequel next[2] = {sequel(from.copy[0].from, streamed.begin - 1),
                      sequel(from.copy[1].from, streamed.begin - 1)};
    const float *numbers = from.vectors + (streamed.begin - 1) * 2 * kBlock;
    int bytes = 0;
    // Advances to the block that begins with row `row`; past the end the last numbers come again.
    const auto advances = [&](int row) WT_INLINE {
      const auto advances_numbers = wt::list_of<1>([&, row](auto) WT_INLINE {
        numbers += row < streamed.end * kBlock ? 2 * kBlock : 0;
        wt::forget_uniform(numbers);
      });
      return advances_numbers + next[0].advances() + next[1].advances_data();
    };
    // A wave issues these after the copies of block j + 1 and before the barrier of block j.
    constexpr int kCopies = 2 * sequel::kEvents + stream::kVectorCopies,
                  kLater = frame::countable((kStages - 2) * (kCopies + kAdditions) + kAdditions);
    // Before the copies of a matrix's rows, their length is found out.
    constexpr int kOfRows = 1 + sequel::kEvents, kOfBlock = 2 + kCopies;
    const auto copies = [&](auto stage) WT_INLINE {
      return wt::list_of<kOfBlock>([&, stage](auto n) WT_INLINE {
        constexpr int kMatrix = n / kOfRows, kCopy = n % kOfRows - 1;
        if constexpr (kMatrix == 2) {
          // Where the wave's own numbers are in a stage follows from where its copies of rows are.
          const wt::u32 own = next[0].lanes.place * stream::kVectorBytes / sequel::lds_copier::kCopyBytes;
          const wt::u32 there = wt::lds_address(&memory.vectors[stage]) + own;
          wt::wave_copies<stream::kVectorBytes>(wt::make_buffer(numbers, stream::kVectorBytes), there, lane)
              .template issue<n - 2 * kOfRows>();
        } else if constexpr (kCopy < 0) {
          next[kMatrix].next.from.rows = next[0].next.from.rows;  // both have as many
          bytes = next[kMatrix].length();
          wt::forget_uniform(bytes);
        } else {
          const wt::buffer rows = wt::make_buffer(next[kMatrix].next.from.data, bytes);
          const wt::u32 there = wt::lds_address(&memory.rows.stage[stage][kMatrix]);
          next[kMatrix].lanes.copies(rows, 0, there).template issue<kCopy>();
        }
      });
    };
    // The rows of the first matrix come right behind the barrier, the others while S is multiplied.
    const auto first_copies = [&](auto stage) WT_INLINE { return wt::part_of<0, kOfRows>(copies(stage)); };
    const auto last_copies = [&](auto stage)
                                 WT_INLINE { return wt::part_of<kOfRows, kOfBlock>(copies(stage)); };

    // ---- dQ
    const typename dq_product::exchange ds(memory.ds[0]);
    const auto dq_products = [&](auto step) WT_INLINE { return dq.template products<step>(); };
    // Adds to dQ of the last block, in rows of D elements; does nothing if there is none. The additions are
    // issued in order: each uses the `far` that the last one at a multiple of 4096 bytes has left.
    using layout = wt::accumulator<32, 32>;
    constexpr int kFloat = sizeof(float), kBytes = kBlock * D * kFloat;
    const int at = (layout::row(lane, 0) * D + dq.first_column() + layout::column(lane, 0)) * kFloat;
    float *sums = dq_sum + (static_cast<long long>(streamed.begin) - 1) * kBlock * D;
    int far = 0;
    const auto additions = [&](bool exists) WT_INLINE {
      const wt::buffer there = wt::make_buffer(sums, exists ? kBytes : 0);
      return wt::list_of<kAdditions>([this, at, there, &far](auto n) WT_INLINE {
        constexpr int kEach = layout::kElements, kRow = n / kEach * layout::kRows + layout::row(0, n % kEach),
                      kThere = kRow * D * kFloat, kNear = kThere % 4096;  // fits into the instruction
        if constexpr (kNear == 0) {
          far = kThere;
          wt::forget_uniform(far);  // or a register keeps each of them
        }
        wt::buffer_atomic_add(there, at + kNear, dq.sum.fragment[n / kEach][0][n % kEach], far);
      });
    };
    const auto advances_sums = wt::list_of<1>([&](auto) WT_INLINE {
      sums += kBlock * D;
      wt::forget_uniform(sums);
    });

    const auto block = [&](auto stage, int first) WT_INLINE {
      constexpr int kStage = stage, kBefore = (kStage + kStages - 1) % kStages;
      next[0].lanes.forget_place(), next[1].lanes.forget_place();
      const auto products = [&](auto n) WT_INLINE {
        if constexpr (n == 0) {
          return mma_ABt_list<wt::addend::zero>(this->made[0], this->phase.rows[0], this->own[0][0]);
        } else {
          return this->template products<n>();
        }
      };
      const auto dp_or_dq_reads = [&](auto n) WT_INLINE {
        if constexpr (n == kFirstSum) {
          return dq.template reads<0, kBefore>(ds);
        } else {
          return reads<n, kStage>(from.blocks);
        }
      };
      const auto dq_or_dv_reads = [&](auto n) WT_INLINE {
        if constexpr (n == dq_product::kSteps) {
          return reads<kFirstSum, kStage>(from.blocks);
        } else {
          return dq.template reads<n, kBefore>(ds);
        }
      };
      const auto block_reads = [&](auto n) WT_INLINE { return reads<n, kStage>(from.blocks); };
      constexpr int kOfDp = decltype(products(wt::index<kFirstDp>{}))::kSize,
                    kOfDq = decltype(dq_products(wt::index<0>{}))::kSize,
                    kOfSum = decltype(products(wt::index<kFirstSum>{}))::kSize,
                    kReadsDp = decltype(block_reads(wt::index<kFirstDp>{}))::kSize,
                    kReadsDq = decltype(dq_or_dv_reads(wt::index<0>{}))::kSize,
                    kReadsSum = decltype(block_reads(wt::index<kFirstSum>{}))::kSize;

      // What dP begins with, and what is added to S.
      const auto filled = [&](auto number, auto &tile) WT_INLINE {
        constexpr int kFrom = kStage * stream::kStageOfVectors;
        return from.filler.template reads<2 * stream::kOf32, number * stream::kOf32>(tile, kFrom);
      };
      const auto starts = filled(wt::index<1>{}, this->made[1]) + filled(wt::index<0>{}, this->later[0]);
      run_phases_together<0, 1>(products, last_copies(wt::index<kBefore>{}), block_reads,
                                wt::share_of<0, kFirstDp>(starts));
      run_phases_together<1, kFirstDp>(products, advances(first + kStages * kBlock), block_reads,
                                       wt::shares_of<1, kFirstDp, kFirstDp>(starts));

      const auto dp = products(wt::index<kFirstDp>{});
      const auto dp_rows = block_reads(wt::index<kFirstDp + 1>{});
      const auto dp_waits = waits_for_next<kOfDp, kReadsDp, kReadsDp>();
      interleave_together(wt::share_of<0, 2>(dp), wt::share_of<0, 2>(dp_waits), wt::share_of<0, 2>(dp_rows));
      const auto p = this->template exponentials<(kOfDp + kReadsDp) / 2, attention_start::added>(first);
      interleave_together(wt::share_of<1, 2>(dp), wt::share_of<1, 2>(dp_waits), wt::share_of<1, 2>(dp_rows),
                          wt::share_of<0, 8>(p));
      run_phases_together<kFirstDp + 1, kFirstSum>(products, waits_for_next<kOfDp, kReadsDp, kReadsDq>(),
                                                   dp_or_dq_reads, wt::shares_of<1, 3, 8>(p));

      const auto dq_waits = waits_for_next<kOfDq, kReadsDq, kReadsDq>();
      run_phases_together<0, dq_product::kSteps>(dq_products, wt::repeated<dq_product::kSteps>(dq_waits),
                                                 dq_or_dv_reads, wt::shares_of<3, 7, 8>(p));

      // The products of dQ have been issued since those of dP.
      const auto ds_of = this->template differences<2 * dq_product::kSteps * kOfDq>();
      const auto writes = ds.template writes<kStage>(this->weights[0]);
      const auto to_last = additions(first > streamed.begin * kBlock);
      const auto sum_waits = waits_for_next<kOfSum, kReadsSum, kReadsSum>();
      // Lists that begin later than the phases that they go with.
      const auto later_to_last =
          wt::list_of<kAdditions / 8>(wt::no_micro_ops{}) + wt::share_of<0, 8>(to_last);
      const auto later_writes =
          wt::list_of<decltype(writes)::kSize / 4>(wt::no_micro_ops{}) + wt::share_of<0, 2>(writes);
      settle(this->weights[1][0]);
      run_phases_together<kFirstSum, kHalf>(products, wt::repeated<phases::kColumnParts>(sum_waits),
                                            block_reads, wt::share_of<7, 8>(p) + wt::share_of<0, 3>(ds_of),
                                            later_to_last);
      settle(this->weights[1][1]);
      run_phases_together<kHalf, kFirstDk>(products, wt::repeated<phases::kColumnParts>(sum_waits),
                                           block_reads, wt::shares_of<1, 3, 3>(ds_of), later_writes,
                                           wt::shares_of<1, 3, 8>(to_last));
      settle(this->weights[0]);
      run_phases_together<kFirstDk, kLast>(products, wt::repeated<kLast - kFirstDk>(sum_waits), block_reads,
                                           wt::share_of<1, 2>(writes), wt::shares_of<3, 7, 8>(to_last));

      // A quarter of the last phase stands before the barrier, unless it has only two MFMAs.
      const auto last = products(wt::index<kLast>{});
      constexpr int kEarly = kOfSum / 4;
      const auto early = wt::part_of<0, kEarly>(last);
      const auto before_barrier = advances_sums + wt::share_of<7, 8>(to_last);
      if constexpr (kEarly == 0) {
        issue_all(before_barrier);
      } else {
        interleave_together(early, before_barrier);
      }
      wt::wait_counts<kLater, 0>();
      wt::raw_barrier();
      interleave_together(wt::part_of<kEarly, kOfSum>(last), first_copies(stage),
                          reads<kPhases, kStage>(from.blocks));
    };

    // The last block is in the last stage, so that the first one is in stage `skips`.
    const int row = streamed.begin * kBlock;
    int skips = (streamed.begin - streamed.end) % kStages;
    skips += skips < 0 ? kStages : 0;
    wt::wait_lds<0>();
    wt::raw_barrier();
    wt::unrolled<kStages>([&](auto i) WT_INLINE {
      const int stage = (skips + i) % kStages;
      const auto all = advances(row + i * kBlock) + copies(stage);
      // The rest of the last block follows in the loop.
      wt::unrolled<decltype(all)::kSize - (i == kStages - 1 ? kOfBlock - kOfRows : 0)>([&](auto n) WT_INLINE {
        all.template issue<n>();
        wt::sched_barrier();  // or the addresses of all copies are computed first
      });
    });
    zero(this->weights[0]);
    wt::unrolled<kStages>([&](auto i) WT_INLINE { ds.template write<i>(this->weights[0]); });
    // The first block has fewer events before its barrier, so the second one must have landed as well.
    wt::wait_counts<sequel::kEvents, 0>();
    wt::raw_barrier();
    issue_all(this->phase.template reads<0>(from.blocks, skips));
    int first = row;
#pragma unroll 1
    do {
      wt::unrolled<kStages>([&](auto i) WT_INLINE {
        wt::forget_uniform(first);  // or the compiler keeps all that follows from it
        wt::forget_uniform(skips);
        if (i == kStages - 1 || i >= skips) {
          block(i, first);
          first += kBlock;
        }
      });
      skips = 0;
    } while (first < streamed.end * kBlock);
    wt::mfma_result_wait();  // the compiler may move the sums, and knows nothing of their MFMAs
    keep(this->sum), keep(this->own), keep(dq.b);
    issue_all(dq.template reads<0, kStages - 1>(ds));
    dq.template multiply<kStages - 1>(ds);
    wt::mfma_result_wait();
    issue_all(additions(true));
    keep(dq.b);
    wt::wait_vmem<kAdditions>();  // for the copies of blocks that nobody reads
  }

 private:
  // The reads for phase N of a block in stage Stage; phase 0 follows the last one, and is the next block's.
  // Columns are read in the order in which MFMAs take them.
  template <int N, int Stage>
  WT_DEVICE auto reads(const blocks &from) {
    using now = typename phases::template phase<N % kPhases>;
    constexpr int kFrom = (N < kPhases ? Stage : (Stage + 1) % kStages) * 2 + now::kI;
    if constexpr (now::kMakes) {
      return from.along.at(kFrom * sizeof(typename blocks::block))
          .template reads<now::kPart * frame::kRowPart>(this->phase.rows[N % 2]);
    } else if constexpr (phases::kColumnParts == 1) {
      using tile = typename blocks::column_tile;
      const auto columns = from.across.reads(this->phase.columns[N % 2],
                                             (kFrom * 2 + now::kHalf) * sizeof(typename blocks::half_block));
      return wt::list_of<decltype(columns)::kSize>([columns](auto n) WT_INLINE {
        constexpr int kReads = blocks::column_reader::kReads, kFragment = n / kReads,
                      kI = kFragment % tile::kTall, kJ = kFragment / tile::kTall;
        columns.template issue<(kI * tile::kWide + kJ) * kReads + n % kReads>();
      });
    } else {
      return this->phase.template reads<N>(from, Stage);
    }
  }
};

#endif
