// SPDX-License-Identifier: MIT
// ROCm 6 gave other numbers to kinds of memory and to types of graph nodes, under the symbols it had before.
// Which ones a program means is seen from the object that calls: it carries a note of the headers it was
// compiled with (include/wavetile/hip_note.h), asks for the library of a later major, or imports a symbol of
// a version node that came with ROCm 6. Where there is no note, WT_SIM_HIP_VERSION can say which.
#define _GNU_SOURCE  // dladdr1
#include "sim/hip/caller.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hip/streams/work.h"
#include "sim/settings/config.h"

enum { LATER = 6 };  // the major release with the new numbers

static const Elf64_Dyn *entry(const struct link_map *object, Elf64_Sxword tag) {
  const Elf64_Dyn *d = object->l_ld;
  while (d->d_tag != DT_NULL && d->d_tag != tag) ++d;
  return d->d_tag == tag ? d : NULL;
}

// Reads the note of hip_note.h: its name begins behind the header, the major release stands behind the name.
static unsigned major_in(const char *notes, size_t size) {
  static const char name[12] = "wavetile";
  unsigned major = 0;
  for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= size;) {
    Elf64_Nhdr note;
    memcpy(&note, notes + at, sizeof note);
    const size_t content = at + sizeof note + (note.n_namesz + 3) / 4 * 4;
    const size_t end = content + (note.n_descsz + 3) / 4 * 4;
    if (content > size || end > size) break;
    if (note.n_namesz == 9 && note.n_descsz == sizeof major && !memcmp(notes + at + sizeof note, name, 9)) {
      unsigned found;
      memcpy(&found, notes + content, sizeof found);
      if (found > major) major = found;
    }
    at = end;
  }
  return major;
}

// The major release of the headers that the object's note names; 0 when it has none. An object file for each
// source has left its own, of which the latest counts.
static unsigned noted_major(const struct link_map *object, const void *image) {
  const Elf64_Ehdr *header = image;
  const Elf64_Phdr *segment = (const Elf64_Phdr *)((const char *)image + header->e_phoff);
  unsigned major = 0;
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segment[i].p_type != PT_NOTE) continue;
    const unsigned found = major_in((const char *)object->l_addr + segment[i].p_vaddr, segment[i].p_memsz);
    if (found > major) major = found;
  }
  return major;
}

static bool needs_later_major(const struct link_map *object, const char *strings) {
  static const char name[] = "libamdhip64.so.";
  for (const Elf64_Dyn *d = object->l_ld; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_NEEDED && !strncmp(strings + d->d_un.d_val, name, sizeof name - 1) &&
        atoi(strings + d->d_un.d_val + sizeof name - 1) >= LATER)
      return true;
  return false;
}

// Looks at the version nodes of all symbols that the object imports, grouped by library.
static bool imports_later_symbol(const struct link_map *object, const char *strings) {
  static const char prefix[] = "hip_";
  const Elf64_Dyn *needs = entry(object, DT_VERNEED);
  if (!needs) return false;
  // Unlike most of the section's addresses, the loader leaves this one as it stands in the file.
  const Elf64_Verneed *library = (const Elf64_Verneed *)(object->l_addr + needs->d_un.d_ptr);
  for (uint32_t step = 1; step; library = (const Elf64_Verneed *)((const char *)library + step)) {
    const Elf64_Vernaux *node = (const Elf64_Vernaux *)((const char *)library + library->vn_aux);
    for (int i = 0; i < library->vn_cnt; ++i) {
      const char *name = strings + node->vna_name;
      if (!strncmp(name, prefix, sizeof prefix - 1) && atoi(name + sizeof prefix - 1) >= LATER) return true;
      node = (const Elf64_Vernaux *)((const char *)node + node->vna_next);
    }
    step = library->vn_next;
  }
  return false;
}

bool sim_hip_caller_is_of_rocm6(const void *return_address) {
  Dl_info info;
  struct link_map *object = NULL;
  if (!dladdr1(return_address, &info, (void **)&object, RTLD_DL_LINKMAP) || !object || !object->l_ld)
    return false;
  const unsigned noted = noted_major(object, info.dli_fbase);
  const unsigned told = noted ? noted : sim_configuration()->hip_major;
  if (told) return told >= LATER;
  const Elf64_Dyn *strings = entry(object, DT_STRTAB);
  if (!strings) return false;
  const char *text = (const char *)strings->d_un.d_ptr;
  return needs_later_major(object, text) || imports_later_symbol(object, text);
}

unsigned sim_hip_memory_type_for(const void *caller, sim_memory_kind kind) {
  const bool later = sim_hip_caller_is_of_rocm6(caller);
  if (kind == SIM_MEMORY_HOST) return later ? SIM_HIP_HOST6 : hipMemoryTypeHost;
  if (kind == SIM_MEMORY_MANAGED && later) return SIM_HIP_MANAGED6;
  return later ? SIM_HIP_DEVICE6 : hipMemoryTypeDevice;
}

hipMemoryType sim_hip_memory_type_number(const void *caller, hipMemoryType type) {
  const sim_memory_kind kind = type == hipMemoryTypeHost ? SIM_MEMORY_HOST : SIM_MEMORY_DEVICE;
  return (hipMemoryType)sim_hip_memory_type_for(caller, kind);
}

hipMemoryType sim_hip_memory_type_of(const void *caller, hipMemoryType type) {
  if (!sim_hip_caller_is_of_rocm6(caller)) return type;
  switch ((unsigned)type) {
    case SIM_HIP_UNREGISTERED6:
    case SIM_HIP_HOST6: return hipMemoryTypeHost;
    case SIM_HIP_DEVICE6:
    case SIM_HIP_MANAGED6: return hipMemoryTypeDevice;
    case SIM_HIP_ARRAY6: return hipMemoryTypeArray;
    default: return hipMemoryTypeUnified;
  }
}

unsigned sim_hip_node_type_for(const void *caller, hipGraphNodeType type) {
  static const uint8_t numbers[] = {
      [hipGraphNodeTypeKernel] = SIM_HIP_KERNEL_NODE6,
      [hipGraphNodeTypeMemcpy] = SIM_HIP_MEMCPY_NODE6,
      [hipGraphNodeTypeMemset] = SIM_HIP_MEMSET_NODE6,
      [hipGraphNodeTypeHost] = SIM_HIP_HOST_NODE6,
      [hipGraphNodeTypeGraph] = SIM_HIP_GRAPH_NODE6,
      [hipGraphNodeTypeEmpty] = SIM_HIP_EMPTY_NODE6,
      [hipGraphNodeTypeWaitEvent] = SIM_HIP_WAIT_EVENT_NODE6,
      [hipGraphNodeTypeEventRecord] = SIM_HIP_EVENT_RECORD_NODE6,
      [hipGraphNodeTypeMemcpy1D] = SIM_HIP_MEMCPY_NODE6,
      [hipGraphNodeTypeMemcpyFromSymbol] = SIM_HIP_MEMCPY_NODE6,
      [hipGraphNodeTypeMemcpyToSymbol] = SIM_HIP_MEMCPY_NODE6,
      [SIM_HIP_NODE_ALLOCATE] = SIM_HIP_ALLOCATE_NODE6,
      [SIM_HIP_NODE_FREE] = SIM_HIP_FREE_NODE6,
  };
  return sim_hip_caller_is_of_rocm6(caller) ? numbers[type] : type;
}
