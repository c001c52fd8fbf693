// SPDX-License-Identifier: MIT
// Globals have the initial values of the source, pointers among them point into the loaded image, and every
// relocation type computes the formula of AMDGPUUsage. usage: object_relocations OBJECT TARGET
#include <elf.h>

#include "object_files.h"

static const sim_global *global(const sim_object *object, const char *name, uint64_t size) {
  const sim_global *g = sim_object_global(object, name);
  CHECK(g != NULL && g->size == size, "global %s", name);
  if (g == NULL) exit(test_result());
  return g;
}

static void check_globals(const sim_object *object) {
  const sim_global *counter = global(object, "counter", 4);
  int32_t five, numbers[4];
  memcpy(&five, object->image + counter->offset, 4);
  CHECK(five == 5, "counter is %d", five);
  const sim_global *preemptible = global(object, "preemptible", 16);
  memcpy(numbers, object->image + preemptible->offset, 16);
  CHECK(numbers[0] == 1 && numbers[3] == 4, "preemptible[3] is %d", numbers[3]);
  const sim_global *pointer = global(object, "pointer_to_third", 8);
  uint64_t address;
  memcpy(&address, object->image + pointer->offset, 8);
  CHECK(address == (uint64_t)(uintptr_t)object->image + preemptible->offset + 8, "0x%llx",
        (unsigned long long)address);
  float half;
  memcpy(&half, object->image + global(object, "coefficients", 12)->offset, 4);
  CHECK(half == 0.5f, "coefficients[0] is %g", half);
  const sim_global *block = global(object, "aligned_block", 64);
  CHECK(((uintptr_t)object->image + block->offset) % 16384 == 0, "aligned_block at %p",
        (void *)(object->image + block->offset));
  CHECK(global(object, "managed_value", 8)->managed, "managed_value is a managed variable");
  CHECK(!global(object, "managed_value.managed", 4)->managed && !counter->managed, "others are not");
  CHECK(sim_object_global(object, "plain.kd") == NULL, "descriptors are not globals");
}

// Finds the relocation of pointer_to_third: R_AMDGPU_ABS64 against `preemptible` plus 8.
static size_t find_relocation(test_file file, uint64_t place) {
  for (size_t at = 0; at + sizeof(Elf64_Rela) <= file.size; at += 8) {
    Elf64_Rela r;
    memcpy(&r, file.data + at, sizeof r);
    if (r.r_offset == place && ELF64_R_TYPE(r.r_info) == 3 && r.r_addend == 8) return at;
  }
  fprintf(stderr, "the fixture has no R_AMDGPU_ABS64 at 0x%llx\n", (unsigned long long)place);
  exit(1);
}

static void check_types(test_file file, const char *target, uint64_t symbol, uint64_t place) {
  static const struct {
    unsigned type, size;
    char formula;  // A: S + A, R: S + A - P, B: B + A, h and H: their high halves, 0: untouched
  } types[] = {{0, 8, '0'}, {1, 4, 'A'},  {2, 4, 'h'},  {3, 8, 'A'}, {4, 4, 'R'},
               {5, 8, 'R'}, {10, 4, 'R'}, {11, 4, 'H'}, {13, 8, 'B'}};
  size_t at = find_relocation(file, place);
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
    uint32_t type = types[i].type;
    memcpy(file.data + at + 8, &type, 4);
    sim_object *object;
    CHECK(test_load(file.data, file.size, target, &object) == SIM_OBJECT_OK, "%u: %s", type, test_message);
    if (object == NULL) continue;
    uint64_t base = (uint64_t)(uintptr_t)object->image, a = base + symbol + 8, r = a - (base + place);
    char f = types[i].formula;
    uint64_t expected = f == 'A'   ? a
                        : f == 'h' ? a >> 32
                        : f == 'R' ? r
                        : f == 'H' ? r >> 32
                        : f == 'B' ? base + 8
                                   : 0;
    uint64_t got = 0, mask = types[i].size == 8 ? UINT64_MAX : UINT32_MAX, rest = 0;
    memcpy(&got, object->image + place, types[i].size);
    if (types[i].size == 4) memcpy(&rest, object->image + place + 4, 4);
    CHECK(got == (expected & mask), "type %u: 0x%llx, expected 0x%llx", type, (unsigned long long)got,
          (unsigned long long)(expected & mask));
    CHECK(rest == 0, "type %u wrote more than 4 bytes", type);
    sim_object_free(object);
  }
  static const char *const refused[] = {[6] = "R_AMDGPU_ABS32",
                                        [7] = "R_AMDGPU_GOTPCREL",
                                        [8] = "R_AMDGPU_GOTPCREL32_LO",
                                        [9] = "R_AMDGPU_GOTPCREL32_HI",
                                        [12] = "type 12",
                                        [14] = "R_AMDGPU_REL16",
                                        [15] = "type 15"};
  for (uint32_t type = 6; type < sizeof refused / sizeof refused[0]; ++type) {
    if (refused[type] == NULL) continue;
    memcpy(file.data + at + 8, &type, 4);
    test_expect(file, file.size, target, SIM_OBJECT_UNSUPPORTED, refused[type]);
  }
  const uint32_t abs64 = 3, beyond = 0x10000;
  memcpy(file.data + at + 8, &abs64, 4);
  uint32_t symbol_index;
  memcpy(&symbol_index, file.data + at + 12, 4);
  memcpy(file.data + at + 12, &beyond, 4);
  test_expect(file, file.size, target, SIM_OBJECT_INVALID, "names symbol 65536");
  memcpy(file.data + at + 12, &symbol_index, 4);
  const uint64_t outside = UINT64_C(1) << 40;
  memcpy(file.data + at, &outside, 8);
  test_expect(file, file.size, target, SIM_OBJECT_INVALID, "outside the image");
  memcpy(file.data + at, &place, 8);
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  test_file file = test_read_file(argv[1]);
  sim_object *object;
  CHECK(test_load(file.data, file.size, argv[2], &object) == SIM_OBJECT_OK, "%s", test_message);
  if (object == NULL) return test_result();
  check_globals(object);
  uint64_t symbol = global(object, "preemptible", 16)->offset;
  uint64_t place = global(object, "pointer_to_third", 8)->offset;
  sim_object_free(object);
  check_types(file, argv[2], symbol, place);
  free(file.data);
  return test_result();
}
