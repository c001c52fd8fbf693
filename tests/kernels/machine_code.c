// SPDX-License-Identifier: MIT
// What the compiler made of the library's GEMM kernels: no main loop holds moves or touches scratch, and the
// flagships' loops have exactly the matrix instructions, LDS reads and copies that their schedules name, in
// no more instructions, and no more registers, than promised.
//
//   machine_code DIRECTORY: of the code objects, <stem>.<target>.co
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/isa/program.h"
#include "sim/object/object.h"
#include "tests/check.h"
#include "tools/core/read_file.h"
#include "tools/isa/isa_loops.h"

typedef struct promise {
  const char *stem, *inputs, *target;
  const char *mfma;  // how the text of its matrix instructions begins
  unsigned mfmas;    // per K step
  const char *read;
  unsigned reads;
  const char *copy;
  unsigned copies;
  unsigned instructions;  // at most
  unsigned registers;     // VGPRs and AGPRs of a wave, at most
} promise;

static const char mfma_fp8[] = "v_mfma_f32_16x16x128_f8f6f4 ", mfma_bf16[] = "v_mfma_f32_16x16x32_bf16 ";
static const char read_b128[] = "ds_read_b128 ", copy_x4[] = "buffer_load_dwordx4 ";
static const char mfma_fp8_942[] = "v_mfma_f32_16x16x32_fp8_fp8 ",
                  mfma_bf16_942[] = "v_mfma_f32_16x16x16_bf16 ";
static const char copy_x1[] = "buffer_load_dword ";

// A wave of the 4-wave kernels owns a SIMD, 512 registers; of the 8-wave kernels half of it.
static const promise promises[] = {
    {"gemm_4wave_256x256", "f8e4m3_f8e4m3", "gfx950", mfma_fp8, 64, read_b128, 32, copy_x4, 16, 160, 512},
    {"gemm_4wave_256x256", "f8e5m2_f8e4m3", "gfx950", mfma_fp8, 64, read_b128, 32, copy_x4, 16, 160, 512},
    {"gemm_4wave_256x256", "bf16_bf16", "gfx950", mfma_bf16, 128, read_b128, 32, copy_x4, 16, 225, 512},
    {"gemm_8wave_256x256", "f8e4m3_f8e4m3", "gfx950", mfma_fp8, 32, read_b128, 24, copy_x4, 8, 120, 256},
    {"gemm_8wave_256x256", "bf16_bf16", "gfx950", mfma_bf16, 64, read_b128, 24, copy_x4, 8, 152, 256},
    {"gemm_4wave_256x256", "f8e4m3_f8e4m3", "gfx942", mfma_fp8_942, 128, read_b128, 16, copy_x1, 32, 256,
     512},
    {"gemm_4wave_256x256", "bf16_bf16", "gfx942", mfma_bf16_942, 128, read_b128, 16, copy_x1, 32, 256, 512},
    {"gemm_8wave_256x256", "f8e4m3_f8e4m3", "gfx942", mfma_fp8_942, 64, read_b128, 12, copy_x1, 16, 162, 256},
    {"gemm_8wave_256x256", "bf16_bf16", "gfx942", mfma_bf16_942, 64, read_b128, 12, copy_x1, 16, 162, 256},
};
enum { PROMISES = sizeof promises / sizeof *promises };

static const char *const library[] = {"gemm_4wave_64x64",   "gemm_4wave_64x128",  "gemm_4wave_128x64",
                                      "gemm_4wave_128x128", "gemm_4wave_256x256", "gemm_8wave_128x128",
                                      "gemm_8wave_128x256", "gemm_8wave_256x128", "gemm_8wave_256x256"};
enum { LIBRARY = sizeof library / sizeof *library };

