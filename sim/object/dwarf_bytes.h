// SPDX-License-Identifier: MIT
// Reads the bytes of a debug section, which come from a file and may be anything: every read is bounded.
#ifndef SIM_OBJECT_DWARF_BYTES_H
#define SIM_OBJECT_DWARF_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sim_dwarf_cursor {
  const uint8_t *at, *end;
  bool bad;  // a read did not fit the section or its number; it gave 0 or ""
} sim_dwarf_cursor;

uint64_t sim_dwarf_fixed(sim_dwarf_cursor *c, unsigned bytes);  // a little-endian number
uint64_t sim_dwarf_uleb(sim_dwarf_cursor *c);
int64_t sim_dwarf_sleb(sim_dwarf_cursor *c);
const char *sim_dwarf_string(sim_dwarf_cursor *c);
void sim_dwarf_skip(sim_dwarf_cursor *c, uint64_t bytes);

#endif
