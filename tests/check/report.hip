// SPDX-License-Identifier: MIT
// Two waves exchange a dword per lane through LDS, with a barrier and without. It is freestanding device
// code.
#define GLOBAL extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(128, 128)))

static __attribute__((device)) inline unsigned thread() { return __builtin_amdgcn_workitem_id_x(); }
static __attribute__((device)) inline unsigned index() {
  return __builtin_amdgcn_workgroup_id_x() * 128 + thread();
}

// The address comes from a register so that the compiler knows nothing of the exchange and adds no waits of
// its own.
static __attribute__((device)) inline void put(unsigned value) {
  asm volatile("ds_write_b32 %0, %1\n s_waitcnt lgkmcnt(0)" ::"v"(thread() * 4), "v"(value) : "memory");
}

GLOBAL void right(unsigned *out) {
  unsigned value;
  put(index());
  __builtin_amdgcn_s_barrier();
  asm volatile("ds_read_b32 %0, %1\n s_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"((thread() ^ 64) * 4)
               : "memory");
  out[index()] = value;
}

GLOBAL void racing(unsigned *out) {
  unsigned value;
  put(index());
  unsigned address = (thread() ^ 64) * 4;
  // The race:
  asm volatile("ds_read_b32 %0, %1\n s_waitcnt lgkmcnt(0)" : "=v"(value) : "v"(address) : "memory");
  out[index()] = value;
}

// This is right as long as the waves stay in step.
GLOBAL void leaning(unsigned *out) {
  unsigned value;
  put(0);
  __builtin_amdgcn_s_barrier();
  put(index());
  asm volatile(".rept 64\n s_nop 0\n .endr\n ds_read_b32 %0, %1\n s_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"((thread() ^ 64) * 4)
               : "memory");
  out[index()] = value;
}

// M0 is written directly before the copy that takes its LDS address from there.
GLOBAL void hasty(unsigned *out) {
  const unsigned base = __builtin_amdgcn_readfirstlane(thread() * 4);
  asm volatile("s_mov_b32 m0, %1\n global_load_lds_dword %0, off\n s_waitcnt vmcnt(0)" ::"v"(out + index()),
               "s"(base)
               : "memory");
}

namespace traps {

static __attribute__((device)) inline unsigned fetch(const unsigned *from) {
  unsigned value;
  asm volatile("global_load_dword %0, %1, off" : "=v"(value) : "v"(from));
  return value;
}

static __attribute__((device)) inline unsigned use(unsigned value) {
  unsigned result;
  // Inlined:
  asm volatile("v_mov_b32 %0, %1" : "=v"(result) : "v"(value));
  return result;
}

// Forgets two waits for four loads each.
__attribute__((global)) __attribute__((amdgpu_flat_work_group_size(128, 128))) void forgetful(unsigned *out) {
  const unsigned *in = out + 6 * 128;
  unsigned a[4], b[4], sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = fetch(in + i);
#pragma unroll
  for (int i = 0; i < 4; ++i) b[i] = fetch(in + 4 + i);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    // The first wait:
    sum += use(a[i]);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    // The second wait:
    sum += use(b[i]);
  }
  asm volatile("s_waitcnt vmcnt(0)");
  out[index()] = sum;
}

static __attribute__((device)) inline void put_far(unsigned *out) {
  // The store:
  out[1ull << 40] = 1;
}

__attribute__((global)) __attribute__((amdgpu_flat_work_group_size(128, 128))) void reaching(unsigned *out) {
  // The fault:
  put_far(out);
}

}  // namespace traps

// Has the same race in a file whose name JSON cannot hold as it is.
#line 7 "a\ttab, a \"quote\" and a \\.hip"
GLOBAL void quoted(unsigned *out) {
  unsigned value;
  asm volatile("ds_write_b32 %0, %1\n s_waitcnt lgkmcnt(0)" ::"v"(thread() * 4), "v"(index()) : "memory");
  asm volatile("ds_read_b32 %0, %1\n s_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"((thread() ^ 64) * 4)
               : "memory");
  out[index()] = value;
}
