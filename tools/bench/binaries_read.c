// SPDX-License-Identifier: MIT
// Reads a file of cases: which launch each is, and what was measured of it.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/binaries.h"
#include "core/read_file.h"
#include "sim/settings/nearest.h"

enum { VERSION = 1, MOST_CASES = 1 << 20 };
static const char format_name[] = "wavetile-cases";

const char *const binary_memory_names[BINARY_MEMORIES] = {
    [WT_SIM_TIMING_REPEATED] = "warm", [WT_SIM_TIMING_COPIES] = "copies", [WT_SIM_TIMING_COLD] = "cold"};

static const binary_type types[] = {{"u8", 1, false, 0, UINT8_MAX},
                                    {"u16", 2, false, 0, UINT16_MAX},
                                    {"u32", 4, false, 0, UINT32_MAX},
                                    {"u64", 8, false, 0, INT64_MAX},  // what is more comes as text
                                    {"i8", 1, false, INT8_MIN, INT8_MAX},
                                    {"i16", 2, false, INT16_MIN, INT16_MAX},
                                    {"i32", 4, false, INT32_MIN, INT32_MAX},
                                    {"i64", 8, false, INT64_MIN, INT64_MAX},
                                    {"f32", 4, true, 0, 0},
                                    {"f64", 8, true, 0, 0}};
enum { TYPES = sizeof types / sizeof *types };

// Says which case of which file is read, for messages.
typedef struct reader {
  const char *path;
  size_t number;  // of the case, from 1
  binary_case *c;
} reader;

// Reports what is wrong with a member, and what it should be.
static int refuse(const reader *r, const char *member, const json_t *value, const char *wanted) {
  char *text = value ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
  const int code = tool_error(TOOL_USAGE, "%s: case %zu%s%s%s: \"%s\" is %.80s, want %s", r->path, r->number,
                              r->c->name ? " (" : "", r->c->name ? r->c->name : "", r->c->name ? ")" : "",
                              member, text ? text : "missing", wanted);
  free(text);
  return code;
}

static bool whole_number(const json_t *value, json_int_t least, json_int_t most, json_int_t *out) {
  if (!json_is_integer(value)) return false;
  *out = json_integer_value(value);
  return *out >= least && *out <= most;
}

// ---- values and buffers

static const binary_type *type_of(const char *name) {
  for (int i = 0; i < TYPES; ++i)
    if (strcmp(types[i].name, name) == 0) return &types[i];
  return NULL;
}

// Returns whether a number of the type may come as text: jansson's whole numbers go no further than
// INT64_MAX.
static bool takes_text(const binary_type *type) { return strcmp(type->name, "u64") == 0; }

