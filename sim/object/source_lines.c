// SPDX-License-Identifier: MIT
// Runs line number programs (DWARF 5 standard, section 6.2; version 4 as in DWARF 4). The sections come from
// a file and may hold anything: every read is bounded, and what makes no sense ends the table.
#include "sim/object/source_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/object/dwarf_bytes.h"
#include "sim/object/grow.h"

typedef struct row {
  uint64_t address;
  uint32_t line, name;  // name: offset in names, UINT32_MAX at the end of a sequence
  uint32_t unit;        // index in units
  size_t order;         // of several rows at an address the last holds
} row;

// Describes the files of a line table: those of a compilation unit.
typedef struct unit_files {
  uint64_t offset;  // of the table in .debug_line
  uint32_t folder;  // in which the compiler ran: offset in names, or UINT32_MAX
  uint32_t *files;  // offsets in names
  size_t count;
} unit_files;

struct sim_source_lines {
  row *rows;
  size_t count, capacity;
  unit_files *units;
  size_t unit_count, unit_capacity;
  char *names;  // NUL separated
  size_t names_size, names_capacity;
};

enum { END = UINT32_MAX, MOST_FILES = 4096, MOST_FORMATS = 16 };

// ---- results

int sim_source_path(char *out, size_t size, const char *folder, const char *file) {
  const bool join = *folder && *file != '/';
  return snprintf(out, size, "%s%s%s", join ? folder : "", join ? "/" : "", file);
}

static uint32_t add_name(sim_source_lines *s, const char *directory, const char *file) {
  char text[512];
  const int length = sim_source_path(text, sizeof text, directory, file);
  const size_t bytes = (size_t)length < sizeof text ? (size_t)length + 1 : sizeof text;
  if (length < 0 || s->names_size > UINT32_MAX / 2 ||
      !sim_grow((void **)&s->names, &s->names_capacity, s->names_size + bytes, 1))
    return END;
  memcpy(s->names + s->names_size, text, bytes);
  s->names_size += bytes;
  return (uint32_t)(s->names_size - bytes);
}

static void add_row(sim_source_lines *s, uint64_t address, uint32_t line, uint32_t name) {
  if (sim_grow((void **)&s->rows, &s->capacity, s->count + 1, sizeof *s->rows))
    s->rows[s->count] = (row){address, line, name, (uint32_t)s->unit_count, s->count};
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
  uint32_t folder;  // name
} unit;

// DW_FORM_*: string, line_strp, strp; data and block forms are only skipped, but for a directory's number.
static const char *read_form(sim_dwarf_cursor *c, const unit *u, const sim_object *o, uint64_t form,
                             uint64_t *number) {
  *number = 0;
  switch (form) {
    case 0x08: return sim_dwarf_string(c);
    case 0x1f: {
      const uint64_t at = sim_dwarf_fixed(c, u->offset_size);
      sim_dwarf_cursor text = {o->debug[SIM_DEBUG_LINE_STR].data,
                               o->debug[SIM_DEBUG_LINE_STR].data + o->debug[SIM_DEBUG_LINE_STR].size, false};
      sim_dwarf_skip(&text, at);
      return sim_dwarf_string(&text);
    }
    case 0x0e: sim_dwarf_fixed(c, u->offset_size); return "";
    case 0x0b: *number = sim_dwarf_fixed(c, 1); return "";
    case 0x05: *number = sim_dwarf_fixed(c, 2); return "";
    case 0x06: *number = sim_dwarf_fixed(c, 4); return "";
    case 0x07: *number = sim_dwarf_fixed(c, 8); return "";
    case 0x0f: *number = sim_dwarf_uleb(c); return "";
    case 0x1e: sim_dwarf_skip(c, 16); return "";
    case 0x09: sim_dwarf_skip(c, sim_dwarf_uleb(c)); return "";
    default: c->bad = true; return "";
  }
}

