// SPDX-License-Identifier: MIT
// Makes the kernels, globals and functions of a code object from ELF symbols (LLVM AMDGPUUsage, "Symbols"):
// NAME.kd with 64 bytes is a kernel descriptor, other data symbols are globals.
#include <stdlib.h>

#include "sim/object/internal.h"

enum { DESCRIPTOR_SIZE = 64 };

static bool is_descriptor(const sim_elf_symbol *s) {
  return s->type == STT_OBJECT && s->size == DESCRIPTOR_SIZE && s->name_size > 3 &&
         memcmp(s->name + s->name_size - 3, ".kd", 3) == 0;
}

static bool is_data(const sim_elf_symbol *s) {
  return s->type == STT_OBJECT && s->section != SHN_UNDEF && s->section != SHN_ABS && s->name_size != 0;
}

static bool is_function(const sim_elf_symbol *s) {
  return s->type == STT_FUNC && s->section != SHN_UNDEF && s->section != SHN_ABS && s->name_size != 0;
}

static bool read_text(sim_load *load, const sim_elf *elf, sim_object *object) {
  object->text = sim_load_alloc(load, elf->load_count, sizeof *object->text);
  if (object->text == NULL) return false;
  for (size_t i = 0; i < elf->load_count; ++i) {
    const Elf64_Phdr *p = &elf->loads[i];
    if ((p->p_flags & PF_X) == 0 || p->p_filesz == 0) continue;
    object->text[object->text_count++] = (sim_range){p->p_vaddr, p->p_vaddr + p->p_filesz};
  }
  return true;
}

static const sim_range *text_of(const sim_object *object, uint64_t address) {
  for (size_t i = 0; i < object->text_count; ++i) {
    if (address >= object->text[i].begin && address < object->text[i].end) return &object->text[i];
  }
  return NULL;
}

static int by_kernel_name(const void *a, const void *b) {
  return strcmp(((const sim_kernel *)a)->name, ((const sim_kernel *)b)->name);
}

static int by_global_name(const void *a, const void *b) {
  return strcmp(((const sim_global *)a)->name, ((const sim_global *)b)->name);
}

static int by_begin(const void *a, const void *b) {
  const sim_function *x = a, *y = b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return strcmp(x->name, y->name);
}

static bool add_kernel(sim_load *load, const sim_elf_symbol *s, sim_object *object) {
  sim_kernel *kernel = &object->kernels[object->kernel_count];
  kernel->name = sim_load_name(load, s->name, s->name_size - 3);
  if (kernel->name == NULL) return false;
  ++object->kernel_count;
  return sim_descriptor_read(load, object, s->value, kernel);
}

// Returns whether the code may not write the address, as it may not where __constant__ variables lie.
static bool is_constant(const sim_elf *elf, uint64_t address) {
  for (size_t i = 0; i < elf->load_count; ++i) {
    const Elf64_Phdr *p = &elf->loads[i];
    if (address >= p->p_vaddr && address - p->p_vaddr < p->p_memsz) return (p->p_flags & PF_W) == 0;
  }
  return false;
}

static bool add_global(sim_load *load, const sim_elf *elf, const sim_elf_symbol *s, sim_object *object) {
  if (!sim_bytes_has((sim_bytes){object->image, object->image_size}, s->value, s->size)) {
    return sim_load_fail(load, SIM_OBJECT_INVALID,
                         "global %.300s: 0x%llx bytes at 0x%llx lie outside the image", s->name,
                         (unsigned long long)s->size, (unsigned long long)s->value);
  }
  sim_global *global = &object->globals[object->global_count];
  *global = (sim_global){sim_load_name(load, s->name, s->name_size), s->value, s->size, false,
                         is_constant(elf, s->value)};
  if (global->name == NULL) return false;
  ++object->global_count;
  return true;
}

static bool read_data(sim_load *load, const sim_elf *elf, sim_object *object) {
  object->kernels = sim_load_alloc(load, elf->symbol_count, sizeof *object->kernels);
  object->globals = sim_load_alloc(load, elf->symbol_count, sizeof *object->globals);
  if (object->kernels == NULL || object->globals == NULL) return false;
  for (size_t i = 0; i < elf->symbol_count; ++i) {
    const sim_elf_symbol *s = &elf->symbols[i];
    if (!is_data(s)) continue;
    if (!(is_descriptor(s) ? add_kernel(load, s, object) : add_global(load, elf, s, object))) return false;
  }
  qsort(object->kernels, object->kernel_count, sizeof *object->kernels, by_kernel_name);
  qsort(object->globals, object->global_count, sizeof *object->globals, by_global_name);
  for (size_t i = 1; i < object->kernel_count; ++i) {
    if (strcmp(object->kernels[i - 1].name, object->kernels[i].name) == 0) {
      return sim_load_fail(load, SIM_OBJECT_INVALID, "kernel %.300s is defined twice",
                           object->kernels[i].name);
    }
  }
  for (size_t i = 1; i < object->global_count; ++i) {
    if (strcmp(object->globals[i - 1].name, object->globals[i].name) == 0) {
      return sim_load_fail(load, SIM_OBJECT_INVALID, "global %.300s is defined twice",
                           object->globals[i].name);
    }
  }
  return true;
}

