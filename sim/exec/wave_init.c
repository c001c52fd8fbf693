// SPDX-License-Identifier: MIT
// Sets the registers of a wave at its first instruction (LLVM AMDGPUUsage, "Initial Kernel Execution State").
#include <stdio.h>

#include "sim/exec/dispatch.h"

enum {  // kernel_code_properties bits (AMDGPUUsage, "Kernel Descriptor")
  PROP_PRIVATE_SEGMENT_BUFFER = 1 << 0,
  PROP_DISPATCH_PTR = 1 << 1,
  PROP_QUEUE_PTR = 1 << 2,
  PROP_KERNARG_PTR = 1 << 3,
  PROP_DISPATCH_ID = 1 << 4,
  PROP_FLAT_SCRATCH_INIT = 1 << 5,
  PROP_PRIVATE_SEGMENT_SIZE = 1 << 6,
  PROP_WAVE32 = 1 << 10,
  PROP_DYNAMIC_STACK = 1 << 11,
  PROP_KNOWN = PROP_DISPATCH_PTR | PROP_QUEUE_PTR | PROP_KERNARG_PTR | PROP_DISPATCH_ID |
               PROP_PRIVATE_SEGMENT_SIZE | PROP_DYNAMIC_STACK
};

// A kernel with preloaded arguments begins with a prologue of 256 bytes, which firmware that preloads them
// skips.
enum { PRELOAD_PROLOGUE = 256 };

bool sim_wave_init_check(const sim_launch *launch, char *message, size_t message_size) {
  const sim_kernel *k = launch->kernel;
  uint32_t unknown = k->properties & ~(uint32_t)PROP_KNOWN;
  if (unknown) {
    const char *name = unknown & PROP_WAVE32                   ? "wave32 execution"
                       : unknown & PROP_PRIVATE_SEGMENT_BUFFER ? "a private segment buffer"
                       : unknown & PROP_FLAT_SCRATCH_INIT      ? "flat scratch initialisation"
                                                               : "an unknown property";
    snprintf(message, message_size,
             "kernel %s asks for %s (kernel_code_properties %#x), which %s does not have", k->name, name,
             k->properties, launch->machine->target);
    return false;
  }
  uint64_t first = k->entry + (k->preload_length ? PRELOAD_PROLOGUE : 0);
  if (!sim_program_at(launch->program, first)) {
    snprintf(message, message_size, "kernel %s has no instruction at its entry (byte %#llx of the image)",
             k->name, (unsigned long long)first);
    return false;
  }
  return true;
}

static void push64(sim_wave *w, unsigned *next, uint64_t value) {
  sim_set_s64(w, *next, value);
  *next += 2;
}

static void init_sgprs(const sim_dispatch *d, sim_wave *w) {
  const sim_kernel *k = d->launch->kernel;
  unsigned next = 0;
  for (unsigned i = 0; i < 128; ++i) w->s[i] = SIM_UNWRITTEN;
  if (k->properties & PROP_DISPATCH_PTR) push64(w, &next, d->packet);
  if (k->properties & PROP_QUEUE_PTR) push64(w, &next, d->queue);
  if (k->properties & PROP_KERNARG_PTR) push64(w, &next, d->kernarg);
  if (k->properties & PROP_DISPATCH_ID) push64(w, &next, 0);
  if (k->properties & PROP_PRIVATE_SEGMENT_SIZE) w->s[next++] = d->scratch_bytes;
  const uint32_t *arguments = (const uint32_t *)(uintptr_t)d->kernarg;
  for (unsigned i = 0; i < k->preload_length && next < 16; ++i)
    w->s[next++] = arguments[k->preload_offset + i];
  // System SGPRs follow the user SGPRs that the descriptor counts (rsrc2 bits 5:1).
  next = k->rsrc2 >> 1 & 31;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (k->rsrc2 >> (7 + axis) & 1) w->s[next++] = w->group->id[axis];
  if (k->rsrc2 >> 10 & 1) w->s[next++] = w->id == 0;  // work-group info: first wave
}

static void init_vgprs(const sim_dispatch *d, sim_wave *w) {
  const sim_kernel *k = d->launch->kernel;
  uint32_t total = ((k->rsrc1 & 63) + 1) * 8, arch = ((k->rsrc3 & 63) + 1) * 4;
  if (arch > total) arch = total;
  // Registers are allocated in eights but divided at a multiple of four: what lies beyond the last AGPR is no
  // one's.
  const uint32_t acc = sizeof w->v / sizeof *w->v - SIM_ACC;
  if (total - arch > acc) total = arch + acc;
  for (uint32_t row = 0; row < total; ++row) {
    uint32_t *v = w->v[row < arch ? row : SIM_ACC + row - arch];
    for (int lane = 0; lane < SIM_LANES; ++lane) v[lane] = SIM_UNWRITTEN;
  }
  // The work-item id is x | y << 10 | z << 20 in v0 on both chips.
  const uint32_t *block = d->launch->block;
  uint32_t count = block[0] * block[1] * block[2];
  uint64_t exec = 0;
  for (uint32_t lane = 0; lane < SIM_LANES; ++lane) {
    uint32_t item = w->id * SIM_LANES + lane;
    if (item >= count) break;
    exec |= 1ull << lane;
    w->v[0][lane] = item % block[0] | item / block[0] % block[1] << 10 | item / (block[0] * block[1]) << 20;
  }
  sim_set_s64(w, SIM_EXEC, exec);
}

void sim_wave_init(const sim_dispatch *d, sim_group *g, uint32_t wave, uint8_t *scratch) {
  const sim_kernel *k = d->launch->kernel;
  sim_wave *w = &g->waves[wave];
  w->group = g;
  w->id = wave;
  w->state = SIM_WAVE_RUN;
  w->instructions = 0;
  memset(&w->clock, 0, sizeof w->clock);
  w->scc = 0;
  w->priority = k->rsrc1 >> 10 & 3;
  w->scratch = (uint64_t)(uintptr_t)scratch;
  w->scratch_stride = d->scratch_bytes;
  w->pending.vm = w->pending.lds = w->pending.smem = (sim_queue){0, 0};
  w->pending.smem_weight = w->pending.flat = 0;
  w->pending.vm_issued = w->pending.lds_issued = w->pending.flat_lds = 0;
  w->pending.notes = (sim_vm_notes){.writes = 0};
  // rsrc1: round 15:12, denorm 19:16, dx10_clamp 21, ieee 23, fp16_ovfl 26.
  w->mode = (k->rsrc1 >> 12 & 255) | (k->rsrc1 >> 21 & 1) << 8 | (k->rsrc1 >> 23 & 1) << 9 |
            (k->rsrc1 >> 26 & 1) << 23;
  init_sgprs(d, w);
  init_vgprs(d, w);
  sim_jump(w, &g->program->ops[0], k->entry + (k->preload_length ? PRELOAD_PROLOGUE : 0));
}
