// SPDX-License-Identifier: MIT
// Reads the ELF container of an AMDGPU code object: header, segments, notes and section symbols, each range
// checked against the file, and the image laid out in memory (LLVM AMDGPUUsage, "ELF Code Object"; System V
// ABI).
#include "sim/object/internal.h"

#include <stdlib.h>
#include <sys/mman.h>

// These are from LLVM BinaryFormat/ELF.h; <elf.h> of the host does not have them.
enum {
  OSABI_AMDGPU_HSA = 64,
  ABI_V4 = 2,  // EI_ABIVERSION of code object v4; v5 and v6 follow
  ABI_V6 = 4,
  FLAG_MACH = 0xff,
  MACH_GFX9_4_GENERIC = 0x5f,
  FLAG_XNACK_SHIFT = 8,  // two bits each: 0 not supported, 1 any, 2 off, 3 on
  FLAG_SRAMECC_SHIFT = 10,
  FLAGS_V4 = 0xfff,         // every flag bit of code object v4 and v5
  FLAGS_GENERIC_SHIFT = 24  // v6: version of a generic target
};
#define NOTE_AMDGPU_METADATA 32
#define MAX_ALIGN (UINT64_C(1) << 21)
#define PAGE UINT64_C(4096)

static bool invalid(sim_load *load, const char *what) {
  return sim_load_fail(load, SIM_OBJECT_INVALID, "code object: %s", what);
}

static bool read_flags(sim_load *load, sim_elf *elf) {
  uint32_t flags = elf->header.e_flags, mach = flags & FLAG_MACH;
  const char *name = sim_target_machine_name(mach);
  // A generic target has its version in the flags, from 1 on.
  bool generic = mach == MACH_GFX9_4_GENERIC && elf->abi_version == 6 && flags >> FLAGS_GENERIC_SHIFT;
  if (name == NULL || (strcmp(name, "gfx942") != 0 && strcmp(name, "gfx950") != 0 && !generic)) {
    return sim_load_fail(
        load, SIM_OBJECT_UNSUPPORTED,
        "code object: machine 0x%x (%s) is not simulated; gfx942, gfx950 and gfx9-4-generic of "
        "code object version 6 are",
        mach, name ? name : "not known");
  }
  uint32_t known = FLAGS_V4 | (elf->abi_version == 6 ? 0xffu << FLAGS_GENERIC_SHIFT : 0);
  if (flags & ~known) {
    return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED, "code object: ELF flags 0x%x are not known",
                         flags & ~known);
  }
  static const sim_setting settings[] = {SIM_SETTING_ANY, SIM_SETTING_ANY, SIM_SETTING_OFF, SIM_SETTING_ON};
  strcpy(elf->target.processor, name);
  elf->target.xnack = settings[flags >> FLAG_XNACK_SHIFT & 3];
  elf->target.sramecc = settings[flags >> FLAG_SRAMECC_SHIFT & 3];
  return true;
}

static bool read_header(sim_load *load, sim_elf *elf) {
  Elf64_Ehdr *h = &elf->header;
  if (elf->file.size < SELFMAG || memcmp(elf->file.data, ELFMAG, SELFMAG) != 0) {
    return invalid(load, "neither an ELF file nor an offload bundle");
  }
  if (elf->file.size < sizeof *h) return invalid(load, "truncated in the ELF header");
  memcpy(h, elf->file.data, sizeof *h);
  if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB ||
      h->e_ident[EI_VERSION] != EV_CURRENT || h->e_version != EV_CURRENT) {
    return invalid(load, "not a 64-bit little-endian ELF file of version 1");
  }
  if (h->e_machine != EM_AMDGPU) {
    return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED,
                         "code object: ELF machine %u is not AMDGPU (224); is this a host file?",
                         h->e_machine);
  }
  if (h->e_ident[EI_OSABI] != OSABI_AMDGPU_HSA) {
    return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED, "code object: OS ABI %u is not AMDGPU HSA (64)",
                         h->e_ident[EI_OSABI]);
  }
  unsigned abi = h->e_ident[EI_ABIVERSION];
  if (abi < ABI_V4 || abi > ABI_V6) {
    return sim_load_fail(
        load, SIM_OBJECT_UNSUPPORTED,
        "code object: version %u is not supported, compile with -mcode-object-version=4 to 6", abi + 2);
  }
  elf->abi_version = abi + 2;
  if (h->e_type != ET_DYN) {
    return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED,
                         "code object: ELF type %u is not a shared object (3), link it with ld.lld -shared",
                         h->e_type);
  }
  return read_flags(load, elf);
}

