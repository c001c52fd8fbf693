// SPDX-License-Identifier: MIT
// Computes attention backward in one kernel, 4-wave interleave: dK and dV of a work-group's keys, and dQ by
// atomic additions. Each SIMD has one wave with all of its registers. The loop has about as many cycles of
// other instructions as of MFMAs, so these are spread over all of them:
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
//
// The loop is written by hand. A schedule lacks an op that writes what a vector has made to LDS, from where
// all waves read it (dS), and one for atomic additions, which vmcnt counts and nothing waits for; products of
// the block before (dQ), in a run without an epilogue; a body with a block of each stage for runs of any
// length; and waits for reads that stand behind MFMAs. A schedule with these was tried: on MI355X with heads
// of 128 (2 batches of 16 heads, 2048 queries) the matrix cores are predicted to be busy for 82.1% of its
// loop, with 7.45 instructions per MFMA, and for 82.5% of this one, with 7.65. On MI300X it had more
// instructions per MFMA: 13.8 instead of 13.5 with heads of 128, and 15.8 instead of 15.6 with 64. With heads
// of 64 on MI355X, clang 22 did not compile it ("illegal VGPR to SGPR copy").
//
// Predicted for 16 batches of 16 heads with 2048 queries on MI355X, repeated (wavetile prof --timing only):
// the kernels of the backward pass take 2,336k cycles, of which 85% are this one's. The matrix cores are busy
// for 82.0% of the loop; 13.8% goes to issuing instructions and 1.3% to additions and copies in front of a
// full L1 queue.
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
  static_assert(wt::copies_to_lds<sequel>);
  static constexpr int kHalf = kFirstSum + phases::kColumnParts;  // of dV
  static constexpr int kFirstDk = kPhases - phases::kOfSum, kLast = kPhases - 1;
  static constexpr int kAdditions = dq_product::kSums;
  struct lds : frame::lds {
    typename dq_product::a_lds ds[kStages];
  };
  dq_product dq;

  // Count the first blocks begun before the loop over a head, and the copies for each block.
  static constexpr int kBegun = kStages - 1, kCopies = 2 * sequel::kCopies + stream::kVectorCopies;

  // The last block is in the last stage, so that the first one is in this.
  WT_DEVICE static int first_stage(attention_blocks streamed) {
    const int stage = (streamed.begin - streamed.end) % kStages;
    return stage + (stage < 0 ? kStages : 0);
  }

  // K and V of the work-group, from key `first` on, come by way of LDS, from where waves take their own rows
  // and what they multiply dS with. If there is LDS for both, the first blocks are `begun` while they come.
  template <class Begin>
  WT_DEVICE void load_own(lds &memory, int first, const wt::gl<const T> &k, const wt::gl<const T> &v,
                          const float *, attention_blocks streamed, const Begin &begun) {
    using own_lds = typename blocks::template tile<frame::kRows>;
    static constexpr bool kFitBoth =
        sizeof(memory.ds) >= sizeof(own_lds) && sizeof(memory.rows.stage[0]) >= sizeof(own_lds);
    static_assert(kFitBoth || sizeof(memory.rows) >= sizeof(own_lds),
                  "K passes through the stages of the streamed rows: use more of them");
    const auto copy = [&](const wt::gl<const T> &from, own_lds &to) WT_INLINE {
      using copier = attention_sequel<own_lds, 1, 4, attention_path::direct, attention_variant::plain>;
      issue_all(copier(from, first / frame::kRows).copies(to));
    };
    if constexpr (kFitBoth) {
      auto &of_k = reinterpret_cast<own_lds &>(memory.ds);
      auto &of_v =
          reinterpret_cast<own_lds &>(memory.rows.stage[(first_stage(streamed) + kStages - 1) % kStages]);
      copy(k, of_k), copy(v, of_v);
      begun();
      wt::wait_vmem<frame::countable(kBegun * kCopies)>();
      wt::raw_barrier();
      take<0>(of_k), take<1>(of_v);
      dq.take_b(of_k);
    } else {
      auto &of_both = reinterpret_cast<own_lds &>(memory.rows);
      copy(k, of_both);
      wt::wait_vmem<0>();
      wt::raw_barrier();
      take<0>(of_both);
      dq.take_b(of_both);
      wt::barrier();
      copy(v, of_both);
      wt::wait_vmem<0>();
      wt::raw_barrier();
      take<1>(of_both);
      begun();
    }
  }

  // Brings the blocks of a head to LDS, one after the other: rows of Q and of dO, and the numbers per row.
  struct arrivals {
    // Before the copies of a matrix's rows, their length is found out.
    static constexpr int kOfRows = 1 + sequel::kCopies, kOfBlock = 2 + kCopies;
    lds &memory;
    sequel next[2];
    const float *numbers;
    int lane, end;  // end: the first row past the last block
    int bytes = 0;

    // Describes the blocks after block `last`. Past the end the last numbers come again.
    WT_DEVICE arrivals(const stream &from, attention_blocks streamed, int last)
        : memory(static_cast<lds &>(from.memory)),
          next{sequel(from.copy[0].from, last), sequel(from.copy[1].from, last)},
          numbers(from.vectors + (last < streamed.end ? last : streamed.end - 1) * 2 * kBlock),
          lane(wt::lane_id()),
          end(streamed.end * kBlock) {
      wt::forget(lane);
    }

    // Advances to the block that begins with row `row`.
    WT_DEVICE auto advances(int row) {
      const auto advances_numbers = wt::list_of<1>([this, row](auto) WT_INLINE {
        numbers += row < end ? 2 * kBlock : 0;
        wt::forget_uniform(numbers);
      });
      return advances_numbers + next[0].advances() + next[1].advances_data();
    }
    WT_DEVICE auto copies(int stage) {
      return wt::list_of<kOfBlock>([this, stage](auto n) WT_INLINE {
        static constexpr int kMatrix = n / kOfRows, kCopy = n % kOfRows - 1;
        if constexpr (kMatrix == 2) {
          // Where the wave's own numbers are in a stage follows from where its copies of rows are.
          const wt::u32 own = next[0].lanes.place * stream::kVectorBytes / sequel::lds_copier::kCopyBytes;
          const auto there = wt::lds_place(memory.vectors[stage][0]).at(own);
          wt::wave_copies(wt::make_buffer(numbers, stream::kVectorBytes), there, lane)
              .template issue<n - 2 * kOfRows>();
        } else if constexpr (kCopy < 0) {
          next[kMatrix].next.from.rows = next[0].next.from.rows;  // both have as many
          bytes = next[kMatrix].length_bytes();
          wt::forget_uniform(bytes);
        } else {
          const wt::buffer rows = wt::make_buffer(next[kMatrix].next.from.data, bytes);
          next[kMatrix].lanes.copies(rows, 0, memory.rows.stage[stage][kMatrix]).template issue<kCopy>();
        }
      });
    }
    // Return the copies of the rows of the first matrix, and of all others.
    WT_DEVICE auto first_copies(int stage) { return wt::part_of<0, kOfRows>(copies(stage)); }
    WT_DEVICE auto last_copies(int stage) { return wt::part_of<kOfRows, kOfBlock>(copies(stage)); }
  };

  // Begins the copies of the first kBegun blocks of a head, when all waves have done with what was in LDS.
  WT_DEVICE void begin(const stream &from, attention_blocks streamed) {
    arrivals next(from, streamed, streamed.begin - 1);
    const int first = first_stage(streamed);
    wt::wait_lds<0>();
    wt::raw_barrier();
    wt::unrolled<kBegun>([&](auto i) WT_INLINE {
      issue_apart(next.advances((streamed.begin + i) * kBlock) + next.copies((first + i) % kStages));
    });
  }

  // Loops over `streamed`, the blocks of queries, of which there is at least one.
  WT_DEVICE void main_loop(const stream &from, attention_blocks streamed, float *dq_sum) {
    using namespace wt::sched;
    lds &memory = static_cast<lds &>(from.memory);
    arrivals next(from, streamed, streamed.begin + kBegun - 1);
    // A wave issues these after the copies of block j + 1 and before the barrier of block j.
    static constexpr int kLater = frame::countable((kStages - 2) * (kCopies + kAdditions) + kAdditions);

    // ---- dQ
    const typename dq_product::exchange ds(memory.ds[0]);
    const auto dq_products = [&](auto step) WT_INLINE { return dq.template products<step>(); };
    // Adds to dQ of the last block, in rows of D elements; does nothing if there is none. The additions are
    // issued in order: each uses the `far` that the last one at a multiple of 4096 bytes has left.
    using layout = wt::accumulator<32, 32>;
    static constexpr int kFloat = sizeof(float), kBytes = kBlock * D * kFloat;
    const int lane = next.lane;
    const int at = (layout::row(lane, 0) * D + dq.first_column() + layout::column(lane, 0)) * kFloat;
    float *sums = dq_sum + (static_cast<long long>(streamed.begin) - 1) * kBlock * D;
    int far = 0;
    const auto additions = [&](bool exists) WT_INLINE {
      const wt::buffer there = wt::make_buffer(sums, exists ? kBytes : 0);
      return wt::list_of<kAdditions>([this, at, there, &far](auto n) WT_INLINE {
        static constexpr int kEach = layout::kElements,
                             kRow = n / kEach * layout::kRows + layout::row(0, n % kEach),
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
      static constexpr int kStage = stage, kBefore = (kStage + kStages - 1) % kStages;
      next.next[0].lanes.forget_place(), next.next[1].lanes.forget_place();
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
      static constexpr int kOfDp = decltype(products(wt::index<kFirstDp>{}))::kSize,
                           kOfDq = decltype(dq_products(wt::index<0>{}))::kSize,
                           kOfSum = decltype(products(wt::index<kFirstSum>{}))::kSize,
                           kReadsDp = decltype(block_reads(wt::index<kFirstDp>{}))::kSize,
                           kReadsDq = decltype(dq_or_dv_reads(wt::index<0>{}))::kSize,
                           kReadsSum = decltype(block_reads(wt::index<kFirstSum>{}))::kSize;

      // Fills in what dP begins with, and what is added to S.
      const auto filled = [&](auto number, auto &tile) WT_INLINE {
        static constexpr int kFrom = kStage * stream::kStageOfVectors;
        return from.filler.template reads<2 * stream::kOf32, number * stream::kOf32>(tile, kFrom);
      };
      const auto starts = filled(wt::index<1>{}, this->made[1]) + filled(wt::index<0>{}, this->later[0]);
      attention_run_phases<0, 1>(products, next.last_copies(kBefore), block_reads,
                                 wt::share_of<0, kFirstDp>(starts));
      attention_run_phases<1, kFirstDp>(products, next.advances(first + kStages * kBlock), block_reads,
                                        wt::shares_of<1, kFirstDp, kFirstDp>(starts));

      const auto dp = products(wt::index<kFirstDp>{});
      const auto dp_rows = block_reads(wt::index<kFirstDp + 1>{});
      const auto dp_waits = attention_waits_for_next<kOfDp, kReadsDp, kReadsDp>();
      attention_interleave(wt::share_of<0, 2>(dp), wt::share_of<0, 2>(dp_waits), wt::share_of<0, 2>(dp_rows));
      const auto p = this->template exponentials<(kOfDp + kReadsDp) / 2, attention_start::added>(first);
      attention_interleave(wt::share_of<1, 2>(dp), wt::share_of<1, 2>(dp_waits), wt::share_of<1, 2>(dp_rows),
                           wt::share_of<0, 8>(p));
      attention_run_phases<kFirstDp + 1, kFirstSum>(products,
                                                    attention_waits_for_next<kOfDp, kReadsDp, kReadsDq>(),
                                                    dp_or_dq_reads, wt::shares_of<1, 3, 8>(p));

      const auto dq_waits = attention_waits_for_next<kOfDq, kReadsDq, kReadsDq>();
      attention_run_phases<0, dq_product::kSteps>(dq_products, wt::repeated<dq_product::kSteps>(dq_waits),
                                                  dq_or_dv_reads, wt::shares_of<3, 7, 8>(p));

      // The products of dQ have been issued since those of dP.
      this->template begin_differences<2 * dq_product::kSteps * kOfDq>();
      const auto ds_of = this->differences();
      const auto writes = ds.template writes<kStage>(this->weights[0]);
      const auto to_last = additions(first > streamed.begin * kBlock);
      const auto sum_waits = attention_waits_for_next<kOfSum, kReadsSum, kReadsSum>();
      // Lists that begin later than the phases that they go with.
      const auto later_to_last =
          wt::list_of<kAdditions / 8>(wt::no_micro_ops{}) + wt::share_of<0, 8>(to_last);
      const auto later_writes =
          wt::list_of<decltype(writes)::kSize / 4>(wt::no_micro_ops{}) + wt::share_of<0, 2>(writes);
      settle(this->weights[1][0]);
      attention_run_phases<kFirstSum, kHalf>(products, wt::repeated<phases::kColumnParts>(sum_waits),
                                             block_reads, wt::share_of<7, 8>(p) + wt::share_of<0, 3>(ds_of),
                                             later_to_last);
      settle(this->weights[1][1]);
      attention_run_phases<kHalf, kFirstDk>(products, wt::repeated<phases::kColumnParts>(sum_waits),
                                            block_reads, wt::shares_of<1, 3, 3>(ds_of), later_writes,
                                            wt::shares_of<1, 3, 8>(to_last));
      settle(this->weights[0]);
      attention_run_phases<kFirstDk, kLast>(products, wt::repeated<kLast - kFirstDk>(sum_waits), block_reads,
                                            wt::share_of<1, 2>(writes), wt::shares_of<3, 7, 8>(to_last));

      // A quarter of the last phase stands before the barrier, unless it has only two MFMAs.
      const auto last = products(wt::index<kLast>{});
      static constexpr int kEarly = kOfSum / 4;
      const auto early = wt::part_of<0, kEarly>(last);
      const auto before_barrier = advances_sums + wt::share_of<7, 8>(to_last);
      if constexpr (kEarly == 0) {
        issue_all(before_barrier);
      } else {
        attention_interleave(early, before_barrier);
      }
      wt::wait_counts<kLater, 0>();
      wt::raw_barrier();
      attention_interleave(wt::part_of<kEarly, kOfSum>(last), next.first_copies(kStage),
                           reads<kPhases, kStage>(from.blocks));
    };

    // The rest of the last block of the first kStages follows in the loop. Where K and V came through LDS,
    // all waves have taken them.
    const int row = streamed.begin * kBlock;
    int skips = first_stage(streamed);
    wt::wait_lds<0>();
    wt::raw_barrier();
    wt::unrolled<kStages - kBegun>([&](auto i) WT_INLINE {
      static constexpr int kBlockAt = kBegun + i;
      const int stage = (skips + kBlockAt) % kStages;
      issue_apart(next.advances(row + kBlockAt * kBlock) + next.first_copies(stage) +
                  wt::only<wt::when(kBlockAt < kStages - 1)>(next.last_copies(stage)));
    });
    // The first block adds to dQ of the one before it, which does not exist: its dS is zero.
    zero(this->weights[0]);
    wt::unrolled<kStages>([&](auto i) WT_INLINE {
      if (skips == (i + 1) % kStages) ds.template write<i>(this->weights[0]);
    });
    // The first block has fewer events before its barrier, so the second one must have landed as well.
    wt::wait_counts<sequel::kCopies, 0>();
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
  // Takes the wave's own rows of K (I 0) or V.
  template <int I, class LDS>
  WT_DEVICE void take(const LDS &all) {
    using own_rows = wt::rt_a<T, frame::kOwn, frame::kRowPart, 32>;
    const auto read = wt::lds_reader<LDS, typename own_rows::layout>(wt::wave_id() * frame::kOwn).at(all);
    wt::unrolled<phases::kRowParts>([&](auto part) WT_INLINE {
      own_rows rows;
      issue_all(read.template reads<part * frame::kRowPart>(rows));
      wt::pin(this->own[I][part.value], rows);
    });
  }
  // Issues a list in order, so that the compiler does not compute the addresses of all its copies first.
  template <class List>
  WT_DEVICE static void issue_apart(const List &list) {
    wt::unrolled<List::kSize>([&](auto n) WT_INLINE {
      list.template issue<n>();
      wt::sched_barrier();
    });
  }

  // Returns the reads for phase N of a block in stage Stage; phase 0 follows the last as the next block's.
  template <int N, int Stage>
  WT_DEVICE auto reads(const blocks &from) {
    using now = typename phases::template phase<N % kPhases>;
    static constexpr int kFrom = (N < kPhases ? Stage : (Stage + 1) % kStages) * 2 + now::kI;
    if constexpr (now::kMakes) {
      return from.along.at(kFrom * sizeof(typename blocks::block))
          .template reads<now::kPart * frame::kRowPart>(this->phase.rows[N % 2]);
    } else if constexpr (phases::kColumnParts == 1) {
      const auto columns = from.across.reads(this->phase.columns[N % 2],
                                             (kFrom * 2 + now::kHalf) * sizeof(typename blocks::half_block));
      return attention_column_by_column<typename blocks::column_tile>(columns);
    } else {
      return this->phase.template reads<N>(from, Stage);
    }
  }
};

#endif
