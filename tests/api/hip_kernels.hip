// SPDX-License-Identifier: MIT
// Has the freestanding kernels of the API tests.
#define GLOBAL extern "C" __attribute__((global))
#define DEVICE extern "C" __attribute__((device))

DEVICE int table[4] = {10, 20, 30, 40};

extern "C" __attribute__((managed)) int managed_count = 5;

GLOBAL void count_managed() { managed_count += 1; }

struct mixed {
  char c;
  double d;
  short s[3];
};

// Every byte of every argument arrives: sizes 1, 2, 4, 8 and a struct with padding.
GLOBAL void pack(double *out, char a, short b, int c, long d, float e, double f, mixed g, char h) {
  if (__builtin_amdgcn_workitem_id_x() != 0) return;
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = (double)d;
  out[4] = e;
  out[5] = f;
  out[6] = g.c;
  out[7] = g.d;
  out[8] = g.s[0] + 10 * g.s[1] + 100 * g.s[2];
  out[9] = h;
}

// Fewer arguments are read than the metadata has.
GLOBAL void takes_more_than_it_reads(int *out, const int *, int, double) {
  out[__builtin_amdgcn_workitem_id_x()] = 1;
}

GLOBAL void reads_nothing(int *) {}

GLOBAL void add_table(int *out) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  out[i] += table[i & 3];
}

// Writes where each work-item of a 3D grid of 3D blocks finds itself.
GLOBAL void where(unsigned *out, unsigned width, unsigned height) {
  unsigned x = __builtin_amdgcn_workgroup_id_x() * 4 + __builtin_amdgcn_workitem_id_x();
  unsigned y = __builtin_amdgcn_workgroup_id_y() * 8 + __builtin_amdgcn_workitem_id_y();
  unsigned z = __builtin_amdgcn_workgroup_id_z() * 2 + __builtin_amdgcn_workitem_id_z();
  out[(z * height + y) * width + x] = x | y << 8 | z << 16;
}

__attribute__((shared)) int scratchpad[256];

GLOBAL __attribute__((amdgpu_flat_work_group_size(1, 256))) void sum_in_lds(int *out, const int *in) {
  unsigned i = __builtin_amdgcn_workitem_id_x();
  scratchpad[i] = in[i];
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (i != 0) return;
  int sum = 0;
  for (int k = 0; k < 256; ++k) sum += scratchpad[k];
  *out = sum;
}

// One LDS write and one read per work-item, 1 to 32 dwords apart: how far depends on the work-group.
__attribute__((shared)) unsigned far_apart[64 * 32];

GLOBAL __attribute__((amdgpu_flat_work_group_size(64, 64))) void lds_strides(unsigned *out) {
  unsigned lane = __builtin_amdgcn_workitem_id_x(), block = __builtin_amdgcn_workgroup_id_x();
  unsigned stride = 1u << block % 6;
  far_apart[lane * stride] = lane ^ block;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[block * 64 + lane] = far_apart[(63 - lane) * stride];
}
