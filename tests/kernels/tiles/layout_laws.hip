// SPDX-License-Identifier: MIT
// Proves laws of the MFMA layouts while compiling: every element of a fragment has exactly one owner, the
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
static_assert(obeys_the_laws<wt::memory_rows<wt::bf16, 64>>());
static_assert(obeys_the_laws<wt::memory_rows<wt::bf16, 96>>());
static_assert(obeys_the_laws<wt::memory_rows<wt::fp8e4m3, 128>>());
static_assert(obeys_the_laws<wt::memory_rows<wt::f32, 32>>());
static_assert(obeys_the_laws<wt::accumulator<16, 16>>());
static_assert(obeys_the_laws<wt::accumulator<32, 32>>());

// Checks what an instruction moves of memory_rows: every four lanes have 64 bytes of one row, 16 each.
template <class T, int Columns>
constexpr bool moves_whole_64_bytes() {
  using layout = wt::memory_rows<T, Columns>;
  constexpr int kFour = 64 * 8 / wt::kBits<T>;
  for (int lane = 0; lane < wt::target::kWaveLanes; ++lane) {
    for (int e = 0; e < layout::kElements; e += layout::kRun) {
      const int first = lane / 4 * 4;
      if (layout::row(lane, e) != layout::row(first, e) || layout::column(first, e) % kFour != 0 ||
          layout::column(lane, e) != layout::column(first, e) + lane % 4 * layout::kRun)
        return false;
    }
  }
  return true;
}
static_assert(moves_whole_64_bytes<wt::bf16, 64>() && moves_whole_64_bytes<wt::bf16, 32>());
static_assert(moves_whole_64_bytes<wt::fp8e4m3, 128>() && moves_whole_64_bytes<wt::f32, 16>());

// It becomes an operand of 32 rows, and an accumulator held transposed becomes it, by exchanges alone.
template <class From, class To, class T>
constexpr bool takes_exchanges_alone = !wt::layout_plan<From, To, wt::kBits<T>>::kSteps.permutes_lanes;
static_assert(
    takes_exchanges_alone<wt::memory_rows<wt::bf16, 64>, wt::natural_operand<wt::bf16, 32>, wt::bf16>);
static_assert(
    takes_exchanges_alone<wt::memory_rows<wt::bf16, 32>, wt::natural_operand<wt::bf16, 32>, wt::bf16>);
static_assert(
    takes_exchanges_alone<wt::transposed<wt::accumulator<32, 32>>, wt::memory_rows<wt::bf16, 64>, wt::bf16>);
static_assert(
    takes_exchanges_alone<wt::transposed<wt::accumulator<32, 32>>, wt::memory_rows<wt::f32, 32>, wt::f32>);

// These are two places of 16x16x128 with 8-bit elements (CDNA4 ISA 7.1.4), where the second run begins at k =
// 64, and of the 32x32 accumulator, which has groups of 4 rows, 8 apart.
static_assert(wt::operand<16, 128, 16>::column(17, 16) == 64 + 16);
static_assert(wt::operand<16, 128, 16>::row(17, 16) == 1);
static_assert(wt::accumulator<32, 32>::row(33, 5) == 8 + 4 + 1);
static_assert(wt::accumulator<32, 32>::column(33, 5) == 1);

// These are s_waitcnt vmcnt(0), lgkmcnt(0) and no wait at all, as the assembler encodes them for gfx9.
static_assert(wt::waitcnt_immediate(0, 15) == 0x0f70);
static_assert(wt::waitcnt_immediate(63, 0) == 0xc07f);
static_assert(wt::waitcnt_immediate(63, 15) == 0xcf7f);

}  // namespace

WT_KERNEL(64) layout_laws() {}
