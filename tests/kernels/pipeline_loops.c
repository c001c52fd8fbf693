// SPDX-License-Identifier: MIT
// The derived GEMMs beside the hand-written ones, for every pair of input types: in the main loop the same
// number of instructions of each class that a schedule is about, no moves in either, no more of all others
// than it takes to count; and waits that are the same one after the other. On gfx950, as the hand-written
// loops of gfx942 bring tiles through registers, which no pipeline derives.
//
//   pipeline_loops DIRECTORY: of the code objects, <stem>.<target>.co
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/isa/program.h"
#include "tests/check.h"
#include "tools/core/read_file.h"
#include "tools/isa/isa_loops.h"

static const char target[] = "gfx950";

typedef struct pair {
  const char *derived, *by_hand;
  bool lds_by_compiler;  // the hand-written loop leaves waits for LDS to the compiler, fragment by fragment
} pair;

static const pair pairs[] = {{"gemm_4wave_derived_256x256", "gemm_4wave_256x256", false},
                             {"gemm_8wave_derived_256x256", "gemm_8wave_256x256", true}};

static const char *const classes[] = {"v_mfma_",   "ds_read_", "ds_",        "buffer_load_", "buffer_",
                                      "s_barrier", "v_mov_",   "v_accvgpr_", "scratch_",     "s_setprio"};
enum { CLASSES = sizeof classes / sizeof *classes, MOST_WAITS = 64 };

// What a main loop is made of.
typedef struct loop_mix {
  unsigned all, m0, counts[CLASSES];
  unsigned waits;
  unsigned vmem[MOST_WAITS], lds[MOST_WAITS];  // that may stay in flight
  unsigned registers;
} loop_mix;

typedef struct code {
  unsigned char *data;
  sim_object *object;
  sim_program *program;
} code;

static bool begins(const char *text, const char *start) { return strncmp(text, start, strlen(start)) == 0; }

static void code_free(code *c) {
  sim_program_free(c->program);
  sim_object_free(c->object);
  free(c->data);
}

static bool code_load(code *c, const char *directory, const char *stem) {
  char path[1024], message[256] = "";
  size_t size;
  snprintf(path, sizeof path, "%s/%s.%s.co", directory, stem, target);
  *c = (code){.data = read_file(path, &size)};
  if (c->data && sim_object_load(c->data, size, target, &c->object, message, sizeof message) == SIM_OBJECT_OK)
    sim_program_create(c->object, SIM_GFX950, &c->program, message, sizeof message);
  CHECK(c->program, "cannot read %s: %s", path, message);
  return c->program != NULL;
}

static void count_op(const sim_program *program, const sim_op *op, loop_mix *mix) {
  const char *text = sim_op_text(program, op);
  ++mix->all;
  for (int i = 0; i < CLASSES; ++i) mix->counts[i] += begins(text, classes[i]);
  const char *m0 = strstr(text, " m0,");
  mix->m0 += m0 && text[0] == 's';
  if (begins(text, "s_waitcnt ") && mix->waits < MOST_WAITS) {
    const unsigned immediate = op->raw[0] & 0xffff;  // fields: see waitcnt_immediate in ops/isa/sync.h
    mix->vmem[mix->waits] = (immediate & 15) | (immediate >> 14 & 3) << 4;
    mix->lds[mix->waits++] = immediate >> 8 & 15;
  }
}

// The innermost loop with the most matrix instructions.
static bool main_loop(const code *c, const char *name, loop_mix *mix) {
  const sim_kernel *kernel = sim_object_kernel(c->object, name);
  const sim_function *function = NULL;
  for (size_t i = 0; kernel && i < c->object->function_count; ++i)
    if (c->object->functions[i].begin == kernel->entry) function = &c->object->functions[i];
  CHECK(function, "there is no kernel %s", name);
  if (!function) return false;
  const uint32_t first = (uint32_t)(sim_program_at(c->program, function->begin) - c->program->ops);
  uint32_t last = first, loop_count;
  while (last + 1 < c->program->op_count && c->program->ops[last + 1].offset < function->end) ++last;
  isa_loop *loops = isa_loops_find(c->program, first, last, &loop_count);
  *mix = (loop_mix){0};
  for (uint32_t l = 0; l < loop_count; ++l) {
    loop_mix tried = {.registers = kernel->vgpr_count};
    for (uint32_t i = first; i <= last; ++i)
      if (loops[l].member[i - first]) count_op(c->program, &c->program->ops[i], &tried);
    if (tried.counts[0] > 0 && tried.counts[0] >= mix->counts[0]) *mix = tried;
  }
  isa_loops_free(loops, loop_count);
  CHECK(mix->counts[0] > 0, "%s has no loop with matrix instructions", name);
  return mix->counts[0] > 0;
}