static bool add_load(sim_load *load, sim_elf *elf, const Elf64_Phdr *p) {
  if (p->p_memsz == 0) return true;
  uint64_t end;
  if (p->p_filesz > p->p_memsz || __builtin_add_overflow(p->p_vaddr, p->p_memsz, &end)) {
    return invalid(load, "a segment is larger in the file than in memory, or wraps around");
  }
  if (end > SIM_OBJECT_MAX_IMAGE) {
    return sim_load_fail(load, SIM_OBJECT_INVALID,
                         "code object: a segment ends at 0x%llx, the limit is 0x%llx",
                         (unsigned long long)end, (unsigned long long)SIM_OBJECT_MAX_IMAGE);
  }
  if (p->p_vaddr < elf->image_size) return invalid(load, "segments overlap or do not ascend");
  if (p->p_align > MAX_ALIGN || (p->p_align & (p->p_align - 1)) != 0) {
    return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED,
                         "code object: a segment asks for alignment 0x%llx, the limit is 0x%llx",
                         (unsigned long long)p->p_align, (unsigned long long)MAX_ALIGN);
  }
  elf->loads[elf->load_count++] = *p;
  elf->image_size = end;
  if (p->p_align > elf->image_align) elf->image_align = p->p_align;
  return true;
}

// Reads one PT_NOTE: a sequence of (name size, descriptor size, type, name, descriptor), the last two padded.
static bool read_notes(sim_load *load, sim_elf *elf, const Elf64_Phdr *p) {
  sim_bytes notes = sim_bytes_slice(elf->file, p->p_offset, p->p_filesz);
  uint64_t align = p->p_align == 8 ? 8 : 4, at = 0;
  while (at < notes.size) {
    Elf64_Nhdr note;
    if (!sim_bytes_has(notes, at, sizeof note)) return invalid(load, "truncated in a note");
    memcpy(&note, notes.data + at, sizeof note);
    uint64_t name = at + sizeof note;
    uint64_t descriptor = (name + note.n_namesz + align - 1) & ~(align - 1);
    if (!sim_bytes_has(notes, name, note.n_namesz) || !sim_bytes_has(notes, descriptor, note.n_descsz)) {
      return invalid(load, "truncated in a note");
    }
    if (note.n_type == NOTE_AMDGPU_METADATA && note.n_namesz == 7 &&
        memcmp(notes.data + name, "AMDGPU", 7) == 0) {
      if (elf->metadata.size != 0) return invalid(load, "more than one metadata note");
      elf->metadata = sim_bytes_slice(notes, descriptor, note.n_descsz);
    }
    at = (descriptor + note.n_descsz + align - 1) & ~(align - 1);
  }
  return true;
}

static bool add_segment(sim_load *load, sim_elf *elf, const Elf64_Phdr *p) {
  if (!sim_bytes_has(elf->file, p->p_offset, p->p_filesz)) {
    return sim_load_fail(load, SIM_OBJECT_INVALID,
                         "code object: a segment at 0x%llx of 0x%llx bytes lies outside the file of 0x%zx",
                         (unsigned long long)p->p_offset, (unsigned long long)p->p_filesz, elf->file.size);
  }
  switch (p->p_type) {
    case PT_LOAD: return add_load(load, elf, p);
    case PT_NOTE: return read_notes(load, elf, p);
    case PT_DYNAMIC:
      if (elf->dynamic.size != 0) return invalid(load, "more than one dynamic segment");
      elf->dynamic = sim_bytes_slice(elf->file, p->p_offset, p->p_filesz);
      return true;
    case PT_NULL:
    case PT_PHDR:
    case PT_GNU_STACK:
    case PT_GNU_RELRO:  // everything is writable in the simulated memory
    case PT_GNU_EH_FRAME: return true;
    default:
      return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED, "code object: segment type 0x%x is not known",
                           p->p_type);
  }
}

static bool read_segments(sim_load *load, sim_elf *elf) {
  const Elf64_Ehdr *h = &elf->header;
  if (h->e_phnum == 0 || h->e_phentsize != sizeof(Elf64_Phdr) ||
      !sim_bytes_has(elf->file, h->e_phoff, (uint64_t)h->e_phnum * sizeof(Elf64_Phdr))) {
    return invalid(load, "no program headers, or they lie outside the file");
  }
  elf->loads = sim_load_alloc(load, h->e_phnum, sizeof *elf->loads);
  if (elf->loads == NULL) return false;
  for (unsigned i = 0; i < h->e_phnum; ++i) {
    Elf64_Phdr segment;
    memcpy(&segment, elf->file.data + h->e_phoff + i * sizeof segment, sizeof segment);
    if (!add_segment(load, elf, &segment)) return false;
  }
  return elf->load_count != 0 || invalid(load, "no loadable segment");
}

