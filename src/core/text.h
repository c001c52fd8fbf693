// SPDX-License-Identifier: MIT
// Text for memory of the caller's: cut off where that ends, and the length that it would have.
#ifndef WT_SRC_TEXT_H
#define WT_SRC_TEXT_H

#include "context.h"

typedef struct wt_text {
  char *text;
  size_t size, length;
} wt_text;

// Begins a text in `size` bytes, which are enough for its NUL when size > 0. *length, which may be NULL,
// becomes 0. Refuses NULL with a size.
wt_status wt_text_begin(wt_context *context, char *text, size_t size, size_t *length, wt_text *out);

void wt_text_add(wt_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
