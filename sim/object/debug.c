// SPDX-License-Identifier: MIT
// Keeps the line tables of a code object (.debug_line, .debug_line_str) for reports. They are of no use to
// running it: what is missing, malformed or compressed is left out.
#include <stdlib.h>

#include "sim/object/internal.h"

static bool section_at(const sim_elf *elf, unsigned index, Elf64_Shdr *out) {
  const Elf64_Ehdr *h = &elf->header;
  if (index >= h->e_shnum) return false;
  memcpy(out, elf->file.data + h->e_shoff + index * sizeof *out, sizeof *out);
  return out->sh_type != SHT_NOBITS && sim_bytes_has(elf->file, out->sh_offset, out->sh_size);
}

static void keep(sim_bytes section, uint8_t **data, size_t *size) {
  if (*data || !section.size || !(*data = malloc(section.size))) return;
  memcpy(*data, section.data, section.size);
  *size = section.size;
}

void sim_debug_keep(const sim_elf *elf, sim_object *object) {
  Elf64_Shdr names, section;
  if (!section_at(elf, elf->header.e_shstrndx, &names)) return;
  const sim_bytes texts = sim_bytes_slice(elf->file, names.sh_offset, names.sh_size);
  for (unsigned i = 0; i < elf->header.e_shnum; ++i) {
    if (!section_at(elf, i, &section) || section.sh_flags & SHF_COMPRESSED || section.sh_name >= texts.size)
      continue;
    const char *name = (const char *)texts.data + section.sh_name;
    if (!memchr(name, 0, texts.size - section.sh_name)) continue;
    const sim_bytes content = sim_bytes_slice(elf->file, section.sh_offset, section.sh_size);
    if (strcmp(name, ".debug_line") == 0) keep(content, &object->debug_line, &object->debug_line_size);
    if (strcmp(name, ".debug_line_str") == 0)
      keep(content, &object->debug_line_str, &object->debug_line_str_size);
  }
}
