// SPDX-License-Identifier: MIT
// Declares what the files of the object loader share: a bounded byte range, the error of one load, target
// identifiers and the parsed ELF. Everything read from a file is hostile until its range has been checked.
#ifndef SIM_OBJECT_INTERNAL_H
#define SIM_OBJECT_INTERNAL_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sim/object/object.h"

// Caps that keep a hostile file from asking for unbounded memory or time.
#define SIM_OBJECT_MAX_IMAGE (UINT64_C(1) << 30)     // laid-out segments
#define SIM_OBJECT_MAX_UNPACKED (UINT64_C(1) << 31)  // a decompressed bundle
#define SIM_OBJECT_MAX_NAME (UINT32_C(1) << 15)      // one symbol name
#define SIM_OBJECT_MAX_KERNARG (UINT32_C(1) << 20)   // one kernel-argument segment

typedef struct sim_bytes {
  const uint8_t *data;
  size_t size;
} sim_bytes;

static inline bool sim_bytes_has(sim_bytes bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size && size <= bytes.size - offset;
}

static inline sim_bytes sim_bytes_slice(sim_bytes bytes, uint64_t offset, uint64_t size) {
  return (sim_bytes){bytes.data + offset, (size_t)size};
}

// Holds the state of one load: the first failure wins. `names` is how many bytes of names may still be
// copied, so that overlapping entries of a string table cannot multiply into more memory than the file
// justifies.
typedef struct sim_load {
  sim_object_status status;
  char *message;
  size_t message_size;
  uint64_t names;
} sim_load;

// Records the failure and returns false.
bool sim_load_fail(sim_load *load, sim_object_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// Return memory as calloc(count, size) does, and a NUL-terminated copy of a name; or NULL with the failure
// recorded.
void *sim_load_alloc(sim_load *load, size_t count, size_t size);
char *sim_load_name(sim_load *load, const char *name, size_t size);

// --- target.c ---
typedef enum sim_setting { SIM_SETTING_ANY, SIM_SETTING_OFF, SIM_SETTING_ON } sim_setting;

typedef struct sim_target {
  char processor[32];
  sim_setting sramecc, xnack;
} sim_target;

// Returns the processor's name for an EF_AMDGPU_MACH value; NULL when it is not known.
const char *sim_target_machine_name(uint32_t mach);
bool sim_target_parse(const char *text, size_t size, sim_target *out);
// A device's settings are fixed: this sets those that its name leaves open to sramecc+ and xnack-.
void sim_target_fix_device(sim_target *device);
bool sim_target_is_generic(const sim_target *code);
bool sim_target_accepts(const sim_target *device, const sim_target *code);
void sim_target_features(const sim_target *target, char out[64]);

// --- bundle.c, compress.c, md5.c, size.c ---
bool sim_bundle_is(sim_bytes file);
bool sim_bundle_find(sim_load *load, sim_bytes file, const sim_target *device, sim_bytes *out);
bool sim_compressed_is(sim_bytes file);
// Unpacks a compressed bundle into *out, which the caller frees. Returns false with the failure recorded.
bool sim_compressed_unpack(sim_load *load, sim_bytes file, uint8_t **out, size_t *out_size);
// Returns the first eight bytes of the MD5 digest as a little-endian number.
uint64_t sim_md5_low(sim_bytes bytes);
// Finds the size in bytes of a file in memory as its own headers state it. Returns false with the failure
// recorded.
bool sim_size_from_headers(sim_load *load, const uint8_t *data, size_t *out);

// --- elf.c ---
typedef struct sim_elf_symbol {
  const char *name;  // in the file, NUL-terminated within its string table
  uint32_t name_size;
  uint64_t value, size;
  uint8_t type, binding;
  uint16_t section;
} sim_elf_symbol;

typedef struct sim_elf {
  sim_bytes file;
  Elf64_Ehdr header;
  uint32_t abi_version;
  sim_target target;
  Elf64_Phdr *loads;  // PT_LOAD, ascending, not overlapping
  size_t load_count;
  uint64_t image_size, image_align;
  sim_bytes dynamic, metadata;  // PT_DYNAMIC and the descriptor of NT_AMDGPU_METADATA; size 0 when absent
  sim_bytes relocations[2];     // DT_RELA and DT_JMPREL
  sim_elf_symbol *symbols;      // .dynsym
  size_t symbol_count;
  sim_elf_symbol *locals;  // .symtab, empty when stripped
  size_t local_count;
} sim_elf;

bool sim_elf_parse(sim_load *load, sim_bytes file, sim_elf *elf);
void sim_elf_release(sim_elf *elf);
// Finds the bytes of the file that a PT_LOAD segment maps to [address, address + size). Returns false when no
// segment does.
bool sim_elf_at(const sim_elf *elf, uint64_t address, uint64_t size, sim_bytes *out);
// Maps the image of `size` bytes (rounded up to pages) and copies the segments into it.
bool sim_elf_map(sim_load *load, const sim_elf *elf, uint8_t **image);
void sim_elf_unmap(uint8_t *image, uint64_t size);

// --- dynamic.c, relocate.c ---
bool sim_elf_read_dynamic(sim_load *load, sim_elf *elf);
bool sim_elf_read_symbols(sim_load *load, sim_bytes table, sim_bytes strings, sim_elf_symbol **out,
                          size_t *count);
bool sim_elf_relocate(sim_load *load, const sim_elf *elf, uint8_t *image);

// --- debug.c, notes.c ---
// Copy the debug sections and the notes that are not loaded, if there are any and host memory suffices.
void sim_debug_keep(const sim_elf *elf, sim_object *object);
void sim_notes_keep(const sim_elf *elf, sim_object *object);
// Reads a section's header. Returns false when the file has no such section or not all of its bytes.
bool sim_elf_section(const sim_elf *elf, unsigned index, Elf64_Shdr *out);

// --- descriptor.c, metadata.c, symbols.c ---
bool sim_descriptor_read(sim_load *load, const sim_object *object, uint64_t address, sim_kernel *kernel);
bool sim_metadata_read(sim_load *load, sim_bytes metadata, sim_object *object);
// Fills kernels (sorted by name, descriptors read), globals (sorted by name), functions and text.
bool sim_symbols_read(sim_load *load, const sim_elf *elf, sim_object *object);
sim_kernel *sim_symbols_kernel(const sim_object *object, const char *name, size_t size);

#endif
