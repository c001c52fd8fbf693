// SPDX-License-Identifier: MIT
// Laws of the MFMA layouts, proved while compiling: every element has exactly one owner, and the runs of
// consecutive k that load_operand reads whole are runs.
#include "wavetile_device.h"

namespace {

template <class Layout>
constexpr bool operand_has_one_owner_per_element() {
  int owners[Layout::kRows][Layout::kDepth] = {};
  for (int lane = 0; lane < wt::target::kWaveLanes; ++lane) {
    for (int e = 0; e < Layout::kElements; ++e) ++owners[Layout::row(lane, e)][Layout::k(lane, e)];
  }
  for (const auto &row : owners) {
    for (const int count : row) {
      if (count != 1) return false;
    }
  }
  return true;
}

constexpr bool accumulator_has_one_owner_per_element() {
  using layout = wt::mfma_16x16_accumulator;
  int owners[layout::kRows][layout::kColumns] = {};
  for (int lane = 0; lane < wt::target::kWaveLanes; ++lane) {
    for (int e = 0; e < layout::kElements; ++e) ++owners[layout::row(lane, e)][layout::column(lane, e)];
  }
  for (const auto &row : owners) {
    for (const int count : row) {
      if (count != 1) return false;
    }
  }
  return true;
}

template <class Layout, int Run>
constexpr bool operand_has_runs() {
  for (int lane = 0; lane < wt::target::kWaveLanes; ++lane) {
    for (int e = 0; e < Layout::kElements; ++e) {
      const int start = e / Run * Run;
      if (Layout::row(lane, e) != Layout::row(lane, start)) return false;
      if (Layout::k(lane, e) != Layout::k(lane, start) + e % Run) return false;
    }
  }
  return true;
}

static_assert(operand_has_one_owner_per_element<wt::mfma_16x16x32_operand>());
static_assert(operand_has_one_owner_per_element<wt::mfma_16x16x128_operand>());
static_assert(accumulator_has_one_owner_per_element());
static_assert(operand_has_runs<wt::mfma_16x16x32_operand, 8>());
static_assert(operand_has_runs<wt::mfma_16x16x128_operand, 16>());

// s_waitcnt vmcnt(0), lgkmcnt(0) and no wait at all, as the assembler encodes them for gfx9.
static_assert(wt::waitcnt_immediate(0, 15) == 0x0f70);
static_assert(wt::waitcnt_immediate(63, 0) == 0xc07f);
static_assert(wt::waitcnt_immediate(63, 15) == 0xcf7f);

}  // namespace

WT_KERNEL(64) layout_laws() {}