// Writes the number that a text has, in decimal or, after 0x, in hexadecimal. Returns false when it has none
// of 64 bits.
static bool write_text(const char *text, unsigned char *out) {
  const bool hex = strncmp(text, "0x", 2) == 0;
  const char *digits = hex ? text + 2 : text;
  if (!*digits || digits[strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789")]) return false;
  errno = 0;
  const unsigned long long number = strtoull(digits, NULL, hex ? 16 : 10);
  memcpy(out, &number, sizeof number);
  return errno == 0;
}

// Writes a number as the type has it, little-endian. Returns false when it is not of the type.
static bool write_value(const binary_type *type, const json_t *value, unsigned char *out) {
  if (json_is_string(value)) return takes_text(type) && write_text(json_string_value(value), out);
  if (type->real) {
    if (!json_is_number(value)) return false;
    const double wide = json_number_value(value);
    const float narrow = (float)wide;
    if (type->bytes == sizeof wide)
      memcpy(out, &wide, sizeof wide);
    else
      memcpy(out, &narrow, sizeof narrow);
    return type->bytes == sizeof wide || isfinite(narrow);
  }
  json_int_t number;
  if (!whole_number(value, type->least, type->most, &number)) return false;
  memcpy(out, &number, type->bytes);
  return true;
}

static const char *wanted_of(const binary_type *type) {
  return takes_text(type) ? "a whole number from 0 on, as text if it is above 2^63 - 1"
                          : "a number of this type";
}

static const char fill_forms[] =
    "\"zeros\", \"random\", {\"count\": TYPE} or a value such as {\"f32\": 1.5}, whose bytes divide the "
    "buffer's";

static bool read_fill(const json_t *fill, binary_buffer *b) {
  const char *name = json_string_value(fill);
  if (name && strcmp(name, "zeros") == 0) return true;
  if (name) {
    b->fill = BINARY_FILL_RANDOM;
    return strcmp(name, "random") == 0;
  }
  if (json_object_size(fill) != 1) return false;
  void *member = json_object_iter((json_t *)fill);
  const char *key = json_object_iter_key(member);
  const json_t *value = json_object_iter_value(member);
  if (strcmp(key, "count") == 0) {
    b->fill = BINARY_FILL_COUNT;
    b->type = json_is_string(value) ? type_of(json_string_value(value)) : NULL;
    if (b->type && b->type->real) return false;
  } else {
    b->fill = BINARY_FILL_VALUE;
    b->type = type_of(key);
    if (b->type && !write_value(b->type, value, b->value)) return false;
  }
  return b->type && b->bytes % b->type->bytes == 0;
}

// Gives an argument of so many bytes its place, as "at" says or at the next multiple of its size.
static int place(reader *r, const json_t *argument, uint32_t bytes, uint32_t *at) {
  const json_t *given = json_object_get(argument, "at");
  json_int_t where = (r->c->size + bytes - 1) / bytes * bytes;
  if (given && !whole_number(given, r->c->size, BINARY_ARGUMENTS, &where))
    return refuse(r, "at", given, "a number of bytes from the end of the argument before on");
  if (where + bytes > BINARY_ARGUMENTS)
    return refuse(r, "arguments", argument, "arguments that end within 4096 bytes");
  *at = (uint32_t)where;
  r->c->size = *at + bytes;
  return TOOL_OK;
}

static int read_buffer(reader *r, const json_t *argument, const json_t *size) {
  json_int_t bytes;
  const json_t *fill = json_object_get(argument, "fill");
  if (r->c->buffer_count == BINARY_BUFFERS) return refuse(r, "arguments", argument, "at most 64 buffers");
  if (!whole_number(size, 0, INT64_C(1) << 40, &bytes))
    return refuse(r, "buffer", size, "its size in bytes, or 0 for a null pointer");
  binary_buffer *b = &r->c->buffer[r->c->buffer_count++];
  *b = (binary_buffer){.bytes = (uint64_t)bytes};
  if (fill && !read_fill(fill, b)) return refuse(r, "fill", fill, fill_forms);
  return place(r, argument, sizeof(void *), &b->place);
}

static int read_argument(reader *r, const json_t *argument) {
  static const char wanted[] =
      "objects with one of buffer, u8, u16, u32, u64, i8, i16, i32, i64, f32 and f64, and perhaps name, at "
      "and, for a buffer, fill";
  const json_t *buffer = json_object_get(argument, "buffer"), *value = NULL;
  const binary_type *type = NULL;
  size_t values = buffer ? 1 : 0;
  for (int i = 0; i < TYPES; ++i)
    if (json_object_get(argument, types[i].name))
      type = &types[i], value = json_object_get(argument, types[i].name), ++values;
  const size_t others = (json_object_get(argument, "name") ? 1 : 0) +
                        (json_object_get(argument, "at") ? 1 : 0) +
                        (buffer && json_object_get(argument, "fill") ? 1 : 0);
  if (values != 1 || values + others != json_object_size(argument))
    return refuse(r, "arguments", argument, wanted);
  if (buffer) return read_buffer(r, argument, buffer);
  uint32_t at = 0;
  unsigned char bytes[8];
  if (!write_value(type, value, bytes)) return refuse(r, type->name, value, wanted_of(type));
  const int code = place(r, argument, type->bytes, &at);
  if (!code) memcpy(r->c->arguments + at, bytes, type->bytes);
  return code;
}

// ---- members of a case

static int read_text(const reader *r, const char *member, const json_t *value, const char **out) {
  *out = json_string_value(value);
  return *out && **out ? TOOL_OK : refuse(r, member, value, "text");
}

static int read_group(reader *r, const char *member, const json_t *value) {
  return read_text(r, member, value, &r->c->group);
}

static int read_name(reader *r, const char *member, const json_t *value) {
  return read_text(r, member, value, &r->c->name);
}

static int read_source(reader *r, const char *member, const json_t *value) {
  return read_text(r, member, value, &r->c->source);
}

static int read_kernel(reader *r, const char *member, const json_t *value) {
  return read_text(r, member, value, &r->c->kernel);
}

static uint64_t hash_of(uint64_t hash, const void *data, size_t size) {
  const unsigned char *at = data;
  for (size_t i = 0; i < size; ++i) hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);  // FNV-1a
  return hash;
}

static int read_code_object(reader *r, const char *member, const json_t *value) {
  const int code = read_text(r, member, value, &r->c->code_object);
  if (code) return code;
  const char *slash = strrchr(r->path, '/');
  const int folder = *r->c->code_object != '/' && slash ? (int)(slash - r->path) + 1 : 0;
  if (asprintf(&r->c->path, "%.*s%s", folder, r->path, r->c->code_object) < 0) {
    r->c->path = NULL;
    return tool_error(TOOL_FAILED, "out of host memory for the cases of %s", r->path);
  }
  size_t size;
  unsigned char *data = read_file(r->c->path, &size);
  if (!data)
    return refuse(r, member, value,
                  "the path of a code object that can be read, relative to the file of cases");
  r->c->key = hash_of(r->c->key, data, size);
  free(data);
  return TOOL_OK;
}

static int read_chip(reader *r, const char *member, const json_t *value) {
  const char *name = json_string_value(value);
  r->c->machine = name ? sim_machine_find(name) : NULL;
  return r->c->machine ? TOOL_OK : refuse(r, member, value, "\"mi355x\" or \"mi300x\"");
}

static int read_sizes(const reader *r, const char *member, const json_t *value, uint32_t out[3],
                      json_int_t most) {
  const size_t count = json_array_size(value);
  bool good = count >= 1 && count <= 3;
  for (size_t i = 0; i < 3 && good; ++i) {
    json_int_t number = 1;
    good = i >= count || whole_number(json_array_get(value, i), 1, most, &number);
    out[i] = (uint32_t)number;
  }
  return good ? TOOL_OK : refuse(r, member, value, "an array of one to three whole numbers above 0");
}

static int read_grid(reader *r, const char *member, const json_t *value) {
  return read_sizes(r, member, value, r->c->grid, INT32_MAX);
}

static int read_block(reader *r, const char *member, const json_t *value) {
  return read_sizes(r, member, value, r->c->block, 1024);
}

static int read_lds(reader *r, const char *member, const json_t *value) {
  json_int_t bytes;
  if (!whole_number(value, 0, 1 << 20, &bytes))
    return refuse(r, member, value, "a number of bytes of dynamic LDS");
  r->c->lds = (uint32_t)bytes;
  return TOOL_OK;
}

static int read_arguments(reader *r, const char *member, const json_t *value) {
  int code = json_is_array(value) ? TOOL_OK : refuse(r, member, value, "an array");
  for (size_t i = 0; !code && i < json_array_size(value); ++i)
    code = read_argument(r, json_array_get(value, i));
  return code;
}

static int read_memory(reader *r, const char *member, const json_t *value) {
  const char *name = json_string_value(value);
  for (int i = 0; name && i < BINARY_MEMORIES; ++i)
    if (binary_memory_names[i] && strcmp(name, binary_memory_names[i]) == 0) {
      r->c->memory = (wt_sim_timing_repeat)i;
      return TOOL_OK;
    }
  return refuse(r, member, value, "\"cold\", \"warm\" or \"copies\"");
}

static int read_measured(reader *r, const char *member, const json_t *value) {
  if (!json_is_number(value) || !(json_number_value(value) > 0))
    return refuse(r, member, value, "the microseconds of one launch, or no such member");
  r->c->measured = json_number_value(value);
  return TOOL_OK;
}

static int read_role(reader *r, const char *member, const json_t *value) {
  const char *name = json_string_value(value);
  r->c->role = name && strcmp(name, "choose") == 0 ? BENCH_CHOOSE : BENCH_COMPARE;
  return name && (r->c->role == BENCH_CHOOSE || strcmp(name, "compare") == 0)
             ? TOOL_OK
             : refuse(r, member, value, "\"choose\" or \"compare\"");
}

// Describes the members of a case, those first that messages name.
static const struct {
  const char *name;
  bool needed;
  int (*read)(reader *r, const char *member, const json_t *value);
} members[] = {{"name", true, read_name},
               {"group", true, read_group},
               {"chip", true, read_chip},
               {"code_object", true, read_code_object},
               {"kernel", true, read_kernel},
               {"grid", true, read_grid},
               {"block", true, read_block},
               {"lds", false, read_lds},
               {"arguments", true, read_arguments},
               {"memory", false, read_memory},
               {"measured_us", false, read_measured},
               {"source", false, read_source},
               {"role", false, read_role}};
enum { MEMBERS = sizeof members / sizeof *members };

// `whose` is of the message: "case 1 has" or "the defaults have".
static int check_members(const char *path, const char *whose, const json_t *launch) {
  for (void *at = json_object_iter((json_t *)launch); at; at = json_object_iter_next((json_t *)launch, at)) {
    const char *name = json_object_iter_key(at);
    nearest search = nearest_begin(name);
    bool known = false;
    for (int i = 0; i < MEMBERS; ++i)
      known = known || strcmp(members[i].name, name) == 0, nearest_offer(&search, members[i].name);
    if (known) continue;
    char near[512];
    nearest_text(&search, "", near, sizeof near);
    return tool_error(TOOL_USAGE, "%s: %s a member \"%.80s\", which no case has%s", path, whose, name, near);
  }
  return TOOL_OK;
}

// The key is of the launch alone: what was measured, and what the case is called, may change.
static void add_to_key(binary_case *c, const json_t *launch) {
  static const char *const parts[] = {"chip", "kernel", "grid", "block", "lds", "arguments", "memory"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    const json_t *part = json_object_get(launch, parts[i]);
    char *text = part ? json_dumps(part, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS) : NULL;
    c->key = hash_of(c->key, text ? text : "", text ? strlen(text) + 1 : 1);
    free(text);
  }
}

static int read_case(reader *r, json_t *launch, json_t *defaults) {
  *r->c = (binary_case){.source = "",
                        .role = BENCH_COMPARE,
                        .memory = WT_SIM_TIMING_COLD,
                        .measured = NAN,
                        .key = UINT64_C(0xcbf29ce484222325)};
  if (!json_is_object(launch)) return tool_error(TOOL_USAGE, "%s: case %zu is no object", r->path, r->number);
  if (defaults) json_object_update_missing(launch, defaults);
  char whose[64];
  snprintf(whose, sizeof whose, "case %zu has", r->number);
  int code = check_members(r->path, whose, launch);
  for (int i = 0; i < MEMBERS && !code; ++i) {
    const json_t *value = json_object_get(launch, members[i].name);
    if (value)
      code = members[i].read(r, members[i].name, value);
    else if (members[i].needed)
      code = refuse(r, members[i].name, NULL, "it in each case, or among the defaults");
  }
  if (!code) add_to_key(r->c, launch);
  return code;
}

static int read_cases(const char *path, json_t *list, json_t *defaults, binary_cases *out) {
  const size_t count = json_array_size(list);
  if (!count || count > MOST_CASES) return tool_error(TOOL_USAGE, "%s has no cases", path);
  out->cases = calloc(count, sizeof *out->cases);
  if (!out->cases) return tool_error(TOOL_FAILED, "out of host memory for the cases of %s", path);
  int code = defaults ? check_members(path, "the defaults have", defaults) : TOOL_OK;
  for (size_t i = 0; i < count && !code; ++i) {
    reader r = {path, i + 1, &out->cases[i]};
    out->count = i + 1;
    code = read_case(&r, json_array_get(list, i), defaults);
  }
  return code;
}

static json_t *read_document(const char *path) {
  json_error_t error;
  FILE *file = fopen(path, "r");
  if (!file) {
    tool_error(TOOL_USAGE, "--cases %s cannot be read: %s; pass a file of cases (docs/guide/binaries.md)",
               path, strerror(errno));
    return NULL;
  }
  json_t *document = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
  fclose(file);
  if (document) return document;
  if (strstr(error.text, "too big integer"))
    tool_error(TOOL_USAGE,
               "--cases %s cannot be read: %s (line %d); write a u64 above 2^63 - 1 as text, such as "
               "\"0x8000000000000000\"",
               path, error.text, error.line);
  else
    tool_error(TOOL_USAGE, "--cases %s cannot be read: %s (line %d); docs/guide/binaries.md has the form",
               path, error.text, error.line);
  return NULL;
}

int binary_cases_read(const char *path, binary_cases *out) {
  json_error_t error;
  const char *format = "";
  int version = 0;
  json_t *list = NULL, *defaults = NULL;
  *out = (binary_cases){.document = read_document(path)};
  if (!out->document) return TOOL_USAGE;
  if (json_unpack_ex(out->document, &error, JSON_STRICT, "{s:s, s:i, s?o, s:o}", "format", &format, "version",
                     &version, "defaults", &defaults, "cases", &list) ||
      strcmp(format, format_name) != 0 || version != VERSION || !json_is_array(list) ||
      (defaults && !json_is_object(defaults)))
    return tool_error(
        TOOL_USAGE,
        "--cases %s is not {\"format\": \"%s\", \"version\": %d, \"defaults\": {...}, \"cases\": "
        "[...]}; docs/guide/binaries.md has the form",
        path, format_name, VERSION);
  return read_cases(path, list, defaults, out);
}

void binary_cases_free(binary_cases *cases) {
  for (size_t i = 0; i < cases->count; ++i) free(cases->cases[i].path);
  free(cases->cases);
  json_decref(cases->document);
  *cases = (binary_cases){.document = NULL};
}
