// SPDX-License-Identifier: MIT
// Bank conflicts of one LDS access, with and without a swizzle: counted by the rules and the swizzle that the
// headers hold.
#include <stdio.h>
#include <string.h>

#include "layout.h"

int layout_access_unit(const layout_access *a) { return a->op->bytes == 12 ? 16 : a->op->bytes; }

static int swizzled(const layout_swizzle *s, int offset) {
  int place = offset;
  for (int j = 0; j < LAYOUT_OFFSET_BITS; ++j)
    if (offset >> j & 1) place ^= (int)s->target[j];
  return place;
}

// Returns the cycles of a phase: the most distinct dwords that any bank has to serve.
static int count_phase(const layout_access *a, int side, int phase) {
  int dword_of[LAYOUT_LANES * 4], count = 0, load[LAYOUT_BANKS] = {0}, worst = 1;
  for (int lane = 0; lane < LAYOUT_LANES; ++lane) {
    if (a->op->phase[lane] != phase) continue;
    for (int i = 0; i < a->op->bytes / 4; ++i) {
      const int dword = a->place[side][lane] / 4 + i;
      bool known = false;
      for (int k = 0; k < count && !known; ++k) known = dword_of[k] == dword;
      if (known) continue;
      dword_of[count++] = dword;
      const int here = ++load[dword % a->op->banks];
      worst = here > worst ? here : worst;
    }
  }
  return worst;
}

void layout_access_count(layout_access *a) {
  for (int lane = 0; lane < LAYOUT_LANES; ++lane) {
    const int offset = lane % a->rows * a->row_bytes + lane / a->rows * layout_access_unit(a);
    a->place[0][lane] = offset;
    a->place[1][lane] = swizzled(a->swizzle, offset);
  }
  for (int side = 0; side < 2; ++side) {
    a->conflicts[side] = 0;
    for (int phase = 0; phase < a->op->phases; ++phase) {
      a->cycles[side][phase] = count_phase(a, side, phase);
      a->conflicts[side] += a->cycles[side][phase] - 1;
    }
  }
}

bool layout_access_collides(const layout_access *a, int side, int lane) {
  const int dwords = a->op->bytes / 4;
  for (int other = 0; other < LAYOUT_LANES; ++other) {
    if (a->op->phase[other] != a->op->phase[lane]) continue;
    for (int i = 0; i < dwords * dwords; ++i) {
      const int mine = a->place[side][lane] / 4 + i % dwords;
      const int theirs = a->place[side][other] / 4 + i / dwords;
      if (mine != theirs && mine % a->op->banks == theirs % a->op->banks) return true;
    }
  }
  return false;
}

int layout_access_lines(const layout_access *a) {
  const int line = 4 * a->op->banks;
  int last = 0;
  for (int side = 0; side < 2; ++side)
    for (int lane = 0; lane < LAYOUT_LANES; ++lane)
      if (a->place[side][lane] / line > last) last = a->place[side][lane] / line;
  return last + 1;
}

// "offset ^= (offset & 0x700) >> 4": bits of the offset that are flipped at one distance make one term.
static void swizzle_text(const layout_swizzle *s, char *text, size_t size) {
  size_t length = (size_t)snprintf(text, size, "%s: ", s->name);
  const size_t begin = length;
  for (int distance = 1; distance < LAYOUT_OFFSET_BITS; ++distance) {
    unsigned mask = 0;
    for (int j = distance; j < LAYOUT_OFFSET_BITS; ++j)
      mask |= s->target[j] >> (j - distance) & 1 ? 1u << j : 0;
    if (mask && length < size)
      length += (size_t)snprintf(text + length, size - length, "%s(offset & 0x%x) >> %d",
                                 length == begin ? "offset ^= " : " ^ ", mask, distance);
  }
  if (length == begin) snprintf(text + length, size - length, "offsets stay as they are");
}

void layout_access_text(const layout_access *a, char *op, char *pattern, char *swizzle, size_t size) {
  snprintf(op, size, "ds_%s on %s: %d bytes per lane, served by %d banks in %d phase%s", a->op->name, a->chip,
           a->op->bytes, a->op->banks, a->op->phases, a->op->phases == 1 ? "" : "s");
  if (a->rows > 1)
    snprintf(pattern, size, "Lane l accesses row l %% %d of rows of %d bytes, from byte %d * (l / %d) on.",
             a->rows, a->row_bytes, layout_access_unit(a), a->rows);
  else
    snprintf(pattern, size, "Lane l accesses the tile from byte %d * l on.", layout_access_unit(a));
  swizzle_text(a->swizzle, swizzle, size);
}

void layout_access_lanes(const layout_access *a, int phase, char *text, size_t size) {
  size_t length = 0;
  text[0] = 0;
  for (int lane = 0; lane < LAYOUT_LANES; ++lane) {
    if (a->op->phase[lane] != phase) continue;
    int last = lane;
    while (last + 1 < LAYOUT_LANES && a->op->phase[last + 1] == phase) ++last;
    if (length < size)
      length += (size_t)snprintf(text + length, size - length, "%s%d-%d", length ? " " : "", lane, last);
    lane = last;
  }
}

void layout_access_print(const layout_access *a) {
  char op[256], pattern[256], swizzle[256];
  layout_access_text(a, op, pattern, swizzle, sizeof op);
  printf("%s\n%s\n%s\n\ncycles by phase, modelled after published bank and phase tables\n", op, pattern,
         swizzle);
  printf("  phase  %-36s %12s", "lanes", "no swizzle");
  const bool both = strcmp(a->swizzle->name, "none") != 0;
  const int width = (int)strlen(a->swizzle->name) + 3;
  if (both) printf("%*s", width, a->swizzle->name);
  putchar('\n');
  for (int phase = 0; phase < a->op->phases; ++phase) {
    char lanes[128];
    layout_access_lanes(a, phase, lanes, sizeof lanes);
    printf("  %5d  %-36s %12d", phase, lanes, a->cycles[0][phase]);
    if (both) printf("%*d", width, a->cycles[1][phase]);
    putchar('\n');
  }
  printf("  conflict cycles %42d", a->conflicts[0]);
  if (both) printf("%*d", width, a->conflicts[1]);
  putchar('\n');
}
