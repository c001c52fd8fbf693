// SPDX-License-Identifier: MIT
// Declares a loaded code object: the ELF image laid out in memory, its kernels with descriptor and metadata,
// its globals.
#ifndef SIM_OBJECT_OBJECT_H
#define SIM_OBJECT_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum sim_arg_kind {
  SIM_ARG_BY_VALUE,
  SIM_ARG_GLOBAL_BUFFER,
  SIM_ARG_DYNAMIC_SHARED_POINTER,
  SIM_ARG_SAMPLER,
  SIM_ARG_IMAGE,
  SIM_ARG_PIPE,
  SIM_ARG_QUEUE,
  // These are hidden arguments, filled by the launcher (LLVM AMDGPUUsage, "Code Object V5 hidden arguments").
  SIM_ARG_HIDDEN_BLOCK_COUNT_X,
  SIM_ARG_HIDDEN_BLOCK_COUNT_Y,
  SIM_ARG_HIDDEN_BLOCK_COUNT_Z,
  SIM_ARG_HIDDEN_GROUP_SIZE_X,
  SIM_ARG_HIDDEN_GROUP_SIZE_Y,
  SIM_ARG_HIDDEN_GROUP_SIZE_Z,
  SIM_ARG_HIDDEN_REMAINDER_X,
  SIM_ARG_HIDDEN_REMAINDER_Y,
  SIM_ARG_HIDDEN_REMAINDER_Z,
  SIM_ARG_HIDDEN_GLOBAL_OFFSET_X,
  SIM_ARG_HIDDEN_GLOBAL_OFFSET_Y,
  SIM_ARG_HIDDEN_GLOBAL_OFFSET_Z,
  SIM_ARG_HIDDEN_GRID_DIMS,
  SIM_ARG_HIDDEN_DYNAMIC_LDS_SIZE,
  SIM_ARG_HIDDEN_PRIVATE_BASE,
  SIM_ARG_HIDDEN_SHARED_BASE,
  // These are known by name only: a kernel that needs the service behind one of them fails when it uses it,
  // if
  // the launch does not provide it.
  SIM_ARG_HIDDEN_NONE,
  SIM_ARG_HIDDEN_PRINTF_BUFFER,
  SIM_ARG_HIDDEN_HOSTCALL_BUFFER,
  SIM_ARG_HIDDEN_HEAP_V1,
  SIM_ARG_HIDDEN_DEFAULT_QUEUE,
  SIM_ARG_HIDDEN_COMPLETION_ACTION,
  SIM_ARG_HIDDEN_MULTIGRID_SYNC,
  SIM_ARG_HIDDEN_QUEUE_PTR
} sim_arg_kind;

typedef struct sim_arg {
  uint32_t offset, size;  // bytes in the kernel-argument segment
  sim_arg_kind kind;
} sim_arg;

// Init kernels run once after loading and before all others, fini kernels before unloading.
typedef enum sim_kernel_kind { SIM_KERNEL_NORMAL, SIM_KERNEL_INIT, SIM_KERNEL_FINI } sim_kernel_kind;

typedef struct sim_kernel {
  char *name;                  // the linkage name, without ".kd"; the demangled name is not kept
  uint64_t entry, descriptor;  // byte offsets in the image: first instruction, 64-byte kernel descriptor
  // These are fields of the kernel descriptor (LLVM AMDGPUUsage, "Kernel Descriptor").
  uint32_t lds_bytes;      // group_segment_fixed_size
  uint32_t scratch_bytes;  // private_segment_fixed_size, per work-item
  uint32_t kernarg_bytes;  // kernarg size: the larger of descriptor and metadata
  uint32_t rsrc1, rsrc2, rsrc3;
  uint16_t properties;                      // kernel_code_properties
  uint16_t preload_offset, preload_length;  // kernarg preload, in dwords
  // Metadata; has_metadata is false for objects without it.
  bool has_metadata, uses_dynamic_stack;
  bool uniform_workgroup_size;  // the grid must be a multiple of the work-group size
  sim_kernel_kind kind;
  uint32_t kernarg_align;
  uint32_t vgpr_count, agpr_count, sgpr_count;  // as metadata states them (vgpr_count is the unified total)
  uint32_t vgpr_spills, sgpr_spills;
  uint32_t max_workgroup_size, required_workgroup_size[3];  // in work-items; required: 0 when not given
  uint32_t max_workgroups[3];                               // per dimension, 0 when not given
  uint32_t arg_count, explicit_arg_count;
  sim_arg *args;  // explicit arguments first, in order
} sim_kernel;

