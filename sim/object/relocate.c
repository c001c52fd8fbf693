// SPDX-License-Identifier: MIT
// Applies the relocations of a laid-out image (LLVM AMDGPUUsage, "Relocation Records"). The image's host
// address is its device address, so B, S and P are host addresses.
#include "sim/object/internal.h"

typedef enum operand {
  OPERAND_STATIC,
  OPERAND_NONE,
  OPERAND_ABSOLUTE,
  OPERAND_RELATIVE,
  OPERAND_BASE
} operand;

// Describes a relocation: value = S + A (absolute), S + A - P (relative) or B + A (base), then shifted right
// and stored in `size` bytes. `exact` types must fit, signed when relative. OPERAND_STATIC types belong to
// the static linker, as far as they have a name.
static const struct {
  char name[24];
  operand operand;
  uint8_t size, shift;
  bool exact;
} types[] = {
    [0] = {"R_AMDGPU_NONE", OPERAND_NONE, 0, 0, false},
    [1] = {"R_AMDGPU_ABS32_LO", OPERAND_ABSOLUTE, 4, 0, false},
    [2] = {"R_AMDGPU_ABS32_HI", OPERAND_ABSOLUTE, 4, 32, false},
    [3] = {"R_AMDGPU_ABS64", OPERAND_ABSOLUTE, 8, 0, false},
    [4] = {"R_AMDGPU_REL32", OPERAND_RELATIVE, 4, 0, true},
    [5] = {"R_AMDGPU_REL64", OPERAND_RELATIVE, 8, 0, false},
    [6] = {"R_AMDGPU_ABS32", OPERAND_ABSOLUTE, 4, 0, true},
    [7] = {"R_AMDGPU_GOTPCREL", OPERAND_STATIC, 0, 0, false},
    [8] = {"R_AMDGPU_GOTPCREL32_LO", OPERAND_STATIC, 0, 0, false},
    [9] = {"R_AMDGPU_GOTPCREL32_HI", OPERAND_STATIC, 0, 0, false},
    [10] = {"R_AMDGPU_REL32_LO", OPERAND_RELATIVE, 4, 0, false},
    [11] = {"R_AMDGPU_REL32_HI", OPERAND_RELATIVE, 4, 32, false},
    [13] = {"R_AMDGPU_RELATIVE64", OPERAND_BASE, 8, 0, false},
    [14] = {"R_AMDGPU_REL16", OPERAND_STATIC, 0, 0, false},
};

static bool symbol_address(sim_load *load, const sim_elf *elf, const uint8_t *image, uint64_t index,
                           uint64_t *out) {
  *out = 0;
  if (index == 0) return true;
  if (index >= elf->symbol_count) {
    return sim_load_fail(load, SIM_OBJECT_INVALID, "code object: a relocation names symbol %llu of %zu",
                         (unsigned long long)index, elf->symbol_count);
  }
  const sim_elf_symbol *s = &elf->symbols[index];
  if (s->section == SHN_UNDEF) return true;  // weak: check_defined() has refused the others
  *out = s->value + (s->section == SHN_ABS ? 0 : (uint64_t)(uintptr_t)image);
  return true;
}

static bool apply(sim_load *load, const sim_elf *elf, uint8_t *image, const Elf64_Rela *r) {
  uint64_t type = ELF64_R_TYPE(r->r_info);
  if (type >= sizeof types / sizeof types[0] || types[type].operand == OPERAND_STATIC) {
    const char *name = type < sizeof types / sizeof types[0] ? types[type].name : "";
    return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED,
                         "code object: relocation type %llu %s at 0x%llx is not supported by a loader",
                         (unsigned long long)type, name, (unsigned long long)r->r_offset);
  }
  if (types[type].operand == OPERAND_NONE) return true;
  unsigned size = types[type].size;
  if (!sim_bytes_has((sim_bytes){image, elf->image_size}, r->r_offset, size)) {
    return sim_load_fail(load, SIM_OBJECT_INVALID, "code object: %s at 0x%llx lies outside the image",
                         types[type].name, (unsigned long long)r->r_offset);
  }
  uint64_t value = (uint64_t)(uintptr_t)image;
  if (types[type].operand != OPERAND_BASE &&
      !symbol_address(load, elf, image, ELF64_R_SYM(r->r_info), &value)) {
    return false;
  }
  value += (uint64_t)r->r_addend;
  bool relative = types[type].operand == OPERAND_RELATIVE;
  if (relative) value -= (uint64_t)(uintptr_t)image + r->r_offset;
  bool fits = relative ? value + 0x80000000u <= UINT32_MAX : value <= UINT32_MAX;
  if (types[type].exact && !fits) {
    return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED,
                         "code object: %s at 0x%llx: the address does not fit 32 bits", types[type].name,
                         (unsigned long long)r->r_offset);
  }
  value >>= types[type].shift;
  memcpy(image + r->r_offset, &value, size);  // little-endian host
  return true;
}

bool sim_elf_relocate(sim_load *load, const sim_elf *elf, uint8_t *image) {
  for (size_t t = 0; t < 2; ++t) {
    sim_bytes table = elf->relocations[t];
    for (size_t at = 0; at + sizeof(Elf64_Rela) <= table.size; at += sizeof(Elf64_Rela)) {
      Elf64_Rela r;
      memcpy(&r, table.data + at, sizeof r);
      if (!apply(load, elf, image, &r)) return false;
    }
  }
  return true;
}
