// SPDX-License-Identifier: MIT
// Compares the FLOPs of instructions with shapes as the CDNA4 ISA's tables of MFMA give them.
#include "check.h"
#include "sim/isa/op.h"
#include "tools/prof/prof.h"

int main(void) {
  static const struct {
    const char *text;
    uint32_t klass;
    double flops;
  } cases[] = {
      {"v_mfma_f32_32x32x8_f16 a[0:15], v[0:1], v[2:3], a[0:15]", SIM_CLASS_MFMA, 16384},
      {"v_mfma_f32_16x16x32_fp8_fp8 a[0:3], v[0:1], v[2:3], a[0:3]", SIM_CLASS_MFMA, 16384},
      {"v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3]", SIM_CLASS_MFMA, 65536},
      {"v_mfma_scale_f32_32x32x64_f8f6f4 a[0:15], v[0:7], v[8:15], a[0:15], v1, v2", SIM_CLASS_MFMA, 131072},
      {"v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], a[0:3]", SIM_CLASS_MFMA, 2048},
      {"v_mfma_f32_32x32x1_2b_f32 a[0:31], v0, v1, a[0:31]", SIM_CLASS_MFMA, 4096},
      {"v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], a[0:7]", SIM_CLASS_MFMA, 2048},
      {"v_smfmac_f32_16x16x64_bf16 v[0:3], v[4:7], v[8:15], v16", SIM_CLASS_MFMA, 32768},
      {"v_fma_f32 v0, v1, v2, v3", SIM_CLASS_VALU, 128},
      {"v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7]", SIM_CLASS_VALU, 256},
      {"v_add_f32_e32 v0, v1, v2", SIM_CLASS_VALU, 64},
      {"v_pk_mul_f16 v0, v1, v2", SIM_CLASS_VALU, 128},
      {"v_dot2_f32_f16 v0, v1, v2, v3", SIM_CLASS_VALU, 256},
      {"v_exp_f32_e32 v0, v1", SIM_CLASS_TRANS, 64},
      {"v_add_u32_e32 v0, v1, v2", SIM_CLASS_VALU, 0},
      {"v_max_f32_e32 v0, v1, v2", SIM_CLASS_VALU, 0},
      {"ds_read_b128 v[0:3], v4", SIM_CLASS_LDS, 0},
      {"global_atomic_add_f32 v[0:1], v2, off", SIM_CLASS_VMEM, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    CHECK(prof_flops(cases[i].text, cases[i].klass) == cases[i].flops, "%s: %g, expected %g", cases[i].text,
          prof_flops(cases[i].text, cases[i].klass), cases[i].flops);
  return test_result();
}
