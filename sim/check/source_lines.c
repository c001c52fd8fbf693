// SPDX-License-Identifier: MIT
// Runs line number programs (DWARF 5 standard, section 6.2; version 4 as in DWARF 4). The sections come from
// a file and may hold anything: every read is bounded, and what makes no sense ends the table.
#include "sim/check/source_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
  uint64_t address;
  uint32_t line, name;  // name: offset in names, UINT32_MAX at the end of a sequence
  size_t order;         // of several rows at an address the last holds
} row;

struct sim_source_lines {
  row *rows;
  size_t count, capacity;
  char *names;  // NUL separated
  size_t names_size, names_capacity;
};

enum { END = UINT32_MAX, MOST_FILES = 4096, MOST_FORMATS = 16 };

// ---- bytes

typedef struct cursor {
  const uint8_t *at, *end;
  bool bad;
} cursor;

static uint64_t fixed(cursor *c, unsigned bytes) {
  uint64_t value = 0;
  if ((size_t)(c->end - c->at) < bytes) {
    c->bad = true;
    c->at = c->end;
    return 0;
  }
  for (unsigned i = 0; i < bytes; ++i) value |= (uint64_t)c->at[i] << (8 * i);
  c->at += bytes;
  return value;
}

static uint64_t uleb(cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    const uint64_t byte = fixed(c, 1);
    if (shift < 64) value |= (byte & 127) << shift;
    if (byte < 128) return value;
  }
  c->bad = true;
  return 0;
}

static int64_t sleb(cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    const uint64_t byte = fixed(c, 1);
    if (shift < 64) value |= (byte & 127) << shift;
    if (byte >= 128) continue;
    if (byte & 64 && shift + 7 < 64) value |= ~0ull << (shift + 7);
    return (int64_t)value;
  }
  c->bad = true;
  return 0;
}

static const char *string(cursor *c) {
  const uint8_t *end = memchr(c->at, 0, (size_t)(c->end - c->at));
  const char *text = (const char *)c->at;
  if (!end) {
    c->bad = true;
    c->at = c->end;
    return "";
  }
  c->at = end + 1;
  return text;
}

static void skip(cursor *c, uint64_t bytes) {
  if (bytes > (uint64_t)(c->end - c->at)) {
    c->bad = true;
    bytes = (uint64_t)(c->end - c->at);
  }
  c->at += bytes;
}

// ---- results

static bool grow(void **data, size_t *capacity, size_t need, size_t size) {
  if (need <= *capacity) return true;
  size_t larger = *capacity ? *capacity : 64;
  while (larger < need) larger *= 2;
  void *grown = realloc(*data, larger * size);
  if (!grown) return false;
  *data = grown;
  *capacity = larger;
  return true;
}

static uint32_t add_name(sim_source_lines *s, const char *directory, const char *file) {
  char text[512];
  const bool join = *directory && *file != '/';
  const int length = snprintf(text, sizeof text, "%s%s%s", join ? directory : "", join ? "/" : "", file);
  const size_t bytes = (size_t)length < sizeof text ? (size_t)length + 1 : sizeof text;
  if (length < 0 || s->names_size > UINT32_MAX / 2 ||
      !grow((void **)&s->names, &s->names_capacity, s->names_size + bytes, 1))
    return END;
  memcpy(s->names + s->names_size, text, bytes);
  s->names_size += bytes;
  return (uint32_t)(s->names_size - bytes);
}

static void add_row(sim_source_lines *s, uint64_t address, uint32_t line, uint32_t name) {
  if (grow((void **)&s->rows, &s->capacity, s->count + 1, sizeof *s->rows))
    s->rows[s->count] = (row){address, line, name, s->count};
  else
    return;
  ++s->count;
}

// ---- headers

typedef struct unit {
  unsigned version, offset_size, minimum, default_is_stmt, range, opcode_base;
  int line_base;
  uint8_t lengths[256];
  uint32_t *files;  // names
  size_t file_count;
} unit;

