// SPDX-License-Identifier: MIT
// Reads the dynamic section of a code object: where its symbols and relocations are, from the file through
// the segments (System V ABI, "Dynamic Section" and "Symbol Table"). A tag that asks for something this
// loader does not do is an error that names it.
#include "sim/object/internal.h"

typedef struct dynamic_tags {
  uint64_t symtab, strtab, strsz, syment;
  uint64_t hash, gnu_hash;
  uint64_t rela, relasz, relaent, jmprel, pltrelsz, pltrel;
} dynamic_tags;

static bool invalid(sim_load *load, const char *what) {
  return sim_load_fail(load, SIM_OBJECT_INVALID, "code object: %s", what);
}

static bool read_tag(sim_load *load, const Elf64_Dyn *d, dynamic_tags *tags) {
  uint64_t value = d->d_un.d_val;
  switch (d->d_tag) {
    case DT_SYMTAB: tags->symtab = value; return true;
    case DT_STRTAB: tags->strtab = value; return true;
    case DT_STRSZ: tags->strsz = value; return true;
    case DT_SYMENT: tags->syment = value; return true;
    case DT_HASH: tags->hash = value; return true;
    case DT_GNU_HASH: tags->gnu_hash = value; return true;
    case DT_RELA: tags->rela = value; return true;
    case DT_RELASZ: tags->relasz = value; return true;
    case DT_RELAENT: tags->relaent = value; return true;
    case DT_JMPREL: tags->jmprel = value; return true;
    case DT_PLTRELSZ: tags->pltrelsz = value; return true;
    case DT_PLTREL: tags->pltrel = value; return true;
    // These say nothing about how the image is laid out or relocated.
    case DT_SONAME:
    case DT_RPATH:
    case DT_RUNPATH:
    case DT_SYMBOLIC:
    case DT_DEBUG:
    case DT_TEXTREL:
    case DT_BIND_NOW:
    case DT_FLAGS:
    case DT_FLAGS_1:
    case DT_RELACOUNT:
    case DT_PLTGOT:
    case DT_VERSYM:
    case DT_VERDEF:
    case DT_VERDEFNUM: return true;
    default:
      return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED,
                           "code object: dynamic tag 0x%llx (value 0x%llx) is not supported",
                           (unsigned long long)d->d_tag, (unsigned long long)value);
  }
}

// DT_GNU_HASH has no symbol count: it is one past the end of the longest chain.
static bool gnu_hash_count(const sim_elf *elf, uint64_t address, uint64_t *count) {
  sim_bytes bytes;
  uint32_t header[4];  // buckets, first hashed symbol, bloom words, bloom shift
  if (!sim_elf_at(elf, address, sizeof header, &bytes)) return false;
  memcpy(header, bytes.data, sizeof header);
  uint64_t buckets = address + sizeof header + UINT64_C(8) * header[2];
  uint64_t chains = buckets + UINT64_C(4) * header[0];
  uint32_t last = 0;
  if (!sim_elf_at(elf, buckets, UINT64_C(4) * header[0], &bytes)) return false;
  for (uint32_t i = 0; i < header[0]; ++i) {
    uint32_t bucket;
    memcpy(&bucket, bytes.data + 4 * (size_t)i, sizeof bucket);
    if (bucket > last) last = bucket;
  }
  *count = header[1];
  if (last < header[1]) return last == 0;
  for (;; ++last) {  // the last entry of a chain has bit 0 set
    uint32_t link;
    if (!sim_elf_at(elf, chains + UINT64_C(4) * (last - header[1]), sizeof link, &bytes)) return false;
    memcpy(&link, bytes.data, sizeof link);
    if (link & 1) break;
  }
  *count = (uint64_t)last + 1;
  return true;
}

static bool symbol_count(const sim_elf *elf, const dynamic_tags *tags, uint64_t *count) {
  if (tags->hash == 0) return tags->gnu_hash != 0 && gnu_hash_count(elf, tags->gnu_hash, count);
  sim_bytes bytes;
  uint32_t header[2];  // buckets, chains: one chain per symbol
  if (!sim_elf_at(elf, tags->hash, sizeof header, &bytes)) return false;
  memcpy(header, bytes.data, sizeof header);
  *count = header[1];
  return true;
}

