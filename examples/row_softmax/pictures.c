// SPDX-License-Identifier: MIT
// Draws the pictures of docs/guide/row_softmax.md: how a row is spread over threads, and what a thread keeps
// while it walks along one. Usage: pictures FOLDER
#include <math.h>
#include <stdio.h>

#include "core/svg.h"

enum { MARGIN = 24, HEAD = 96 };

// ---- a row over the threads of a team, as include/ops/team_row.h does it

enum { THREADS = 8, EACH = 4, CHUNKS = 2, COLUMNS = 47, WHOLE = COLUMNS / EACH, REST = COLUMNS % EACH };
static const double kCell = 21, kRegister = 126;

static int thread_of(int column) {
  return column < WHOLE * EACH ? column / EACH % THREADS : column - WHOLE * EACH;
}

static void draw_memory(svg *s, double top) {
  svg_text(s, MARGIN, top - 12, (svg_style){.size = 13, .bold = true}, "in memory, by column");
  for (int column = 0; column < COLUMNS; ++column) {
    const double x = MARGIN + column * kCell + (column < WHOLE * EACH ? column / EACH : WHOLE) * 3;
    svg_rect(s, x, top, kCell - 1, 30,
             (svg_style){.fill = svg_category((size_t)thread_of(column)), .radius = 2});
    svg_text(s, x + kCell / 2, top + 20,
             (svg_style){.size = 11, .fill = SVG_ON_CATEGORY, .anchor = SVG_MIDDLE}, "%d", column);
  }
}

// Writes what thread t has of a piece as text; returns false when it has none of it.
static bool piece_text(int t, int piece, char *text, size_t size) {
  const int chunk = piece * THREADS + t;
  if (piece < CHUNKS)
    snprintf(text, size, "%d to %d", chunk * EACH, chunk * EACH + EACH - 1);
  else
    snprintf(text, size, "%d", WHOLE * EACH + t);
  return piece < CHUNKS ? chunk < WHOLE : t < REST;
}

static void draw_registers(svg *s, double top) {
  svg_text(s, MARGIN, top - 12, (svg_style){.size = 13, .bold = true}, "in registers, by thread");
  const double left = MARGIN + 70;
  for (int t = 0; t < THREADS; ++t)
    svg_text(s, left + (t + 0.5) * kRegister, top + 10,
             (svg_style){.size = 12, .fill = SVG_FAINT, .anchor = SVG_MIDDLE}, "thread %d", t);
  for (int piece = 0; piece <= CHUNKS; ++piece) {
    const double y = top + 20 + piece * 34;
    svg_text(s, MARGIN, y + 20, (svg_style){.size = 12, .fill = SVG_FAINT},
             piece < CHUNKS ? "chunk %d" : "rest", piece);
    for (int t = 0; t < THREADS; ++t) {
      char text[32];
      const bool has = piece_text(t, piece, text, sizeof text);
      const double x = left + t * kRegister;
      svg_style box = {.stroke = SVG_RULE, .dash = "3 3", .radius = 3};
      if (has) box = (svg_style){.fill = svg_category((size_t)t), .radius = 3};
      svg_rect(s, x + 2, y, kRegister - 4, 30, box);
      if (has)
        svg_text(s, x + kRegister / 2, y + 20,
                 (svg_style){.size = 12, .fill = SVG_ON_CATEGORY, .anchor = SVG_MIDDLE}, "%s", text);
    }
  }
}

static int draw_spread(const char *folder) {
  svg s;
  svg_begin(
      &s, MARGIN * 2 + 70 + THREADS * kRegister, 352, "A row over eight threads",
      "A row of 47 elements. Threads take chunks of four elements in turn, and the last three elements one "
      "each.");
  svg_heading(&s, "A row over eight threads",
              "A row of 47 elements of 4 bytes: 11 chunks of 16 bytes, which the threads take in turn,",
              "and a rest of 3 elements, one per thread. What a thread does not have is dashed.");
  draw_memory(&s, HEAD + 36);
  draw_registers(&s, HEAD + 128);
  return svg_save(&s, folder, "row_spread.svg");
}

