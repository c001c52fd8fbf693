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
// Atomic: dK and dV and dQ in one kernel. dQ += dS K sums over keys of all waves; each keeps its part of K in
// registers, dS comes from LDS. A barrier before dS is written says that all are done with the last one, that
// of the block that all have it.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_4WAVE_H
#define WT_KERNELS_ATTENTION_BACKWARD_4WAVE_H

#include "attention_backward_frame.h"

template <attention_gradient Of, class T, int D, bool Atomic = false>
struct attention_backward_4wave : attention_backward_frame<T, D, Of, attention_way::direct, 4, true> {
  using frame = attention_backward_frame<T, D, Of, attention_way::direct, 4, true>;
  using frame::frame, frame::kBlock, frame::kPhases, frame::kFirstDp, frame::kFirstSum,
      typename frame::stream;
  using dq_product = wt::shared_product<T, frame::kRows, kBlock, D, 4>;
  struct lds : frame::lds {
    typename dq_product::a_lds ds;
  };
  dq_product dq;

  // `keys`: K of the work-group, which passes through the stages of the other rows.
  WT_DEVICE void prepare(const wt::gl<const T> &keys, lds &memory) {
    if constexpr (Atomic) dq.load_b(keys, memory.rows);
  }

  // The blocks of the rows that pass, at least one.
  WT_DEVICE void main_loop(const stream &from, attention_blocks blocks, float *dq_sum) {
    const typename dq_product::exchange ds{static_cast<lds &>(from.memory).ds};

    const auto block = [&](int j) WT_INLINE {
      const auto products = [&](auto n) WT_INLINE { return this->template products<n>(); };
      const auto reads = [&](auto n) WT_INLINE {
        if constexpr (n < kPhases) {
          return this->template reads<n>(from, j);
        } else if constexpr (Atomic) {
          return dq.reads(ds);
        } else {
          return this->template reads<0>(from, j + 1);
        }
      };
      using wt::sched::run_phases;
      run_phases<0, kFirstDp>(products, reads);
      run_phases<kFirstDp, kFirstSum>(products, reads, this->exponentials(j * kBlock));
      constexpr int kLast = kPhases - frame::phases::kOfSum;  // of the sums
      if constexpr (frame::kOfKeys) {
        settle(this->weights[1]);
        run_phases<kFirstSum, kLast>(products, reads, this->differences());
      } else {
        issue_all(this->differences());
      }
      settle(this->weights[0]);
      if constexpr (Atomic) {
        wt::raw_barrier();
        ds.write(this->weights[0]);
      }
      run_phases<kLast, kPhases - 1>(products, reads);
      wt::wait_counts<Atomic ? dq_product::kSums : 0, 0>();  // for all but the atomic additions
      wt::raw_barrier();
      if (j + 2 < blocks.end) from.copy_block(j + 2);
      run_phases<kPhases - 1, kPhases>(products, reads);
      if constexpr (Atomic) {
        dq.multiply(ds, this->template reads<0>(from, j + 1));
        dq.add_to(dq_sum + static_cast<long long>(j) * kBlock * D);
      }
    };

    wt::wait_lds<0>();
    wt::raw_barrier();
    for (int j = blocks.begin; j < blocks.begin + 2 && j < blocks.end; ++j) from.copy_block(j);
    wt::wait_vmem<0>();
    wt::raw_barrier();
    issue_all(this->template reads<0>(from, blocks.begin));
#pragma unroll 1
    for (int j = blocks.begin; j < blocks.end; ++j) block(j);
    wt::mfma_result_wait();  // the compiler may move the sums, and knows nothing of their MFMAs
    keep(this->sum), keep(this->own);
    if constexpr (Atomic) keep(dq.b);
  }
};

#endif
