// SPDX-License-Identifier: MIT
// Writes text to memory of the caller's: it is cut off where the memory ends, and its whole length is
// counted.
#ifndef WT_SRC_TEXT_H
#define WT_SRC_TEXT_H

#include "context.h"

typedef struct wt_text {
  char *text;
  size_t size, length;
} wt_text;

// Begins a text in the `size` bytes at `text`; its NUL fits when size > 0. *length becomes 0 (length may be
// NULL). Refuses a NULL text with a size above 0.
wt_status wt_text_begin(wt_context *context, char *text, size_t size, size_t *length, wt_text *out);

void wt_text_add(wt_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
