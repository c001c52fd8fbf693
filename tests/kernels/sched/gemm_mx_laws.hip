// SPDX-License-Identifier: MIT
// The schedule of the GEMM with block scales as the library has it: no wait or barrier of it can be weaker.
// gfx942 has no such kernel.
#if defined(__gfx950__)
#include "kernels/gemm_mx/gemm_mx_persistent.h"
#include "tests/kernels/sched/pipeline_tight.h"

namespace {

using namespace pipelines;

constexpr auto kShuffled =
    gemm_mx_schedule<gemm_mx_frame<wt::fp4e2m1, wt::fp4e2m1, 256, 256, 2, gemm_mx_shuffled_scales>, 0>();
static_assert(wt::sched::check_schedule<kShuffled>() && is_tight<kShuffled>());
constexpr auto kByRows =
    gemm_mx_schedule<gemm_mx_frame<wt::bf16, wt::fp4e2m1, 256, 128, 2, gemm_mx_row_scales>, 0>();
static_assert(wt::sched::check_schedule<kByRows>() && is_tight<kByRows>());

// This is the schedule of persistent work-groups, which store the tile before.
template <class Frame>
constexpr auto kPersistent = gemm_mx_loop<Frame, gemm_leftover<Frame, wt::bf16>::kStores>::kSchedule;
constexpr auto kShuffledPersistent =
    kPersistent<gemm_mx_frame<wt::fp4e2m1, wt::fp4e2m1, 256, 256, 2, gemm_mx_shuffled_scales>>;
static_assert(wt::sched::check_schedule<kShuffledPersistent>() && is_tight<kShuffledPersistent>());

}  // namespace
#else
#include "wavetile_device.h"
#endif

WT_KERNEL(64) gemm_mx_laws() {}