// .symtab names the functions that the dynamic symbols leave out. Sections are optional, but if the header
// promises them they must be whole: a file cut short is refused here.
static bool read_sections(sim_load *load, sim_elf *elf) {
  const Elf64_Ehdr *h = &elf->header;
  if (h->e_shnum == 0) return true;
  if (h->e_shentsize != sizeof(Elf64_Shdr) ||
      !sim_bytes_has(elf->file, h->e_shoff, (uint64_t)h->e_shnum * sizeof(Elf64_Shdr))) {
    return invalid(load, "the section headers lie outside the file");
  }
  for (unsigned i = 0; i < h->e_shnum; ++i) {
    Elf64_Shdr table, strings;
    memcpy(&table, elf->file.data + h->e_shoff + i * sizeof table, sizeof table);
    if (table.sh_type != SHT_NOBITS && !sim_bytes_has(elf->file, table.sh_offset, table.sh_size)) {
      return invalid(load, "a section lies outside the file");
    }
    if (table.sh_type != SHT_SYMTAB) continue;
    if (elf->locals != NULL) return invalid(load, "more than one symbol table");
    if (table.sh_entsize != sizeof(Elf64_Sym) || table.sh_link >= h->e_shnum) {
      return invalid(load, "the symbol table is malformed");
    }
    memcpy(&strings, elf->file.data + h->e_shoff + table.sh_link * sizeof strings, sizeof strings);
    if (strings.sh_type != SHT_STRTAB || !sim_bytes_has(elf->file, strings.sh_offset, strings.sh_size)) {
      return invalid(load, "the string table lies outside the file");
    }
    if (!sim_elf_read_symbols(load, sim_bytes_slice(elf->file, table.sh_offset, table.sh_size),
                              sim_bytes_slice(elf->file, strings.sh_offset, strings.sh_size), &elf->locals,
                              &elf->local_count)) {
      return false;
    }
  }
  return true;
}

bool sim_elf_parse(sim_load *load, sim_bytes file, sim_elf *elf) {
  elf->file = file;
  elf->image_align = PAGE;
  return read_header(load, elf) && read_segments(load, elf) && read_sections(load, elf) &&
         sim_elf_read_dynamic(load, elf);
}

void sim_elf_release(sim_elf *elf) {
  free(elf->loads);
  free(elf->symbols);
  free(elf->locals);
}

bool sim_elf_at(const sim_elf *elf, uint64_t address, uint64_t size, sim_bytes *out) {
  for (size_t i = 0; i < elf->load_count; ++i) {
    const Elf64_Phdr *p = &elf->loads[i];
    if (address < p->p_vaddr || address - p->p_vaddr > p->p_filesz) continue;
    if (size > p->p_filesz - (address - p->p_vaddr)) continue;
    *out = sim_bytes_slice(elf->file, p->p_offset + (address - p->p_vaddr), size);
    return true;
  }
  return false;
}

static uint64_t round_up(uint64_t value, uint64_t align) { return (value + align - 1) & ~(align - 1); }

bool sim_elf_map(sim_load *load, const sim_elf *elf, uint8_t **image) {
  // Reserve enough to cut an aligned piece out, and give the rest back.
  uint64_t size = round_up(elf->image_size, PAGE), slack = elf->image_align - PAGE;
  uint8_t *base =
      mmap(NULL, size + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) {
    return sim_load_fail(load, SIM_OBJECT_NO_MEMORY, "out of memory for a code object of %llu bytes",
                         (unsigned long long)size);
  }
  uint64_t skip = round_up((uint64_t)(uintptr_t)base, elf->image_align) - (uint64_t)(uintptr_t)base;
  if (skip != 0) munmap(base, skip);
  if (skip != slack) munmap(base + skip + size, slack - skip);
  *image = base + skip;
  for (size_t i = 0; i < elf->load_count; ++i) {
    const Elf64_Phdr *p = &elf->loads[i];
    if (p->p_filesz != 0) memcpy(*image + p->p_vaddr, elf->file.data + p->p_offset, p->p_filesz);
  }
  return true;
}

void sim_elf_unmap(uint8_t *image, uint64_t size) {
  if (image != NULL) munmap(image, round_up(size, PAGE));
}
