// SPDX-License-Identifier: MIT
// A file cut short anywhere is refused; a file with any bit flipped neither crashes nor corrupts memory; what
// is well-formed but not known is refused by name. usage: object_malformed TARGET OBJECT [BUNDLE...]
#include <elf.h>

#include "object_files.h"
#include "sim/object/internal.h"

// Every byte and bit of the headers at the front is tried. Behind them a sample is enough, and more so in
// code and padding, which matter to nobody here.
enum { HEADERS = 1024, FRONT = 4096, FRONT_STEP = 11 };
static size_t step_at(size_t byte, size_t step) {
  return byte < HEADERS ? 1 : byte < FRONT ? FRONT_STEP : step;
}

// The linker writes the section headers last, and every container states how long it is, so every cut shows.
static void check_truncation(test_file file, const char *target, size_t step) {
  for (size_t size = 1; size < file.size; size += step_at(size, step)) {
    sim_object *object;
    sim_object_status status = test_load(file.data, size, target, &object);
    CHECK(status == SIM_OBJECT_INVALID, "cut to %zu of %zu bytes: status %d \"%s\"", size, file.size, status,
          test_message);
    sim_object_free(object);
  }
}

static void check_bit_flips(test_file file, const char *target, size_t step) {
  size_t loaded = 0, tried = 0;
  for (size_t bit = 0; bit < file.size * 8; bit += step_at(bit / 8, step)) {
    file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
    sim_object *object;
    loaded += test_load(file.data, file.size, target, &object) == SIM_OBJECT_OK;
    ++tried;
    sim_object_free(object);
    file.data[bit / 8] ^= (uint8_t)(1u << bit % 8);
  }
  printf("%zu of %zu files with one bit flipped still load\n", loaded, tried);
}

// Replaces text of equal length where `from` first stands, expects the refusal, and restores it.
static void check_replaced(test_file file, const char *target, const char *from, const char *to,
                           sim_object_status status, const char *words) {
  size_t size = strlen(from), at = test_find(file, from, size);
  memcpy(file.data + at, to, size);
  test_expect(file, file.size, target, status, words);
  memcpy(file.data + at, from, size);
}

static void check_byte(test_file file, const char *target, size_t at, uint8_t value, sim_object_status status,
                       const char *words) {
  uint8_t saved = file.data[at];
  file.data[at] = value;
  test_expect(file, file.size, target, status, words);
  file.data[at] = saved;
}

static void check_metadata(test_file file, const char *target) {
  const sim_object_status unknown = SIM_OBJECT_UNSUPPORTED, bad = SIM_OBJECT_INVALID;
  check_replaced(file, target, "global_buffer", "global_bluffs", unknown, ".value_kind \"global_bluffs\"");
  check_replaced(file, target, ".address_space", ".address_spoon", unknown,
                 "\".address_spoon\" of an argument");
  check_replaced(file, target, ".sgpr_count", ".sgpr_cants", unknown, "\".sgpr_cants\" of a kernel");
  check_replaced(file, target, ".wavefront_size", ".wavefront_sign", unknown,
                 "\".wavefront_sign\" of a kernel");
  check_replaced(file, target, ".vgpr_count", ".sgpr_count", bad,
                 "\".sgpr_count\" of a kernel is there twice");
  check_replaced(file, target, "amdhsa.target", "amdhsa.bucket", unknown, "\"amdhsa.bucket\" of the object");
  // Tools add keys of their own, as Tensile does with custom.config.
  check_replaced(file, target, "amdhsa.target", "amdgcn_target", SIM_OBJECT_OK, "");
  check_replaced(file, target, ".sgpr_count", "vendor.note", SIM_OBJECT_OK, "");
  check_replaced(file, target, "amdhsa.version\x92\x01", "amdhsa.version\x92\x02", unknown,
                 "amdhsa.version 2.");
  check_replaced(file, target, ".wavefront_size\x40", ".wavefront_size\x20", unknown, "wavefront size 32");
  check_replaced(file, target, "\xa8plain.kd", "\xa8plaid.kd", bad, "symbol plaid.kd");
  check_replaced(file, target, "--gfx9", "--gfx8", bad, "amdhsa.target");
}

