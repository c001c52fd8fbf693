// SPDX-License-Identifier: MIT
// Reads the 64-byte kernel descriptor (LLVM AMDGPUUsage, "Kernel Descriptor"). Bits that are reserved on
// gfx942 and gfx950, or that ask for something the hardware's command processor does not give them, are
// refused by name.
#include "sim/object/internal.h"

typedef struct descriptor {
  uint32_t group_segment, private_segment, kernarg;
  uint8_t reserved0[4];
  int64_t entry_offset;  // from the descriptor to the first instruction
  uint8_t reserved1[20];
  uint32_t rsrc3, rsrc1, rsrc2;
  uint16_t properties, preload;
  uint8_t reserved2[4];
} descriptor;
_Static_assert(sizeof(descriptor) == 64, "the descriptor is 64 bytes");

typedef enum word { WORD_RSRC1, WORD_RSRC2, WORD_RSRC3, WORD_PROPERTIES } word;

// Lists bits that must be zero (LLVM AMDGPUUsage, tables "compute_pgm_rsrc1" to "compute_pgm_rsrc3 for
// gfx90a, gfx942" and "kernel code properties").
static const struct {
  word word;
  uint32_t mask;
  const char *name;
} must_be_zero[] = {
    {WORD_RSRC1, 1u << 20, "PRIV of compute_pgm_rsrc1"},
    {WORD_RSRC1, 1u << 22, "DEBUG_MODE of compute_pgm_rsrc1"},
    {WORD_RSRC1, 1u << 24, "BULKY of compute_pgm_rsrc1"},
    {WORD_RSRC1, 1u << 25, "CDBG_USER of compute_pgm_rsrc1"},
    {WORD_RSRC1, 0x1fu << 27, "reserved bits 31:27 of compute_pgm_rsrc1"},
    {WORD_RSRC2, 1u << 6, "ENABLE_TRAP_HANDLER of compute_pgm_rsrc2"},
    {WORD_RSRC2, 3u << 13, "exception bits 14:13 of compute_pgm_rsrc2"},
    {WORD_RSRC2, 0x1ffu << 15, "GRANULATED_LDS_SIZE of compute_pgm_rsrc2"},
    {WORD_RSRC2, 0x7fu << 24, "floating-point exception traps of compute_pgm_rsrc2"},
    {WORD_RSRC2, 1u << 31, "reserved bit 31 of compute_pgm_rsrc2"},
    {WORD_RSRC3, 0x3ffu << 6, "reserved bits 15:6 of compute_pgm_rsrc3"},
    {WORD_RSRC3, 0x7fffu << 17, "reserved bits 31:17 of compute_pgm_rsrc3"},
    {WORD_PROPERTIES, 1u << 0, "ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER (flat scratch is architected)"},
    {WORD_PROPERTIES, 1u << 5, "ENABLE_SGPR_FLAT_SCRATCH_INIT (flat scratch is architected)"},
    {WORD_PROPERTIES, 1u << 10, "ENABLE_WAVEFRONT_SIZE32"},
    {WORD_PROPERTIES, 0xf380u, "reserved bits of the kernel code properties"},
};

static bool all_zero(const uint8_t *bytes, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    if (bytes[i] != 0) return false;
  }
  return true;
}

static bool check_bits(sim_load *load, const descriptor *d, const sim_kernel *kernel) {
  const uint32_t words[] = {d->rsrc1, d->rsrc2, d->rsrc3, d->properties};
  for (size_t i = 0; i < sizeof must_be_zero / sizeof must_be_zero[0]; ++i) {
    uint32_t bits = words[must_be_zero[i].word] & must_be_zero[i].mask;
    if (bits != 0) {
      return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED, "kernel %.300s: the descriptor sets %s (0x%x)",
                           kernel->name, must_be_zero[i].name, bits);
    }
  }
  if (!all_zero(d->reserved0, sizeof d->reserved0) || !all_zero(d->reserved1, sizeof d->reserved1) ||
      !all_zero(d->reserved2, sizeof d->reserved2)) {
    return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED,
                         "kernel %.300s: reserved descriptor bytes are not zero", kernel->name);
  }
  return true;
}

static bool check_entry(sim_load *load, const sim_object *object, const sim_kernel *kernel) {
  for (size_t i = 0; i < object->text_count; ++i) {
    if (kernel->entry >= object->text[i].begin && kernel->entry < object->text[i].end &&
        kernel->entry % 256 == 0) {  // the program counter is given to the hardware in units of 256 bytes
      return true;
    }
  }
  return sim_load_fail(load, SIM_OBJECT_INVALID,
                       "kernel %.300s: its entry 0x%llx is not a 256-byte aligned address in executable code",
                       kernel->name, (unsigned long long)kernel->entry);
}

bool sim_descriptor_read(sim_load *load, const sim_object *object, uint64_t address, sim_kernel *kernel) {
  if (address % sizeof(descriptor) != 0 ||
      !sim_bytes_has((sim_bytes){object->image, object->image_size}, address, sizeof(descriptor))) {
    return sim_load_fail(load, SIM_OBJECT_INVALID,
                         "kernel %.300s: its descriptor at 0x%llx is misaligned or outside the image",
                         kernel->name, (unsigned long long)address);
  }
  descriptor d;
  memcpy(&d, object->image + address, sizeof d);
  if (d.kernarg > SIM_OBJECT_MAX_KERNARG) {
    return sim_load_fail(load, SIM_OBJECT_INVALID,
                         "kernel %.300s: %u bytes of kernel arguments, the limit is %u", kernel->name,
                         d.kernarg, SIM_OBJECT_MAX_KERNARG);
  }
  kernel->descriptor = address;
  kernel->entry = address + (uint64_t)d.entry_offset;
  kernel->lds_bytes = d.group_segment;
  kernel->scratch_bytes = d.private_segment;
  kernel->kernarg_bytes = d.kernarg;
  kernel->rsrc1 = d.rsrc1;
  kernel->rsrc2 = d.rsrc2;
  kernel->rsrc3 = d.rsrc3;
  kernel->properties = d.properties;
  kernel->preload_length = d.preload & 0x7f;
  kernel->preload_offset = d.preload >> 7;
  kernel->uses_dynamic_stack = (d.properties >> 11 & 1) != 0;
  return check_entry(load, object, kernel) && check_bits(load, &d, kernel);
}
