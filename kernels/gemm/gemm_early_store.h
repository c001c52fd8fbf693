// SPDX-License-Identifier: MIT
// C of 16 bits is stored quadrant by quadrant, each as soon as it is complete, under the MFMAs of the next
// one: compute units that all begin to store when their tiles are complete wait for each other in L2.
#ifndef WT_KERNELS_GEMM_EARLY_STORE_H
#define WT_KERNELS_GEMM_EARLY_STORE_H

#include "gemm_frame.h"
#include "sched/pipeline.h"

// Nothing branches on whether C can be stored so, as accumulators that fill their register file do not
// survive a choice between two last iterations: where it cannot, memory is a buffer without bytes, which
// drops what is stored.
//
// Quadrant 3 is complete when the loop has ended, where the kernel knows whether to store it. What is dropped
// costs C of 32 bits some time. Tiles that share a compute unit have others to store under, and do without.
//
// gfx942 rounds to bf16 by some ten instructions, with masks in scalar registers, of which main loops leave
// too few. It stores when the main loop has ended.
template <class Frame>
struct gemm_early_store {
  static constexpr bool kIsUsed =
      wt::target::kGfx950 && Frame::kLeavesScalars && Frame::kTileM * Frame::kTileN > 128 * 128;
  using c_tile = typename Frame::c_tile;
  using writer = wt::row_writer<wt::bf16, c_tile, gemm_row_order<Frame>>;
  const Frame &f;
  typename Frame::accumulators &c;
  // All is found out when quadrant 0 is complete, with arguments that are read anew: kept, it would take more
  // scalar registers than main loops leave.
  wt_gemm_args args = {};
  bool fits = false;
  writer to;
  typename writer::together held;  // stores of the same sums, until the last of them

  WT_DEVICE gemm_early_store(const Frame &frame, typename Frame::accumulators &sums)
      : f(frame), c(sums), to(wt::gl<wt::bf16>{}) {}

  // Returns the function `finish` of a schedule (sched/pipeline.h).
  WT_DEVICE auto lists() {
    if constexpr (kIsUsed) {
      return [self = this](auto quadrant) WT_INLINE {
        if constexpr (quadrant < 3) {
          return self->template stores<quadrant>();
        } else {
          return wt::op_list<0, wt::no_micro_ops>{};
        }
      };
    } else {
      return wt::sched::no_list{};
    }
  }
  // Stores the last quadrant, and returns whether all of C is stored.
  WT_DEVICE bool end() {
    if constexpr (kIsUsed) {
      if (fits) issue_all(stores<3>());
      return fits;
    } else {
      return false;
    }
  }

 private:
  WT_DEVICE bool can_store() const {
    const bool is_narrow = args.type_c == WT_KERNEL_BF16 || args.type_c == WT_KERNEL_F16;
    return is_narrow && !f.has_rest() && gemm_output(args).is_direct(Frame::kTileM);
  }
  // Returns the wave's part of a quadrant, without rows if it is not stored. Both types of C are as wide.
  template <int Quadrant>
  WT_DEVICE wt::gl<wt::bf16> part() const {
    wt::gl<wt::bf16> all = gemm_output(args).part<wt::bf16>(f, Quadrant / 2, Quadrant % 2);
    if (!fits) all.rows = 0;
    return all;
  }

  // These are functions for round_together: types, so that all stores share what is compiled for them.
  template <class Quadrant>
  struct results_of {
    Quadrant &quadrant;
    template <int I, int J>
    WT_DEVICE auto operator()(wt::index<I>, wt::index<J>) const {
      return wt::result_of<I, J>(quadrant);
    }
  };
  struct narrow {
    const wt_gemm_args &args;
    template <class Sums>
    WT_DEVICE wt::u32x2 operator()(Sums sums) const {
      const auto f16 = __builtin_bit_cast(wt::u32x2, wt::narrowed<wt::f16>(sums, args.alpha));
      const auto bf16 = __builtin_bit_cast(wt::u32x2, wt::narrowed<wt::bf16>(sums, args.alpha));
      return args.type_c == WT_KERNEL_F16 ? f16 : bf16;
    }
  };

  template <int Quadrant>
  WT_DEVICE auto stores() {
    return wt::list_of<1 + writer::kStoresOfTile>([this](auto n) WT_INLINE {
      auto &quadrant = c[Quadrant / 2][Quadrant % 2];
      if constexpr (n == 0) {
        if constexpr (Quadrant == 0) args = wt::read_arguments<wt_gemm_args>(), fits = can_store();
        to = writer(part<Quadrant>());
        wt::wait_for_result(quadrant);
      } else {
        static constexpr int kGroup = (n - 1) / writer::kTogether, kPart = (n - 1) % writer::kTogether;
        if constexpr (kPart == 0)
          writer::template round_together<kGroup>(
              held, results_of<__remove_cvref(decltype(quadrant))>{quadrant}, narrow{args});
        to.template store<writer::number_of(kGroup, kPart)>(held[kPart]);
      }
    });
  }
};

#endif
