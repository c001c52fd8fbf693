// SPDX-License-Identifier: MIT
// Rates and latencies of single instructions and short sequences come out of the mechanisms of the timing
// model as they have been measured. Each row names who measured it.
#include <math.h>

#include "tests/timing/micro.h"

// GGT is ROCm/gfx950-gluon-tutorials, PYHIP tingqli/pyhip, META facebookexperimental/triton PR 2507.

typedef struct row {
  const char *what, *target, *before, *body, *after;
  uint32_t waves;
  micro_setup setup;
  double cycles, within;
} row;

// Lane l reads 16 bytes at 16 * l: no conflicts.
static void lds_linear(sim_wave *w) {
  for (uint32_t l = 0; l < SIM_LANES; ++l) w->v[1][l] = 16 * l;
}
static void lds_linear_4(sim_wave *w) {
  for (uint32_t l = 0; l < SIM_LANES; ++l) w->v[1][l] = 4 * l;
}
static void lds_stride(sim_wave *w, uint32_t stride) {
  for (uint32_t l = 0; l < SIM_LANES; ++l) w->v[1][l] = stride * l;
}
static void lds_2way(sim_wave *w) { lds_stride(w, 32); }
static void lds_4way(sim_wave *w) { lds_stride(w, 64); }
static void lds_8way(sim_wave *w) { lds_stride(w, 128); }

#define B128 "ds_read_b128 v[8:11], v1"
#define WAIT_LDS "s_waitcnt lgkmcnt(0)"
#define M16 "v_mfma_f32_16x16x16_bf16 a[0:3], v[0:1], v[2:3], a[0:3]\n"
#define M32 "v_mfma_f32_32x32x16_bf16 a[0:15], v[0:3], v[4:7], a[0:15]\n"
#define ALU(n) "v_add_f32_e32 v" #n ", v20, v21\n"
#define EXP(n) "v_exp_f32_e32 v" #n ", v20\n"
#define PK(n) "v_pk_add_f32 v[" #n ":" #n "+1], v[20:21], v[22:23]\n"

