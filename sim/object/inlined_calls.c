// SPDX-License-Identifier: MIT
// Walks the entries of .debug_info (DWARF 5 standard, chapter 7; version 4 as in DWARF 4) and keeps those of
// inlined functions with their ranges of code. The sections come from a file and may hold anything.
#include "sim/object/inlined_calls.h"

#include <stdlib.h>
#include <string.h>

#include "sim/object/dwarf_bytes.h"
#include "sim/object/grow.h"

enum {
  MOST_ABBREVIATIONS = 1 << 14,
  MOST_DEPTH = 256,      // of nested entries
  MOST_RANGES = 1 << 20  // in all
};

// DW_TAG_*, DW_AT_*
enum { TAG_INLINED = 0x1d };
enum {
  AT_STMT_LIST = 0x10,
  AT_LOW_PC = 0x11,
  AT_HIGH_PC = 0x12,
  AT_RANGES = 0x55,
  AT_CALL_FILE = 0x58,
  AT_CALL_LINE = 0x59,
  AT_ADDR_BASE = 0x73,
  AT_RNGLISTS_BASE = 0x74
};

typedef struct inlined {
  uint64_t table, file;  // the line table's offset, and the file's number in it
  uint32_t line, around;
} inlined;

typedef struct range {
  uint64_t begin, end;
  uint32_t call;
} range;

struct sim_inlined_calls {
  inlined *calls;  // call 1 is the first; a call comes after those around it
  range *ranges;   // in the order of their calls
  size_t call_count, call_capacity, range_count, range_capacity;
};

// ---- units and their abbreviations

typedef struct abbreviation {
  uint64_t tag;
  bool children;
  sim_dwarf_cursor attributes;  // pairs of name and form, to the end of the section
} abbreviation;

typedef struct unit {
  const sim_object *object;
  sim_inlined_calls *out;
  unsigned version, offset_size, address_size;
  abbreviation *abbreviations;  // by code
  size_t abbreviation_count;
  uint64_t table, low_pc, addr_base, rnglists_base;
} unit;

static sim_dwarf_cursor section_from(const sim_object *o, sim_debug which, uint64_t at) {
  const sim_section s = o->debug[which];
  if (at > s.size || !s.data) return (sim_dwarf_cursor){NULL, NULL, true};
  return (sim_dwarf_cursor){s.data + at, s.data + s.size, false};
}

enum { FORM_IMPLICIT_CONST = 0x21 };

static void skip_attributes(sim_dwarf_cursor *c) {
  for (;;) {
    const uint64_t name = sim_dwarf_uleb(c), form = sim_dwarf_uleb(c);
    if (form == FORM_IMPLICIT_CONST) sim_dwarf_sleb(c);
    if ((!name && !form) || c->bad) return;
  }
}

static bool read_abbreviations(unit *u, uint64_t at) {
  sim_dwarf_cursor c = section_from(u->object, SIM_DEBUG_ABBREV, at);
  u->abbreviations = calloc(MOST_ABBREVIATIONS, sizeof *u->abbreviations);
  for (uint64_t code; u->abbreviations && !c.bad && (code = sim_dwarf_uleb(&c));) {
    abbreviation a = {.tag = sim_dwarf_uleb(&c)};
    a.children = sim_dwarf_fixed(&c, 1);
    a.attributes = c;
    skip_attributes(&c);
    if (code >= MOST_ABBREVIATIONS) return false;
    u->abbreviations[code] = a;
    if (code >= u->abbreviation_count) u->abbreviation_count = code + 1;
  }
  return u->abbreviations && !c.bad;
}

// ---- values

typedef enum value_kind { VALUE_OTHER, VALUE_NUMBER, VALUE_ADDRESS_INDEX, VALUE_LIST_INDEX } value_kind;

typedef struct value {
  value_kind kind;
  bool address;  // an address rather than a length
  uint64_t number;
} value;

static value number_of(uint64_t number) { return (value){VALUE_NUMBER, false, number}; }

static value skipped(sim_dwarf_cursor *c, uint64_t bytes) {
  sim_dwarf_skip(c, bytes);
  return (value){VALUE_OTHER, false, 0};
}