// A message quotes 200 bytes of a name, and all of a shorter one.
static void check_long_names(void) {
  for (uint8_t size = 199; size <= 202; ++size) {
    // This is a map of one string, of 8 bits of length, to the number 0.
    uint8_t bytes[256] = {0x81, 0xd9, size, '.'};
    char message[512] = "", expected[512];
    sim_load load = {.message = message, .message_size = sizeof message};
    sim_object object = {.target = "gfx950"};
    memset(bytes + 4, 'n', size - 1u);
    snprintf(expected, sizeof expected, "key \"%.*s\" of", size < 200 ? size : 200, (char *)bytes + 3);
    CHECK(!sim_metadata_read(&load, (sim_bytes){bytes, size + 4u}, &object), "a key of %d bytes", size);
    CHECK(strstr(message, expected), "%d bytes: %s", size, message);
  }
}

static void check_header(test_file file, const char *target) {
  const sim_object_status unknown = SIM_OBJECT_UNSUPPORTED;
  check_byte(file, target, 0, 'x', SIM_OBJECT_INVALID, "neither an ELF file nor an offload bundle");
  check_byte(file, target, EI_CLASS, ELFCLASS32, SIM_OBJECT_INVALID, "64-bit");
  check_byte(file, target, EI_OSABI, 65, unknown, "OS ABI 65");
  check_byte(file, target, EI_ABIVERSION, 1, unknown, "version 3");
  check_byte(file, target, EI_ABIVERSION, 5, unknown, "version 7");
  check_byte(file, target, offsetof(Elf64_Ehdr, e_machine), 62, unknown, "ELF machine 62");
  check_byte(file, target, offsetof(Elf64_Ehdr, e_type), ET_REL, unknown, "ELF type 1");
  check_byte(file, target, offsetof(Elf64_Ehdr, e_flags), 0x3f, unknown, "gfx90a");
  check_byte(file, target, offsetof(Elf64_Ehdr, e_flags), 0x5f, unknown, "gfx9-4-generic");  // of no version
  check_byte(file, target, offsetof(Elf64_Ehdr, e_flags), 0x51, unknown, "gfx9-generic");
  check_byte(file, target, offsetof(Elf64_Ehdr, e_flags), 0xfe, unknown, "0xfe");
  check_byte(file, target, offsetof(Elf64_Ehdr, e_flags) + 2, 1, unknown, "ELF flags 0x10000");
}

// Sets bits of a descriptor found by its symbol, each of which must be refused by name.
static void check_descriptor(test_file file, const char *target) {
  sim_object *object;
  if (test_load(file.data, file.size, target, &object) != SIM_OBJECT_OK) exit(1);
  const sim_kernel *k = sim_object_kernel(object, "plain");
  size_t at = test_find(file, (const char *)object->image + k->descriptor, 64);
  sim_object_free(object);
  const struct {
    unsigned byte;
    uint8_t bit;
    const char *words;
  } bits[] = {{12, 0, "reserved descriptor bytes"},
              {50, 4, "PRIV of"},
              {51, 7, "compute_pgm_rsrc1"},
              {52, 6, "ENABLE_TRAP_HANDLER"},
              {53, 7, "GRANULATED"},
              {55, 0, "exception traps"},
              {45, 7, "compute_pgm_rsrc3"},
              {57, 2, "WAVEFRONT_SIZE32"},
              {56, 0, "PRIVATE_SEGMENT_BUFFER"},
              {57, 7, "kernel code properties"},
              {60, 3, "reserved descriptor bytes"}};
  for (size_t i = 0; i < sizeof bits / sizeof bits[0]; ++i) {
    uint8_t value = file.data[at + bits[i].byte] | (uint8_t)(1u << bits[i].bit);
    check_byte(file, target, at + bits[i].byte, value, SIM_OBJECT_UNSUPPORTED, bits[i].words);
  }
  check_byte(file, target, at + 16, file.data[at + 16] ^ 4, SIM_OBJECT_INVALID, "256-byte aligned");
  check_byte(file, target, at + 11, 0xff, SIM_OBJECT_INVALID, "bytes of kernel arguments");
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  const char *target = argv[1];
  for (int i = 2; i < argc; ++i) {
    test_file file = test_read_file(argv[i]);
    check_truncation(file, target, 31);
    check_bit_flips(file, target, 97);
    free(file.data);
  }
  test_file file = test_read_file(argv[2]);
  check_long_names();
  check_metadata(file, target);
  check_header(file, target);
  check_descriptor(file, target);
  free(file.data);
  sim_object *object;
  CHECK(sim_object_load(NULL, 0, target, &object, test_message, sizeof test_message) == SIM_OBJECT_INVALID,
        "NULL");
  CHECK(sim_object_load("not an object at all", 20, target, &object, NULL, 0) == SIM_OBJECT_INVALID,
        "no message");
  return test_result();
}
