// SPDX-License-Identifier: MIT
// Has the freestanding kernels of launches.c.
#define GLOBAL extern "C" __attribute__((global))

typedef float float4_t __attribute__((ext_vector_type(4)));
typedef _Float16 half4_t __attribute__((ext_vector_type(4)));

// Work-group i does turns[i] times the same; one wave each.
GLOBAL void uneven(float *out, const float *in, const unsigned *turns) {
  extern __attribute__((shared)) float lds[];
  const unsigned group = __builtin_amdgcn_workgroup_id_x(), lane = __builtin_amdgcn_workitem_id_x();
  float sum = (float)lane;
  lds[lane] = sum;
#pragma clang loop unroll(disable)
  for (unsigned i = 0; i < turns[group]; ++i) {
    sum += in[i % 16 * 64 + lane];
    for (int k = 0; k < 8; ++k) sum = __builtin_fmaf(sum, 0.5f, lds[lane ^ 1]);
  }
  out[group * 64 + lane] = sum;
}

// Work-group i reads 32 KB that it shares with its row of the grid, and 32 KB that it shares with its column:
// these from turn `late` of 32 + 2 * late on.
GLOBAL void tiles(float *out, const float4_t *rows, const float4_t *columns, unsigned width, unsigned late) {
  const unsigned group = __builtin_amdgcn_workgroup_id_x(), lane = __builtin_amdgcn_workitem_id_x();
  const float4_t *a = rows + group / width * 2048 + lane, *b = columns + group % width * 2048 + lane;
  float4_t sum = {};
#pragma clang loop unroll(disable)
  for (unsigned i = 0; i < 32 + 2 * late; ++i) {
    const float4_t x = a[64 * (i % 32)], y = i < late ? x : b[64 * ((i - late) % 32)];
    for (int k = 0; k < 16; ++k) sum = sum * x + y;
  }
  out[group * 64 + lane] = sum[0] + sum[1] + sum[2] + sum[3];
}

