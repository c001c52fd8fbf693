// SPDX-License-Identifier: MIT
// Tests what the compiler made of the attention kernels: nothing spills, two waves fit on a SIMD, and the
// main loops of heads of 128 on gfx950 hold no more moves and instructions than promised.
//
//   attention_code DIRECTORY: of the code objects, <stem>.<target>.co
#include <stdio.h>
#include <string.h>

#include "tests/check.h"
#include "tests/kernels/code_loops.h"

// Instructions of the main loop, at most; those that mask scores and rescale O among them, which most blocks
// of keys jump over. Moves: where sums begin; l as it was, for the case that P has to be made again; m, where
// a query meets its first key; and, in eight waves, a scalar number that goes into an address of the lanes.
typedef struct promise {
  const char *kernel;
  unsigned mfmas, instructions, moves;
} promise;

static const promise promises[] = {
    {"attention_forward_d128_bf16", 32, 700, 7},
    {"attention_forward_d128_f16", 32, 700, 7},
    {"attention_backward_dkv_8wave_d128_bf16", 32, 402, 1},
    {"attention_backward_dkv_8wave_d128_f16", 32, 402, 1},
    {"attention_backward_dq_8wave_d128_bf16", 24, 350, 1},
    {"attention_backward_dq_8wave_d128_f16", 24, 350, 1},
    {"attention_backward_dkv_4wave_d128_bf16", 64, 622, 0},
    {"attention_backward_dkv_4wave_d128_f16", 64, 622, 0},
    {"attention_backward_dq_4wave_d128_bf16", 24, 350, 0},
    {"attention_backward_dq_4wave_d128_f16", 24, 350, 0},
    {"attention_backward_dkvq_4wave_d128_bf16", 240, 2310, 0},
    {"attention_backward_dkvq_4wave_d128_f16", 240, 2310, 0},
};
enum { PROMISES = sizeof promises / sizeof *promises };

static const struct {
  const char *stem;
  bool both;  // chips, not gfx950 alone
} objects[] = {{"attention_forward_d64", true},          {"attention_forward_d128", true},
               {"attention_backward_8wave_d64", true},   {"attention_backward_8wave_d128", true},
               {"attention_backward_4wave_d64", true},   {"attention_backward_4wave_d128", true},
               {"attention_backward_dkvq_d64", true},    {"attention_backward_dkvq_d128", true},
               {"attention_forward_general_d64", true},  {"attention_forward_general_d128", true},
               {"attention_backward_general_d64", true}, {"attention_backward_general_d128", true},
               {"attention_forward_fp8", false},         {"attention_forward_wide", false},
               {"attention_forward_general_fp8", false}, {"attention_forward_general_wide", false}};
enum { OBJECTS = sizeof objects / sizeof *objects };

static void check_kernel(const code_kernel *k, void *context) {
  unsigned *kept = context;
  const char *name = k->kernel->name;
  CHECK(k->loop, "%s for %s has no loop with matrix instructions", name, k->target);
  CHECK(k->kernel->vgpr_spills == 0 && k->kernel->sgpr_spills == 0 && k->kernel->scratch_bytes == 0,
        "%s for %s spills or uses scratch", name, k->target);
  const unsigned registers = strstr(name, "_4wave") ? 512 : 256;
  CHECK(k->kernel->vgpr_count <= registers, "%s for %s has %u registers, more than its share of a SIMD, %u",
        name, k->target, k->kernel->vgpr_count, registers);
  const unsigned all = code_count(k, ""), mfmas = code_count(k, "v_mfma_");
  printf("%-34s %s %4u instructions for %2u MFMAs (%.1f each), %u registers\n", name, k->target, all, mfmas,
         mfmas ? (double)all / mfmas : 0.0, k->kernel->vgpr_count);
  for (int i = 0; i < PROMISES && strcmp(k->target, "gfx950") == 0; ++i) {
    if (strcmp(name, promises[i].kernel) != 0) continue;
    ++*kept;
    code_check_tight(k, promises[i].moves);
    CHECK(mfmas == promises[i].mfmas, "%s has %u MFMAs in its main loop, not %u", name, mfmas,
          promises[i].mfmas);
    CHECK(all <= promises[i].instructions, "%s: %u instructions in its main loop, promised at most %u", name,
          all, promises[i].instructions);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: attention_code DIRECTORY\n"), 2;
  unsigned kept = 0;
  for (int i = 0; i < OBJECTS; ++i) {
    code_each_kernel(argv[1], objects[i].stem, "gfx950", check_kernel, &kept);
    if (objects[i].both) code_each_kernel(argv[1], objects[i].stem, "gfx942", check_kernel, &kept);
  }
  CHECK(kept == PROMISES, "%u of %d promises were looked at", kept, PROMISES);
  return test_result();
}
