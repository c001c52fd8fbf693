// SPDX-License-Identifier: MIT
// Reads the kernel metadata of NT_AMDGPU_METADATA (LLVM AMDGPUUsage, "Code Object V3 Metadata" and its V4, V5
// and V6 changes). Every key is either read, or listed as having no bearing on execution, or refused by name.
#include <stdlib.h>

#include "sim/object/internal.h"
#include "sim/object/msgpack.h"

typedef struct value_kind {
  const char *name;
  sim_arg_kind kind;
} value_kind;

static const value_kind value_kinds[] = {
    {"by_value", SIM_ARG_BY_VALUE},
    {"global_buffer", SIM_ARG_GLOBAL_BUFFER},
    {"dynamic_shared_pointer", SIM_ARG_DYNAMIC_SHARED_POINTER},
    {"sampler", SIM_ARG_SAMPLER},
    {"image", SIM_ARG_IMAGE},
    {"pipe", SIM_ARG_PIPE},
    {"queue", SIM_ARG_QUEUE},
    {"hidden_block_count_x", SIM_ARG_HIDDEN_BLOCK_COUNT_X},
    {"hidden_block_count_y", SIM_ARG_HIDDEN_BLOCK_COUNT_Y},
    {"hidden_block_count_z", SIM_ARG_HIDDEN_BLOCK_COUNT_Z},
    {"hidden_group_size_x", SIM_ARG_HIDDEN_GROUP_SIZE_X},
    {"hidden_group_size_y", SIM_ARG_HIDDEN_GROUP_SIZE_Y},
    {"hidden_group_size_z", SIM_ARG_HIDDEN_GROUP_SIZE_Z},
    {"hidden_remainder_x", SIM_ARG_HIDDEN_REMAINDER_X},
    {"hidden_remainder_y", SIM_ARG_HIDDEN_REMAINDER_Y},
    {"hidden_remainder_z", SIM_ARG_HIDDEN_REMAINDER_Z},
    {"hidden_global_offset_x", SIM_ARG_HIDDEN_GLOBAL_OFFSET_X},
    {"hidden_global_offset_y", SIM_ARG_HIDDEN_GLOBAL_OFFSET_Y},
    {"hidden_global_offset_z", SIM_ARG_HIDDEN_GLOBAL_OFFSET_Z},
    {"hidden_grid_dims", SIM_ARG_HIDDEN_GRID_DIMS},
    {"hidden_dynamic_lds_size", SIM_ARG_HIDDEN_DYNAMIC_LDS_SIZE},
    {"hidden_private_base", SIM_ARG_HIDDEN_PRIVATE_BASE},
    {"hidden_shared_base", SIM_ARG_HIDDEN_SHARED_BASE},
    {"hidden_none", SIM_ARG_HIDDEN_NONE},
    {"hidden_printf_buffer", SIM_ARG_HIDDEN_PRINTF_BUFFER},
    {"hidden_hostcall_buffer", SIM_ARG_HIDDEN_HOSTCALL_BUFFER},
    {"hidden_heap_v1", SIM_ARG_HIDDEN_HEAP_V1},
    {"hidden_default_queue", SIM_ARG_HIDDEN_DEFAULT_QUEUE},
    {"hidden_completion_action", SIM_ARG_HIDDEN_COMPLETION_ACTION},
    {"hidden_multigrid_sync_arg", SIM_ARG_HIDDEN_MULTIGRID_SYNC},
    {"hidden_queue_ptr", SIM_ARG_HIDDEN_QUEUE_PTR},
};

// Holds what one map holds while it is read; which members are used depends on the map.
typedef struct fields {
  sim_load *load;
  sim_object *object;
  sim_kernel kernel;  // .args is owned here until it is stored
  sim_arg arg;
  const char *symbol;
  size_t symbol_size;
  uint32_t kernarg_bytes, wavefront_size, version[2];
} fields;

typedef bool (*field_reader)(fields *f, sim_msgpack *reader, size_t offset);

// A key without a reader is known to have no bearing on execution and is skipped.
typedef struct field {
  const char *key;
  field_reader read;
  size_t offset;  // of the member the reader stores to, in `fields`
  bool required;
} field;

