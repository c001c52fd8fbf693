// SPDX-License-Identifier: MIT
// Reads from a code object what a pointer variable points to: its relocation names an address, and a symbol
// stands there. Everything is checked against the bounds of the file.
#include <elf.h>
#include <string.h>

#include "sim/hip/rtc/rtc.h"

typedef struct table {
  const Elf64_Sym *symbol;
  const char *strings;
  size_t count, string_bytes;
} table;

static const void *at(const sim_rtc_bytes *object, uint64_t offset, uint64_t size) {
  return offset <= object->size && size <= object->size - offset ? object->data + offset : NULL;
}

static const Elf64_Shdr *section(const sim_rtc_bytes *object, size_t i) {
  const Elf64_Ehdr *header = at(object, 0, sizeof *header);
  return header && i < header->e_shnum
             ? at(object, header->e_shoff + i * sizeof(Elf64_Shdr), sizeof(Elf64_Shdr))
             : NULL;
}

static const char *name_of(const table *t, const Elf64_Sym *s) {
  return s->st_name < t->string_bytes ? t->strings + s->st_name : "";
}

static bool read_symbols(const sim_rtc_bytes *object, table *t) {
  const Elf64_Shdr *s, *strings;
  for (size_t i = 0; (s = section(object, i)); ++i) {
    if (s->sh_type != SHT_DYNSYM || !(strings = section(object, s->sh_link))) continue;
    *t = (table){at(object, s->sh_offset, s->sh_size), at(object, strings->sh_offset, strings->sh_size),
                 s->sh_size / sizeof(Elf64_Sym), strings->sh_size};
    return t->symbol && t->strings && t->string_bytes && !t->strings[t->string_bytes - 1];
  }
  return false;
}

static const Elf64_Rela *relocation_at(const sim_rtc_bytes *object, uint64_t address) {
  const Elf64_Shdr *s;
  for (size_t i = 0; (s = section(object, i)); ++i) {
    const Elf64_Rela *list = s->sh_type == SHT_RELA ? at(object, s->sh_offset, s->sh_size) : NULL;
    for (size_t k = 0; list && k < s->sh_size / sizeof *list; ++k)
      if (list[k].r_offset == address) return &list[k];
  }
  return NULL;
}

const char *sim_rtc_pointed_symbol(const sim_rtc_bytes *object, const char *variable) {
  table t;
  const Elf64_Rela *found = NULL;
  if (!read_symbols(object, &t)) return NULL;
  for (size_t i = 0; i < t.count && !found; ++i)
    if (!strcmp(name_of(&t, &t.symbol[i]), variable)) found = relocation_at(object, t.symbol[i].st_value);
  if (!found) return NULL;
  const size_t named = ELF64_R_SYM(found->r_info);
  if (named) return named < t.count ? name_of(&t, &t.symbol[named]) : NULL;
  for (size_t i = 1; i < t.count; ++i)
    if (t.symbol[i].st_shndx != SHN_UNDEF && t.symbol[i].st_value == (uint64_t)found->r_addend)
      return name_of(&t, &t.symbol[i]);
  return NULL;
}
