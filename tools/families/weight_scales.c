// SPDX-License-Identifier: MIT
// Finds what a word says of the scales of weights.
#include "weight_scales.h"

#include "core/tool.h"

int weight_scales_option(const char *word, weight_scales *scales, wt_block_scales *kind) {
  static const char *const names[] = {"none", "tiles", "rows", "mx", "power-of-two", "power-of-two-rows"};
  enum { NAMES = sizeof names / sizeof *names };
  static const struct {
    weight_scales scales;
    wt_block_scales kind;
  } said[NAMES] = {{SCALES_NONE, WT_BLOCK_SCALES_F32},           {SCALES_TILES, WT_BLOCK_SCALES_F32},
                   {SCALES_ROWS, WT_BLOCK_SCALES_F32},           {SCALES_MX, WT_BLOCK_SCALES_E8M0},
                   {SCALES_TILES, WT_BLOCK_SCALES_POWER_OF_TWO}, {SCALES_ROWS, WT_BLOCK_SCALES_POWER_OF_TWO}};
  const int found = tool_word(word, names, NAMES);
  if (found < 0)
    return tool_error(TOOL_USAGE,
                      "--scales is \"%s\"; pass none, tiles, rows, power-of-two, power-of-two-rows or mx",
                      word);
  *scales = said[found].scales, *kind = said[found].kind;
  return TOOL_OK;
}

const char *weight_scales_any(weight_scales scales) {
  return scales == SCALES_TILES ? "--scales tiles" : "--scales rows";
}
