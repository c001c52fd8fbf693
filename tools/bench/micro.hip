// SPDX-License-Identifier: MIT
// Runs short sequences of instructions whose rates have been published: rows micro_* of
// docs/validation/published.csv. Each stands in two kernels, _less and _more, so that the difference of their
// cycles is that of the sequence alone (micro.h).
//
// %0 is the lane's number times the kernel's argument: an address in LDS. The snippets read v8 to v63 and a0
// to a31 without declaring them, which is harmless because nothing but the address is live; registers that
// reads write are declared.
#define MICRO_LESS 256
#define MICRO_MORE 512

#define MICRO_TEXT_(x) #x
#define MICRO_TEXT(x) MICRO_TEXT_(x)
#define MICRO_KERNEL(name, times, before, body, after)                                          \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(64, 1024))) void micro_##name(  \
      unsigned stride) {                                                                        \
    const unsigned address = __builtin_amdgcn_workitem_id_x() % 64 * stride;                    \
    asm volatile(".p2align 8\n" before "\n.rept " MICRO_TEXT(times) "\n" body "\n.endr\n" after \
                 :                                                                              \
                 : "v"(address)                                                                 \
                 : "memory", "v8", "v9", "v10", "v11", "v63", "a31");                           \
  }

// Finds a rate: the sequence many times, and as many times more.
#define MICRO_RATE(name, before, body, after)                \
  MICRO_KERNEL(name##_less, MICRO_LESS, before, body, after) \
  MICRO_KERNEL(name##_more, MICRO_MORE, before, body, after)
// Finds a span: once, and `times` times.
#define MICRO_SPAN(name, less, more, body, after)  \
  MICRO_KERNEL(name##_less, less, "", body, after) \
  MICRO_KERNEL(name##_more, more, "", body, after)

#define WAIT_LDS "s_waitcnt lgkmcnt(0)"
#define B32 "ds_read_b32 v8, %0"
#define B64 "ds_read_b64 v[8:9], %0"
#define B128 "ds_read_b128 v[8:11], %0"

MICRO_RATE(b32, "", B32, WAIT_LDS)
MICRO_RATE(b64, "", B64, WAIT_LDS)
MICRO_RATE(b128, "", B128, WAIT_LDS)
MICRO_RATE(b32_waited, "", B32 "\n" WAIT_LDS, "")
MICRO_RATE(b128_waited, "", B128 "\n" WAIT_LDS, "")
// The wave ends when it has issued the last read: from the first to the ninth.
MICRO_SPAN(b128_ninth, 1, 9, B128, "")

// Times 64 reads between two looks at the clock, by work-groups of one wave and so much LDS that few share a
// compute unit; each fills its LDS first, as nod-ai/amd-shark-ai docs/empirical-lds/harness/bench does.
#define MICRO_CROWD(name, bytes, write, read)                                                               \
  extern "C" __attribute__((global, amdgpu_flat_work_group_size(64, 64))) void micro_##name##_crowd(        \
      unsigned stride) {                                                                                    \
    const unsigned lane = __builtin_amdgcn_workitem_id_x(), address = lane * stride;                        \
    unsigned own = lane * bytes, left = 32256 / bytes / 64;                                                 \
    asm volatile("1: " write "\nv_add_u32_e32 %0, 64 * " #bytes                                             \
                 ", %0\ns_sub_u32 %1, %1, 1\n"                                                              \
                 "s_cmp_lg_u32 %1, 0\ns_cbranch_scc1 1b\n" WAIT_LDS "\ns_barrier\n" CLOCK ".rept 64\n" read \
                 "\n.endr\n" WAIT_LDS "\ns_barrier\n" CLOCK                                                 \
                 : "+v"(own), "+s"(left)                                                                    \
                 : "v"(address)                                                                             \
                 : "memory", "scc", "s20", "s21", "v8", "v9", "v10", "v11");                                \
  }
#define CLOCK "s_memtime s[20:21]\n" WAIT_LDS "\n"
MICRO_CROWD(b32, 4, "ds_write_b32 %0, v8", "ds_read_b32 v8, %2")
MICRO_CROWD(b64, 8, "ds_write_b64 %0, v[8:9]", "ds_read_b64 v[8:9], %2")
MICRO_CROWD(b128, 16, "ds_write_b128 %0, v[8:11]", "ds_read_b128 v[8:11], %2")

#define ALU(n) "v_add_f32_e32 v" #n ", v20, v21\n"
#define EXP(n) "v_exp_f32_e32 v" #n ", v20\n"
#define PK(n) "v_pk_add_f32 v[" #n ":" #n "+1], v[20:21], v[22:23]\n"
#define ALU3 ALU(24) ALU(25) ALU(26)

MICRO_RATE(valu, "", ALU(24), "")
MICRO_RATE(exp, "", EXP(24), "")
MICRO_RATE(packed, "", PK(24), "")
MICRO_RATE(dependent_fma, "", "v_fmac_f32_e32 v24, v20, v21", "")
MICRO_RATE(long_at_4, "s_nop 0", "v_add_f32_e64 v24, v20, v21", "")
MICRO_RATE(long_at_0, "", "v_add_f32_e64 v24, v20, v21", "")

#define M16X16X16 "v_mfma_f32_16x16x16_bf16 a[0:3], v[10:11], v[12:13], a[0:3]\n"
MICRO_RATE(mfma_3_valu, "", M16X16X16 ALU3, "")
MICRO_RATE(mfma_4_valu, "", M16X16X16 ALU3 ALU(27), "")
MICRO_RATE(mfma_exp, "", M16X16X16 EXP(24), "")
MICRO_RATE(mfma_2_exp, "", M16X16X16 EXP(24) EXP(25), "")
MICRO_RATE(mfma_3_valu_mfma_exp, "", M16X16X16 ALU3 M16X16X16 EXP(27), "")
MICRO_RATE(2_mfma_3_valu_exp, "", M16X16X16 M16X16X16 ALU3 EXP(27), "")
MICRO_RATE(mfma_packed, "", M16X16X16 PK(24), "")
MICRO_RATE(mfma_2_packed, "", M16X16X16 PK(24) PK(26), "")

#if __gfx950__
#define M16X16X32(a) "v_mfma_f32_16x16x32_bf16 " a ", v[10:13], v[14:17], " a "\n"
#define M32X32X16 "v_mfma_f32_32x32x16_bf16 a[0:15], v[10:13], v[14:17], a[0:15]\n"
MICRO_RATE(mfma_bf16_same, "", M16X16X32("a[0:3]"), "")
MICRO_RATE(mfma_bf16_other, "", M16X16X32("a[0:3]") M16X16X32("a[4:7]"), "")
MICRO_RATE(mfma_fp8, "", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[32:39], v[40:47], a[0:3]", "")
MICRO_RATE(mfma_fp4, "", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[32:35], v[40:43], a[0:3] cbsz:4 blgp:4", "")
MICRO_RATE(mfma_fp4_scaled, "",
           "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[32:35], v[40:43], a[0:3], v48, v49 cbsz:4 blgp:4", "")
MICRO_RATE(mfma_stream, "", M32X32X16, "")
MICRO_RATE(mfma32_6_valu, "", M32X32X16 ALU3 ALU(27) ALU(28) ALU(29), "")
MICRO_RATE(mfma32_7_valu, "", M32X32X16 ALU3 ALU(27) ALU(28) ALU(29) ALU(30), "")
MICRO_RATE(mfma32_3_exp, "", M32X32X16 EXP(24) EXP(25) EXP(26), "")
MICRO_RATE(mfma32_4_exp, "", M32X32X16 EXP(24) EXP(25) EXP(26) EXP(27), "")
#endif
