// SPDX-License-Identifier: MIT
// Laws of the MFMA layouts, proved while compiling: every element of a fragment has exactly one owner, the
// runs that one access moves are runs, and transposing twice changes nothing.
#include "wavetile_device.h"

namespace {

template <class Layout>
constexpr bool has_one_owner_per_element() {
  int owners[Layout::kRows][Layout::kColumns] = {};
  for (int lane = 0; lane < wt::target::kWaveLanes; ++lane) {
    for (int e = 0; e < Layout::kElements; ++e) ++owners[Layout::row(lane, e)][Layout::column(lane, e)];
  }
  for (const auto &row : owners) {
    for (const int count : row) {
      if (count != 1) return false;
    }
  }
  return true;
}

template <class Layout>
constexpr bool has_runs() {
  for (int lane = 0; lane < wt::target::kWaveLanes; ++lane) {
    for (int e = 0; e < Layout::kElements; ++e) {
      const int start = e / Layout::kRun * Layout::kRun;
      if (Layout::row(lane, e) != Layout::row(lane, start)) return false;
      if (Layout::column(lane, e) != Layout::column(lane, start) + e % Layout::kRun) return false;
    }
  }
  return true;
}

template <class Layout>
constexpr bool obeys_the_laws() {
  using other = wt::transpose_t<Layout>;
  return has_one_owner_per_element<Layout>() && has_runs<Layout>() && has_one_owner_per_element<other>() &&
         has_runs<other>() && __is_same(wt::transpose_t<other>, Layout);
}

static_assert(obeys_the_laws<wt::operand<16, 16>>());
static_assert(obeys_the_laws<wt::operand<16, 32>>());
static_assert(obeys_the_laws<wt::operand<16, 64>>());
static_assert(obeys_the_laws<wt::operand<16, 128, 16>>());
static_assert(obeys_the_laws<wt::operand<32, 8>>());
static_assert(obeys_the_laws<wt::operand<32, 16>>());
static_assert(obeys_the_laws<wt::operand<32, 64, 16>>());
static_assert(obeys_the_laws<wt::operand<4, 64>>());
static_assert(obeys_the_laws<wt::natural_operand<wt::fp8e4m3>>());
static_assert(obeys_the_laws<wt::natural_operand<wt::bf16, 32>>());
static_assert(obeys_the_laws<wt::accumulator<16, 16>>());
static_assert(obeys_the_laws<wt::accumulator<32, 32>>());

// Two places of 16x16x128 with 8-bit elements (CDNA4 ISA 7.1.4): the second run begins at k = 64; and of the
// 32x32 accumulator: groups of 4 rows, 8 apart.
static_assert(wt::operand<16, 128, 16>::column(17, 16) == 64 + 16);
static_assert(wt::operand<16, 128, 16>::row(17, 16) == 1);
static_assert(wt::accumulator<32, 32>::row(33, 5) == 8 + 4 + 1);
static_assert(wt::accumulator<32, 32>::column(33, 5) == 1);

// s_waitcnt vmcnt(0), lgkmcnt(0) and no wait at all, as the assembler encodes them for gfx9.
static_assert(wt::waitcnt_immediate(0, 15) == 0x0f70);
static_assert(wt::waitcnt_immediate(63, 0) == 0xc07f);
static_assert(wt::waitcnt_immediate(63, 15) == 0xcf7f);

}  // namespace

WT_KERNEL(64) layout_laws() {}
