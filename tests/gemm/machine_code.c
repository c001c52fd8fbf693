// SPDX-License-Identifier: MIT
// Tests what the compiler made of the library's GEMM kernels: no main loop holds moves or touches scratch,
// and the flagships' loops have exactly the matrix instructions, LDS reads and copies that their schedules
// name, in no more instructions, and no more registers, than promised.
//
//   machine_code DIRECTORY: of the code objects, <stem>.<target>.co
#include <stdio.h>
#include <string.h>

#include "tests/check.h"
#include "tests/kernels/code_loops.h"

typedef struct promise {
  const char *stem, *inputs, *target;
  const char *mfma;  // how the text of its matrix instructions begins
  unsigned mfmas;    // per iteration of the loop, two K steps
  const char *read;
  unsigned reads;
  const char *copy;
  unsigned copies;
  unsigned writes;        // ds_write_b128 of what was loaded into registers
  unsigned instructions;  // at most
  unsigned registers;     // VGPRs and AGPRs of a wave, at most
} promise;

static const char mfma_fp8[] = "v_mfma_f32_16x16x128_f8f6f4 ", mfma_bf16[] = "v_mfma_f32_16x16x32_bf16 ";
static const char read_b128[] = "ds_read_b128 ", copy_x4[] = "buffer_load_dwordx4 ";
static const char read_tr_b8[] = "ds_read_b64_tr_b8 ", read_tr_b16[] = "ds_read_b64_tr_b16 ";
static const char mfma_fp8_942[] = "v_mfma_f32_16x16x32_fp8_fp8 ",
                  mfma_bf16_942[] = "v_mfma_f32_16x16x16_bf16 ";
static const char write_b128[] = "ds_write_b128 ";

// A wave of the 4-wave kernels owns a SIMD, 512 registers; of the 8-wave kernels half of it.
static const promise promises[] = {
    {"gemm_4wave_256x256", "f8e4m3_f8e4m3", "gfx950", mfma_fp8, 128, read_b128, 64, copy_x4, 32, 0, 288, 512},
    {"gemm_4wave_256x256", "f8e5m2_f8e4m3", "gfx950", mfma_fp8, 128, read_b128, 64, copy_x4, 32, 0, 288, 512},
    {"gemm_4wave_256x256", "bf16_bf16", "gfx950", mfma_bf16, 256, read_b128, 64, copy_x4, 32, 0, 432, 512},
    {"gemm_4wave_transposed_256x256", "tatb_f8e4m3_f8e4m3", "gfx950", mfma_fp8, 128, read_tr_b8, 128, copy_x4,
     32, 0, 348, 512},
    {"gemm_4wave_transposed_256x256", "tatb_bf16_bf16", "gfx950", mfma_bf16, 256, read_tr_b16, 128, copy_x4,
     32, 0, 484, 512},
    {"gemm_8wave_256x256", "f8e4m3_f8e4m3", "gfx950", mfma_fp8, 64, read_b128, 48, copy_x4, 16, 0, 199, 256},
    {"gemm_8wave_256x256", "bf16_bf16", "gfx950", mfma_bf16, 128, read_b128, 48, copy_x4, 16, 0, 261, 256},
    {"gemm_4wave_256x256", "f8e4m3_f8e4m3", "gfx942", mfma_fp8_942, 256, read_b128, 32, copy_x4, 16, 16, 344,
     512},
    {"gemm_4wave_256x256", "bf16_bf16", "gfx942", mfma_bf16_942, 256, read_b128, 32, copy_x4, 16, 16, 344,
     512},
    {"gemm_8wave_256x256", "f8e4m3_f8e4m3", "gfx942", mfma_fp8_942, 128, read_b128, 24, copy_x4, 8, 8, 220,
     256},
    {"gemm_8wave_256x256", "bf16_bf16", "gfx942", mfma_bf16_942, 128, read_b128, 24, copy_x4, 8, 8, 220, 256},
};
enum { PROMISES = sizeof promises / sizeof *promises };