// Reads a version 5 table of directories (names only) or of files, whose directories come from `directories`.
static size_t read_entries(sim_dwarf_cursor *c, const unit *u, const sim_object *o, const char **directories,
                           size_t known, const char **names, size_t most, uint32_t *files,
                           sim_source_lines *s) {
  uint64_t content[MOST_FORMATS], form[MOST_FORMATS];
  const uint64_t formats = sim_dwarf_fixed(c, 1);
  if (formats > MOST_FORMATS) c->bad = true;
  for (uint64_t i = 0; i < formats && !c->bad; ++i) {
    content[i] = sim_dwarf_uleb(c);
    form[i] = sim_dwarf_uleb(c);
  }
  const uint64_t count = sim_dwarf_uleb(c);
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

static void read_names_5(sim_dwarf_cursor *c, unit *u, const sim_object *o, sim_source_lines *s) {
  const char **directories = calloc(MOST_FILES, sizeof *directories);
  u->files = calloc(MOST_FILES, sizeof *u->files);
  if (directories && u->files) {
    const size_t known = read_entries(c, u, o, NULL, 0, directories, MOST_FILES, NULL, s);
    u->file_count = read_entries(c, u, o, directories, known, NULL, MOST_FILES, u->files, s);
    if (known) u->folder = add_name(s, "", directories[0]);
  }
  free(directories);
}

// Version 4: lists that end with an empty name; both count from 1.
static void read_names_4(sim_dwarf_cursor *c, unit *u, sim_source_lines *s) {
  const char **directories = calloc(MOST_FILES, sizeof *directories);
  u->files = calloc(MOST_FILES, sizeof *u->files);
  size_t known = 1;
  u->file_count = 1;
  if (directories && u->files) {
    directories[0] = "";
    u->files[0] = END;
    for (const char *text; !c->bad && *(text = sim_dwarf_string(c));)
      if (known < MOST_FILES) directories[known++] = text;
    for (const char *text; !c->bad && *(text = sim_dwarf_string(c));) {
      const uint64_t directory = sim_dwarf_uleb(c);
      sim_dwarf_uleb(c), sim_dwarf_uleb(c);
      if (u->file_count < MOST_FILES)
        u->files[u->file_count++] = add_name(s, directory < known ? directories[directory] : "", text);
    }
  }
  free(directories);
}

static bool read_header(sim_dwarf_cursor *c, unit *u, const sim_object *o, sim_source_lines *s) {
  u->version = (unsigned)sim_dwarf_fixed(c, 2);
  if (u->version != 4 && u->version != 5) return false;
  if (u->version == 5) sim_dwarf_fixed(c, 2);  // sizes of an address and of a segment selector
  const uint64_t length = sim_dwarf_fixed(c, u->offset_size);
  sim_dwarf_cursor header = *c;
  if (length > (uint64_t)(c->end - c->at)) return false;
  header.end = c->at + length;
  u->minimum = (unsigned)sim_dwarf_fixed(&header, 1);
  sim_dwarf_fixed(&header, 1);  // operations per instruction: no VLIW
  u->default_is_stmt = (unsigned)sim_dwarf_fixed(&header, 1);
  u->line_base = (int8_t)sim_dwarf_fixed(&header, 1);
  u->range = (unsigned)sim_dwarf_fixed(&header, 1);
  u->opcode_base = (unsigned)sim_dwarf_fixed(&header, 1);
  if (!u->range || !u->opcode_base) return false;
  for (unsigned i = 1; i < u->opcode_base; ++i) u->lengths[i] = (uint8_t)sim_dwarf_fixed(&header, 1);
  if (u->version == 5)
    read_names_5(&header, u, o, s);
  else
    read_names_4(&header, u, s);
  sim_dwarf_skip(c, length);
  return !header.bad && !c->bad;
}

// ---- programs

typedef struct machine {
  uint64_t address, file;
  int64_t line;
} machine;

static void emit(const unit *u, const machine *m, sim_source_lines *s) {
  if (m->file < u->file_count && m->line >= 0 && m->line <= INT32_MAX && u->files[m->file] != END)
    add_row(s, m->address, (uint32_t)m->line, u->files[m->file]);
}

static void extended(sim_dwarf_cursor *c, const unit *u, machine *m, const machine *fresh,
                     sim_source_lines *s) {
  const uint64_t length = sim_dwarf_uleb(c);
  if (length > (uint64_t)(c->end - c->at)) {
    c->bad = true;
    return;
  }
  sim_dwarf_cursor part = {c->at, c->at + length, false};
  sim_dwarf_skip(c, length);
  switch (sim_dwarf_fixed(&part, 1)) {
    case 1:  // DW_LNE_end_sequence
      add_row(s, m->address, 0, END);
      *m = *fresh;
      break;
    case 2: m->address = sim_dwarf_fixed(&part, 8); break;  // DW_LNE_set_address
    default: break;
  }
  (void)u;
}

static void run_program(sim_dwarf_cursor *c, const unit *u, sim_source_lines *s) {
  const machine fresh = {0, 1, 1};
  machine m = fresh;
  while (c->at < c->end && !c->bad) {
    const unsigned op = (unsigned)sim_dwarf_fixed(c, 1);
    if (op >= u->opcode_base) {
      const unsigned adjusted = op - u->opcode_base;
      m.address += (uint64_t)(adjusted / u->range) * u->minimum;
      m.line += u->line_base + (int)(adjusted % u->range);
      emit(u, &m, s);
      continue;
    }
    switch (op) {
      case 0: extended(c, u, &m, &fresh, s); break;
      case 1: emit(u, &m, s); break;                               // DW_LNS_copy
      case 2: m.address += sim_dwarf_uleb(c) * u->minimum; break;  // DW_LNS_advance_pc
      case 3: m.line += sim_dwarf_sleb(c); break;                  // DW_LNS_advance_line
      case 4: m.file = sim_dwarf_uleb(c); break;                   // DW_LNS_set_file
      case 8:
        m.address += (uint64_t)((255 - u->opcode_base) / u->range) * u->minimum;
        break;                                            // DW_LNS_const_add_pc
      case 9: m.address += sim_dwarf_fixed(c, 2); break;  // DW_LNS_fixed_advance_pc
      default:
        for (unsigned i = 0; i < u->lengths[op]; ++i) sim_dwarf_uleb(c);
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

// Adds the unit whose rows were added; it owns the files of `u` from now on.
static void add_unit(sim_source_lines *s, const unit *u, uint64_t offset) {
  if (!sim_grow((void **)&s->units, &s->unit_capacity, s->unit_count + 1, sizeof *s->units)) {
    free(u->files);
    while (s->count && s->rows[s->count - 1].unit == s->unit_count) --s->count;
    return;
  }
  s->units[s->unit_count++] = (unit_files){offset, u->folder, u->files, u->file_count};
}

sim_source_lines *sim_source_lines_read(const sim_object *object) {
  const sim_section section = object->debug[SIM_DEBUG_LINE];
  if (!section.size) return NULL;
  sim_source_lines *s = calloc(1, sizeof *s);
  sim_dwarf_cursor c = {section.data, section.data + section.size, false};
  while (s && c.at < c.end && !c.bad) {
    const uint64_t offset = (uint64_t)(c.at - section.data);
    unit u = {.offset_size = 4, .folder = END};
    uint64_t length = sim_dwarf_fixed(&c, 4);
    if (length == UINT32_MAX) {
      u.offset_size = 8;
      length = sim_dwarf_fixed(&c, 8);
    }
    if (length > (uint64_t)(c.end - c.at)) break;
    sim_dwarf_cursor part = {c.at, c.at + length, false};
    sim_dwarf_skip(&c, length);
    if (read_header(&part, &u, object, s)) run_program(&part, &u, s);
    add_unit(s, &u, offset);
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
  for (size_t i = 0; i < lines->unit_count; ++i) free(lines->units[i].files);
  free(lines->units);
  free(lines->rows);
  free(lines->names);
  free(lines);
}

// Returns the last row at or before the offset; NULL: there is none, or a sequence has ended.
static const row *row_at(const sim_source_lines *lines, uint64_t offset) {
  size_t low = 0, high = lines->count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (lines->rows[middle].address <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low && lines->rows[low - 1].name != END ? &lines->rows[low - 1] : NULL;
}

static bool place_of(const sim_source_lines *lines, const row *found, sim_source_place *out) {
  if (!found || !found->line) return false;
  const uint32_t folder = lines->units[found->unit].folder;
  *out =
      (sim_source_place){folder == END ? "" : lines->names + folder, lines->names + found->name, found->line};
  return true;
}

bool sim_source_place_at(const sim_source_lines *lines, uint64_t offset, sim_source_place *out) {
  return place_of(lines, lines ? row_at(lines, offset) : NULL, out);
}

bool sim_source_place_near(const sim_source_lines *lines, uint64_t offset, sim_source_place *out) {
  const row *found = lines ? row_at(lines, offset) : NULL;
  while (found && !found->line && found > lines->rows && found[-1].name != END) --found;
  return place_of(lines, found, out);
}

bool sim_source_file_at(const sim_source_lines *lines, uint64_t table, uint64_t index,
                        sim_source_place *out) {
  for (size_t i = 0; lines && i < lines->unit_count; ++i) {
    const unit_files *u = &lines->units[i];
    if (u->offset != table) continue;
    if (index >= u->count || !u->files || u->files[index] == END) return false;
    *out = (sim_source_place){u->folder == END ? "" : lines->names + u->folder,
                              lines->names + u->files[index], 0};
    return true;
  }
  return false;
}
