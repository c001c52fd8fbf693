// SPDX-License-Identifier: MIT
// Reads numbers and strings of DWARF sections.
#include "sim/object/dwarf_bytes.h"

#include <string.h>

uint64_t sim_dwarf_fixed(sim_dwarf_cursor *c, unsigned bytes) {
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

uint64_t sim_dwarf_uleb(sim_dwarf_cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    const uint64_t byte = sim_dwarf_fixed(c, 1);
    if (shift < 64) value |= (byte & 127) << shift;
    if (byte < 128) return value;
  }
  c->bad = true;
  return 0;
}

int64_t sim_dwarf_sleb(sim_dwarf_cursor *c) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    const uint64_t byte = sim_dwarf_fixed(c, 1);
    if (shift < 64) value |= (byte & 127) << shift;
    if (byte >= 128) continue;
    if (byte & 64 && shift + 7 < 64) value |= ~0ull << (shift + 7);
    return (int64_t)value;
  }
  c->bad = true;
  return 0;
}

const char *sim_dwarf_string(sim_dwarf_cursor *c) {
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

void sim_dwarf_skip(sim_dwarf_cursor *c, uint64_t bytes) {
  if (bytes > (uint64_t)(c->end - c->at)) {
    c->bad = true;
    bytes = (uint64_t)(c->end - c->at);
  }
  c->at += bytes;
}