typedef struct sim_global {
  char *name;
  uint64_t offset, size;  // in the image
  bool managed;
  bool constant;  // in memory that the code does not write, as __constant__ variables are
} sim_global;

typedef struct sim_range {
  uint64_t begin, end;  // byte offsets in the image
} sim_range;

typedef struct sim_function {
  char *name;
  uint64_t begin, end;
} sim_function;

// Lists sections that a compiler leaves for debuggers.
typedef enum sim_debug {
  SIM_DEBUG_LINE,
  SIM_DEBUG_LINE_STR,
  SIM_DEBUG_INFO,
  SIM_DEBUG_ABBREV,
  SIM_DEBUG_ADDR,
  SIM_DEBUG_RNGLISTS,
  SIM_DEBUG_RANGES,
  SIM_DEBUG_SECTIONS
} sim_debug;

typedef struct sim_section {
  uint8_t *data;  // a copy of its bytes; NULL when the object does not have the section
  size_t size;
} sim_section;

// An ELF note that is not loaded: its owner's name, what the owner calls its type, and its contents.
typedef struct sim_note {
  const char *owner;
  uint32_t type;
  const uint8_t *data;
  size_t size;
} sim_note;

typedef struct sim_object {
  char target[32];       // "gfx950"
  char features[64];     // ":sramecc+:xnack-" as in the target id, may be empty
  uint32_t abi_version;  // code object version: 4, 5, 6
  // The image has all PT_LOAD segments at their virtual addresses; it is page aligned, readable and writable;
  // image[0] is vaddr 0.
  uint8_t *image;
  size_t image_size;
  sim_range *text;  // executable ranges
  size_t text_count;
  sim_kernel *kernels;
  size_t kernel_count;
  sim_global *globals;
  size_t global_count;
  sim_function *functions;  // every STT_FUNC symbol, sorted by begin (kernels included)
  size_t function_count;
  sim_section debug[SIM_DEBUG_SECTIONS];
  sim_section
      notes;  // of the sections of notes that are not loaded, one after the other: see sim_object_note
} sim_object;

typedef enum sim_object_status {
  SIM_OBJECT_OK,
  SIM_OBJECT_INVALID,      // not an ELF/bundle, truncated or malformed
  SIM_OBJECT_UNSUPPORTED,  // well-formed, but a version, relocation, metadata field or machine not known
  SIM_OBJECT_NO_TARGET,    // bundle without an entry for the target
  SIM_OBJECT_NO_MEMORY
} sim_object_status;

// Loads the code object for `target` ("gfx950") from `data`: a bare ELF, an offload bundle
// ("__CLANG_OFFLOAD_BUNDLE__") or a compressed bundle ("CCOB", zlib or zstd). `size` may be 0 when unknown
// (fat binaries in memory): then the headers decide. On failure returns the status, leaves *out NULL and
// writes one sentence to `message`.
sim_object_status sim_object_load(const void *data, size_t size, const char *target, sim_object **out,
                                  char *message, size_t message_size);

// Returns whether `data`, which is of one of these kinds, holds a code object for `target`. Nothing is
// loaded.
bool sim_object_serves(const void *data, size_t size, const char *target);
void sim_object_free(sim_object *object);

const sim_kernel *sim_object_kernel(const sim_object *object, const char *name);
// Returns the bytes from the start of the argument segment to the end of the last explicit argument that the
// metadata lists.
size_t sim_kernel_explicit_bytes(const sim_kernel *kernel);
const sim_global *sim_object_global(const sim_object *object, const char *name);

// Finds the note at *at, where 0 is the first, and moves *at behind it. Returns false after the last, and
// where what follows is no note.
bool sim_object_note(const sim_object *object, size_t *at, sim_note *out);

#endif
