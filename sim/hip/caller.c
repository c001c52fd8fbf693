// SPDX-License-Identifier: MIT
// ROCm 6 gave other numbers to kinds of memory and to types of graph nodes, under the symbols it had before.
// Which ones a program means is seen from the object that calls: it asks for the library of a later major, or
// for a symbol that came with ROCm 6.
#define _GNU_SOURCE  // dladdr1
#include "sim/hip/caller.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hip/streams/work.h"

static const Elf64_Dyn *entry(const struct link_map *object, Elf64_Sxword tag) {
  const Elf64_Dyn *d = object->l_ld;
  while (d->d_tag != DT_NULL && d->d_tag != tag) ++d;
  return d->d_tag == tag ? d : NULL;
}

static bool needs_later_major(const struct link_map *object, const char *strings) {
  static const char name[] = "libamdhip64.so.";
  for (const Elf64_Dyn *d = object->l_ld; d->d_tag != DT_NULL; ++d)
    if (d->d_tag == DT_NEEDED && !strncmp(strings + d->d_un.d_val, name, sizeof name - 1) &&
        atoi(strings + d->d_un.d_val + sizeof name - 1) >= 6)
      return true;
  return false;
}

// Symbols that an object imports stand before those that its hash table knows.
static bool imports_later_symbol(const struct link_map *object, const char *strings) {
  static const char suffix[] = "R0600";
  const Elf64_Dyn *symbols = entry(object, DT_SYMTAB), *hash = entry(object, DT_GNU_HASH);
  if (!symbols || !hash) return false;
  const Elf64_Sym *symbol = (const Elf64_Sym *)symbols->d_un.d_ptr;
  const uint32_t count = ((const uint32_t *)hash->d_un.d_ptr)[1];
  for (uint32_t i = 1; i < count; ++i) {
    const char *name = strings + symbol[i].st_name;
    const size_t length = strlen(name);
    if (length > sizeof suffix && !strncmp(name, "hip", 3) &&
        !strcmp(name + length - (sizeof suffix - 1), suffix))
      return true;
  }
  return false;
}

bool sim_hip_caller_is_of_rocm6(const void *return_address) {
  Dl_info info;
  struct link_map *object = NULL;
  if (!dladdr1(return_address, &info, (void **)&object, RTLD_DL_LINKMAP) || !object || !object->l_ld)
    return false;
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
      [hipGraphNodeTypeMemcpyFromSymbol] = SIM_HIP_FROM_SYMBOL_NODE6,
      [hipGraphNodeTypeMemcpyToSymbol] = SIM_HIP_TO_SYMBOL_NODE6,
      [SIM_HIP_NODE_ALLOCATE] = SIM_HIP_ALLOCATE_NODE6,
      [SIM_HIP_NODE_FREE] = SIM_HIP_FREE_NODE6,
  };
  return sim_hip_caller_is_of_rocm6(caller) ? numbers[type] : type;
}
