// SPDX-License-Identifier: MIT
// Tests what the compiler made of the GEMM kernels with scales for blocks of 128: main loops touch no scratch
// and nothing of AGPRs, hold no move, and have exactly the matrix instructions, the vector instructions that
// apply scales, LDS accesses and copies that their schedules name. Besides MFMAs, kernels for powers of two
// have three vector instructions for each write of scales, two of which make bytes of the scale and one its
// place.
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
     {{"v_mfma_f32_32x32x64_f8f6f4 ", 32},
      {"v_fma", 256},
      {"v_mul_f32", 16},
      {"ds_read_b128 ", 48},
      {"ds_read_b32 ", 24},
      {"ds_write_b128 ", 0},
      {"ds_write_b32 ", 2},
      {"buffer_load_dwordx4 ", 16},
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

// These are the same for kernels for powers of two, four steps.
static const loop powers[] = {
    {"128x128",
     "gfx950",
     {{"v_mfma_scale_f32_32x32x64_f8f6f4 ", 32},
      {"v_", 32 + 3 * 4},
      {"ds_read_b128 ", 64},
      {"ds_read_b32 ", 16},
      {"ds_write_b128 ", 0},
      {"ds_write_b32 ", 4},
      {"buffer_load_dwordx4 ", 32},
      {"global_load_dwordx4 ", 1},
      {"v_pk_", 0}}},
    {"256x256",
     "gfx950",
     {{"v_mfma_scale_f32_32x32x64_f8f6f4 ", 128},
      {"v_", 128 + 3 * 8},
      {"ds_read_b128 ", 128},
      {"ds_read_b32 ", 32},
      {"ds_write_b128 ", 0},
      {"ds_write_b32 ", 8},
      {"buffer_load_dwordx4 ", 64},
      {"global_load_dwordx4 ", 2},
      {"v_pk_", 0}}},
};
enum { POWERS = sizeof powers / sizeof *powers };

// This is a loop, and how many reads and writes of AGPRs the compiler adds, which are vector instructions,
// too.
typedef struct wanted {
  const loop *loop;
  unsigned agprs;
} wanted;

static void check_kernel(const code_kernel *k, void *context) {
  const wanted *want = context;
  code_check_loop(k, 0, want->agprs);
  for (int i = 0; k->loop && i < COUNTS; ++i) {
    const char *what = want->loop->of[i].what;
    const unsigned count = want->loop->of[i].count + (strcmp(what, "v_") == 0 ? want->agprs : 0);
    CHECK(code_count(k, what) == count, "%s for %s has %u of %s per iteration, not %u", k->kernel->name,
          k->target, code_count(k, what), what, count);
  }
}

// Persistent kernels have one for each type of C.
static void check_loop(const char *folder, const char *stem, const loop *want, size_t kernels,
                       unsigned agprs) {
  wanted all = {want, agprs};
  CHECK(code_each_kernel(folder, stem, want->target, check_kernel, &all) == kernels,
        "%s does not have %zu kernels", stem, kernels);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: loops DIRECTORY\n"), 2;
  char stem[96];
  for (int i = 0; i < LOOPS; ++i) {
    snprintf(stem, sizeof stem, "gemm_block_fp8e4m3_%s", loops[i].name);
    check_loop(argv[1], stem, &loops[i], 1, 0);
  }
  static const char *const of_b[] = {"tiles", "rows"};
  for (int b = 0; b < 2; ++b) {
    for (int i = 0; i < POWERS; ++i) {
      snprintf(stem, sizeof stem, "gemm_block_powers_fp8e4m3_%s_%s", of_b[b], powers[i].name);
      check_loop(argv[1], stem, &powers[i], 1, i == POWERS - 1 ? 2 : 0);
    }
    snprintf(stem, sizeof stem, "gemm_block_powers_persistent_fp8e4m3_%s_256x256", of_b[b]);
    check_loop(argv[1], stem, &powers[POWERS - 1], 2, 0);
  }
  return test_result();
}