static bool begins(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

// Of the ops of a loop, those whose text begins so.
static unsigned count(const sim_program *program, uint32_t first, uint32_t last, const isa_loop *loop,
                      const char *start) {
  unsigned n = 0;
  for (uint32_t i = first; i <= last; ++i)
    n += loop->member[i - first] && begins(sim_op_text(program, &program->ops[i]), start);
  return n;
}

// The innermost loop with the most matrix instructions.
static const isa_loop *main_loop(const sim_program *program, uint32_t first, uint32_t last,
                                 const isa_loop *loops, uint32_t loop_count) {
  const isa_loop *best = NULL;
  unsigned most = 0;
  for (uint32_t i = 0; i < loop_count; ++i) {
    const unsigned n = count(program, first, last, &loops[i], "v_mfma_");
    if (n > most || (n == most && n > 0 && best && loops[i].depth > best->depth)) best = &loops[i], most = n;
  }
  return best;
}

static void check_promise(const promise *p, const sim_program *program, const sim_kernel *kernel,
                          uint32_t first, uint32_t last, const isa_loop *loop) {
  const unsigned all = count(program, first, last, loop, "");
  const unsigned mfmas = count(program, first, last, loop, p->mfma);
  const unsigned reads = count(program, first, last, loop, p->read);
  const unsigned copies = count(program, first, last, loop, p->copy);
  CHECK(mfmas == p->mfmas && count(program, first, last, loop, "v_mfma_") == mfmas,
        "%s for %s has %u %sper K step, not %u", kernel->name, p->target, mfmas, p->mfma, p->mfmas);
  CHECK(reads == p->reads && count(program, first, last, loop, "ds_") == reads,
        "%s for %s has %u %sper K step, not %u", kernel->name, p->target, reads, p->read, p->reads);
  CHECK(copies == p->copies && count(program, first, last, loop, "buffer_") == copies,
        "%s for %s has %u %sper K step, not %u", kernel->name, p->target, copies, p->copy, p->copies);
  CHECK(all <= p->instructions, "%s for %s: %u instructions per K step, promised at most %u", kernel->name,
        p->target, all, p->instructions);
  CHECK(kernel->vgpr_count <= p->registers, "%s for %s: %u registers, promised at most %u", kernel->name,
        p->target, kernel->vgpr_count, p->registers);
  printf("%-34s %s %4u instructions for %3u MFMAs, %u registers\n", kernel->name, p->target, all, mfmas,
         kernel->vgpr_count);
}

static void check_kernel(const char *stem, const char *target, const sim_program *program,
                         const sim_kernel *kernel, unsigned *kept) {
  const sim_function *function = NULL;
  for (size_t i = 0; i < program->object->function_count; ++i)
    if (program->object->functions[i].begin == kernel->entry) function = &program->object->functions[i];
  CHECK(function, "%s for %s has no symbol", kernel->name, target);
  if (!function) return;
  const uint32_t first = (uint32_t)(sim_program_at(program, function->begin) - program->ops);
  uint32_t last = first;
  while (last + 1 < program->op_count && program->ops[last + 1].offset < function->end) ++last;

  uint32_t loop_count;
  isa_loop *loops = isa_loops_find(program, first, last, &loop_count);
  const isa_loop *loop = main_loop(program, first, last, loops, loop_count);
  CHECK(loop, "%s for %s has no loop with matrix instructions", kernel->name, target);
  if (loop) {
    static const char *const unwanted[] = {"v_mov_", "v_accvgpr_", "scratch_", "flat_"};
    for (int i = 0; i < 4; ++i) {
      const unsigned n = count(program, first, last, loop, unwanted[i]);
      CHECK(n == 0, "%s for %s has %u %s* in its main loop", kernel->name, target, n, unwanted[i]);
    }
    CHECK(kernel->vgpr_spills == 0 && kernel->sgpr_spills == 0 && kernel->scratch_bytes == 0,
          "%s for %s spills or uses scratch", kernel->name, target);
    for (int i = 0; i < PROMISES; ++i) {
      const promise *p = &promises[i];
      const char *rest = kernel->name + strlen(stem);
      if (strcmp(p->stem, stem) == 0 && strcmp(p->target, target) == 0 && strcmp(rest + 1, p->inputs) == 0) {
        check_promise(p, program, kernel, first, last, loop);
        ++*kept;
      }
    }
  }
  isa_loops_free(loops, loop_count);
}

static void check_object(const char *directory, const char *stem, const char *target, sim_chip chip,
                         unsigned *kept) {
  char path[1024], message[256];
  snprintf(path, sizeof path, "%s/%s.%s.co", directory, stem, target);
  size_t size;
  unsigned char *data = read_file(path, &size);
  sim_object *object = NULL;
  sim_program *program = NULL;
  message[0] = 0;
  if (data && sim_object_load(data, size, target, &object, message, sizeof message) == SIM_OBJECT_OK)
    sim_program_create(object, chip, &program, message, sizeof message);
  CHECK(program, "cannot read %s: %s", path, message);
  if (program) {
    CHECK(object->kernel_count == 7, "%s has %zu kernels, one per pair of input types would be 7", path,
          object->kernel_count);
    for (size_t i = 0; i < object->kernel_count; ++i)
      check_kernel(stem, target, program, &object->kernels[i], kept);
  }
  sim_program_free(program);
  sim_object_free(object);
  free(data);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: machine_code DIRECTORY\n"), 2;
  unsigned kept = 0;
  for (int i = 0; i < LIBRARY; ++i) {
    check_object(argv[1], library[i], "gfx942", SIM_GFX942, &kept);
    check_object(argv[1], library[i], "gfx950", SIM_GFX950, &kept);
  }
  CHECK(kept == PROMISES, "%u of %d promises were looked at", kept, PROMISES);
  return test_result();
}
