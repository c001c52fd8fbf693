// SPDX-License-Identifier: MIT
// Writes a map of lanes and elements as text: which lane has which element of the matrix, and what one lane
// holds.
#include <stdio.h>
#include <string.h>

#include "layout.h"

const char *layout_map_column_name(const layout_map *map) {
  return map->kind == LAYOUT_ACCUMULATOR ? "column" : "k";
}

static int registers_of(const layout_map *map) { return (map->elements * map->bits + 31) / 32; }

void layout_map_text(const layout_view *view, char *text, size_t size) {
  const layout_map *map = view->map;
  char blocks[32] = "";
  if (map->blocks > 1) snprintf(blocks, sizeof blocks, "%d blocks of ", map->blocks);
  const int registers = registers_of(map);
  snprintf(text, size, "%s %s on %s, %s%d rows x %d %s: %d element%s in %d register%s of a lane", map->type,
           map->kind == LAYOUT_ACCUMULATOR ? "accumulator"
           : map->kind == LAYOUT_NATURAL   ? "fragment of rt_a and rt_b"
                                           : "operand",
           view->chip, blocks, map->rows, map->columns, map->kind == LAYOUT_ACCUMULATOR ? "columns" : "k",
           map->elements, map->elements == 1 ? "" : "s", registers, registers == 1 ? "" : "s");
}

int layout_map_runs(const layout_map *map, int block, int row, layout_run *runs) {
  int lane_of[LAYOUT_RUNS], element_of[LAYOUT_RUNS], count = 0;
  for (int lane = 0; lane < LAYOUT_LANES; ++lane) {
    for (int e = 0; e < map->elements; ++e) {
      const layout_place at = map->place[lane][e];
      if (at.block == block && at.row == row) lane_of[at.column] = lane, element_of[at.column] = e;
    }
  }
  for (int column = 0; column < map->columns; ++column) {
    layout_run *last = count ? &runs[count - 1] : NULL;
    if (last && last->lane == lane_of[column] && last->element + last->count == element_of[column])
      ++last->count;
    else
      runs[count++] = (layout_run){lane_of[column], element_of[column], column, 1};
  }
  return count;
}

// "7", or "0-7".
static void range_text(char *text, size_t size, const char *before, int first, int count) {
  if (count == 1)
    snprintf(text, size, "%s%d", before, first);
  else
    snprintf(text, size, "%s%d-%d", before, first, first + count - 1);
}

// Returns how many elements are on one line: those of a register; of a lane, where they do not end with
// registers; or one element.
static int elements_of_line(const layout_map *map) {
  const int each = map->bits >= 32 ? 1 : 32 % map->bits == 0 ? 32 / map->bits : map->elements;
  return each < map->elements ? each : map->elements;
}

int layout_map_lines(const layout_map *map) { return map->elements / elements_of_line(map); }

void layout_map_line(const layout_map *map, int lane, int line, char *registers, size_t registers_size,
                     char *places, size_t places_size) {
  const int count = elements_of_line(map), first = line * count;
  const int bits = count * map->bits, used = (bits + 31) / 32;
  range_text(registers, registers_size, "v", line * used, used);
  const layout_place at = map->place[lane][first];
  char columns[32], before[24];
  snprintf(before, sizeof before, "%s ", layout_map_column_name(map));
  range_text(columns, sizeof columns, before, at.column, count);
  if (map->blocks > 1)
    snprintf(places, places_size, "block %d, row %d, %s", at.block, at.row, columns);
  else
    snprintf(places, places_size, "row %d, %s", at.row, columns);
}

static void print_block(const layout_map *map, int block) {
  layout_run runs[LAYOUT_RUNS];
  const int count = layout_map_runs(map, block, 0, runs), width = runs[0].count == 1 ? 6 : 10;
  char text[32];
  if (map->blocks > 1) printf("\nblock %d", block);
  printf("\n%6s", layout_map_column_name(map));
  for (int i = 0; i < count; ++i) {
    range_text(text, sizeof text, "", runs[i].column, runs[i].count);
    printf("%*s", width, text);
  }
  putchar('\n');
  for (int row = 0; row < map->rows; ++row) {
    layout_map_runs(map, block, row, runs);
    printf("%6d", row);
    for (int i = 0; i < count; ++i) {
      char before[16];
      snprintf(before, sizeof before, "%d.", runs[i].lane);
      range_text(text, sizeof text, before, runs[i].element, runs[i].count);
      printf("%*s", width, text);
    }
    putchar('\n');
  }
}

void layout_map_print(const layout_view *view) {
  const layout_map *map = view->map;
  char text[256];
  layout_map_text(view, text, sizeof text);
  puts(text);
  if (view->lane >= 0) {
    printf("\nlane %d\n", view->lane);
    for (int line = 0; line < layout_map_lines(map); ++line) {
      char registers[32], places[96];
      layout_map_line(map, view->lane, line, registers, sizeof registers, places, sizeof places);
      printf("  %-6s %s\n", registers, places);
    }
    return;
  }
  printf("rows down, %s across; a cell is lane.element\n", map->kind == LAYOUT_ACCUMULATOR ? "columns" : "k");
  for (int block = 0; block < map->blocks; ++block) print_block(map, block);
}