// clang stores a __managed__ variable x in x.managed and makes x a pointer to it.
static void mark_managed(sim_object *object) {
  static const char suffix[] = ".managed";
  for (size_t i = 0; i < object->global_count; ++i) {
    const char *name = object->globals[i].name;
    size_t size = strlen(name);
    if (size <= sizeof suffix - 1 || strcmp(name + size - (sizeof suffix - 1), suffix) != 0) continue;
    size_t stem = size - (sizeof suffix - 1);
    for (size_t j = i; j-- > 0;) {  // "x" sorts before "x.managed", with only other "x..." between
      if (strncmp(object->globals[j].name, name, stem) != 0) break;
      if (object->globals[j].name[stem] == '\0') object->globals[j].managed = true;
    }
  }
}

static bool add_function(sim_load *load, const char *name, size_t name_size, uint64_t begin, uint64_t size,
                         sim_object *object) {
  const sim_range *text = text_of(object, begin);
  if (text == NULL || size > text->end - begin) {
    return sim_load_fail(load, SIM_OBJECT_INVALID, "function %.*s: 0x%llx lies outside the executable code",
                         (int)(name_size < 300 ? name_size : 300), name, (unsigned long long)begin);
  }
  sim_function *f = &object->functions[object->function_count];
  *f = (sim_function){sim_load_name(load, name, name_size), begin, begin + size};
  if (f->name == NULL) return false;
  ++object->function_count;
  return true;
}

static bool add_functions(sim_load *load, const sim_elf_symbol *symbols, size_t count, sim_object *object) {
  for (size_t i = 0; i < count; ++i) {
    const sim_elf_symbol *s = &symbols[i];
    if (is_function(s) && !add_function(load, s->name, s->name_size, s->value, s->size, object)) return false;
  }
  return true;
}

// Both tables name the exported functions, and hand-written kernels may be plain labels without a size.
static void merge_functions(sim_object *object) {
  sim_function *f = object->functions;
  size_t kept = 0;
  qsort(f, object->function_count, sizeof *f, by_begin);
  for (size_t i = 0; i < object->function_count; ++i) {
    if (kept != 0 && by_begin(&f[kept - 1], &f[i]) == 0) {
      if (f[i].end > f[kept - 1].end) f[kept - 1].end = f[i].end;
      free(f[i].name);
    } else {
      f[kept++] = f[i];
    }
  }
  object->function_count = kept;
  uint64_t next = UINT64_MAX;
  for (size_t i = kept; i-- > 0;) {
    if (i + 1 < kept && f[i + 1].begin > f[i].begin) next = f[i + 1].begin;
    if (f[i].end != f[i].begin) continue;
    uint64_t end = text_of(object, f[i].begin)->end;
    f[i].end = next < end ? next : end;
  }
}

static bool read_functions(sim_load *load, const sim_elf *elf, sim_object *object) {
  size_t limit = elf->symbol_count + elf->local_count + object->kernel_count;
  object->functions = sim_load_alloc(load, limit, sizeof *object->functions);
  if (object->functions == NULL || !add_functions(load, elf->symbols, elf->symbol_count, object) ||
      !add_functions(load, elf->locals, elf->local_count, object)) {
    return false;
  }
  for (size_t i = 0; i < object->kernel_count; ++i) {
    const sim_kernel *k = &object->kernels[i];
    if (!add_function(load, k->name, strlen(k->name), k->entry, 0, object)) return false;
  }
  merge_functions(object);
  return true;
}

bool sim_symbols_read(sim_load *load, const sim_elf *elf, sim_object *object) {
  if (!read_text(load, elf, object) || !read_data(load, elf, object)) return false;
  mark_managed(object);
  return read_functions(load, elf, object);
}

sim_kernel *sim_symbols_kernel(const sim_object *object, const char *name, size_t size) {
  if (memchr(name, 0, size) != NULL) return NULL;
  size_t low = 0, high = object->kernel_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    sim_kernel *kernel = &object->kernels[middle];
    int order = strncmp(name, kernel->name, size);
    if (order == 0 && kernel->name[size] != '\0') order = -1;
    if (order == 0) return kernel;
    if (order < 0) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return NULL;
}

const sim_kernel *sim_object_kernel(const sim_object *object, const char *name) {
  return sim_symbols_kernel(object, name, strlen(name));
}

size_t sim_kernel_explicit_bytes(const sim_kernel *kernel) {
  size_t end = 0;
  for (uint32_t i = 0; i < kernel->explicit_arg_count; ++i) {
    const size_t arg_end = (size_t)kernel->args[i].offset + kernel->args[i].size;
    if (arg_end > end) end = arg_end;
  }
  return end;
}

const sim_global *sim_object_global(const sim_object *object, const char *name) {
  sim_global key = {.name = (char *)(uintptr_t)name};
  return bsearch(&key, object->globals, object->global_count, sizeof *object->globals, by_global_name);
}
