// SPDX-License-Identifier: MIT
// What the compiler made of the GEMM kernels with block scales: no main loop holds a move, touches scratch or
// has any instruction of the vector ALU, and all have exactly the matrix instructions, LDS reads and copies
// that their schedules name. Where A is bf16, the vector ALU has B to widen: a conversion for two numbers of
// a lane, and for a scale a shift, and a comparison and a selection that keep NaN.
//
//   loops DIRECTORY: of the code objects
#include <string.h>

#include "tests/check.h"
#include "tests/kernels/code_loops.h"

// An iteration of the loop, 512 columns, of a tile of 256 x 256 has so many MFMAs, reads of tiles and of
// scales, bytes of such a read, and copies. Scales take two fetches of 16 bytes, or where they are shuffled
// two copies more. An iteration of two steps of 128 columns, with shuffled scales, has half as many of all
// but these. An iteration of 128 x 128 has a quarter of the MFMAs and half of the others. Persistent kernels
// for scales by rows have no register left for the place of a write of scales, and add it up anew.
typedef struct loop {
  const char *formats;
  unsigned mfmas, reads, scale_reads, scale_bytes, copies;
} loop;

static const loop loops[] = {
    {"fp4e2m1_fp4e2m1", 128, 64, 16, 4, 32}, {"fp6e2m3_fp6e2m3", 128, 96, 32, 2, 48},
    {"fp6e3m2_fp6e3m2", 128, 96, 32, 2, 48}, {"fp6e2m3_fp4e2m1", 128, 80, 32, 2, 40},
    {"fp6e3m2_fp4e2m1", 128, 80, 32, 2, 40}, {"fp8e4m3_fp8e4m3", 128, 128, 32, 2, 64},
    {"fp8e4m3_fp4e2m1", 128, 96, 32, 2, 48}, {"fp8e5m2_fp8e4m3", 128, 128, 32, 2, 64}};
enum { LOOPS = sizeof loops / sizeof *loops };

// Counts per iteration with A of bf16, four steps of 128 columns.
typedef struct widened_loop {
  const char *tile;
  unsigned mfmas, conversions, reads, copies;
} widened_loop;
static const widened_loop widened[] = {{"bf16_fp4e2m1_128x128", 128, 256, 80, 40},
                                       {"bf16_fp4e2m1_256x128", 256, 256, 144, 72}};
enum { WIDENED = sizeof widened / sizeof *widened };

typedef struct code_wanted {
  const char *what;
  unsigned count;
} code_wanted;

static void check_counts(const code_kernel *k, const code_wanted *wanted, size_t count) {
  for (size_t n = 0; n < count; ++n)
    CHECK(code_count(k, wanted[n].what) == wanted[n].count, "%s has %u of %s per iteration, not %u",
          k->kernel->name, code_count(k, wanted[n].what), wanted[n].what, wanted[n].count);
}

static void check_widened(const code_kernel *k, const widened_loop *of) {
  enum { OF_SCALES = 3 * 16, SCALE_READS = 8 };
  const code_wanted wanted[] = {{"v_mfma_f32_32x32x16_bf16", of->mfmas},
                                {"v_cvt_scalef32_pk_bf16_fp4", of->conversions},
                                {"v_", of->mfmas + of->conversions + OF_SCALES},
                                {"ds_read_b128 ", of->reads},
                                {"ds_read_u16 ", SCALE_READS},
                                {"buffer_load_dwordx4 ", of->copies},
                                {"global_load_dwordx4 ", 1}};
  check_counts(k, wanted, sizeof wanted / sizeof *wanted);
}

// Persistent kernels have one for each type of C.
static const struct {
  const char *name;
  unsigned kernels;
} stems[] = {
#define GEMM_MX_INSTANCE(name, ...) {#name, 1},
#define GEMM_MX_PERSISTENT_INSTANCE(name, ...) {#name, 2},
#include "kernels/gemm_mx/instances.def"
};
enum { STEMS = sizeof stems / sizeof *stems };

static void check_kernel(const code_kernel *k, void *context) {
  unsigned *looked_at = context;
  const char *name = k->kernel->name;
  code_check_tight(k, 0);
  for (int i = 0; k->loop && i < LOOPS; ++i) {
    if (!strstr(name, loops[i].formats)) continue;
    const unsigned part = strstr(name, "128x128") ? 2 : 1;
    const unsigned shuffled = strstr(name, "shuffled") != NULL;
    const unsigned sums = strstr(name, "persistent") && !shuffled;
    const unsigned share = shuffled && loops[i].scale_bytes == 2 ? 2 : 1;
    const code_wanted wanted[] = {
        {"v_mfma_scale_", loops[i].mfmas / share / part / part},
        {"v_", loops[i].mfmas / share / part / part + sums},
        {"ds_read_b128 ", loops[i].reads / share / part},
        {loops[i].scale_bytes == 4 ? "ds_read_b32 " : "ds_read_u16 ", loops[i].scale_reads / share / part},
        {"buffer_load_dwordx4 ", (loops[i].copies / share + 2 * shuffled) / part},
        {"global_load_dwordx4 ", 2 * !shuffled / part}};
    check_counts(k, wanted, sizeof wanted / sizeof *wanted);
    ++*looked_at;
  }
  for (int i = 0; k->loop && i < WIDENED; ++i) {
    if (!strstr(name, widened[i].tile)) continue;
    check_widened(k, &widened[i]);
    ++*looked_at;
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: loops DIRECTORY\n"), 2;
  unsigned looked_at = 0, kernels = 0;
  for (int i = 0; i < STEMS; ++i) {
    CHECK(code_each_kernel(argv[1], stems[i].name, "gfx950", check_kernel, &looked_at) == stems[i].kernels,
          "%s does not have %u kernels", stems[i].name, stems[i].kernels);
    kernels += stems[i].kernels;
  }
  CHECK(looked_at == kernels, "%u of %u loops were looked at", looked_at, kernels);
  return test_result();
}