static value address_index(uint64_t index) { return (value){VALUE_ADDRESS_INDEX, true, index}; }

// DW_FORM_*
static value read_value(sim_dwarf_cursor *c, const unit *u, uint64_t form, int64_t implicit) {
  switch (form) {
    case 0x01: return (value){VALUE_NUMBER, true, sim_dwarf_fixed(c, u->address_size)};
    case 0x0b: return number_of(sim_dwarf_fixed(c, 1));
    case 0x05: return number_of(sim_dwarf_fixed(c, 2));
    case 0x06: return number_of(sim_dwarf_fixed(c, 4));
    case 0x07: return number_of(sim_dwarf_fixed(c, 8));
    case 0x0d: return number_of((uint64_t)sim_dwarf_sleb(c));
    case 0x0f: return number_of(sim_dwarf_uleb(c));
    case 0x17: return number_of(sim_dwarf_fixed(c, u->offset_size));
    case FORM_IMPLICIT_CONST: return number_of((uint64_t)implicit);
    case 0x1b: return address_index(sim_dwarf_uleb(c));
    case 0x29: return address_index(sim_dwarf_fixed(c, 1));
    case 0x2a: return address_index(sim_dwarf_fixed(c, 2));
    case 0x2b: return address_index(sim_dwarf_fixed(c, 3));
    case 0x2c: return address_index(sim_dwarf_fixed(c, 4));
    case 0x23: return (value){VALUE_LIST_INDEX, false, sim_dwarf_uleb(c)};
    // What follows is of no interest: strings, references, blocks.
    case 0x08: sim_dwarf_string(c); return (value){0};
    case 0x03: return skipped(c, sim_dwarf_fixed(c, 2));
    case 0x04: return skipped(c, sim_dwarf_fixed(c, 4));
    case 0x0a: return skipped(c, sim_dwarf_fixed(c, 1));
    case 0x09:
    case 0x18: return skipped(c, sim_dwarf_uleb(c));
    case 0x0c:
    case 0x11:
    case 0x25: return skipped(c, 1);
    case 0x12:
    case 0x26: return skipped(c, 2);
    case 0x27: return skipped(c, 3);
    case 0x13:
    case 0x1c:
    case 0x28: return skipped(c, 4);
    case 0x14:
    case 0x20:
    case 0x24: return skipped(c, 8);
    case 0x1e: return skipped(c, 16);
    case 0x0e:
    case 0x10:
    case 0x1d:
    case 0x1f: return skipped(c, u->offset_size);
    case 0x15:
    case 0x1a:
    case 0x22: sim_dwarf_uleb(c); return (value){0};
    case 0x19: return number_of(1);
    default: c->bad = true; return (value){0};
  }
}

static uint64_t indexed_address(const unit *u, uint64_t index) {
  if (index > UINT32_MAX) return 0;
  sim_dwarf_cursor c = section_from(u->object, SIM_DEBUG_ADDR, u->addr_base + index * u->address_size);
  return sim_dwarf_fixed(&c, u->address_size);
}

static uint64_t resolved(const unit *u, value v) {
  return v.kind == VALUE_ADDRESS_INDEX ? indexed_address(u, v.number) : v.number;
}

// ---- ranges

static void add_range(sim_inlined_calls *s, uint64_t begin, uint64_t end) {
  if (begin >= end || s->range_count == MOST_RANGES ||
      !sim_grow((void **)&s->ranges, &s->range_capacity, s->range_count + 1, sizeof *s->ranges))
    return;
  s->ranges[s->range_count++] = (range){begin, end, (uint32_t)s->call_count};
}

static void read_ranges_4(const unit *u, uint64_t at) {
  sim_dwarf_cursor c = section_from(u->object, SIM_DEBUG_RANGES, at);
  uint64_t base = u->low_pc;
  while (!c.bad) {
    const uint64_t begin = sim_dwarf_fixed(&c, u->address_size), end = sim_dwarf_fixed(&c, u->address_size);
    if (c.bad || (!begin && !end)) return;
    if (begin == UINT64_MAX)
      base = end;
    else
      add_range(u->out, base + begin, base + end);
  }
}

