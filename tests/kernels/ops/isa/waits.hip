// SPDX-License-Identifier: MIT
// Copies to LDS and reads of LDS on two buffers, with hand-placed waits; and each instruction of sync.h once.
#include "ops/isa/buffer.h"
#include "ops/isa/ids.h"
#include "ops/isa/sync.h"

namespace {

using namespace wt;

constexpr int kCopies = 2, kWaves = 4, kThreads = 256;
constexpr int kCopyBytes = 64 * target::kDirectToLdsBytes, kStepBytes = kWaves * kCopies * kCopyBytes;

WT_DEVICE u32 sum_of_halves(u32x2 words) {
  return (words[0] & 0xffff) + (words[0] >> 16) + (words[1] & 0xffff) + (words[1] >> 16);
}

// Adds up the 16-bit halves of `steps` * kStepBytes: each step's bytes are copied while those before are
// read, by another wave than copied them. `in` must hold one step more.
enum class reads { plain, transposed };
template <reads How>
WT_DEVICE void two_buffers(const void *in, u32 *out, int steps) {
  WT_SHARED static unsigned char memory[2 * kStepBytes];
  const u32 base = lds_address(memory);
  const buffer from = make_buffer(in, (steps + 1) * kStepBytes);
  const int voffset = lane_id() * target::kDirectToLdsBytes, wave = wave_id() * kCopies * kCopyBytes;
  const auto copy = [=](int step, u32 place) __attribute__((always_inline)) {
#pragma unroll
    for (int i = 0; i < kCopies; ++i) {
      const int piece = wave + i * kCopyBytes;
      buffer_load_to_lds<target::kDirectToLdsBytes>(from, voffset, step * kStepBytes + piece,
                                                    base + place + piece);
    }
  };
  const u32 read = base + static_cast<u32>((thread_id() + 64) % kThreads * 8);
  u32 current = 0, sum = 0;
  copy(0, 0);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    copy(step + 1, current ^ kStepBytes);
    wait_vmem<kCopies>();
    raw_barrier();
#pragma unroll
    for (int i = 0; i < kStepBytes / (kThreads * 8); ++i) {
      if constexpr (How == reads::transposed) {
        sum += sum_of_halves(__builtin_bit_cast(u32x2, ds_read_tr<bf16>(read + current, i * kThreads * 8)));
      } else {
        sum += sum_of_halves(ds_read<u32x2>(read + current, i * kThreads * 8));
      }
    }
    wait_lds<0>();
    raw_barrier();
    current ^= kStepBytes;
  }
  out[thread_id()] = sum;
}

}  // namespace

WT_KERNEL(256) plain(const void *in, u32 *out, int steps) { two_buffers<reads::plain>(in, out, steps); }
#if defined(__gfx950__)
WT_KERNEL(256) transposed(const void *in, u32 *out, int steps) {
  two_buffers<reads::transposed>(in, out, steps);
}
#endif

WT_KERNEL(256) orders(const int *condition) {
  const bool from_a_vector_register = condition[lane_id()] != 0;
  iglp_opt<interleave_recipe::small_gemm>();
  sched_group_barrier<kind::kVmemRead, 1>();
  sched_barrier();
  wait_vmem<0>();
  s_setprio<3>();
  wait_counts<5, 6>();
  s_nop<7>();
  wait_vmem<62>();
  s_sleep<2>();
  wait_lds<14>();
  raw_barrier();
  barrier_if(from_a_vector_register);
  s_setprio<0>();
}
