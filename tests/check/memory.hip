// SPDX-License-Identifier: MIT
// Has kernels that read memory in several ways; 64 threads, one work-group. It is freestanding device code.
#define GLOBAL extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 64)))

static __attribute__((device)) inline unsigned thread() { return __builtin_amdgcn_workitem_id_x(); }

GLOBAL void dwords(unsigned *out, const unsigned *in) { out[thread()] = in[thread()] + 1; }

GLOBAL void bytes(unsigned *out, const unsigned char *in) { out[thread()] = in[thread()] + 1u; }

// This goes through the scalar cache: the address is the same in all lanes.
GLOBAL void scalar(unsigned *out, const unsigned *__restrict__ in) { out[thread()] = in[63] + 1; }

// Stores through LDS.
GLOBAL void direct(unsigned *out, const unsigned *in) {
  unsigned value;
  asm volatile(
      "s_mov_b32 m0, 0\n s_nop 0\n global_load_lds_dword %1, off\n s_waitcnt vmcnt(0)\n"
      "ds_read_b32 %0, %2\n s_waitcnt lgkmcnt(0)"
      : "=v"(value)
      : "v"(in + thread()), "v"(thread() * 4)
      : "memory");
  out[thread()] = value + 1;
}

GLOBAL void add(unsigned *out, unsigned *in) {
  __atomic_fetch_add(&in[thread()], 1, __ATOMIC_RELAXED);
  out[thread()] = 0;
}
