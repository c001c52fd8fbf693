// SPDX-License-Identifier: MIT
// Kernels for the loader's tests: between them they use every metadata field and symbol kind that the
// compiler writes on its own. They are loaded, never run.
#define KERNEL extern "C" __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))

extern "C" {
DEVICE int counter = 5;
DEVICE __attribute__((visibility("default"))) int preemptible[4] = {1, 2, 3, 4};
DEVICE int *pointer_to_third = &preemptible[2];
__attribute__((constant)) float coefficients[3] = {0.5f, 0.25f, 0.125f};
__attribute__((managed)) int managed_value = 9;
DEVICE alignas(16384) char aligned_block[64] = {1};
}

DEVICE __attribute__((noinline)) int helper(int x) { return x * counter + preemptible[x & 3]; }

struct pair {
  int first;
  double second;
};

extern "C" SHARED int dynamic_lds[];

static DEVICE inline unsigned lane() { return __builtin_amdgcn_workitem_id_x(); }

KERNEL __attribute__((amdgpu_flat_work_group_size(1, 256))) void plain(int *out, float a, long b, pair p) {
  unsigned i = __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + lane();
  out[i] = (int)(a + b + p.first + p.second + coefficients[i % 3]) + *pointer_to_third;
}

KERNEL void calls(int *out) {
  out[lane()] = helper((int)lane()) + managed_value + aligned_block[lane() & 63];
}

KERNEL __attribute__((amdgpu_flat_work_group_size(1024, 1024), amdgpu_waves_per_eu(4, 4))) void uses_lds(
    int *out) {
  SHARED int tile[1024];
  tile[lane()] = out[lane()];
  dynamic_lds[lane()] = tile[lane() ^ 1];
  __builtin_amdgcn_s_barrier();
  out[lane()] = tile[1023 - lane()] + dynamic_lds[lane() ^ 2];
}

KERNEL __attribute__((amdgpu_max_num_work_groups(8, 4, 2))) void uses_scratch(int *out, int n) {
  volatile int local[40];
  for (int i = 0; i < 40; ++i) local[i] = i * n;
  out[lane()] = local[out[lane()] & 31];
}

typedef float float16 __attribute__((ext_vector_type(16)));
typedef short short4v __attribute__((ext_vector_type(4)));

KERNEL __attribute__((amdgpu_num_vgpr(128))) void uses_agprs(float16 *out, short4v a, short4v b) {
  float16 c[4];
  for (int i = 0; i < 4; ++i) c[i] = out[lane() + 64 * i];
  asm volatile("; accumulators %0 %1" : "+a"(c[0]), "+a"(c[1]));
  for (int i = 0; i < 4; ++i) out[lane() + 64 * i] = c[i] + (float)(a[0] + b[1]);
}

// There are two notes in a section that no segment loads.
KERNEL void no_arguments() {
  counter = 7;
  asm volatile(
      ".pushsection .note.test, \"\", @note\n.long 5, 3, 7\n.asciz \"test\"\n.balign 4\n.byte 1, 2, "
      "3\n.balign 4\n"
      ".long 5, 0, 8\n.asciz \"test\"\n.balign 4\n.popsection");
}
