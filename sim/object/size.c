// SPDX-License-Identifier: MIT
// Finds the size of a code object or bundle that is only known by its address, as fat binaries inside a
// program are. The headers are trusted here: the caller vouches that a complete file is in memory.
#include "sim/object/internal.h"

static bool grow(uint64_t *end, uint64_t offset, uint64_t size) {
  uint64_t sum;
  if (__builtin_add_overflow(offset, size, &sum) || sum > SIZE_MAX / 2) return false;
  if (sum > *end) *end = sum;
  return true;
}

static bool compressed_size(const uint8_t *data, uint64_t *end) {
  uint16_t version;
  memcpy(&version, data + 4, sizeof version);
  if (version != 2 && version != 3) return false;  // version 1 does not state its size
  memcpy(end, data + 8, version == 2 ? 4 : 8);
  return *end >= 24 && *end <= SIZE_MAX / 2;
}

static bool bundle_size(const uint8_t *data, uint64_t *end) {
  uint64_t count, at = 32;
  memcpy(&count, data + 24, sizeof count);
  if (count > 4096) return false;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t entry[3];
    memcpy(entry, data + at, sizeof entry);
    if (entry[2] > 4096 || !grow(end, entry[0], entry[1])) return false;
    at += sizeof entry + entry[2];
  }
  return grow(end, at, 0);
}

static bool elf_size(const uint8_t *data, uint64_t *end) {
  Elf64_Ehdr header;
  memcpy(&header, data, sizeof header);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) return false;
  if (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf64_Shdr)) return false;
  if (!grow(end, header.e_phoff, (uint64_t)header.e_phnum * sizeof(Elf64_Phdr)) ||
      !grow(end, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr))) {
    return false;
  }
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    memcpy(&segment, data + header.e_phoff + i * sizeof segment, sizeof segment);
    if (!grow(end, segment.p_offset, segment.p_filesz)) return false;
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    memcpy(&section, data + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS && !grow(end, section.sh_offset, section.sh_size)) return false;
  }
  return true;
}

bool sim_size_from_headers(sim_load *load, const uint8_t *data, size_t *out) {
  uint64_t end = 0;
  bool ok;
  if (memcmp(data, "CCOB", 4) == 0) {
    ok = compressed_size(data, &end);
  } else if (memcmp(data, ELFMAG, SELFMAG) == 0) {
    ok = elf_size(data, &end);
  } else if (strncmp((const char *)data, "__CLANG_OFFLOAD_BUNDLE__", 24) == 0) {
    ok = bundle_size(data, &end);
  } else {
    return sim_load_fail(load, SIM_OBJECT_INVALID,
                         "the data at %p is neither an ELF file nor an offload bundle", (const void *)data);
  }
  *out = (size_t)end;
  return ok ||
         sim_load_fail(load, SIM_OBJECT_INVALID, "the headers at %p do not state the size of the code object",
                       (const void *)data);
}