// DW_FORM_*: string, line_strp, strp; data and block forms are only skipped, but for a directory's number.
static const char *read_form(cursor *c, const unit *u, const sim_object *o, uint64_t form, uint64_t *number) {
  *number = 0;
  switch (form) {
    case 0x08: return string(c);
    case 0x1f: {
      const uint64_t at = fixed(c, u->offset_size);
      cursor text = {o->debug_line_str, o->debug_line_str + o->debug_line_str_size, false};
      skip(&text, at);
      return string(&text);
    }
    case 0x0e: fixed(c, u->offset_size); return "";
    case 0x0b: *number = fixed(c, 1); return "";
    case 0x05: *number = fixed(c, 2); return "";
    case 0x06: *number = fixed(c, 4); return "";
    case 0x07: *number = fixed(c, 8); return "";
    case 0x0f: *number = uleb(c); return "";
    case 0x1e: skip(c, 16); return "";
    case 0x09: skip(c, uleb(c)); return "";
    default: c->bad = true; return "";
  }
}

// A version 5 table of directories (names only) or of files, whose directories come from `directories`.
static size_t read_entries(cursor *c, const unit *u, const sim_object *o, const char **directories,
                           size_t known, const char **names, size_t most, uint32_t *files,
                           sim_source_lines *s) {
  uint64_t content[MOST_FORMATS], form[MOST_FORMATS];
  const uint64_t formats = fixed(c, 1);
  if (formats > MOST_FORMATS) c->bad = true;
  for (uint64_t i = 0; i < formats && !c->bad; ++i) {
    content[i] = uleb(c);
    form[i] = uleb(c);
  }
  const uint64_t count = uleb(c);
  size_t kept = 0;
  for (uint64_t i = 0; i < count && !c->bad; ++i) {
    const char *path = "";
    uint64_t directory = 0;
    for (uint64_t k = 0; k < formats; ++k) {
      uint64_t number;
      const char *text = read_form(c, u, o, form[k], &number);
      if (content[k] == 1) path = text;         // DW_LNCT_path
      if (content[k] == 2) directory = number;  // DW_LNCT_directory_index
    }
    if (kept == most || c->bad) continue;
    if (files)
      files[kept] = add_name(s, directory < known ? directories[directory] : "", path);
    else
      names[kept] = path;
    ++kept;
  }
  return kept;
}

static void read_names_5(cursor *c, unit *u, const sim_object *o, sim_source_lines *s) {
  const char **directories = calloc(MOST_FILES, sizeof *directories);
  u->files = calloc(MOST_FILES, sizeof *u->files);
  if (directories && u->files) {
    const size_t known = read_entries(c, u, o, NULL, 0, directories, MOST_FILES, NULL, s);
    u->file_count = read_entries(c, u, o, directories, known, NULL, MOST_FILES, u->files, s);
  }
  free(directories);
}

// Version 4: lists that end with an empty name; both count from 1.
static void read_names_4(cursor *c, unit *u, sim_source_lines *s) {
  const char **directories = calloc(MOST_FILES, sizeof *directories);
  u->files = calloc(MOST_FILES, sizeof *u->files);
  size_t known = 1;
  u->file_count = 1;
  if (directories && u->files) {
    directories[0] = "";
    u->files[0] = END;
    for (const char *text; !c->bad && *(text = string(c));)
      if (known < MOST_FILES) directories[known++] = text;
    for (const char *text; !c->bad && *(text = string(c));) {
      const uint64_t directory = uleb(c);
      uleb(c), uleb(c);
      if (u->file_count < MOST_FILES)
        u->files[u->file_count++] = add_name(s, directory < known ? directories[directory] : "", text);
    }
  }
  free(directories);
}

static bool read_header(cursor *c, unit *u, const sim_object *o, sim_source_lines *s) {
  u->version = (unsigned)fixed(c, 2);
  if (u->version != 4 && u->version != 5) return false;
  if (u->version == 5) fixed(c, 2);  // sizes of an address and of a segment selector
  const uint64_t length = fixed(c, u->offset_size);
  cursor header = *c;
  if (length > (uint64_t)(c->end - c->at)) return false;
  header.end = c->at + length;
  u->minimum = (unsigned)fixed(&header, 1);
  fixed(&header, 1);  // operations per instruction: no VLIW
  u->default_is_stmt = (unsigned)fixed(&header, 1);
  u->line_base = (int8_t)fixed(&header, 1);
  u->range = (unsigned)fixed(&header, 1);
  u->opcode_base = (unsigned)fixed(&header, 1);
  if (!u->range || !u->opcode_base) return false;
  for (unsigned i = 1; i < u->opcode_base; ++i) u->lengths[i] = (uint8_t)fixed(&header, 1);
  if (u->version == 5)
    read_names_5(&header, u, o, s);
  else
    read_names_4(&header, u, s);
  skip(c, length);
  return !header.bad && !c->bad;
}

