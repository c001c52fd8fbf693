// SPDX-License-Identifier: MIT
// The schedules of the GEMM with F32 scales as the library has them: all waits are needed, and all barriers
// but one.
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

// The same holds for the large tile, of which waves lead the others. gfx950 alone has it.
template <int Waves>
constexpr auto kLarge =
    gemm_block_schedule<gemm_block_frame<wt::fp8e4m3, wt::fp8e4m3, 256, 256, gemm_block_b::tiles, Waves>>();
template <int Waves>
consteval bool large_tile_is_tight() {
  if constexpr (wt::target::kGfx950) {
    return wt::sched::check_schedule<kLarge<Waves>>() &&
           spares<kLarge<Waves>>({wt::sched::derived<kLarge<Waves>>.kRows - 1, 5, part::barrier});
  }
  return true;
}
static_assert(large_tile_is_tight<8>());

}  // namespace

WT_KERNEL(64) gemm_block_laws() {}
