// SPDX-License-Identifier: MIT
// Attention backward, 4-wave interleave: one wave per SIMD with all of its registers, whose vector unit works
// between its own MFMAs.
//
//   multiplies          meanwhile (vector unit)   reads           and then
//   S of block j
//   dP                  P from S                  each phase      (Atomic) dS to LDS, for the other waves
//   dV                  dS from P and dP          what the next
//   dK, or dQ                                     one wants       barrier before the last phase
//   (Atomic) dQ                                                   atomic additions
//
// The barrier of block j says that block j + 1 has landed, and that all are done with block j - 1, whose
// stage takes block j + 2. What the last phase reads of block j has been issued before.
//
// Atomic: dK and dV and dQ in one kernel. For dQ += dS K a wave sums over keys of all waves, for 32 columns
// of the head dimension: its part of K^T stays in registers, dS comes from LDS. A barrier before dS is
// written says that all are done with the last one, that of the block that all have it.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_4WAVE_H
#define WT_KERNELS_ATTENTION_BACKWARD_4WAVE_H

#include "attention_backward_entry.h"
#include "attention_backward_frame.h"

// Micro-ops From to To - 1 of a list.
template <int From, int To, class List>
WT_DEVICE auto attention_slice(const List &list) {
  return wt::list_of<To - From>([list](auto i) WT_INLINE { list.template issue<From + i>(); });
}

// dS of all waves in LDS, keys down: written 4 queries at a time, read across.
template <class T, class Layout, int Queries>
struct attention_ds {
  static constexpr int kRowBytes = Queries * wt::kBits<T> / 8;
  struct write {
    static constexpr wt::lds_access access = wt::lds_access_of<wt::lds_op::write_b64, [](int lane) {
      return Layout::row(lane, 0) * kRowBytes + Layout::column(lane, 0) * wt::kBits<T> / 8;
    }>();
  };
  static constexpr wt::swizzle kSwizzle =
      wt::solve_swizzle_within<wt::target::kChip, wt::swizzle_limits{kRowBytes, 16 * kRowBytes}, write,
                               wt::read_of_transposed_operand<T, Layout, kRowBytes>>();
};

template <attention_gradient Of, bool Atomic, class T, int D>
struct attention_backward_4wave : attention_backward_frame<T, D, Of, attention_way::direct, 4, true> {
  using frame = attention_backward_frame<T, D, Of, attention_way::direct, 4, true>;
  using frame::frame, frame::kOfKeys, frame::kOfSum, frame::kOfSums, frame::kPhases, frame::kRowParts,
      frame::kBlock, frame::kRows, frame::kPairs;
  using typename frame::p_layout, typename frame::stream;
  static constexpr int kWavesPerSimd = 1;
  static constexpr bool kAtomic = Atomic;

  // A wave's share of dQ: kShare keys by 32 columns, in two steps.
  static constexpr int kTiles = D / 32, kShare = kRows * kTiles / frame::kWaves, kStep = kShare / 2;
  using share_tile = wt::rt<T, 32, kStep, p_layout>;  // of K^T, or of dS with queries down
  using k_tile = wt::rt_agpr<T, 32, kStep, p_layout>;
  using dq_tile = wt::rt_vgpr<float, kBlock, 32, wt::accumulator<32, 32>>;
  using k_lds = typename frame::template rows_lds<kRows>;
  using ds_lds = wt::st<T, kRows, kBlock, attention_ds<T, p_layout, kBlock>::kSwizzle>;
  struct lds : frame::lds {
    ds_lds ds;
  };

  k_tile k[2];
  share_tile ds[2];

  WT_DEVICE static int first_column() { return wt::wave_id() % kTiles * 32; }
  WT_DEVICE static int first_key() { return wt::wave_id() / kTiles * kShare; }

  // The wave's part of K^T; `keys` are those of the work-group.
  WT_DEVICE void load_share(const wt::gl<const T> &keys, lds &memory) {
    static_assert(sizeof(memory.rows) >= sizeof(k_lds), "K passes through the stages of the other rows");
    k_lds &all = reinterpret_cast<k_lds &>(memory.rows);
    wt::load_masked<frame::kThreads>(all, keys);
    wt::barrier();
    const wt::lds_reader_tr<k_lds, share_tile> read(
        first_column(), wt::lds_address(&all) + static_cast<wt::u32>(first_key() * k_lds::kRowBytes));
    wt::unrolled<2>([&](auto i) WT_INLINE {
      issue_all(read.reads(ds[i], i * kStep * k_lds::kRowBytes));
      wt::unrolled<k_tile::kWide>([&](auto j) WT_INLINE { k[i].fragment[0][j] = ds[i].fragment[0][j]; });
      wt::keep(k[i]);
    });
  }

  // An operand that the vector unit wrote is there, and two wait states past: inline assembly may multiply
  // it.
  template <class Tile>
  WT_DEVICE static void settle(Tile &tile) {
    wt::unrolled<Tile::kTall * Tile::kWide>(
        [&](auto n) WT_INLINE { wt::forget(tile.fragment[n / Tile::kWide][n % Tile::kWide]); });
    wt::s_nop<1>();
  }
  // The same for one that gfx942 reads across, by elements, which the vector unit joins.
  template <class Tile>
  WT_DEVICE static void settle_read(Tile &tile) {
    if constexpr (!wt::target::kGfx950) settle(tile);
  }