// This is the table of kernels. Kernels whose loop is a schedule have one in their code. A file has a kernel
// for each pair of input types, for each type of C where kernels are persistent, and for each order where A
// or B is transposed.
enum pairs { COMMON = 3, ALL = 7 };  // kernels/gemm/gemm_pairs.h
enum types_of_c { LIBRARY = 1, STREAM = 1, PERSISTENT = 2 };
enum orders { NOTHING = 0, NEAR_ROWS = 0, COPIES = 1, TRANSPOSED_COPIES = 3 };  // of copied tiles
enum loops { BY_HAND = 0, SCHEDULE = 1 };
enum stages { NOT_MADE = 0, REGISTERS = 1 };
#define GEMM_MECHANISM(mechanism, waves_m, waves_n, kind, needs, rows, loop, idea) \
  enum { LOOP_##mechanism = loop, KERNELS_##mechanism = (kind) * (needs) };
#include "kernels/gemm/instances.def"
static const struct instance {
  const char *stem;
  unsigned loop, kernels, stages[2];  // for gfx942, gfx950
} instances[] = {
#define GEMM_INSTANCE(name, mechanism, tile_m, tile_n, waves_k, stages_gfx942, stages_gfx950, waves_gfx942, \
                      waves_gfx950, least_steps, pairs)                                                     \
  {#name, LOOP_##mechanism, KERNELS_##mechanism * (pairs), {stages_gfx942, stages_gfx950}},
#include "kernels/gemm/instances.def"
};
enum { INSTANCES = sizeof instances / sizeof *instances };

static void check_promise(const promise *p, const code_kernel *k) {
  const char *name = k->kernel->name;
  const unsigned all = code_count(k, ""), mfmas = code_count(k, p->mfma);
  const unsigned reads = code_count(k, p->read), copies = code_count(k, p->copy);
  CHECK(mfmas == p->mfmas && code_count(k, "v_mfma_") == mfmas, "%s for %s has %u %sper iteration, not %u",
        name, p->target, mfmas, p->mfma, p->mfmas);
  const unsigned writes = code_count(k, write_b128);
  CHECK(reads == p->reads && code_count(k, "ds_") == reads + writes,
        "%s for %s has %u %sper iteration, not %u", name, p->target, reads, p->read, p->reads);
  CHECK(writes == p->writes, "%s for %s has %u %sper iteration, not %u", name, p->target, writes, write_b128,
        p->writes);
  CHECK(copies == p->copies && code_count(k, "buffer_") == copies, "%s for %s has %u %sper iteration, not %u",
        name, p->target, copies, p->copy, p->copies);
  CHECK(all <= p->instructions, "%s for %s: %u instructions per iteration, promised at most %u", name,
        p->target, all, p->instructions);
  CHECK(k->kernel->vgpr_count <= p->registers, "%s for %s: %u registers, promised at most %u", name,
        p->target, k->kernel->vgpr_count, p->registers);
  printf("%-34s %s %4u instructions for %3u MFMAs, %u registers\n", name, p->target, all, mfmas,
         k->kernel->vgpr_count);
}

typedef struct checking {
  const char *stem;
  unsigned kept;  // promises
} checking;

static void check_kernel(const code_kernel *k, void *context) {
  checking *c = context;
  code_check_tight(k, 0);
  for (int i = 0; k->loop && i < PROMISES; ++i) {
    const promise *p = &promises[i];
    const char *rest = k->kernel->name + strlen(c->stem);
    if (strcmp(p->stem, c->stem) == 0 && strcmp(p->target, k->target) == 0 &&
        strcmp(rest + 1, p->inputs) == 0) {
      check_promise(p, k);
      ++c->kept;
    }
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: machine_code DIRECTORY\n"), 2;
  checking c = {NULL, 0};
  for (int i = 0; i < INSTANCES; ++i)
    for (int chip = 0; chip < 2; ++chip) {
      const struct instance *row = &instances[i];
      const char *target = chip ? "gfx950" : "gfx942";
      if (row->loop != SCHEDULE || row->stages[chip] == NOT_MADE) continue;
      c.stem = row->stem;
      const size_t kernels = code_each_kernel(argv[1], c.stem, target, check_kernel, &c);
      CHECK(kernels == row->kernels,
            "%s for %s has %zu kernels, one per combination of types and orders would be %u", c.stem, target,
            kernels, row->kernels);
    }
  CHECK(c.kept == PROMISES, "%u of %d promises were looked at", c.kept, PROMISES);
  return test_result();
}