static const row rows[] = {
    // GGT docs/lds_throughput.md, experiments/lds_throughput_validation
    {"b128, four SIMDs", "gfx950", "", B128, WAIT_LDS, 4, lds_linear, 16, 0.5},
    {"b128, one SIMD", "gfx950", "", B128, WAIT_LDS, 1, lds_linear, 8, 0.5},
    {"b128, 2-way, four SIMDs", "gfx950", "", B128, WAIT_LDS, 4, lds_2way, 32, 0.5},
    {"b128, 4-way, four SIMDs", "gfx950", "", B128, WAIT_LDS, 4, lds_4way, 64, 0.5},
    {"b128, 8-way, four SIMDs", "gfx950", "", B128, WAIT_LDS, 4, lds_8way, 128, 0.5},
    {"b128, 2-way, one SIMD", "gfx950", "", B128, WAIT_LDS, 1, lds_2way, 8, 0.5},
    {"b128, 4-way, one SIMD", "gfx950", "", B128, WAIT_LDS, 1, lds_4way, 16, 0.5},
    {"b128, 8-way, one SIMD", "gfx950", "", B128, WAIT_LDS, 1, lds_8way, 32, 0.5},
    {"b128, four SIMDs", "gfx942", "", B128, WAIT_LDS, 4, lds_linear, 32, 0.5},
    // PYHIP docs/mem_latency.md
    {"b128, one SIMD", "gfx942", "", B128, WAIT_LDS, 1, lds_linear, 16, 0.5},
    {"b128 and its wait", "gfx942", "", B128 "\n" WAIT_LDS, "", 1, lds_linear, 64, 4},
    {"b32 and its wait", "gfx942", "", "ds_read_b32 v8, v1\n" WAIT_LDS, "", 1, lds_linear_4, 52, 4},
    // Issue to issue of independent and of accumulating MFMAs: 4 cycles a pass.
    {"16x16x32 bf16, same accumulators", "gfx950", "",
     "v_mfma_f32_16x16x32_bf16 a[0:3], v[0:3], v[4:7], a[0:3]", "", 4, NULL, 16, 0.1},
    {"16x16x32 bf16, other accumulators", "gfx950", "",
     "v_mfma_f32_16x16x32_bf16 a[0:3], v[0:3], v[4:7], a[0:3]\n"
     "v_mfma_f32_16x16x32_bf16 a[4:7], v[0:3], v[4:7], a[4:7]",
     "", 4, NULL, 32, 0.1},
    {"16x16x128 fp8", "gfx950", "", "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3]", "", 4,
     NULL, 32, 0.1},  // PYHIP docs/gemm_950_optimization.md 9.8
    {"16x16x128 fp4", "gfx950", "",
     "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[8:11], a[0:3] cbsz:4 blgp:4", "", 4, NULL, 16, 0.1},
    {"16x16x128 fp4 with scales", "gfx950", "",
     "v_mfma_scale_f32_16x16x128_f8f6f4 a[0:3], v[0:3], v[8:11], a[0:3], v16, v17 cbsz:4 blgp:4", "", 4, NULL,
     16, 0.1},  // GGT docs/lds_throughput.md: the scale load is hidden
    // PYHIP docs/mfma-valu-coissue.md, gfx942
    {"VALU", "gfx942", "", ALU(24), "", 1, NULL, 4.01, 0.1},
    {"exp", "gfx942", "", EXP(24), "", 1, NULL, 16, 0.1},
    {"packed f32", "gfx942", "", PK(24), "", 1, NULL, 4.01, 0.1},
    {"MFMA, 3 VALU", "gfx942", "", M16 ALU(24) ALU(25) ALU(26), "", 1, NULL, 16, 0.1},
    {"MFMA, 4 VALU", "gfx942", "", M16 ALU(24) ALU(25) ALU(26) ALU(27), "", 1, NULL, 20, 0.1},
    {"MFMA, exp", "gfx942", "", M16 EXP(24), "", 1, NULL, 20.06, 0.1},
    {"MFMA, 2 exp", "gfx942", "", M16 EXP(24) EXP(25), "", 1, NULL, 36, 0.1},
    {"MFMA, 3 VALU, MFMA, exp", "gfx942", "", M16 ALU(24) ALU(25) ALU(26) M16 EXP(27), "", 1, NULL, 36.05,
     0.1},
    {"2 MFMA, 3 VALU, exp", "gfx942", "", M16 M16 ALU(24) ALU(25) ALU(26) EXP(27), "", 1, NULL, 48.05, 0.1},
    {"MFMA, packed f32", "gfx942", "", M16 PK(24), "", 1, NULL, 28, 1},
    {"MFMA, 2 packed f32", "gfx942", "", M16 PK(24) PK(26), "", 1, NULL, 32, 1},
    // GGT kernels/attention/mfma_coissue_scheduling.md, gfx950
    {"MFMA, 6 VALU", "gfx950", "", M32 ALU(24) ALU(25) ALU(26) ALU(27) ALU(28) ALU(29), "", 1, NULL, 32, 0.1},
    {"MFMA, 7 VALU", "gfx950", "", M32 ALU(24) ALU(25) ALU(26) ALU(27) ALU(28) ALU(29) ALU(30), "", 1, NULL,
     36, 0.1},
    {"MFMA, 3 exp", "gfx950", "", M32 EXP(24) EXP(25) EXP(26), "", 1, NULL, 32, 0.1},
    {"MFMA, 4 exp", "gfx950", "", M32 EXP(24) EXP(25) EXP(26) EXP(27), "", 1, NULL, 40, 0.1},
    {"exp", "gfx950", "", EXP(24), "", 1, NULL, 8, 0.1},
    {"dependent fma", "gfx950", "", "v_fmac_f32_e32 v24, v20, v21", "", 1, NULL, 8, 0.1},  // META
    // LLVM PR 203934; PYHIP: 8-byte instructions at 4 modulo 8, and at 0 modulo 8
    {"8-byte VALU at 4 modulo 8", "gfx942", "s_nop 0", "v_add_f32_e64 v24, v20, v21", "", 1, NULL, 5.01, 0.1},
    {"8-byte VALU at 0 modulo 8", "gfx942", "", "v_add_f32_e64 v24, v20, v21", "", 1, NULL, 4.01, 0.1},
};

static void rates(void) {
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    const row *r = &rows[i];
    double cycles = micro_cycles(r->target, r->before, r->body, r->after, 256, r->waves, r->setup);
    printf("%-34s %s: predicted %7.2f, published %7.2f\n", r->what, r->target, cycles, r->cycles);
    CHECK(fabs(cycles - r->cycles) <= r->within, "%s (%s): %.2f cycles, published %.2f", r->what, r->target,
          cycles, r->cycles);
  }
}

// GGT docs/lds_throughput.md: the first eight reads issue freely, the ninth waits for the first to complete,
// 50 to 70 cycles after it issued.
static void burst_of_eight(void) {
  char code[256];
  double stall[10];
  for (int reads = 8; reads <= 9; ++reads) {
    snprintf(code, sizeof code, ".rept %d\n" B128 "\n.endr\n" WAIT_LDS, reads);
    stall[reads] = micro_run("gfx950", code, 1, lds_linear).stall[SIM_STALL_LDS_QUEUE];
  }
  CHECK(stall[8] == 0, "eight reads wait %.0f cycles for the queue", stall[8]);
  double ninth = 8 * 4 + stall[9];
  CHECK(ninth >= 50 && ninth <= 70, "the ninth read issues after %.0f cycles", ninth);
}

// SQ_VALU_MFMA_BUSY of a stream of MFMAs is all of the time.
static void matrix_pipe_is_full(void) {
  sim_timing_result r = micro_run("gfx950", ".rept 2000\n" M32 ".endr", 8, NULL);
  double share = r.matrix_share * 32;  // one of 32 compute units works
  CHECK(share > 0.99, "the matrix pipes are busy %.1f%% of the time", 100 * share);
}

int main(void) {
  rates();
  burst_of_eight();
  matrix_pipe_is_full();
  return test_result();
}
