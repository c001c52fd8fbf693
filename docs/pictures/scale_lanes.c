// SPDX-License-Identifier: MIT
// Draws the picture of docs/guide/gemm_mx.md and docs/guide/block_scale.md on scales: from which lane, and
// from which byte of its register, an MFMA takes the scale of a block. Usage: scale_lanes_pictures FOLDER
#include <stdio.h>

#include "core/svg.h"
#include "families/shuffled.h"

enum { WIDTH = 880, HEIGHT = 664, LEFT = 20, WIDE = 840, BLOCK = 32, LANES = 64 };

// This is a box of a panel: the `index`th of `count` in its row, in the colour of a category.
typedef struct place {
  int index, count;
  double y, height;
} place;

static void draw_box(svg *s, place at, const char *fill, const char *text) {
  const double width = (double)WIDE / at.count, x = LEFT + at.index * width;
  svg_rect(s, x, at.y, width, at.height, (svg_style){.fill = fill, .stroke = SVG_RULE});
  svg_text(s, x + width / 2, at.y + at.height / 2 + 4,
           (svg_style){.fill = SVG_ON_CATEGORY, .anchor = SVG_MIDDLE, .size = at.count > 4 ? 11 : 12}, "%s",
           text);
}

static void draw_title(svg *s, double y, const char *text) {
  svg_text(s, LEFT, y, (svg_style){.size = 14, .bold = true}, "%s", text);
}

static void draw_note(svg *s, double y, const char *text) {
  svg_text(s, LEFT, y, (svg_style){.fill = SVG_FAINT}, "%s", text);
}

// Draws an MFMA of `rows` rows, 128 * 16 / rows columns deep: lanes are the blocks' rows, one block after the
// other.
static void draw_mfma(svg *s, double y, int rows) {
  const int blocks = LANES / rows;
  for (int b = 0; b < blocks; ++b) {
    char columns[32], lane[64];
    snprintf(columns, sizeof columns, "k %d to %d", b * BLOCK, (b + 1) * BLOCK - 1);
    snprintf(lane, sizeof lane, "lane %d + r, one byte", b * rows);
    draw_box(s, (place){b, blocks, y, 30}, svg_category((size_t)b), columns);
    draw_box(s, (place){b, blocks, y + 34, 36}, svg_category((size_t)b), lane);
  }
}

// Draws two MFMAs of 16 rows on 256 columns of 4 bits, of which each lane has two blocks that follow each
// other.
static void draw_two_mfmas(svg *s, double y) {
  enum { BLOCKS = 8 };
  for (int b = 0; b < BLOCKS; ++b) {
    const char *colour = svg_category((size_t)b / 2);
    char columns[32], byte[32], lane[64];
    snprintf(columns, sizeof columns, "%d to %d", b * BLOCK, (b + 1) * BLOCK - 1);
    snprintf(byte, sizeof byte, "byte %d: MFMA %d", b % 2, b % 2);
    snprintf(lane, sizeof lane, "lane %d + r: one register", b / 2 * 16);
    draw_box(s, (place){b, BLOCKS, y, 30}, colour, columns);
    draw_box(s, (place){b, BLOCKS, y + 34, 28}, colour, byte);
    if (b % 2) draw_box(s, (place){b / 2, BLOCKS / 2, y + 66, 28}, colour, lane);
  }
}

// Finds the row, from r on, and the block, from q on, of a byte of a dword in a group of shuffled scales.
static void find_byte(int byte, int *row, int *block) {
  for (*row = 0; *row < WT_SHUFFLED_SCALE_ROWS; ++*row)
    for (*block = 0; *block < WT_SHUFFLED_SCALE_BLOCKS; ++*block)
      if (shuffled_place(SHUFFLED_SCALES, WT_SHUFFLED_SCALE_BYTES, *row, *block) == byte) return;
}

static void draw_shuffled(svg *s, double y) {
  enum { BYTES = 4 };
  for (int byte = 0; byte < BYTES; ++byte) {
    int row, block;
    char what[64], who[64];
    find_byte(byte, &row, &block);
    snprintf(what, sizeof what, "byte %d: row r%s, block q%s", byte, row ? " + 16" : "", block ? " + 4" : "");
    snprintf(who, sizeof who, "fragment %d, MFMA %d or %d", byte % 2, byte / 2 * 2, byte / 2 * 2 + 1);
    draw_box(s, (place){byte, BYTES, y, 30}, svg_category((size_t)byte % 2), what);
    draw_box(s, (place){byte, BYTES, y + 34, 36}, svg_category((size_t)byte % 2), who);
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  svg s;
  svg_begin(
      &s, WIDTH, HEIGHT, "Which lane holds which scale",
      "An MFMA of 16 x 16 x 128 takes the scale of row r and block b from lane 16 b + r, one of 32 x 32 x 64 "
      "from lane 32 b + r. Two MFMAs on 256 columns of MXFP4 take two bytes of one register. A register of "
      "shuffled scales has two rows and two blocks of each.");
  svg_heading(
      &s, "Which lane holds which scale",
      "Above, columns k of row r of an operand; below, where an MFMA takes the scale of each block.",
      "Rows of the other operand are alike. The byte of the register is part of the instruction (op_sel).");
  draw_title(&s, 116, "16 x 16 x 128: row r of 16, four blocks");
  draw_mfma(&s, 128, 16);
  draw_title(&s, 236, "32 x 32 x 64: row r of 32, two blocks");
  draw_mfma(&s, 248, 32);
  draw_title(&s, 356,
             "MXFP4, two MFMAs of 16 x 16 x 128, 256 columns: a lane has two blocks that follow each other");
  draw_two_mfmas(&s, 368);
  draw_title(&s, 500,
             "Shuffled scales: a lane's register, 4 bytes that follow each other in a group of 32 rows");
  draw_shuffled(&s, 512);
  draw_note(
      &s, 606,
      "Two fragments of 32 rows share the register, so that MFMAs of 32 x 32 x 64 leave no byte unused:");
  draw_note(&s, 624,
            "fragment 0 has rows 0 to 15 and 32 to 47 of 64, and fragment 1 the others. Bit 4 of the lane's");
  draw_note(&s, 642, "number says from which of the two groups of 32 rows its register is.");
  return svg_save(&s, argv[1], "scale_lanes.svg");
}