// ---- what a thread keeps

enum { SLICES = 6, PER_SLICE = 6 };
static const double kEntries[SLICES][PER_SLICE] = {
    {-0.9, 0.3, -1.8, 0.8, -0.2, -1.1}, {0.1, -2.1, 0.6, -0.7, 0.4, -1.5}, {1.4, -0.6, 2.2, 0.2, -1.2, 0.9},
    {-0.3, 1.7, 0.5, -1.9, 1.1, 2.0},   {0.7, -0.8, 3.1, 1.2, 0.0, -0.5},  {1.6, 0.3, -1.4, 2.4, -0.1, 0.8}};
static const double kSlice = 168, kTop = HEAD + 40, kTall = 190, kLow = -2.5, kHigh = 3.5;

static double height_of(double entry) { return kTop + (kHigh - entry) / (kHigh - kLow) * kTall; }

static double largest_of(double start, const double *entries) {
  for (int i = 0; i < PER_SLICE; ++i) start = fmax(start, entries[i]);
  return start;
}

static double sum_of(double largest, const double *entries) {
  double sum = 0;
  for (int i = 0; i < PER_SLICE; ++i) sum += exp(entries[i] - largest);
  return sum;
}

static void draw_slice(svg *s, int slice, double x, double largest, double before) {
  svg_rect(s, x + 3, kTop, kSlice - 6, kTall, (svg_style){.stroke = SVG_RULE, .radius = 4});
  svg_text(s, x + kSlice / 2, kTop - 10, (svg_style){.size = 12, .fill = SVG_FAINT, .anchor = SVG_MIDDLE},
           "slice %d", slice);
  for (int i = 0; i < PER_SLICE; ++i)
    svg_circle(s, x + 20 + i * (kSlice - 40) / (PER_SLICE - 1), height_of(kEntries[slice][i]), 4,
               (svg_style){.fill = svg_category(0)});
  const double y = height_of(largest);
  svg_line(s, x + 3, y, x + kSlice - 3, y, (svg_style){.stroke = svg_category(1), .stroke_width = 3});
  svg_text(s, x + 8, y - 9, (svg_style){.size = 11, .fill = SVG_FAINT}, "largest %.1f%s", largest,
           largest > before ? ", new" : "");
}

static int draw_online(const char *folder) {
  svg s;
  svg_begin(
      &s, MARGIN * 2 + SLICES * kSlice, 420, "What a thread keeps",
      "The entries of one thread in six slices, the largest entry so far, and the sum of exponentials, which "
      "is scaled down when there is a larger entry.");
  svg_heading(&s, "What a thread keeps while it walks along a row",
              "Two numbers: the largest entry so far, and the sum of exp(entry - largest) so far. A larger "
              "entry scales the sum",
              "down, so that it is as if that entry had been known from the start. The dots are the thread's "
              "entries.");
  double largest = kLow - 1, sum = 0;  // below all entries, as minus infinity is
  for (int slice = 0; slice < SLICES; ++slice) {
    const double x = MARGIN + slice * kSlice, larger = largest_of(largest, kEntries[slice]);
    const double factor = slice ? exp(largest - larger) : 0, added = sum_of(larger, kEntries[slice]);
    draw_slice(&s, slice, x, larger, largest);
    const svg_style line = {.size = 12, .mono = true};
    const double y = kTop + kTall + 30;
    svg_text(&s, x + 8, y, line, "%.2f * %.2f", sum, factor);
    svg_text(&s, x + 8, y + 20, line, "+ %.2f", added);
    sum = sum * factor + added, largest = larger;
    svg_text(&s, x + 8, y + 42, (svg_style){.size = 12, .mono = true, .bold = true}, "= %.2f", sum);
  }
  return svg_save(&s, folder, "row_softmax_online.svg");
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s FOLDER\n", argv[0]), 2;
  return draw_spread(argv[1]) | draw_online(argv[1]);
}
