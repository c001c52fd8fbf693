// SPDX-License-Identifier: MIT
// Has one kernel per matrix instruction: a wave loads the registers of A, B and C, multiplies once, stores
// those of D. Lane l's registers lie together, at l times their count.
#include "ops/isa/ids.h"
#include "ops/isa/lds.h"
#include "ops/isa/mfma.h"
#include "tests/kernels/ops/isa/mfma_cases.h"

namespace {

using namespace wt;

template <class V>
WT_DEVICE V load(const u32 *from) {
  constexpr int kCount = kValueBytes<V> / 4;
  unsigned int words __attribute__((ext_vector_type(kCount)));
#pragma unroll
  for (int i = 0; i < kCount; ++i) words[i] = from[lane_id() * kCount + i];
  return __builtin_bit_cast(V, words);
}

template <class V>
WT_DEVICE void store(u32 *to, V value) {
  constexpr int kCount = kValueBytes<V> / 4;
  using vector = unsigned int __attribute__((ext_vector_type(kCount)));
  const vector words = __builtin_bit_cast(vector, value);
#pragma unroll
  for (int i = 0; i < kCount; ++i) to[lane_id() * kCount + i] = words[i];
}

template <class A, class B, int M, int N, int K, int Blocks>
WT_DEVICE void multiply(const u32 *a, const u32 *b, const u32 *c, u32 *d) {
  store(d, mfma<A, B, M, N, K, Blocks>(load<mfma_operand<A, M, K, Blocks>>(a),
                                       load<mfma_operand<B, N, K, Blocks>>(b),
                                       load<mfma_result<A, M, N, Blocks>>(c)));
}

template <class A, class B, int M, int N, int K>
WT_DEVICE void multiply_scaled(const u32 *a, const u32 *b, const u32 *c, u32 *d, const u32 *scales) {
  store(d, mfma_scaled<A, B, M, N, K, ISA_MFMA_SCALE_BYTE_A(M), ISA_MFMA_SCALE_BYTE_B(M)>(
               load<mfma_operand<A, M, K>>(a), load<mfma_operand<B, N, K>>(b), load<mfma_result<A, M, N>>(c),
               scales[lane_id()], scales[target::kWaveLanes + lane_id()]));
}

// The library claims exactly the listed instructions, and its table has no row besides them.
#define CLAIMED(A, B, M, N, K, BLOCKS, ON942, ON950)                                \
  static_assert(has_mfma_on<target::chip::gfx942, A, B, M, N, K, BLOCKS> == ON942); \
  static_assert(has_mfma_on<target::chip::gfx950, A, B, M, N, K, BLOCKS> == ON950);
ISA_MFMA_CASES(CLAIMED)
#define AS_ROW(A, B, M, N, K, BLOCKS, ON942, ON950) \
  {mfma_inputs_of<A, B, K>(), M, N, K, BLOCKS, ON942, ON950},
constexpr mfma_row kListed[] = {ISA_MFMA_CASES(AS_ROW)};
constexpr bool table_is_listed() {
  for (const mfma_row &row : kMfmaTable) {
    bool found = false;
    for (const mfma_row &listed : kListed) {
      found = found || (row.inputs == listed.inputs && row.m == listed.m && row.n == listed.n &&
                        row.k == listed.k && row.blocks == listed.blocks);
    }
    if (!found) return false;
  }
  return true;
}
static_assert(table_is_listed());

}  // namespace

#if defined(__gfx950__)
#define IF_HERE(ON942, ON950, ...) IF_##ON950(__VA_ARGS__)
#else
#define IF_HERE(ON942, ON950, ...) IF_##ON942(__VA_ARGS__)
#endif
#define IF_0(...)
#define IF_1(...) __VA_ARGS__

#define PLAIN(A, B, M, N, K, BLOCKS, ON942, ON950)                                                         \
  IF_HERE(                                                                                                 \
      ON942, ON950,                                                                                        \
      WT_KERNEL(64) A##_##B##_##M##x##N##x##K##_##BLOCKS(const u32 *a, const u32 *b, const u32 *c, u32 *d, \
                                                         const u32 *) {                                    \
        multiply<wt::A, wt::B, M, N, K, BLOCKS>(a, b, c, d);                                               \
      })
ISA_MFMA_CASES(PLAIN)

#define SCALED(A, B, M, N, K, BLOCKS, ON942, ON950)                                                      \
  IF_HERE(                                                                                               \
      ON942, ON950,                                                                                      \
      WT_KERNEL(64) scaled_##A##_##B##_##M##x##N##x##K(const u32 *a, const u32 *b, const u32 *c, u32 *d, \
                                                       const u32 *scales) {                              \
        multiply_scaled<wt::A, wt::B, M, N, K>(a, b, c, d, scales);                                      \
      })
ISA_MFMA_SCALED_CASES(SCALED)
