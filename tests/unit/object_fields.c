// SPDX-License-Identifier: MIT
// The loaded fields of every kernel equal what LLVM's own tools print for the same file: the metadata of
// `llvm-readelf --notes` and the descriptors of `llvm-objdump -D`.
// usage: object_fields OBJECT NOTES DESCRIPTORS TARGET VERSION
#include "object_files.h"

static const char *const arg_kind_names[] = {
    [SIM_ARG_BY_VALUE] = "by_value",
    [SIM_ARG_GLOBAL_BUFFER] = "global_buffer",
    [SIM_ARG_DYNAMIC_SHARED_POINTER] = "dynamic_shared_pointer",
    [SIM_ARG_HIDDEN_BLOCK_COUNT_X] = "hidden_block_count_x",
    [SIM_ARG_HIDDEN_BLOCK_COUNT_Y] = "hidden_block_count_y",
    [SIM_ARG_HIDDEN_BLOCK_COUNT_Z] = "hidden_block_count_z",
    [SIM_ARG_HIDDEN_GROUP_SIZE_X] = "hidden_group_size_x",
    [SIM_ARG_HIDDEN_GROUP_SIZE_Y] = "hidden_group_size_y",
    [SIM_ARG_HIDDEN_GROUP_SIZE_Z] = "hidden_group_size_z",
    [SIM_ARG_HIDDEN_REMAINDER_X] = "hidden_remainder_x",
    [SIM_ARG_HIDDEN_REMAINDER_Y] = "hidden_remainder_y",
    [SIM_ARG_HIDDEN_REMAINDER_Z] = "hidden_remainder_z",
    [SIM_ARG_HIDDEN_GLOBAL_OFFSET_X] = "hidden_global_offset_x",
    [SIM_ARG_HIDDEN_GLOBAL_OFFSET_Y] = "hidden_global_offset_y",
    [SIM_ARG_HIDDEN_GLOBAL_OFFSET_Z] = "hidden_global_offset_z",
    [SIM_ARG_HIDDEN_GRID_DIMS] = "hidden_grid_dims",
    [SIM_ARG_HIDDEN_NONE] = "hidden_none",
    [SIM_ARG_HIDDEN_QUEUE_PTR] = "hidden_queue_ptr",
};

static const char *arg_kind_name(sim_arg_kind kind) {
  size_t count = sizeof arg_kind_names / sizeof arg_kind_names[0];
  return (size_t)kind < count && arg_kind_names[kind] != NULL ? arg_kind_names[kind] : "(not in the test)";
}

// Splits one "key: value" of a line, without leading blanks and dashes; false when the line is not one.
static bool split(const char *line, unsigned *indent, char key[128], char value[256]) {
  size_t at = strspn(line, " -");
  *indent = (unsigned)at;
  value[0] = '\0';
  return sscanf(line + at, "%127[^: ]: %255[^\n]", key, value) >= 1;
}

// Finds integer fields of sim_kernel by metadata key.
static bool kernel_number(const sim_kernel *k, const char *key, uint32_t *out) {
  const struct {
    const char *key;
    uint32_t value;
  } numbers[] = {
      {".agpr_count", k->agpr_count},
      {".vgpr_count", k->vgpr_count},
      {".sgpr_count", k->sgpr_count},
      {".vgpr_spill_count", k->vgpr_spills},
      {".sgpr_spill_count", k->sgpr_spills},
      {".max_flat_workgroup_size", k->max_workgroup_size},
      {".group_segment_fixed_size", k->lds_bytes},
      {".private_segment_fixed_size", k->scratch_bytes},
      {".kernarg_segment_size", k->kernarg_bytes},
      {".kernarg_segment_align", k->kernarg_align},
      {".max_num_workgroups_x", k->max_workgroups[0]},
      {".max_num_workgroups_y", k->max_workgroups[1]},
      {".max_num_workgroups_z", k->max_workgroups[2]},
      {".uniform_work_group_size", k->uniform_workgroup_size},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; ++i) {
    if (strcmp(numbers[i].key, key) != 0) continue;
    *out = numbers[i].value;
    return true;
  }
  return false;
}

typedef struct note_kernel {
  char name[64];
  sim_arg args[64];
  char kinds[64][64];
  uint32_t arg_count;
  char keys[64][64], values[64][128];
  uint32_t key_count;
} note_kernel;