// ---- programs

typedef struct machine {
  uint64_t address, file;
  int64_t line;
} machine;

static void emit(const unit *u, const machine *m, sim_source_lines *s) {
  if (m->file < u->file_count && m->line > 0 && m->line <= INT32_MAX && u->files[m->file] != END)
    add_row(s, m->address, (uint32_t)m->line, u->files[m->file]);
}

static void extended(cursor *c, const unit *u, machine *m, const machine *fresh, sim_source_lines *s) {
  const uint64_t length = uleb(c);
  if (length > (uint64_t)(c->end - c->at)) {
    c->bad = true;
    return;
  }
  cursor part = {c->at, c->at + length, false};
  skip(c, length);
  switch (fixed(&part, 1)) {
    case 1:  // DW_LNE_end_sequence
      add_row(s, m->address, 0, END);
      *m = *fresh;
      break;
    case 2: m->address = fixed(&part, 8); break;  // DW_LNE_set_address
    default: break;
  }
  (void)u;
}

static void run_program(cursor *c, const unit *u, sim_source_lines *s) {
  const machine fresh = {0, 1, 1};
  machine m = fresh;
  while (c->at < c->end && !c->bad) {
    const unsigned op = (unsigned)fixed(c, 1);
    if (op >= u->opcode_base) {
      const unsigned adjusted = op - u->opcode_base;
      m.address += (uint64_t)(adjusted / u->range) * u->minimum;
      m.line += u->line_base + (int)(adjusted % u->range);
      emit(u, &m, s);
      continue;
    }
    switch (op) {
      case 0: extended(c, u, &m, &fresh, s); break;
      case 1: emit(u, &m, s); break;                     // DW_LNS_copy
      case 2: m.address += uleb(c) * u->minimum; break;  // DW_LNS_advance_pc
      case 3: m.line += sleb(c); break;                  // DW_LNS_advance_line
      case 4: m.file = uleb(c); break;                   // DW_LNS_set_file
      case 8:
        m.address += (uint64_t)((255 - u->opcode_base) / u->range) * u->minimum;
        break;                                  // DW_LNS_const_add_pc
      case 9: m.address += fixed(c, 2); break;  // DW_LNS_fixed_advance_pc
      default:
        for (unsigned i = 0; i < u->lengths[op]; ++i) uleb(c);
    }
  }
}

static int by_address(const void *a, const void *b) {
  const row *x = a, *y = b;
  if (x->address != y->address) return x->address < y->address ? -1 : 1;
  // The end of one sequence may be where the next begins.
  if ((x->name == END) != (y->name == END)) return x->name == END ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

sim_source_lines *sim_source_lines_read(const sim_object *object) {
  if (!object->debug_line_size) return NULL;
  sim_source_lines *s = calloc(1, sizeof *s);
  cursor c = {object->debug_line, object->debug_line + object->debug_line_size, false};
  while (s && c.at < c.end && !c.bad) {
    unit u = {.offset_size = 4};
    uint64_t length = fixed(&c, 4);
    if (length == UINT32_MAX) {
      u.offset_size = 8;
      length = fixed(&c, 8);
    }
    if (length > (uint64_t)(c.end - c.at)) break;
    cursor part = {c.at, c.at + length, false};
    skip(&c, length);
    if (read_header(&part, &u, object, s)) run_program(&part, &u, s);
    free(u.files);
  }
  if (s && s->count) {
    qsort(s->rows, s->count, sizeof *s->rows, by_address);
    return s;
  }
  sim_source_lines_free(s);
  return NULL;
}

void sim_source_lines_free(sim_source_lines *lines) {
  if (!lines) return;
  free(lines->rows);
  free(lines->names);
  free(lines);
}

void sim_source_line_at(const sim_source_lines *lines, uint64_t offset, char *out, size_t size) {
  *out = 0;
  if (!lines) return;
  size_t low = 0, high = lines->count;  // the last row at or before the offset
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (lines->rows[middle].address <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0 || lines->rows[low - 1].name == END) return;
  snprintf(out, size, "%s:%u", lines->names + lines->rows[low - 1].name, lines->rows[low - 1].line);
}