  // All pinned tiles, in their registers.
  WT_DEVICE void keep() {
    wt::unrolled<frame::kSums * frame::kColumnParts>(
        [&](auto n) WT_INLINE { wt::keep(this->sum[n / frame::kColumnParts][n % frame::kColumnParts]); });
    wt::unrolled<2 * kRowParts>([&](auto n) WT_INLINE { wt::keep(this->own[n / kRowParts][n % kRowParts]); });
    if constexpr (Atomic) wt::unrolled<2>([&](auto i) WT_INLINE { wt::keep(k[i]); });
  }

  // Blocks `begin` to `end` - 1 of the rows that pass, at least one.
  WT_DEVICE void main_loop(const stream &from, int begin, int end) {
    lds &memory = static_cast<lds &>(from.memory);
    const wt::lds_reader_tr<ds_lds, share_tile> read_ds(
        0, wt::lds_address(&memory.ds) + static_cast<wt::u32>(first_key() * ds_lds::kRowBytes));
    const int wave_row = wt::wave_id() * frame::kOwn;
    constexpr int kAdditions = dq_tile::tile::kElements;

    // Phase I of block j, in the order S, dP, sums.
    const auto next_reads = [&](int j, auto i) WT_INLINE {
      constexpr int kNext = (kOfSums + i + 1) % kPhases;
      return this->template reads<kNext>(from, i + 1 == kPhases ? j + 1 : j);
    };
    const auto phase = [&](int j, auto i, const auto &...vector_ops) WT_INLINE {
      constexpr int kNow = (kOfSums + i) % kPhases;
      if constexpr (kNow < kOfSums) settle_read(this->columns[kNow % 2]);
      wt::sched::interleave(this->template products<kNow>(), next_reads(j, i), vector_ops...);
    };
    const auto add_dq = [&](int j) WT_INLINE {
      dq_tile dq;
      settle_read(ds[0]);
      wt::sched::interleave(wt::mma_ABt_list<true>(dq, ds[0], k[0]),
                            read_ds.reads(ds[1], kStep * ds_lds::kRowBytes));
      settle_read(ds[1]);
      wt::sched::interleave(mma_ABt_list(dq, ds[1], k[1]), next_reads(j, wt::index<kPhases - 1>{}));
      constexpr int kBytes = D * static_cast<int>(sizeof(float));
      const wt::buffer to =
          wt::make_buffer(from.sums + static_cast<long long>(j) * kBlock * D, kBlock * kBytes);
      const int lane = wt::lane_id();
      const int at = lane / 32 * 4 * kBytes + (first_column() + lane % 32) * static_cast<int>(sizeof(float));
      const auto sums = wt::release(dq).fragment[0][0];
      wt::unrolled<kAdditions>([&](auto e) WT_INLINE {
        wt::buffer_atomic_add(to, at + e % 4 * kBytes, sums[e.value], e / 4 * 8 * kBytes);
      });
    };

    const auto block = [&](int j) WT_INLINE {
      wt::unrolled<kRowParts>([&](auto i) WT_INLINE { phase(j, i); });
      this->template take<0>(j * kBlock);
      wt::unrolled<kRowParts>([&](auto i) WT_INLINE {
        phase(j, wt::index<kRowParts + i>{},
              attention_slice<i * kPairs / kRowParts, (i + 1) * kPairs / kRowParts>(this->exponentials()));
      });
      this->template take<1>(j * kBlock);
      if constexpr (kOfKeys) {
        settle(this->weights[1][0]), settle(this->weights[1][1]);
        wt::unrolled<kOfSum>([&](auto i) WT_INLINE {
          phase(j, wt::index<2 * kRowParts + i>{},
                attention_slice<i * kPairs / kOfSum, (i + 1) * kPairs / kOfSum>(this->differences()));
        });
      } else {
        issue_all(this->differences());
      }
      settle(this->weights[0][0]), settle(this->weights[0][1]);
      if constexpr (Atomic) {
        wt::raw_barrier();
        wt::unrolled<2>([&](auto half) WT_INLINE {
          wt::store(memory.ds, this->weights[0][half], wave_row, half * kBlock / 2);
        });
      }
      wt::unrolled<kOfSum - 1>([&](auto i) WT_INLINE { phase(j, wt::index<kPhases - kOfSum + i>{}); });
      wt::wait_counts<Atomic ? kAdditions : 0, 0>();
      wt::raw_barrier();
      if (j + 2 < end) from.copy_block(j + 2);
      if constexpr (Atomic) {
        settle_read(this->columns[(kOfSums - 1) % 2]);
        wt::sched::interleave(this->template products<kOfSums - 1>(), read_ds.reads(ds[0]));
        add_dq(j);
      } else {
        phase(j, wt::index<kPhases - 1>{});
      }
    };

    wt::forget_uniform(begin);  // or the addresses of these blocks are kept from head to head
    wt::wait_lds<0>();
    wt::raw_barrier();
    from.copy_block(begin);
    if (begin + 1 < end) from.copy_block(begin + 1);
    wt::wait_vmem<0>();
    wt::raw_barrier();
    issue_all(this->template reads<kOfSums>(from, begin));
#pragma unroll 1
    for (int j = begin; j < end; ++j) block(j);
    wt::mfma_result_wait();  // the compiler may move the sums, and knows nothing of their MFMAs
    keep();
  }
};

template <attention_gradient Of, class T, int D>
using attention_backward_4wave_alone = attention_backward_4wave<Of, false, T, D>;

#define ATTENTION_BACKWARD_4WAVE(D, name, T)                                                         \
  ATTENTION_BACKWARD_PAIR(attention_backward_4wave_alone, 4wave_d##D##_##name, T, D)                 \
  ATTENTION_BACKWARD_KERNEL(attention_backward_dkvq_4wave_d##D##_##name, attention_backward_of_keys, \
                            attention_backward_4wave<attention_gradient::of_keys, true, T, D>)

#endif