static void check_kernel(const sim_object *object, const note_kernel *note) {
  const sim_kernel *k = sim_object_kernel(object, note->name);
  CHECK(k != NULL, "kernel %s", note->name);
  if (k == NULL) return;
  CHECK(k->has_metadata, "%s", note->name);
  CHECK(k->arg_count == note->arg_count, "%s: %u, %u", note->name, k->arg_count, note->arg_count);
  for (uint32_t i = 0; i < k->arg_count && i < note->arg_count; ++i) {
    CHECK(k->args[i].offset == note->args[i].offset, "%s argument %u", note->name, i);
    CHECK(k->args[i].size == note->args[i].size, "%s argument %u", note->name, i);
    CHECK(strcmp(arg_kind_name(k->args[i].kind), note->kinds[i]) == 0, "%s argument %u: %s, %s", note->name,
          i, arg_kind_name(k->args[i].kind), note->kinds[i]);
    bool hidden = strncmp(note->kinds[i], "hidden_", 7) == 0;
    CHECK(hidden == (i >= k->explicit_arg_count), "%s argument %u", note->name, i);
  }
  unsigned numbers = 0;
  for (uint32_t i = 0; i < note->key_count; ++i) {
    uint32_t loaded;
    if (strcmp(note->keys[i], ".uses_dynamic_stack") == 0) {
      CHECK(k->uses_dynamic_stack == (strcmp(note->values[i], "true") == 0), "%s", note->name);
    } else if (kernel_number(k, note->keys[i], &loaded)) {
      ++numbers;
      CHECK(loaded == strtoul(note->values[i], NULL, 0), "%s %s: %u, %s", note->name, note->keys[i], loaded,
            note->values[i]);
    }
  }
  CHECK(numbers >= 7, "%s: only %u numbers compared", note->name, numbers);
}

// Kernels begin at "  - ", their arguments at "      - ".
static size_t check_notes(const sim_object *object, char *notes) {
  note_kernel *note = calloc(1, sizeof *note);
  size_t kernels = 0;
  if (note == NULL) exit(1);
  for (char *line = strtok(notes, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    unsigned indent;
    char key[128], value[256];
    if (strncmp(line, "amdhsa.target", 13) == 0 || strncmp(line, "amdhsa.version", 14) == 0) break;
    if (!split(line, &indent, key, value) || key[0] != '.') continue;
    if (strncmp(line, "  - ", 4) == 0) {
      if (kernels++ != 0) check_kernel(object, note);
      memset(note, 0, sizeof *note);
    }
    if (strncmp(line, "      - ", 8) == 0 && ++note->arg_count > 64) exit(1);
    if (indent == 8 && note->arg_count != 0) {
      sim_arg *arg = &note->args[note->arg_count - 1];
      if (strcmp(key, ".offset") == 0) arg->offset = (uint32_t)strtoul(value, NULL, 0);
      if (strcmp(key, ".size") == 0) arg->size = (uint32_t)strtoul(value, NULL, 0);
      if (strcmp(key, ".value_kind") == 0) snprintf(note->kinds[note->arg_count - 1], 64, "%.63s", value);
    } else if (indent == 4 && note->key_count < 64) {
      snprintf(note->keys[note->key_count], 64, "%.63s", key);
      snprintf(note->values[note->key_count++], 128, "%.127s", value);
      if (strcmp(key, ".name") == 0) snprintf(note->name, sizeof note->name, "%.63s", value);
    }
  }
  if (kernels != 0) check_kernel(object, note);
  free(note);
  return kernels;
}

static uint32_t bits(uint32_t word, unsigned low, unsigned count) {
  return word >> low & ((1u << count) - 1);
}

// Checks the assembler directives that llvm-objdump prints for the descriptors.
static size_t check_descriptors(const sim_object *object, char *text) {
  const sim_kernel *k = NULL;
  size_t compared = 0;
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    char key[128], name[128];
    if (sscanf(line, " %127s %127s", key, name) != 2) continue;
    if (strcmp(key, ".amdhsa_kernel") == 0) {
      k = sim_object_kernel(object, name);
      CHECK(k != NULL, "kernel %s", name);
    }
    if (k == NULL || strncmp(key, ".amdhsa_", 8) != 0) continue;
    uint32_t vgprs = bits(k->rsrc1, 0, 6), sgprs = bits(k->rsrc1, 6, 4);
    const struct {
      const char *key;
      uint32_t value;
    } fields[] = {
        {"group_segment_fixed_size", k->lds_bytes},
        {"private_segment_fixed_size", k->scratch_bytes},
        {"accum_offset", 4 * (bits(k->rsrc3, 0, 6) + 1)},
        {"next_free_vgpr", 8 * (vgprs + 1)},
        {"next_free_sgpr", 8 * (sgprs + 1)},
        {"float_denorm_mode_32", bits(k->rsrc1, 16, 2)},
        {"dx10_clamp", bits(k->rsrc1, 21, 1)},
        {"ieee_mode", bits(k->rsrc1, 23, 1)},
        {"enable_private_segment", bits(k->rsrc2, 0, 1)},
        {"system_sgpr_workgroup_id_y", bits(k->rsrc2, 8, 1)},
        {"system_vgpr_workitem_id", bits(k->rsrc2, 11, 2)},
        {"user_sgpr_dispatch_ptr", bits(k->properties, 1, 1)},
        {"user_sgpr_kernarg_segment_ptr", bits(k->properties, 3, 1)},
        {"user_sgpr_kernarg_preload_length", k->preload_length},
        {"user_sgpr_kernarg_preload_offset", k->preload_offset},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i) {
      if (strcmp(key + 8, fields[i].key) != 0) continue;
      ++compared;
      CHECK(fields[i].value == strtoul(name, NULL, 0), "%s %s: %u, %s", k->name, key, fields[i].value, name);
    }
  }
  return compared;
}