static bool malformed(fields *f) {
  return sim_load_fail(f->load, SIM_OBJECT_INVALID, "metadata: truncated or malformed");
}

// Says how many bytes of a name a message quotes.
static int quoted(const sim_msgpack_value *name) { return name->size < 200 ? (int)name->size : 200; }

static bool read_typed(fields *f, sim_msgpack *reader, sim_msgpack_type type, const char *what,
                       sim_msgpack_value *out) {
  if (!sim_msgpack_next(reader, out)) return malformed(f);
  return out->type == type || sim_load_fail(f->load, SIM_OBJECT_INVALID, "metadata: a value is not %s", what);
}

static bool read_u32(fields *f, sim_msgpack *reader, size_t offset) {
  sim_msgpack_value v;
  if (!read_typed(f, reader, SIM_MSGPACK_UINT, "a non-negative integer", &v)) return false;
  if (v.number > UINT32_MAX) {
    return sim_load_fail(f->load, SIM_OBJECT_INVALID, "metadata: %llu does not fit 32 bits",
                         (unsigned long long)v.number);
  }
  uint32_t number = (uint32_t)v.number;
  memcpy((char *)f + offset, &number, sizeof number);
  return true;
}

static bool read_u32_array(fields *f, sim_msgpack *reader, size_t offset, uint32_t count) {
  sim_msgpack_value v;
  if (!read_typed(f, reader, SIM_MSGPACK_ARRAY, "a sequence", &v)) return false;
  if (v.size != count) {
    return sim_load_fail(f->load, SIM_OBJECT_INVALID, "metadata: a sequence has %u elements, not %u", v.size,
                         count);
  }
  for (uint32_t i = 0; i < count; ++i) {
    if (!read_u32(f, reader, offset + i * sizeof(uint32_t))) return false;
  }
  return true;
}

static bool read_size3(fields *f, sim_msgpack *reader, size_t offset) {
  return read_u32_array(f, reader, offset, 3);
}

// Booleans; old assemblers wrote them as 0 and 1.
static bool read_flag(fields *f, sim_msgpack *reader, size_t offset) {
  sim_msgpack_value v;
  if (!sim_msgpack_next(reader, &v)) return malformed(f);
  if ((v.type != SIM_MSGPACK_BOOL && v.type != SIM_MSGPACK_UINT) || v.number > 1) {
    return sim_load_fail(f->load, SIM_OBJECT_INVALID, "metadata: a value is not a boolean");
  }
  *(bool *)((char *)f + offset) = v.number != 0;
  return true;
}

static bool read_symbol(fields *f, sim_msgpack *reader, size_t offset) {
  (void)offset;
  sim_msgpack_value v;
  if (!read_typed(f, reader, SIM_MSGPACK_STRING, "a string", &v)) return false;
  f->symbol = v.data;
  f->symbol_size = v.size;
  return true;
}

static bool read_kernel_kind(fields *f, sim_msgpack *reader, size_t offset) {
  (void)offset;
  static const char *const names[] = {"normal", "init", "fini"};
  sim_msgpack_value v;
  if (!read_typed(f, reader, SIM_MSGPACK_STRING, "a string", &v)) return false;
  for (unsigned i = 0; i < 3; ++i) {
    if (v.size == strlen(names[i]) && memcmp(v.data, names[i], v.size) == 0) {
      f->kernel.kind = (sim_kernel_kind)i;
      return true;
    }
  }
  return sim_load_fail(f->load, SIM_OBJECT_UNSUPPORTED, "metadata: .kind \"%.*s\" is not known", quoted(&v),
                       v.data);
}

static bool read_value_kind(fields *f, sim_msgpack *reader, size_t offset) {
  (void)offset;
  sim_msgpack_value v;
  if (!read_typed(f, reader, SIM_MSGPACK_STRING, "a string", &v)) return false;
  for (size_t i = 0; i < sizeof value_kinds / sizeof value_kinds[0]; ++i) {
    if (v.size == strlen(value_kinds[i].name) && memcmp(v.data, value_kinds[i].name, v.size) == 0) {
      f->arg.kind = value_kinds[i].kind;
      return true;
    }
  }
  return sim_load_fail(f->load, SIM_OBJECT_UNSUPPORTED, "metadata: .value_kind \"%.*s\" is not known",
                       quoted(&v), v.data);
}

