// SPDX-License-Identifier: MIT
// Declares inside `wavetile layout`: a map of lanes and elements, and an access to LDS, as text and as
// pictures.
#ifndef WT_TOOLS_LAYOUT_H
#define WT_TOOLS_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "layout_catalogue.h"

typedef struct layout_view {
  const layout_map *map;
  const char *chip;
  int lane;  // lane to be highlighted; -1: none
} layout_view;

// The first writes what a view shows in one line, the second returns what one of its columns is called.
void layout_map_text(const layout_view *view, char *text, size_t size);
const char *layout_map_column_name(const layout_map *map);

// Describes elements of one lane that lie side by side in a row.
typedef struct layout_run {
  int lane, element;  // the first one
  int column, count;
} layout_run;
enum { LAYOUT_RUNS = 256 };  // at most in a row
int layout_map_runs(const layout_map *map, int block, int row, layout_run *runs);

// Describe what a lane holds, register by register: "row 0, k 0-1" in v0, and so on. The first returns how
// many lines there are, the second writes line i: its registers and its places.
int layout_map_lines(const layout_map *map);
void layout_map_line(const layout_map *map, int lane, int line, char *registers, size_t registers_size,
                     char *places, size_t places_size);

void layout_map_print(const layout_view *view);
bool layout_map_draw(const layout_view *view, const char *path, const char *title, char *message,
                     size_t message_size);

// Describes an LDS instruction whose lane l accesses row l mod rows of a tile, at column l / rows in units of
// its width: without a swizzle (0) and with one (1).
enum { LAYOUT_PHASES = 8 };
typedef struct layout_access {
  const layout_lds_op *op;
  const layout_swizzle *swizzle;
  const char *chip;
  int row_bytes, rows;
  int place[2][LAYOUT_LANES];    // byte offsets
  int cycles[2][LAYOUT_PHASES];  // cycles that a phase takes: 1 without conflicts
  int conflicts[2];              // cycles beyond one per phase
} layout_access;

void layout_access_count(layout_access *access);
// Returns whether a lane of the same phase needs another dword of one of the lane's banks.
bool layout_access_collides(const layout_access *access, int side, int lane);
// Says how many lines of LDS the lanes reach, a line being what all banks hold; a picture shows LAYOUT_LINES
// at most.
enum { LAYOUT_LINES = 64 };
int layout_access_lines(const layout_access *access);
// Returns the bytes of a column of the tile: what a lane accesses, or the aligned power of two around it.
int layout_access_unit(const layout_access *access);
// Writes the lanes of a phase, as in "0-3 12-15".
void layout_access_lanes(const layout_access *access, int phase, char *text, size_t size);
// Writes the instruction, the pattern and the swizzle, each in one line.
void layout_access_text(const layout_access *access, char *op, char *pattern, char *swizzle, size_t size);

void layout_access_print(const layout_access *access);
bool layout_access_draw(const layout_access *access, const char *path, const char *title, char *message,
                        size_t message_size);

#endif
