// SPDX-License-Identifier: MIT
// This is the entry of the object loader: makes a laid-out, relocated code object from bytes of any accepted
// container.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/object/internal.h"

bool sim_load_fail(sim_load *load, sim_object_status status, const char *format, ...) {
  if (load->status != SIM_OBJECT_OK) return false;
  load->status = status;
  if (load->message_size == 0) return false;
  va_list args;
  va_start(args, format);
  vsnprintf(load->message, load->message_size, format, args);
  va_end(args);
  for (char *c = load->message; *c != '\0'; ++c) {
    if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f) *c = '?';  // names come from the file
  }
  return false;
}

void *sim_load_alloc(sim_load *load, size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (memory == NULL) {
    sim_load_fail(load, SIM_OBJECT_NO_MEMORY, "out of memory for %zu entries of %zu bytes", count, size);
  }
  return memory;
}

char *sim_load_name(sim_load *load, const char *name, size_t size) {
  if (size > load->names) {
    sim_load_fail(load, SIM_OBJECT_INVALID, "code object: its symbol names add up to more than the file");
    return NULL;
  }
  load->names -= size;
  char *copy = sim_load_alloc(load, size + 1, 1);
  if (copy != NULL) memcpy(copy, name, size);
  return copy;
}

static bool load_elf(sim_load *load, sim_elf *elf, const sim_target *device, sim_object *object) {
  if (!sim_target_accepts(device, &elf->target)) {
    char want[64], have[64];
    sim_target_features(device, want);
    sim_target_features(&elf->target, have);
    return sim_load_fail(load, SIM_OBJECT_NO_TARGET, "the code object is for %s%s, the device is %s%s",
                         elf->target.processor, have, device->processor, want);
  }
  memcpy(object->target, elf->target.processor, sizeof object->target);
  sim_target_features(&elf->target, object->features);
  object->abi_version = elf->abi_version;
  if (!sim_elf_map(load, elf, &object->image)) return false;
  object->image_size = elf->image_size;
  sim_debug_keep(elf, object);
  sim_notes_keep(elf, object);
  return sim_elf_relocate(load, elf, object->image) && sim_symbols_read(load, elf, object) &&
         sim_metadata_read(load, elf->metadata, object);
}

// Unpacks a compressed bundle, and narrows `file` to the bundle's entry for the device. `*unpacked` receives
// memory that `file` then points into, or NULL; the caller frees it.
static bool choose_bytes(sim_load *load, sim_bytes *file, const sim_target *device, uint8_t **unpacked) {
  size_t unpacked_size = 0;
  *unpacked = NULL;
  if (sim_compressed_is(*file)) {
    if (!sim_compressed_unpack(load, *file, unpacked, &unpacked_size)) return false;
    *file = (sim_bytes){*unpacked, unpacked_size};
    if (!sim_bundle_is(*file))
      return sim_load_fail(load, SIM_OBJECT_INVALID, "compressed offload bundle: it does not hold a bundle");
  }
  return !sim_bundle_is(*file) || sim_bundle_find(load, *file, device, file);
}

static bool load_bytes(sim_load *load, sim_bytes file, const sim_target *device, sim_object *object) {
  uint8_t *unpacked;
  sim_elf elf = {0};
  bool ok = choose_bytes(load, &file, device, &unpacked);
  load->names = 4 * (uint64_t)file.size;
  ok = ok && sim_elf_parse(load, file, &elf) && load_elf(load, &elf, device, object);
  sim_elf_release(&elf);
  free(unpacked);
  return ok;
}

bool sim_object_serves(const void *data, size_t size, const char *target) {
  sim_load load = {.status = SIM_OBJECT_OK};
  sim_target device;
  if (!data || !sim_target_parse(target, strlen(target), &device)) return false;
  sim_target_fix_device(&device);
  if (size == 0 && !sim_size_from_headers(&load, data, &size)) return false;
  sim_bytes file = {data, size};
  uint8_t *unpacked;
  sim_elf elf = {0};
  const bool serves = choose_bytes(&load, &file, &device, &unpacked) && sim_elf_parse(&load, file, &elf) &&
                      sim_target_accepts(&device, &elf.target);
  sim_elf_release(&elf);
  free(unpacked);
  return serves;
}

sim_object_status sim_object_load(const void *data, size_t size, const char *target, sim_object **out,
                                  char *message, size_t message_size) {
  sim_load load = {.status = SIM_OBJECT_OK, .message = message, .message_size = message ? message_size : 0};
  if (load.message_size != 0) message[0] = '\0';
  *out = NULL;
  sim_target device;
  if (data == NULL) {
    sim_load_fail(&load, SIM_OBJECT_INVALID, "code object: the address is NULL");
    return load.status;
  }
  if (!sim_target_parse(target, strlen(target), &device)) {
    sim_load_fail(&load, SIM_OBJECT_UNSUPPORTED, "target \"%.60s\" is not a target id such as gfx950",
                  target);
    return load.status;
  }
  sim_target_fix_device(&device);
  if (size == 0 && !sim_size_from_headers(&load, data, &size)) return load.status;
  sim_object *object = sim_load_alloc(&load, 1, sizeof *object);
  if (object == NULL) return load.status;
  if (!load_bytes(&load, (sim_bytes){data, size}, &device, object)) {
    sim_object_free(object);
    return load.status;
  }
  *out = object;
  return SIM_OBJECT_OK;
}

void sim_object_free(sim_object *object) {
  if (object == NULL) return;
  for (size_t i = 0; i < object->kernel_count; ++i) {
    free(object->kernels[i].name);
    free(object->kernels[i].args);
  }
  for (size_t i = 0; i < object->global_count; ++i) free(object->globals[i].name);
  for (size_t i = 0; i < object->function_count; ++i) free(object->functions[i].name);
  free(object->kernels);
  free(object->globals);
  free(object->functions);
  free(object->text);
  for (int i = 0; i < SIM_DEBUG_SECTIONS; ++i) free(object->debug[i].data);
  free(object->notes.data);
  sim_elf_unmap(object->image, object->image_size);
  free(object);
}