bool sim_elf_read_symbols(sim_load *load, sim_bytes table, sim_bytes strings, sim_elf_symbol **out,
                          size_t *count) {
  size_t entries = table.size / sizeof(Elf64_Sym);
  sim_elf_symbol *symbols = sim_load_alloc(load, entries, sizeof *symbols);
  if (symbols == NULL) return false;
  *out = symbols;
  *count = entries;
  for (size_t i = 0; i < entries; ++i) {
    Elf64_Sym raw;
    memcpy(&raw, table.data + i * sizeof raw, sizeof raw);
    if (raw.st_name == 0) {
      symbols[i].name = "";
    } else {
      if (raw.st_name >= strings.size) return invalid(load, "a symbol name lies outside the string table");
      size_t left = strings.size - raw.st_name;
      symbols[i].name = (const char *)strings.data + raw.st_name;
      size_t limit = left < SIM_OBJECT_MAX_NAME ? left : SIM_OBJECT_MAX_NAME;
      const char *end = memchr(symbols[i].name, 0, limit);
      if (end == NULL) return invalid(load, "a symbol name is not terminated, or is longer than 32 KiB");
      symbols[i].name_size = (uint32_t)(end - symbols[i].name);
    }
    symbols[i].value = raw.st_value;
    symbols[i].size = raw.st_size;
    symbols[i].type = ELF64_ST_TYPE(raw.st_info);
    symbols[i].binding = ELF64_ST_BIND(raw.st_info);
    symbols[i].section = raw.st_shndx;
  }
  return true;
}

static bool check_defined(sim_load *load, const sim_elf *elf) {
  for (size_t i = 1; i < elf->symbol_count; ++i) {
    const sim_elf_symbol *s = &elf->symbols[i];
    if (s->section == SHN_UNDEF && s->binding != STB_WEAK) {
      return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED, "code object: symbol %.300s is not defined",
                           s->name);
    }
    if (s->type == STT_TLS || (s->section >= SHN_LORESERVE && s->section != SHN_ABS)) {
      return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED,
                           "code object: symbol %.300s of type %u in section 0x%x is not supported", s->name,
                           s->type, s->section);
    }
  }
  return true;
}

static bool read_relocation_tables(sim_load *load, sim_elf *elf, const dynamic_tags *tags) {
  if (tags->relasz != 0 && (tags->relaent != sizeof(Elf64_Rela) || tags->relasz % sizeof(Elf64_Rela) != 0 ||
                            !sim_elf_at(elf, tags->rela, tags->relasz, &elf->relocations[0]))) {
    return invalid(load, "the relocation table lies outside the file");
  }
  if (tags->pltrelsz != 0 && (tags->pltrel != DT_RELA || tags->pltrelsz % sizeof(Elf64_Rela) != 0 ||
                              !sim_elf_at(elf, tags->jmprel, tags->pltrelsz, &elf->relocations[1]))) {
    return invalid(load, "the PLT relocation table is malformed");
  }
  return true;
}

bool sim_elf_read_dynamic(sim_load *load, sim_elf *elf) {
  dynamic_tags tags = {0};
  for (size_t at = 0;; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn d;
    if (!sim_bytes_has(elf->dynamic, at, sizeof d)) {
      if (elf->dynamic.size == 0) return invalid(load, "no dynamic segment");
      return invalid(load, "the dynamic segment has no end");
    }
    memcpy(&d, elf->dynamic.data + at, sizeof d);
    if (d.d_tag == DT_NULL) break;
    if (!read_tag(load, &d, &tags)) return false;
  }
  uint64_t count = 0;
  sim_bytes table, strings;
  if (!symbol_count(elf, &tags, &count)) return invalid(load, "the symbol hash table is malformed");
  if (count > UINT32_MAX || tags.syment != sizeof(Elf64_Sym) ||
      !sim_elf_at(elf, tags.symtab, count * sizeof(Elf64_Sym), &table) ||
      !sim_elf_at(elf, tags.strtab, tags.strsz, &strings)) {
    return invalid(load, "the dynamic symbol table lies outside the file");
  }
  return sim_elf_read_symbols(load, table, strings, &elf->symbols, &elf->symbol_count) &&
         check_defined(load, elf) && read_relocation_tables(load, elf, &tags);
}
