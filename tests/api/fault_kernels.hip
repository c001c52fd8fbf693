// SPDX-License-Identifier: MIT
// Has kernels that go wrong in one way each, and one that does not: the simulated runtime must report the
// first and still run the second. This is freestanding device code, built by tests/api/CMakeLists.txt for
// both chips.
#define GLOBAL extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(64, 256)))
#define LDS __attribute__((address_space(3)))

static __attribute__((device)) inline unsigned thread() { return __builtin_amdgcn_workitem_id_x(); }
static __attribute__((device)) inline unsigned index() {
  return __builtin_amdgcn_workgroup_id_x() * 64 + thread();
}

GLOBAL void fine(int *out) { out[index()] = (int)index() * 3 + 1; }

// Lane 17 of the second wave-sized work-group stores far beyond the allocation.
GLOBAL void store_outside(int *out) { out[index() == 64 + 17 ? 1 << 26 : index()] = 7; }

GLOBAL void load_null(int *out) {
  const int *nothing = nullptr;
  asm volatile("" : "+v"(nothing));
  out[index()] = nothing[thread()];
}

// Every lane reads one dword, by a scalar load or by a vector load.
GLOBAL void read_scalar(int *out, const int *at) {
  int value;
  asm volatile("s_load_dword %0, %1, 0x0\n s_waitcnt lgkmcnt(0)" : "=s"(value) : "s"(at));
  out[index()] = value;
}
GLOBAL void read_vector(int *out, const int *at) {
  int value;
  asm volatile("global_load_dword %0, %1, off\n s_waitcnt vmcnt(0)" : "=v"(value) : "v"(at));
  out[index()] = value;
}

GLOBAL void lds_outside(int *out) {
  unsigned address = thread() == 5 ? 70000u : thread() * 4;
  asm volatile("ds_write_b32 %0, %0\n s_waitcnt lgkmcnt(0)" ::"v"(address));
  out[index()] = 1;
}

GLOBAL void never_ends(int *out) {
  for (;;) asm volatile("s_nop 0");
  out[0] = 1;
}

GLOBAL void traps(int *out) {
  out[index()] = 1;
  __builtin_trap();
}

// Makes a direct-to-LDS copy whose LDS address is not a multiple of four.
GLOBAL void misaligned_copy(const char *in) {
  asm volatile(
      "s_mov_b32 m0, 0\n s_nop 0\n global_load_lds_dword %0, off offset:2\n s_waitcnt vmcnt(0)" ::"v"(
          in + 4 * thread())
      : "memory");
}

// Executes an encoding that is no instruction of either chip.
GLOBAL void unknown_instruction(int *out) {
  out[index()] = 1;
  asm volatile(".long 0xc00effff");
}

// Calls the services of the host as device libraries do: through the hidden arguments at these offsets (LLVM
// AMDGPUUsage, "Code Object V5 hidden arguments").
static __attribute__((device)) inline const int *hidden_pointer(int offset) {
  return *(const int *__attribute__((address_space(
      4))) *)((const char __attribute__((address_space(4))) *)__builtin_amdgcn_implicitarg_ptr() + offset);
}
// Makes a request for service 77, in the layout of the device library's packets.
GLOBAL void asks_for_service_77(int *out) {
  if (index() != 0) return;
  volatile unsigned long long *buffer = (volatile unsigned long long *)hidden_pointer(80);
  unsigned long long packet = buffer[3];
  volatile unsigned long long *header =
      (volatile unsigned long long *)(buffer[0] + (packet & buffer[5]) * 24);
  buffer[3] = header[0];
  header[0] = 0;
  header[1] = 1;
  header[2] = 77 | 1ull << 32;
  buffer[4] = packet;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "");
  __builtin_amdgcn_s_sendmsg(1, 0);
  out[0] = 1;
}

// The report names the function that faults, not only the kernel that calls it.
static __attribute__((device, noinline)) int load_in_callee(const int *from) {
  asm volatile("" : "+v"(from));
  return *from;
}
GLOBAL void calls_load(int *out) { out[index()] = load_in_callee(out - (1 << 28)); }

// Waves of one work-group write all of the output through an atomic ticket: the tickets depend on the order
// of work-groups.
GLOBAL void tickets(unsigned *counter, unsigned *out) {
  unsigned ticket = 0;
  if (thread() == 0) ticket = __atomic_fetch_add(counter, 1u, __ATOMIC_RELAXED);
  if (thread() == 0) out[__builtin_amdgcn_workgroup_id_x()] = ticket;
}

// Sums that round: the result depends on the order in which work-groups add.
GLOBAL void rounding_sum(float *sum, const float *in) {
  float x = in[index()];
  asm volatile("global_atomic_add_f32 %0, %1, off" ::"v"(sum), "v"(x) : "memory");
}

// Mixes additions and exclusive-ors at one address: each kind commutes with itself, the mixture does not.
GLOBAL void mixed_atomics(unsigned *value, const unsigned *in) {
  const unsigned x = in[index()];
  if (thread() & 1) {
    __atomic_fetch_add(value, x, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_xor(value, x, __ATOMIC_RELAXED);
  }
}