// Work-group i of the first half waits until the last but i has written its word. All do the same work.
GLOBAL void mirrored(unsigned *words) {
  const unsigned group = __builtin_amdgcn_workgroup_id_x(), last = 255 - group;
  for (int i = 0; i < 64; ++i) asm volatile("s_nop 15");
  if (group < 128)
    while (!__hip_atomic_load(&words[last], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT))
      __builtin_amdgcn_s_sleep(1);
  __hip_atomic_store(&words[group], 1 + group, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// Work-group i reads `bytes`, a multiple of 16 KB, from its own part of memory or from the first, `times`
// over.
GLOBAL void stream(float4_t *out, const float4_t *in, unsigned bytes, unsigned shared, unsigned times) {
  const unsigned group = __builtin_amdgcn_workgroup_id_x(), item = __builtin_amdgcn_workitem_id_x();
  const float4_t *part = in + (shared ? 0 : (unsigned long)group * (bytes / 16)) + item;
  float4_t sum = {};
  for (unsigned t = 0; t < times; ++t)
#pragma clang loop unroll_count(4)
    for (unsigned i = 0; i < bytes / 16; i += 256) sum += part[i];
  if (sum[0] == -1.0f) out[item] = sum;
}

// Work-group i copies `bytes`, a multiple of 16 KB.
GLOBAL void copy(float4_t *out, const float4_t *in, unsigned bytes) {
  const unsigned long first = (unsigned long)__builtin_amdgcn_workgroup_id_x() * (bytes / 16);
#pragma clang loop unroll_count(4)
  for (unsigned i = __builtin_amdgcn_workitem_id_x(); i < bytes / 16; i += 256)
    out[first + i] = in[first + i];
}

// Does the same with two matrices: eight work-groups copy parts of one, the next eight the same parts of the
// other.
GLOBAL void copy_both(float4_t *out, const float4_t *in, float4_t *other_out, const float4_t *other_in,
                      unsigned bytes) {
  const unsigned id = __builtin_amdgcn_workgroup_id_x(), part = id / 16 * 8 + id % 8;
  const bool is_other = id / 8 % 2 != 0;
  const unsigned long first = (unsigned long)part * (bytes / 16);
  float4_t *to = is_other ? other_out : out;
  const float4_t *from = is_other ? other_in : in;
#pragma clang loop unroll_count(4)
  for (unsigned i = __builtin_amdgcn_workitem_id_x(); i < bytes / 16; i += 256)
    to[first + i] = from[first + i];
}

// Work-group i reads what all read, and then writes its own 32 KB, a quarter with each of its four waves. The
// last wave writes long before the others: after each barrier another wave is executed first.
GLOBAL void last_wave_first(float4_t *out, const float4_t *in) {
  const unsigned item = __builtin_amdgcn_workitem_id_x(), wave = __builtin_amdgcn_readfirstlane(item / 64);
  float4_t *part = out + (unsigned long)__builtin_amdgcn_workgroup_id_x() * 2048 + wave * 512 + item % 64;
  float4_t sum = {};
#pragma clang loop unroll(disable)
  for (unsigned i = 0; i < 32; ++i) sum += in[64 * i + item % 64];
  for (unsigned i = 0; i < 3; ++i) __builtin_amdgcn_s_barrier();
#pragma clang loop unroll(disable)
  for (unsigned i = 0; i < (wave == 3 ? 1 : 512); ++i) asm volatile("s_nop 0" : "+v"(sum));
  for (unsigned i = 0; i < 8; ++i) part[64 * i] = sum;
}

// Adds 16 products of 2^-24 to 1.
GLOBAL void small_products(float *out) {
  const half4_t small = {0x1p-12, 0x1p-12, 0x1p-12, 0x1p-12};
  const float4_t sums = __builtin_amdgcn_mfma_f32_16x16x16f16(small, small, (float4_t){1, 1, 1, 1}, 0, 0, 0);
  out[__builtin_amdgcn_workitem_id_x()] = sums[0];
}

// Runs a thousand cycles of s_nop between two looks at the clock.
GLOBAL void clocked(void) {
  asm volatile(
      "s_memtime s[20:21]\n.rept 15\ns_nop 15\n.endr\ns_nop 9\ns_memtime s[20:21]\ns_waitcnt lgkmcnt(0)"
      :
      :
      : "s20", "s21");
}

// Makes four runs of a loop of MFMAs, 16,384 cycles each, and a sleep twice as long after each. The last
// register of each kind stands for all: there is nothing else in the kernel.
GLOBAL void loop_runs(void) {
  asm volatile(
      "s_movk_i32 s20, 4\n"
      "1: s_movk_i32 s21, 64\n"
      "2: .rept 4\nv_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]\n"
      "v_mfma_f32_32x32x8_f16 a[16:31], v[0:1], v[2:3], a[16:31]\n.endr\n"
      "s_sub_i32 s21, s21, 1\ns_cmp_lg_u32 s21, 0\ns_cbranch_scc1 2b\n"
      ".rept 4\ns_sleep 127\n.endr\n"
      "s_sub_i32 s20, s20, 1\ns_cmp_lg_u32 s20, 0\ns_cbranch_scc1 1b"
      :
      :
      : "s20", "s21", "v3", "a31", "scc");
}

// All lanes ask the same bank of LDS, 256 times over: the first wave reads, the second does as it is told.
GLOBAL void one_bank(unsigned reads, unsigned writes, unsigned adds) {
  const unsigned item = __builtin_amdgcn_workitem_id_x(), address = item % 64 * 256;
  const unsigned wave = __builtin_amdgcn_readfirstlane(item / 64);
  if (wave == 0 && reads)
    asm volatile(".rept 256\nds_read_b32 v8, %0\n.endr" : : "v"(address) : "v8", "memory");
  if (wave == 1 && writes) asm volatile(".rept 256\nds_write_b32 %0, %0\n.endr" : : "v"(address) : "memory");
  if (wave == 1 && adds) asm volatile(".rept 256\nds_add_u32 %0, %0\n.endr" : : "v"(address) : "memory");
  asm volatile("s_waitcnt lgkmcnt(0)");
}