// DW_RLE_*
static void read_ranges_5(const unit *u, uint64_t at) {
  sim_dwarf_cursor c = section_from(u->object, SIM_DEBUG_RNGLISTS, at);
  uint64_t base = u->low_pc, begin;
  while (!c.bad) {
    switch (sim_dwarf_fixed(&c, 1)) {
      case 1: base = indexed_address(u, sim_dwarf_uleb(&c)); break;
      case 2:
        begin = indexed_address(u, sim_dwarf_uleb(&c));
        add_range(u->out, begin, indexed_address(u, sim_dwarf_uleb(&c)));
        break;
      case 3:
        begin = indexed_address(u, sim_dwarf_uleb(&c));
        add_range(u->out, begin, begin + sim_dwarf_uleb(&c));
        break;
      case 4:
        begin = base + sim_dwarf_uleb(&c);
        add_range(u->out, begin, base + sim_dwarf_uleb(&c));
        break;
      case 5: base = sim_dwarf_fixed(&c, u->address_size); break;
      case 6:
        begin = sim_dwarf_fixed(&c, u->address_size);
        add_range(u->out, begin, sim_dwarf_fixed(&c, u->address_size));
        break;
      case 7:
        begin = sim_dwarf_fixed(&c, u->address_size);
        add_range(u->out, begin, begin + sim_dwarf_uleb(&c));
        break;
      default: return;  // the end of the list
    }
  }
}

static void read_ranges(const unit *u, value list) {
  if (u->version == 4) {
    read_ranges_4(u, list.number);
    return;
  }
  uint64_t at = list.number;
  if (list.kind == VALUE_LIST_INDEX) {
    if (at > UINT32_MAX) return;
    sim_dwarf_cursor c = section_from(u->object, SIM_DEBUG_RNGLISTS, u->rnglists_base + at * u->offset_size);
    at = u->rnglists_base + sim_dwarf_fixed(&c, u->offset_size);
    if (c.bad) return;
  }
  read_ranges_5(u, at);
}

// ---- entries

typedef struct entry {
  value low, high, list, file, line, table, addr_base, rnglists_base;
} entry;

static value *member_for(entry *e, uint64_t name) {
  switch (name) {
    case AT_LOW_PC: return &e->low;
    case AT_HIGH_PC: return &e->high;
    case AT_RANGES: return &e->list;
    case AT_CALL_FILE: return &e->file;
    case AT_CALL_LINE: return &e->line;
    case AT_STMT_LIST: return &e->table;
    case AT_ADDR_BASE: return &e->addr_base;
    case AT_RNGLISTS_BASE: return &e->rnglists_base;
    default: return NULL;
  }
}

static entry read_entry(sim_dwarf_cursor *c, const unit *u, const abbreviation *a) {
  entry e = {0};
  for (sim_dwarf_cursor names = a->attributes; !c->bad && !names.bad;) {
    const uint64_t name = sim_dwarf_uleb(&names), form = sim_dwarf_uleb(&names);
    const int64_t implicit = form == FORM_IMPLICIT_CONST ? sim_dwarf_sleb(&names) : 0;
    if (!name && !form) break;
    const value v = read_value(c, u, form, implicit);
    value *member = member_for(&e, name);
    if (member && v.kind != VALUE_OTHER) *member = v;
  }
  return e;
}

// Adds a call and returns its number; returns `around`, the call that it lies in, when host memory runs out.
static uint32_t add_call(const unit *u, const entry *e, uint32_t around) {
  sim_inlined_calls *s = u->out;
  if (s->call_count >= UINT32_MAX / 2 ||
      !sim_grow((void **)&s->calls, &s->call_capacity, s->call_count + 1, sizeof *s->calls))
    return around;
  const uint32_t line = e->line.number > INT32_MAX ? 0 : (uint32_t)e->line.number;
  s->calls[s->call_count++] = (inlined){u->table, e->file.number, line, around};
  if (e->list.kind != VALUE_OTHER) {
    read_ranges(u, e->list);
  } else if (e->low.kind != VALUE_OTHER) {
    const uint64_t low = resolved(u, e->low), high = resolved(u, e->high);
    add_range(s, low, e->high.address ? high : low + high);
  }
  return (uint32_t)s->call_count;
}

