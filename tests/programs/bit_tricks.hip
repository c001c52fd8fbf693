// SPDX-License-Identifier: MIT
// Bit counts, reversals, 32- and 64-bit division and high products, and the votes and shuffles of a wave.
#include "program.h"

constexpr int kScalars = 19, kVotes = 13, kWave = 64;

__global__ void scalars(const uint64_t *first, const uint64_t *second, uint64_t *out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const uint64_t x = first[i], y = second[i] | 1;
  const uint32_t low = static_cast<uint32_t>(x), divisor = static_cast<uint32_t>(y);
  const int64_t signed_x = x, signed_y = y;
  uint64_t *o = out + i * kScalars;
  *o++ = __popc(low);
  *o++ = __clz(low);
  *o++ = __ffs(low);
  *o++ = __brev(low);
  *o++ = __popcll(x);
  *o++ = __clzll(signed_x);
  *o++ = __ffsll(static_cast<unsigned long long>(x));
  *o++ = __brevll(x);
  *o++ = low / divisor;
  *o++ = low % divisor;
  *o++ = x / y;
  *o++ = x % y;
  *o++ = signed_x / signed_y;
  *o++ = signed_x % signed_y;
  *o++ = __umul64hi(x, y);
  *o++ = __mul64hi(signed_x, signed_y);
  *o++ = __umulhi(low, divisor);
  *o++ = signed_x >> (y & 63);
  *o++ = static_cast<uint64_t>(static_cast<unsigned __int128>(x) * y >> 37);
}

uint64_t reversed(uint64_t value, int bits) {
  uint64_t result = 0;
  for (int i = 0; i < bits; ++i) result |= (value >> i & 1) << (bits - 1 - i);
  return result;
}

void expect_scalars(uint64_t x, uint64_t y, uint64_t *o) {
  y |= 1;
  const uint32_t low = static_cast<uint32_t>(x), divisor = static_cast<uint32_t>(y);
  const int64_t signed_x = x, signed_y = y;
  const unsigned __int128 product = static_cast<unsigned __int128>(x) * y;
  const uint64_t want[kScalars] = {static_cast<uint64_t>(__builtin_popcount(low)),
                                   static_cast<uint64_t>(low ? __builtin_clz(low) : 32),
                                   static_cast<uint64_t>(__builtin_ffs(low)),
                                   reversed(low, 32),
                                   static_cast<uint64_t>(__builtin_popcountll(x)),
                                   static_cast<uint64_t>(x ? __builtin_clzll(x) : 64),
                                   static_cast<uint64_t>(__builtin_ffsll(x)),
                                   reversed(x, 64),
                                   low / divisor,
                                   low % divisor,
                                   x / y,
                                   x % y,
                                   static_cast<uint64_t>(signed_x / signed_y),
                                   static_cast<uint64_t>(signed_x % signed_y),
                                   static_cast<uint64_t>(product >> 64),
                                   static_cast<uint64_t>(static_cast<__int128>(signed_x) * signed_y >> 64),
                                   static_cast<uint64_t>(low) * divisor >> 32,
                                   static_cast<uint64_t>(signed_x >> (y & 63)),
                                   static_cast<uint64_t>(product >> 37)};
  for (int i = 0; i < kScalars; ++i) o[i] = want[i];
}

__global__ void votes(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
  int *o = out + i * kVotes;
  const uint64_t positive = __ballot(value > 0);
  *o++ = static_cast<int>(positive);
  *o++ = static_cast<int>(positive >> 32);
  *o++ = __any(value > 90);
  *o++ = __all(value > -95);
  *o++ = __shfl(value, value & 63);
  *o++ = __shfl_xor(value, 5);
  *o++ = __shfl_up(value, 3);
  *o++ = __shfl_down(value, 7);
  *o++ = __shfl(value, 3, 16);
  *o++ = __shfl_up(value, 2, 8);
  *o++ = __shfl_xor(value, 9, 16);
  *o++ = static_cast<int>(__shfl(value * 1.5, 17));
  int odd = 0;  // votes among the lanes of a branch
  if (value & 1) odd = __popcll(__ballot(true));
  *o++ = odd;
}

void expect_votes(const int *wave, int lane, int *o) {
  uint64_t positive = 0;
  int any = 0, all = 1, odd = 0;
  for (int i = 0; i < kWave; ++i) {
    positive |= static_cast<uint64_t>(wave[i] > 0) << i;
    any |= wave[i] > 90, all &= wave[i] > -95, odd += wave[i] & 1;
  }
  const int want[kVotes] = {static_cast<int>(positive),
                            static_cast<int>(positive >> 32),
                            any,
                            all,
                            wave[wave[lane] & 63],
                            wave[lane ^ 5],
                            wave[lane < 3 ? lane : lane - 3],
                            wave[lane + 7 > 63 ? lane : lane + 7],
                            wave[lane / 16 * 16 + 3],
                            wave[lane % 8 < 2 ? lane : lane - 2],
                            wave[lane ^ 9],
                            static_cast<int>(wave[17] * 1.5),
                            wave[lane] & 1 ? odd : 0};
  for (int i = 0; i < kVotes; ++i) o[i] = want[i];
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  checker check{"bit_tricks"};
  generator random{5};
  constexpr int kCount = 2000, kLanes = 512;
  std::vector<uint64_t> first(kCount), second(kCount), want(kScalars);
  for (int i = 1; i < kCount; ++i) {  // every magnitude; the first pair is zero
    first[i] = (static_cast<uint64_t>(random.bits()) << 32 | random.bits()) >> random.bits() % 64;
    second[i] = (static_cast<uint64_t>(random.bits()) << 32 | random.bits()) >> random.bits() % 64;
  }
  uint64_t *scalars_device = nullptr;
  HIP_CHECK(hipMalloc(&scalars_device, kCount * kScalars * sizeof(uint64_t)));
  scalars<<<(kCount + 127) / 128, 128>>>(to_device(first), to_device(second), scalars_device, kCount);
  const std::vector<uint64_t> got = to_host(scalars_device, kCount * kScalars);
  for (int i = 0; i < kCount; ++i) {
    expect_scalars(first[i], second[i], want.data());
    for (int k = 0; k < kScalars; ++k) check.near(got[i * kScalars + k] == want[k], 1, 0, i * 100 + k);
  }

  std::vector<int> in(kLanes), want_votes(kVotes);
  for (int &value : in) value = static_cast<int>(random.bits() % 200) - 100;
  int *votes_device = nullptr;
  HIP_CHECK(hipMalloc(&votes_device, kLanes * kVotes * sizeof(int)));
  votes<<<kLanes / 256, 256>>>(to_device(in), votes_device);
  const std::vector<int> got_votes = to_host(votes_device, kLanes * kVotes);
  for (int i = 0; i < kLanes; ++i) {
    expect_votes(&in[i / kWave * kWave], i % kWave, want_votes.data());
    for (int k = 0; k < kVotes; ++k) check.near(got_votes[i * kVotes + k], want_votes[k], 0, i * 100 + k);
  }
  return check.verdict();
}
