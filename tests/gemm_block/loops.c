// SPDX-License-Identifier: MIT
// Tests what the compiler made of the GEMM kernels with scales for blocks of 128: main loops touch no scratch
// and nothing of AGPRs, hold no move, and have exactly the matrix instructions, the vector instructions that
// apply scales, LDS accesses and copies that their schedules name.
//
//   loops DIRECTORY: of the code objects
#include <string.h>

#include "tests/check.h"
#include "tests/kernels/code_loops.h"

enum { COUNTS = 9 };

// Counts per iteration of the loop: four steps on gfx950, two on gfx942.
typedef struct loop {
  const char *name, *target;
  struct {
    const char *what;
    unsigned count;
  } of[COUNTS];
} loop;

static const loop loops[] = {
    {"tiles_128x128",
     "gfx942",
     {{"v_mfma_f32_16x16x32_fp8_fp8 ", 128},
      {"v_fma", 128},
      {"v_mul_f32", 16},
      {"ds_read_b128 ", 32},
      {"ds_read_b32 ", 24},
      {"ds_write_b128 ", 16},
      {"ds_write_b32 ", 2},
      {"buffer_load_dwordx4 ", 16},
      {"v_pk_", 0}}},
    {"tiles_128x128",
     "gfx950",
     {{"v_mfma_f32_32x32x64_f8f6f4 ", 32},
      {"v_fma", 256},
      {"v_mul_f32", 16},
      {"ds_read_b128 ", 64},
      {"ds_read_b32 ", 32},
      {"ds_write_b128 ", 0},
      {"ds_write_b32 ", 4},
      {"buffer_load_dwordx4 ", 33},
      {"v_pk_", 0}}},
    {"tiles_256x256",
     "gfx950",
     {{"v_mfma_f32_32x32x64_f8f6f4 ", 64},
      {"v_fma", 512},
      {"v_mul_f32", 32},
      {"ds_read_b128 ", 112},
      {"ds_read_b32 ", 48},
      {"ds_write_b128 ", 0},
      {"ds_write_b32 ", 4},
      {"buffer_load_dwordx4 ", 33},
      {"v_pk_", 0}}},
    {"rows_128x128",
     "gfx942",
     {{"v_mfma_f32_16x16x32_fp8_fp8 ", 128},
      {"v_fma", 128},
      {"v_mul_f32", 128},
      {"ds_read_b128 ", 40},
      {"ds_read_b32 ", 16},
      {"ds_write_b128 ", 16},
      {"ds_write_b32 ", 2},
      {"buffer_load_dwordx4 ", 16},
      {"v_pk_", 0}}},
    {"rows_128x128",
     "gfx950",
     {{"v_mfma_f32_32x32x64_f8f6f4 ", 32},
      {"v_fma", 256},
      {"v_mul_f32", 256},
      {"ds_read_b128 ", 96},
      {"ds_read_b32 ", 16},
      {"ds_write_b128 ", 0},
      {"ds_write_b32 ", 4},
      {"buffer_load_dwordx4 ", 33},
      {"v_pk_", 0}}},
};
enum { LOOPS = sizeof loops / sizeof *loops };

static void check_kernel(const code_kernel *k, void *context) {
  const loop *want = context;
  code_check_tight(k, 0);
  for (int i = 0; k->loop && i < COUNTS; ++i)
    CHECK(code_count(k, want->of[i].what) == want->of[i].count,
          "%s for %s has %u of %s per iteration, not %u", k->kernel->name, k->target,
          code_count(k, want->of[i].what), want->of[i].what, want->of[i].count);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: loops DIRECTORY\n"), 2;
  for (int i = 0; i < LOOPS; ++i) {
    char stem[96];
    snprintf(stem, sizeof stem, "gemm_block_fp8e4m3_%s", loops[i].name);
    loop want = loops[i];
    CHECK(code_each_kernel(argv[1], stem, loops[i].target, check_kernel, &want) == 1,
          "%s does not have one kernel", stem);
  }
  return test_result();
}
