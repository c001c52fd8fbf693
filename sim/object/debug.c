// SPDX-License-Identifier: MIT
// Keeps the sections of a code object that say from which source lines it was compiled, for reports. Running
// the object does not need them, so that what is missing, malformed or compressed is left out.
#include <stdlib.h>

#include "sim/object/internal.h"

bool sim_elf_section(const sim_elf *elf, unsigned index, Elf64_Shdr *out) {
  const Elf64_Ehdr *h = &elf->header;
  if (index >= h->e_shnum) return false;
  memcpy(out, elf->file.data + h->e_shoff + index * sizeof *out, sizeof *out);
  return out->sh_type != SHT_NOBITS && sim_bytes_has(elf->file, out->sh_offset, out->sh_size);
}

static const char *const names_of[SIM_DEBUG_SECTIONS] = {
    [SIM_DEBUG_LINE] = ".debug_line",     [SIM_DEBUG_LINE_STR] = ".debug_line_str",
    [SIM_DEBUG_INFO] = ".debug_info",     [SIM_DEBUG_ABBREV] = ".debug_abbrev",
    [SIM_DEBUG_ADDR] = ".debug_addr",     [SIM_DEBUG_RNGLISTS] = ".debug_rnglists",
    [SIM_DEBUG_RANGES] = ".debug_ranges",
};

static void keep(sim_bytes section, sim_section *out) {
  if (out->data || !section.size || !(out->data = malloc(section.size))) return;
  memcpy(out->data, section.data, section.size);
  out->size = section.size;
}

void sim_debug_keep(const sim_elf *elf, sim_object *object) {
  Elf64_Shdr names, section;
  if (!sim_elf_section(elf, elf->header.e_shstrndx, &names)) return;
  const sim_bytes texts = sim_bytes_slice(elf->file, names.sh_offset, names.sh_size);
  for (unsigned i = 0; i < elf->header.e_shnum; ++i) {
    if (!sim_elf_section(elf, i, &section) || section.sh_flags & SHF_COMPRESSED ||
        section.sh_name >= texts.size)
      continue;
    const char *name = (const char *)texts.data + section.sh_name;
    if (!memchr(name, 0, texts.size - section.sh_name)) continue;
    const sim_bytes content = sim_bytes_slice(elf->file, section.sh_offset, section.sh_size);
    for (int k = 0; k < SIM_DEBUG_SECTIONS; ++k)
      if (strcmp(name, names_of[k]) == 0) keep(content, &object->debug[k]);
  }
}
