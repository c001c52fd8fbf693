// SPDX-License-Identifier: MIT
// A schedule of the GEMM with F32 scales as the library has it: all waits are needed, and all barriers but
// one.
#include "kernels/gemm_block/gemm_block.h"
#include "tests/kernels/sched/pipeline_tight.h"

namespace {

using namespace pipelines;

// One barrier could go, that of the last iteration: with what is put no more, there is nothing in flight
// behind the barrier before it, which has made all data of the last step known already. The derivation gives
// each requirement the latest barrier that serves, and does not ask whether an earlier one has served; waits
// it gives once. In the body the barrier is needed. The cost is one barrier a run.
constexpr auto kSchedule =
    gemm_block_schedule<gemm_block_frame<wt::fp8e4m3, wt::fp8e4m3, 128, 128, gemm_block_b::tiles, 4>>();
constexpr int kLastRow = wt::sched::derived<kSchedule>.kRows - 1;
static_assert(wt::sched::check_schedule<kSchedule>());
static_assert(spares<kSchedule>({kLastRow, 1, part::barrier}));

}  // namespace

WT_KERNEL(64) gemm_block_laws() {}
