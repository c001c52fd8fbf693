// SPDX-License-Identifier: MIT
// Every kind of atomic on 32 and 64 bits, integer and floating point, in global memory and in LDS: the
// outcome of each is independent of the order, so it must be the host's.
#include "program.h"

template <class T>
struct integers {
  T sum, least, greatest, conjunction, disjunction, parity, exchanged, compared;
};

struct state {
  integers<int> i32;
  integers<unsigned> u32;
  integers<unsigned long long> u64;
  unsigned up, down, remaining, tickets;
  float sum32, greatest32;
  double sum64, least64;
};

template <class T>
__device__ void update(integers<T> &s, T value, bool chosen) {
  atomicAdd(&s.sum, value);
  atomicMin(&s.least, value);
  atomicMax(&s.greatest, value);
  atomicAnd(&s.conjunction, static_cast<T>(value | 0x70));
  atomicOr(&s.disjunction, value);
  atomicXor(&s.parity, value);
  if (chosen) atomicExch(&s.exchanged, value);
  T old = s.compared, assumed;
  do {
    assumed = old;
    old = atomicCAS(&s.compared, assumed, static_cast<T>(assumed + 3 * value));
  } while (old != assumed);
}

constexpr unsigned kUpLimit = 100, kDownLimit = 50;
constexpr int kCount = 1024, kChosen = 77;

__device__ void update(state &s, int value, int index, unsigned *order) {
  update<int>(s.i32, value, index == kChosen);
  update<unsigned>(s.u32, value, index == kChosen);
  update<unsigned long long>(s.u64, value * 0x100000001ll, index == kChosen);
  __builtin_amdgcn_atomic_inc32(&s.up, kUpLimit, __ATOMIC_RELAXED, "agent");
  __builtin_amdgcn_atomic_dec32(&s.down, kDownLimit, __ATOMIC_RELAXED, "agent");
  atomicSub(&s.remaining, static_cast<unsigned>(value));
  atomicAdd(&s.sum32, static_cast<float>(value));
  atomicMax(&s.greatest32, static_cast<float>(value));
  atomicAdd(&s.sum64, value * 0.5);
  atomicMin(&s.least64, static_cast<double>(value));
  order[atomicAdd(&s.tickets, 1u)] = index;
}

__global__ void in_global_memory(state *s, const int *in, unsigned *order) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  update(*s, in[i], i, order);
}

__global__ void in_lds(state *s, const int *in, unsigned *order) {
  __shared__ state local;
  if (threadIdx.x == 0) local = *s;
  __syncthreads();
  for (int i = threadIdx.x; i < kCount; i += blockDim.x) update(local, in[i], i, order);
  __syncthreads();
  if (threadIdx.x == 0) *s = local;
}

template <class T>
void expect(integers<T> &s, T value, bool chosen) {
  s.sum += value;
  if (value < s.least) s.least = value;
  if (value > s.greatest) s.greatest = value;
  s.conjunction &= static_cast<T>(value | 0x70);
  s.disjunction |= value;
  s.parity ^= value;
  if (chosen) s.exchanged = value;
  s.compared += 3 * value;
}

template <class T>
void compare(checker &check, const integers<T> &got, const integers<T> &want) {
  const T *const g = &got.sum, *const w = &want.sum;
  for (int i = 0; i < 8; ++i) check.near(g[i] == w[i], 1, 0, i);
}

int main(int argc, char **argv) {
  select_device(argc, argv);
  checker check{"atomics"};
  generator random{9};
  std::vector<int> in(kCount);
  for (int &value : in) value = static_cast<int>(random.bits() % 2001) - 1000;

  state start = {};
  start.i32.conjunction = -1, start.u32.conjunction = ~0u, start.u64.conjunction = ~0ull;
  start.u32.least = 1000000, start.u64.least = ~0ull;
  start.up = 3, start.down = 20;
  state want = start;
  for (int i = 0; i < kCount; ++i) {
    const int value = in[i];
    expect<int>(want.i32, value, i == kChosen);
    expect<unsigned>(want.u32, value, i == kChosen);
    expect<unsigned long long>(want.u64, value * 0x100000001ll, i == kChosen);
    want.up = want.up >= kUpLimit ? 0 : want.up + 1;
    want.down = want.down == 0 || want.down > kDownLimit ? kDownLimit : want.down - 1;
    want.remaining -= value;
    want.sum32 += value, want.sum64 += value * 0.5;  // small integers and halves: every sum is exact
    want.greatest32 = std::fmax(want.greatest32, value), want.least64 = std::fmin(want.least64, value);
  }

  int *const in_device = to_device(in);
  for (const bool lds : {false, true}) {
    state *const s = to_device(std::vector<state>{start});
    unsigned *const order = to_device(std::vector<unsigned>(kCount, 0));
    if (lds) in_lds<<<1, 256>>>(s, in_device, order);
    if (!lds) in_global_memory<<<8, kCount / 8>>>(s, in_device, order);
    const state got = to_host(s, 1)[0];
    compare(check, got.i32, want.i32);
    compare(check, got.u32, want.u32);
    compare(check, got.u64, want.u64);
    check.near(got.up, want.up, 0, 10);
    check.near(got.down, want.down, 0, 11);
    check.near(got.remaining, want.remaining, 0, 12);
    check.near(got.sum32, want.sum32, 0, 13);
    check.near(got.greatest32, want.greatest32, 0, 14);
    check.near(got.sum64, want.sum64, 0, 15);
    check.near(got.least64, want.least64, 0, 16);
    std::vector<int> drawn(kCount, 0);  // each ticket exactly once
    for (const unsigned index : to_host(order, kCount)) ++drawn.at(index);
    for (int i = 0; i < kCount; ++i) check.near(drawn[i], 1, 0, i);
    HIP_CHECK(hipFree(s));
    HIP_CHECK(hipFree(order));
  }
  HIP_CHECK(hipFree(in_device));
  return check.verdict();
}