static void begin_unit(unit *u, const entry *e) {
  u->table = e->table.number;
  u->addr_base = e->addr_base.number;
  u->rnglists_base = e->rnglists_base.number;
  u->low_pc = resolved(u, e->low);
}

static void walk(sim_dwarf_cursor *c, unit *u) {
  uint32_t around[MOST_DEPTH] = {0};  // the innermost call at each depth
  size_t depth = 0;
  bool first = true;
  while (c->at < c->end && !c->bad) {
    const uint64_t code = sim_dwarf_uleb(c);
    if (code == 0) {
      if (depth == 0) return;
      --depth;
      continue;
    }
    if (code >= u->abbreviation_count || !u->abbreviations[code].tag) return;
    const abbreviation *a = &u->abbreviations[code];
    const entry e = read_entry(c, u, a);
    if (c->bad) return;
    if (first) begin_unit(u, &e);
    first = false;
    const uint32_t call = a->tag == TAG_INLINED ? add_call(u, &e, around[depth]) : around[depth];
    if (!a->children) continue;
    if (++depth == MOST_DEPTH) return;
    around[depth] = call;
  }
}

enum { UNIT_COMPILE = 1 };

// Reads the header after its length.
static void read_unit(sim_dwarf_cursor *c, unit *u) {
  uint64_t abbreviations;
  u->version = (unsigned)sim_dwarf_fixed(c, 2);
  if (u->version == 5) {
    if (sim_dwarf_fixed(c, 1) != UNIT_COMPILE) return;
    u->address_size = (unsigned)sim_dwarf_fixed(c, 1);
    abbreviations = sim_dwarf_fixed(c, u->offset_size);
  } else if (u->version == 4) {
    abbreviations = sim_dwarf_fixed(c, u->offset_size);
    u->address_size = (unsigned)sim_dwarf_fixed(c, 1);
  } else {
    return;
  }
  if ((u->address_size == 4 || u->address_size == 8) && read_abbreviations(u, abbreviations)) walk(c, u);
  free(u->abbreviations);
}

sim_inlined_calls *sim_inlined_calls_read(const sim_object *object) {
  sim_inlined_calls *s = calloc(1, sizeof *s);
  sim_dwarf_cursor c = section_from(object, SIM_DEBUG_INFO, 0);
  while (s && c.at < c.end && !c.bad) {
    unit u = {.object = object, .out = s, .offset_size = 4};
    uint64_t length = sim_dwarf_fixed(&c, 4);
    if (length == UINT32_MAX) {
      u.offset_size = 8;
      length = sim_dwarf_fixed(&c, 8);
    }
    if (c.bad || length > (uint64_t)(c.end - c.at)) break;
    sim_dwarf_cursor part = {c.at, c.at + length, false};
    sim_dwarf_skip(&c, length);
    read_unit(&part, &u);
  }
  if (s && s->range_count) return s;
  sim_inlined_calls_free(s);
  return NULL;
}

void sim_inlined_calls_free(sim_inlined_calls *calls) {
  if (!calls) return;
  free(calls->calls);
  free(calls->ranges);
  free(calls);
}

static size_t first_from(const uint64_t *offset, size_t count, uint64_t begin) {
  size_t low = 0, high = count;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (offset[middle] < begin)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void sim_inlined_calls_around(const sim_inlined_calls *calls, const uint64_t *offset, size_t count,
                              uint32_t *call) {
  memset(call, 0, count * sizeof *call);
  // Inner calls come later and lie inside, so they overwrite the outer ones.
  for (size_t i = 0; calls && i < calls->range_count; ++i) {
    const range *r = &calls->ranges[i];
    for (size_t k = first_from(offset, count, r->begin); k < count && offset[k] < r->end; ++k)
      call[k] = r->call;
  }
}

bool sim_inlined_call_place(const sim_inlined_calls *calls, const sim_source_lines *lines, uint32_t call,
                            sim_source_place *out) {
  const inlined *c = &calls->calls[call - 1];
  if (!sim_source_file_at(lines, c->table, c->file, out)) return false;
  out->line = c->line;
  return true;
}

uint32_t sim_inlined_call_around(const sim_inlined_calls *calls, uint32_t call) {
  return calls->calls[call - 1].around;
}