// Reads one map: every key must be in the table, at most once, and the required ones must be there.
// Returns whether a key is one of the format; others may be added to any map (LLVM AMDGPUUsage, "Code Object
// V3 Metadata").
static bool is_reserved(const sim_msgpack_value *key) {
  return (key->size >= 1 && key->data[0] == '.') || (key->size >= 7 && memcmp(key->data, "amdhsa.", 7) == 0);
}

static bool read_map(fields *f, sim_msgpack *reader, const field *table, size_t count, const char *what) {
  sim_msgpack_value map, key;
  if (!read_typed(f, reader, SIM_MSGPACK_MAP, "a map", &map)) return false;
  uint64_t seen = 0;
  for (uint32_t pair = 0; pair < map.size; ++pair) {
    if (!read_typed(f, reader, SIM_MSGPACK_STRING, "a key", &key)) return false;
    size_t i = 0;
    while (i < count && (strlen(table[i].key) != key.size || memcmp(table[i].key, key.data, key.size) != 0)) {
      ++i;
    }
    if (i == count && !is_reserved(&key)) {
      if (!sim_msgpack_skip(reader)) return malformed(f);
      continue;
    }
    if (i == count) {
      return sim_load_fail(f->load, SIM_OBJECT_UNSUPPORTED, "metadata: key \"%.*s\" of %s is not known",
                           quoted(&key), key.data, what);
    }
    if (seen >> i & 1) {
      return sim_load_fail(f->load, SIM_OBJECT_INVALID, "metadata: key \"%.*s\" of %s is there twice",
                           quoted(&key), key.data, what);
    }
    seen |= UINT64_C(1) << i;
    if (table[i].read == NULL) {
      if (!sim_msgpack_skip(reader)) return malformed(f);
    } else if (!table[i].read(f, reader, table[i].offset)) {
      return false;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    if (table[i].required && !(seen >> i & 1)) {
      return sim_load_fail(f->load, SIM_OBJECT_INVALID, "metadata: %s has no %s", what, table[i].key);
    }
  }
  return true;
}

static const field arg_fields[] = {
    {".offset", read_u32, offsetof(fields, arg.offset), true},
    {".size", read_u32, offsetof(fields, arg.size), true},
    {".value_kind", read_value_kind, 0, true},
    {".name", NULL, 0, false},
    {".type_name", NULL, 0, false},
    {".value_type", NULL, 0, false},  // deprecated by AMDGPUUsage, still written by hand
    {".pointee_align", NULL, 0, false},
    {".address_space", NULL, 0, false},
    {".access", NULL, 0, false},
    {".actual_access", NULL, 0, false},
    {".is_const", NULL, 0, false},
    {".is_restrict", NULL, 0, false},
    {".is_volatile", NULL, 0, false},
    {".is_pipe", NULL, 0, false},
};

static bool is_hidden(sim_arg_kind kind) { return kind >= SIM_ARG_HIDDEN_BLOCK_COUNT_X; }

// Explicit arguments come first, each group in the order of the metadata.
static bool store_args(fields *f, const sim_arg *args, uint32_t count) {
  sim_kernel *k = &f->kernel;
  k->args = sim_load_alloc(f->load, count, sizeof *k->args);
  if (k->args == NULL) return false;
  for (int hidden = 0; hidden < 2; ++hidden) {
    for (uint32_t i = 0; i < count; ++i) {
      if (is_hidden(args[i].kind) == (hidden != 0)) k->args[k->arg_count++] = args[i];
    }
    if (!hidden) k->explicit_arg_count = k->arg_count;
  }
  return true;
}

static bool read_args(fields *f, sim_msgpack *reader, size_t offset) {
  (void)offset;
  sim_msgpack_value v;
  if (!read_typed(f, reader, SIM_MSGPACK_ARRAY, "a sequence", &v)) return false;
  sim_arg *args = sim_load_alloc(f->load, v.size, sizeof *args);
  if (args == NULL) return false;
  bool ok = true;
  for (uint32_t i = 0; ok && i < v.size; ++i) {
    f->arg = (sim_arg){0};
    ok = read_map(f, reader, arg_fields, sizeof arg_fields / sizeof arg_fields[0], "an argument");
    uint64_t end = (uint64_t)f->arg.offset + f->arg.size;
    if (ok && end > SIM_OBJECT_MAX_KERNARG) {
      ok = sim_load_fail(f->load, SIM_OBJECT_INVALID, "metadata: an argument ends at %llu, the limit is %u",
                         (unsigned long long)end, SIM_OBJECT_MAX_KERNARG);
    }
    if (ok && end > f->kernel.kernarg_bytes) f->kernel.kernarg_bytes = (uint32_t)end;
    args[i] = f->arg;
  }
  ok = ok && store_args(f, args, v.size);
  free(args);
  return ok;
}

#define KERNEL(member) offsetof(fields, kernel.member)

static const field kernel_fields[] = {
    {".symbol", read_symbol, 0, true},
    {".args", read_args, 0, false},
    {".kernarg_segment_size", read_u32, offsetof(fields, kernarg_bytes), true},
    {".kernarg_segment_align", read_u32, KERNEL(kernarg_align), false},
    {".wavefront_size", read_u32, offsetof(fields, wavefront_size), true},
    {".sgpr_count", read_u32, KERNEL(sgpr_count), false},
    {".vgpr_count", read_u32, KERNEL(vgpr_count), false},
    {".agpr_count", read_u32, KERNEL(agpr_count), false},
    {".sgpr_spill_count", read_u32, KERNEL(sgpr_spills), false},
    {".vgpr_spill_count", read_u32, KERNEL(vgpr_spills), false},
    {".max_flat_workgroup_size", read_u32, KERNEL(max_workgroup_size), false},
    {".reqd_workgroup_size", read_size3, KERNEL(required_workgroup_size), false},
    // LLVM 22 writes the first spelling, AMDGPUUsage documents the second.
    {".max_num_workgroups_x", read_u32, KERNEL(max_workgroups[0]), false},
    {".max_num_workgroups_y", read_u32, KERNEL(max_workgroups[1]), false},
    {".max_num_workgroups_z", read_u32, KERNEL(max_workgroups[2]), false},
    {".max_num_work_groups_x", read_u32, KERNEL(max_workgroups[0]), false},
    {".max_num_work_groups_y", read_u32, KERNEL(max_workgroups[1]), false},
    {".max_num_work_groups_z", read_u32, KERNEL(max_workgroups[2]), false},
    {".uniform_work_group_size", read_flag, KERNEL(uniform_workgroup_size), false},
    {".uses_dynamic_stack", read_flag, KERNEL(uses_dynamic_stack), false},
    {".kind", read_kernel_kind, 0, false},
    {".name", NULL, 0, false},                      // .symbol decides
    {".group_segment_fixed_size", NULL, 0, false},  // the descriptor decides, here and below
    {".private_segment_fixed_size", NULL, 0, false},
    {".language", NULL, 0, false},
    {".language_version", NULL, 0, false},
    {".workgroup_size_hint", NULL, 0, false},
    {".vec_type_hint", NULL, 0, false},
    {".workgroup_processor_mode", NULL, 0, false},  // gfx10 and later
};

static bool store_kernel(fields *f) {
  static const char suffix[] = ".kd";
  size_t size = f->symbol_size;
  int shown = (int)(size < 300 ? size : 300);
  sim_kernel *k = NULL;
  if (size > 3 && memcmp(f->symbol + size - 3, suffix, 3) == 0) {
    k = sim_symbols_kernel(f->object, f->symbol, size - 3);
  }
  if (k == NULL) {
    return sim_load_fail(f->load, SIM_OBJECT_INVALID, "metadata: symbol %.*s is not a kernel descriptor",
                         shown, f->symbol);
  }
  if (k->has_metadata) {
    return sim_load_fail(f->load, SIM_OBJECT_INVALID, "metadata: kernel %.300s is there twice", k->name);
  }
  if (f->wavefront_size != 64) {
    return sim_load_fail(f->load, SIM_OBJECT_UNSUPPORTED,
                         "metadata: kernel %.300s has wavefront size %u, the simulated chips have 64",
                         k->name, f->wavefront_size);
  }
  if (f->kernarg_bytes > SIM_OBJECT_MAX_KERNARG) {
    return sim_load_fail(f->load, SIM_OBJECT_INVALID,
                         "metadata: kernel %.300s has %u bytes of arguments, the limit is %u", k->name,
                         f->kernarg_bytes, SIM_OBJECT_MAX_KERNARG);
  }
  sim_kernel merged = f->kernel;
  merged.has_metadata = true;
  merged.name = k->name;
  merged.entry = k->entry;
  merged.descriptor = k->descriptor;
  merged.lds_bytes = k->lds_bytes;
  merged.scratch_bytes = k->scratch_bytes;
  if (f->kernarg_bytes > merged.kernarg_bytes) merged.kernarg_bytes = f->kernarg_bytes;
  if (k->kernarg_bytes > merged.kernarg_bytes) merged.kernarg_bytes = k->kernarg_bytes;
  merged.rsrc1 = k->rsrc1;
  merged.rsrc2 = k->rsrc2;
  merged.rsrc3 = k->rsrc3;
  merged.properties = k->properties;
  merged.preload_offset = k->preload_offset;
  merged.preload_length = k->preload_length;
  merged.uses_dynamic_stack = merged.uses_dynamic_stack || k->uses_dynamic_stack;
  *k = merged;
  f->kernel.args = NULL;
  return true;
}

static bool read_kernels(fields *f, sim_msgpack *reader, size_t offset) {
  (void)offset;
  sim_msgpack_value v;
  if (!read_typed(f, reader, SIM_MSGPACK_ARRAY, "a sequence", &v)) return false;
  for (uint32_t i = 0; i < v.size; ++i) {
    f->kernel = (sim_kernel){0};
    f->kernarg_bytes = f->wavefront_size = 0;
    bool ok =
        read_map(f, reader, kernel_fields, sizeof kernel_fields / sizeof kernel_fields[0], "a kernel") &&
        store_kernel(f);
    free(f->kernel.args);
    f->kernel.args = NULL;
    if (!ok) return false;
  }
  return true;
}

static bool read_version(fields *f, sim_msgpack *reader, size_t offset) {
  if (!read_u32_array(f, reader, offset, 2)) return false;
  if (f->version[0] == 1 && f->version[1] <= 2) return true;  // 1.0 is V3, 1.1 is V4, 1.2 is V5 and V6
  return sim_load_fail(f->load, SIM_OBJECT_UNSUPPORTED,
                       "metadata: amdhsa.version %u.%u is not known, 1.0 to 1.2 are", f->version[0],
                       f->version[1]);
}

// "amdgcn-amd-amdhsa--gfx950:xnack-" must agree with the ELF header's machine.
static bool read_target(fields *f, sim_msgpack *reader, size_t offset) {
  (void)offset;
  sim_msgpack_value v;
  if (!read_typed(f, reader, SIM_MSGPACK_STRING, "a string", &v)) return false;
  const char *end = memchr(v.data, ':', v.size);
  if (end == NULL) end = v.data + v.size;
  size_t name = strlen(f->object->target);
  size_t size = (size_t)(end - v.data);
  if (size > name && v.data[size - name - 1] == '-' &&
      memcmp(v.data + size - name, f->object->target, name) == 0) {
    return true;
  }
  return sim_load_fail(f->load, SIM_OBJECT_INVALID,
                       "metadata: amdhsa.target %.*s, but the ELF header says %s", quoted(&v), v.data,
                       f->object->target);
}

static const field object_fields[] = {
    {"amdhsa.version", read_version, offsetof(fields, version), true},
    {"amdhsa.kernels", read_kernels, 0, true},
    {"amdhsa.target", read_target, 0, false},
    {"amdhsa.printf", NULL, 0, false},   // format strings: needed only by a service behind a hidden argument
    {"amdhsa.globals", NULL, 0, false},  // the symbol table has them
};

bool sim_metadata_read(sim_load *load, sim_bytes metadata, sim_object *object) {
  if (metadata.size == 0) return true;
  fields f = {.load = load, .object = object};
  sim_msgpack reader = {metadata.data, metadata.data + metadata.size};
  if (!read_map(&f, &reader, object_fields, sizeof object_fields / sizeof object_fields[0], "the object")) {
    return false;
  }
  for (; reader.at != reader.end; ++reader.at) {  // llvm-mc pads the note
    if (*reader.at != 0) return malformed(&f);
  }
  return true;
}
