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
// The loop is written by hand. A schedule has no op for dS, which goes from the registers of each wave
// through LDS to all others, one block late; and here each list has its share of several phases, to an
// eighth, as in the table: with the lists bunched in the phases that need them, all kernels took 2,430k
// cycles instead of 2,284k (predicted; 16 batches of 16 heads, 2048 queries, MI355X).
#ifndef WT_KERNELS_ATTENTION_BACKWARD_DKVQ_H
#define WT_KERNELS_ATTENTION_BACKWARD_DKVQ_H

#include "attention_backward_frame.h"
#include "attention_backward_dkvq_schedule.h"
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
  static constexpr int kAhead = kStages - 1;  // how many blocks ahead copies are
  // These count the events that the ops of a block have.
  static constexpr int kRowReads = blocks::kRowReads, kColumnReads = blocks::kColumnReads,
                       kStartReads = stream::kVectorReads, kStartCopies = stream::kVectorCopies,
                       kRowCopies = sequel::kCopies, kTurnedReads = dq_product::kReads,
                       kWrites = dq_product::exchange::kWrites, kAdditions = dq_product::kSums;
  static constexpr int kRowPointer = wt::sched::kNoPointer;
  // So much of the last phase stands before the barrier: a quarter, unless it has only two MFMAs.
  static constexpr int kEarlyProducts =
      decltype(static_cast<frame *>(nullptr)->template products<kLast>())::kSize / 4;
  struct lds : frame::lds {
    typename dq_product::a_lds ds[kStages];
  };
  dq_product dq;

  // Count the first blocks begun before the loop over a head, and the copies for each block.
  static constexpr int kBegun = kAhead, kCopies = 2 * sequel::kCopies + stream::kVectorCopies;

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
    constexpr bool kFitBoth =
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
    lds &memory;
    sequel next[2];
    const float *numbers;
    int lane, row, end;  // row: the first one of the next numbers; end: the first row past the last block
    int bytes = 0;

    // Describes the block that is the next one, and those after it. Past the end the last numbers come again.
    WT_DEVICE arrivals(const stream &from, attention_blocks streamed, int block)
        : memory(static_cast<lds &>(from.memory)),
          next{sequel(from.copy[0].from, block), sequel(from.copy[1].from, block)},
          numbers(from.vectors + (block < streamed.end ? block : streamed.end - 1) * 2 * kBlock),
          lane(wt::lane_id()),
          row(block * kBlock),
          end(streamed.end * kBlock) {
      wt::forget(lane);
    }

    // Returns the list that advances to the next block of a buffer.
    template <int Buffer>
    WT_DEVICE auto advances(wt::index<Buffer>) {
      if constexpr (Buffer == kStarts) {
        return wt::list_of<1>([this](auto) WT_INLINE {
          row += kBlock;
          wt::forget_uniform(row);
          numbers += row < end ? 2 * kBlock : 0;
          wt::forget_uniform(numbers);
        });
      } else if constexpr (Buffer == kFirst) {
        return next[0].advances();
      } else {
        return next[1].advances_data();  // both have as many rows
      }
    }
    template <int Buffer>
    WT_DEVICE auto copies(wt::index<Buffer>, wt::u32 stage) {
      if constexpr (Buffer == kStarts) {
        return wt::list_of<stream::kVectorCopies>([this, stage](auto n) WT_INLINE {
          // Where the wave's own numbers are in a stage follows from where its copies of rows are.
          const wt::u32 own = next[0].lanes.place * stream::kVectorBytes / sequel::lds_copier::kCopyBytes;
          const auto there = wt::lds_place(memory.vectors[0][0]).at(own + stage * sizeof memory.vectors[0]);
          wt::wave_copies(wt::make_buffer(numbers, stream::kVectorBytes), there, lane).template issue<n>();
        });
      } else {
        return wt::list_of<sequel::kCopies>([this, stage](auto n) WT_INLINE {
          if constexpr (n == 0) {
            next[Buffer].next.from.rows = next[0].next.from.rows;
            bytes = next[Buffer].length_bytes();
            wt::forget_uniform(bytes);
          }
          const wt::buffer rows = wt::make_buffer(next[Buffer].next.from.data, bytes);
          const auto there =
              wt::lds_place(memory.rows.stage[0][Buffer]).at(stage * sizeof memory.rows.stage[0]);
          next[Buffer].lanes.copies(rows, 0, there).template issue<n>();
        });
      }
    }
  };
  // Returns the functions of `lists` that bring data.
  WT_DEVICE static auto copies_of(arrivals &next) {
    return [&next](auto op, int, wt::u32 stage)
               WT_INLINE { return next.copies(wt::index<op.value.buffer>{}, stage); };
  }
  WT_DEVICE static auto advances_of(arrivals &next) {
    return [&next](auto op) WT_INLINE { return next.advances(wt::index<op.value.buffer>{}); };
  }

  // Begins the copies of the first blocks of a head, when all waves have done with what was in LDS.
  WT_DEVICE void begin(const stream &from, attention_blocks streamed) {
    using namespace wt::sched;
    arrivals next(from, streamed, streamed.begin);
    wt::wait_lds<0>();
    wt::raw_barrier();
    start<attention_backward_dkvq_schedule<attention_backward_dkvq>>(
        lists{.copy = copies_of(next), .advance = advances_of(next)}, streamed.end - streamed.begin);
  }

  // Loops over `streamed`, the blocks of queries, of which there is at least one.
  WT_DEVICE void main_loop(const stream &from, attention_blocks streamed, float *dq_sum) {
    using namespace wt::sched;
    lds &memory = static_cast<lds &>(from.memory);
    arrivals next(from, streamed, streamed.begin + kBegun - 1);  // the last one that is begun
    const typename dq_product::exchange ds(memory.ds[0]);

    // Where a block adds to dQ, in rows of D elements. The additions are issued in order: each uses the `far`
    // that the last one at a multiple of 4096 bytes has left.
    using layout = wt::accumulator<32, 32>;
    constexpr int kFloat = sizeof(float), kBytes = kBlock * D * kFloat;
    const int at =
        (layout::row(next.lane, 0) * D + dq.first_column() + layout::column(next.lane, 0)) * kFloat;
    float *sums = dq_sum + (static_cast<long long>(streamed.begin) - 1) * kBlock * D;
    int far = 0;

    const auto reads = [&](auto op, wt::u32 stage) WT_INLINE {
      constexpr int kN = op.value.part;
      using now = typename phases::template phase<op.value.buffer == kShared ? 0 : kN>;
      if constexpr (op.value.buffer == kStarts) {
        const int there = static_cast<int>(stage) * stream::kStageOfVectors;
        constexpr int kFrom = (kN != 0) * stream::kOf32;
        if constexpr (kN != 0) {
          return from.filler.template reads<2 * stream::kOf32, kFrom>(this->made[1], there);
        } else {
          return from.filler.template reads<2 * stream::kOf32, kFrom>(this->later[0], there);
        }
      } else if constexpr (op.value.buffer == kShared) {
        return dq.template reads<kN>(ds, static_cast<int>(stage));
      } else if constexpr (now::kMakes) {
        const auto all = from.blocks.along.at((stage * 2 + now::kI) * sizeof(typename blocks::block))
                             .template reads<now::kPart * frame::kRowPart>(this->phase.rows[kN % 2]);
        return all;
      } else if constexpr (phases::kColumnParts == 1) {
        return attention_column_by_column<typename blocks::column_tile>(from.blocks.across.reads(
            this->phase.columns[kN % 2],
            ((stage * 2 + now::kI) * 2 + now::kHalf) * sizeof(typename blocks::half_block)));
      } else {
        return this->phase.template reads<kN>(from.blocks, static_cast<int>(stage));
      }
    };
    const auto multiplies = [&](auto op) WT_INLINE {
      constexpr int kN = op.value.b.part;
      if constexpr (op.value.sum == kDq) {
        return dq.template products<op.value.a.part>();
      } else if constexpr (kN == 0) {
        return mma_ABt_list<wt::addend::zero>(this->made[0], this->phase.rows[0], this->own[0][0]);
      } else {
        return part_of_phase<op.value.number, 4>(this->template products<kN>());
      }
    };
    const auto shares = [&](auto op, wt::u32 stage) WT_INLINE {
      constexpr int kFirst = op.value.number;
      return wt::part_of<kFirst, kFirst + op.value.events>(
          ds.writes(this->weights[0], static_cast<int>(stage)));
    };
    const auto additions = [&](auto op, int step) WT_INLINE {
      const wt::buffer there = wt::make_buffer(sums, step >= 0 ? kBytes : 0);
      constexpr int kNumber = op.value.number;
      return wt::list_of<op.value.events>([this, at, there, &sums, &far](auto i) WT_INLINE {
        constexpr int n = kNumber + i, kEach = layout::kElements,
                      kRow = n / kEach * layout::kRows + layout::row(0, n % kEach),
                      kThere = kRow * D * kFloat, kNear = kThere % 4096;  // fits into the instruction
        if constexpr (kNear == 0) {
          far = kThere;
          wt::forget_uniform(far);  // or a register keeps each of them
        }
        wt::buffer_atomic_add(there, at + kNear, dq.sum.fragment[n / kEach][0][n % kEach], far);
        if constexpr (n + 1 == kAdditions) {
          sums += kBlock * D;
          wt::forget_uniform(sums);
        }
      });
    };
    const auto weigh = [&](auto op, int step, const auto &...others) WT_INLINE {
      this->template make_weights<op.value.number>((streamed.begin + step) * kBlock, others...);
    };

    // Otherwise registers keep what follows from the places, for the copies of all stages.
    const auto forget_places = [&]() WT_INLINE {
      if constexpr (sequel::kCopies > 2) next.next[0].lanes.forget_place(), next.next[1].lanes.forget_place();
    };

    // Where K and V came through LDS, all waves have taken them.
    wt::wait_lds<0>();
    wt::raw_barrier();
    resume<attention_backward_dkvq_schedule<attention_backward_dkvq>>(
        streamed.end - streamed.begin, lists{.copy = copies_of(next),
                                             .read = reads,
                                             .multiply = multiplies,
                                             .vector = weigh,
                                             .advance = advances_of(next),
                                             .share = shares,
                                             .atomic = additions,
                                             .at_loop_start = forget_places});
    wt::mfma_result_wait();  // the compiler may move the sums, and knows nothing of their MFMAs
    keep(this->sum), keep(this->own), keep(dq.b);
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
  // Returns all of a list, or its first one of N shares, or the others.
  template <int Number, int N, class List>
  WT_DEVICE static auto part_of_phase(const List &list) {
    if constexpr (Number == kWhole) {
      return list;
    } else if constexpr (Number == kEarlier) {
      return wt::share_of<0, N>(list);
    } else {
      return wt::shares_of<1, N, N>(list);
    }
  }

  // Does what is of vector V beside MFMAs. `streamed` is the first row of the block.
  template <int V, class Multiplies, class Reads, class Others>
  WT_DEVICE void make_weights(int streamed, const Multiplies &multiplies, const Reads &reads,
                              const Others &others) {
    using shares = attention_backward_dkvq_shares<attention_backward_dkvq>;
    if constexpr (V == shares::kFirstOfDv) {
      // The products of dQ have been issued since those of dP.
      this->template begin_differences<2 * dq_product::kSteps * decltype(dq.template products<0>())::kSize>();
    }
    const auto p = this->template exponentials<attention_start::added>();
    const auto ds = this->differences();
    constexpr int kP = decltype(p)::kSize, kDs = decltype(ds)::kSize;
    const auto slice = wt::part_of<shares::of_p(V, kP), shares::of_p(V + 1, kP)>(p) +
                       wt::part_of<shares::of_ds(V, kDs), shares::of_ds(V + 1, kDs)>(ds);
    if constexpr (V == 0) {
      // P begins in the middle of the phase.
      wt::sched::interleave_together(wt::share_of<0, 2>(multiplies), wt::share_of<0, 2>(reads), others);
      this->template begin_exponentials<(Multiplies::kSize + Reads::kSize) / 2>(streamed);
      wt::sched::interleave_together(wt::share_of<1, 2>(multiplies), wt::list_of<0>(wt::no_micro_ops{}), wt::share_of<1, 2>(reads), slice);
    } else {
      constexpr bool kIsLate = V >= shares::kFirstOfDv && V < shares::kFirstOfDv + shares::kParts;
      const auto later = wt::list_of<kIsLate * Others::kSize>(wt::no_micro_ops{}) + others;
      wt::sched::interleave_together(multiplies, wt::list_of<0>(wt::no_micro_ops{}), reads, slice, later);
    }
    if constexpr (V + 1 == shares::kFirstOfDv) settle(this->weights[1][0]);
    if constexpr (V + 1 == shares::kFirstOfDv + shares::kParts) settle(this->weights[1][1]), settle(this->weights[0][0]);
    if constexpr (V + 1 == shares::kVectors) settle(this->weights[0][1]);
  }
};

#endif