static void check_ranges(const sim_object *object) {
  for (size_t i = 0; i < object->kernel_count; ++i) {
    const sim_kernel *k = &object->kernels[i];
    size_t inside = 0;
    for (size_t j = 0; j < object->text_count; ++j) {
      inside += k->entry >= object->text[j].begin && k->entry < object->text[j].end;
    }
    CHECK(inside == 1, "%s", k->name);
    size_t functions = 0;
    for (size_t j = 0; j < object->function_count; ++j) {
      functions += object->functions[j].begin == k->entry && strcmp(object->functions[j].name, k->name) == 0;
    }
    CHECK(functions == 1, "%s has %zu function symbols", k->name, functions);
  }
  for (size_t j = 0; j < object->function_count; ++j) {
    CHECK(object->functions[j].begin < object->functions[j].end, "%s", object->functions[j].name);
    CHECK(j == 0 || object->functions[j - 1].begin <= object->functions[j].begin, "functions are not sorted");
  }
}

// Checks the notes of object_kernels.hip that are not loaded, if LLVM's tool finds them in the file.
static void check_unloaded_notes(const sim_object *object, const char *text) {
  static const uint8_t contents[] = {1, 2, 3};
  size_t at = 0, count = 0;
  sim_note note;
  for (; sim_object_note(object, &at, &note); ++count) {
    CHECK(strcmp(note.owner, "test") == 0 && note.type == 7 + count, "note %zu: %s %u", count, note.owner,
          note.type);
    CHECK(note.size == (count ? 0 : sizeof contents) && memcmp(note.data, contents, note.size) == 0,
          "note %zu: %zu bytes", count, note.size);
  }
  CHECK(count == (strstr(text, ".note.test") ? 2 : 0), "%zu notes", count);
}

int main(int argc, char **argv) {
  if (argc != 6) return 2;
  test_file file = test_read_file(argv[1]), notes = test_read_file(argv[2]), text = test_read_file(argv[3]);
  sim_object *object;
  sim_object_status status = test_load(file.data, file.size, argv[4], &object);
  CHECK(status == SIM_OBJECT_OK, "%s: %s", argv[1], test_message);
  if (status != SIM_OBJECT_OK) return test_result();
  CHECK(strncmp(object->target, argv[4], strlen(object->target)) == 0, "%s", object->target);
  CHECK(object->abi_version == strtoul(argv[5], NULL, 0), "version %u", object->abi_version);
  CHECK((uintptr_t)object->image % 4096 == 0, "image at %p", (void *)object->image);
  check_unloaded_notes(object, (char *)notes.data);
  CHECK(check_notes(object, (char *)notes.data) == object->kernel_count, "%zu kernels", object->kernel_count);
  CHECK(check_descriptors(object, (char *)text.data) >= 13 * object->kernel_count, "too few fields compared");
  check_ranges(object);
  CHECK(sim_object_kernel(object, "plai") == NULL && sim_object_kernel(object, "plain_") == NULL, "lookup");
  sim_object_free(object);
  free(file.data);
  free(notes.data);
  free(text.data);
  return test_result();
}