// Leaves the waits for LDS out.
static void keep_vmem_waits(loop_mix *mix) {
  unsigned kept = 0;
  for (unsigned i = 0; i < mix->waits; ++i) {
    if (mix->vmem[i] == 63) continue;
    mix->vmem[kept] = mix->vmem[i];
    mix->lds[kept++] = 15;
  }
  mix->waits = kept;
}

// Whether from some rotation of the derived loop's waits on, each is at most as strong as the hand-written
// loop's, in order. (Loops begin at different places of a K step.)
static bool waits_match(const loop_mix *derived, const loop_mix *by_hand) {
  if (derived->waits != by_hand->waits) return false;
  for (unsigned shift = 0; shift < derived->waits; ++shift) {
    unsigned matched = 0;
    for (unsigned i = 0; i < by_hand->waits; ++i) {
      const unsigned d = (i + shift) % derived->waits;
      matched += derived->vmem[d] >= by_hand->vmem[i] && derived->lds[d] >= by_hand->lds[i];
    }
    if (matched == derived->waits) return true;
  }
  return false;
}

static void compare(const pair *p, const char *inputs, const code *derived_code, const code *hand_code) {
  char derived_name[128], hand_name[128];
  snprintf(derived_name, sizeof derived_name, "%s%s", p->derived, inputs);
  snprintf(hand_name, sizeof hand_name, "%s%s", p->by_hand, inputs);
  loop_mix derived, by_hand;
  if (!main_loop(derived_code, derived_name, &derived) || !main_loop(hand_code, hand_name, &by_hand)) return;
  for (int i = 0; i < CLASSES; ++i)
    CHECK(derived.counts[i] == by_hand.counts[i], "%s for %s: %u %s* in the main loop, by hand %u",
          derived_name, target, derived.counts[i], classes[i], by_hand.counts[i]);
  CHECK(derived.m0 == by_hand.m0, "%s for %s: m0 is written %u times in the main loop, by hand %u",
        derived_name, target, derived.m0, by_hand.m0);
  const unsigned counting = 2;  // the derived loop counts iterations and steps apart
  CHECK(derived.all <= by_hand.all + counting, "%s for %s: %u instructions in the main loop, by hand %u",
        derived_name, target, derived.all, by_hand.all);
  const unsigned granule = 8;  // registers are allocated by so many (LLVM, AMDGPUUsage)
  CHECK(derived.registers <= by_hand.registers + granule, "%s for %s: %u registers, by hand %u", derived_name,
        target, derived.registers, by_hand.registers);
  if (p->lds_by_compiler) keep_vmem_waits(&derived), keep_vmem_waits(&by_hand);
  CHECK(waits_match(&derived, &by_hand), "%s for %s: the %u waits of the main loop are not the %u by hand",
        derived_name, target, derived.waits, by_hand.waits);
  printf("%-42s %s %3u instructions, by hand %3u; %u waits, by hand %u\n", derived_name, target, derived.all,
         by_hand.all, derived.waits, by_hand.waits);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: pipeline_loops DIRECTORY\n"), 2;
  unsigned compared = 0;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
    code derived = {0}, by_hand = {0};
    if (code_load(&derived, argv[1], pairs[i].derived) && code_load(&by_hand, argv[1], pairs[i].by_hand))
      for (size_t k = 0; k < derived.object->kernel_count; ++k, ++compared)
        compare(&pairs[i], derived.object->kernels[k].name + strlen(pairs[i].derived), &derived, &by_hand);
    code_free(&derived);
    code_free(&by_hand);
  }
  CHECK(compared >= 4, "only %u loops were compared", compared);
  return test_result();
}
