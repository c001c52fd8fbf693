// SPDX-License-Identifier: MIT
// Writes text in pieces, with the result that snprintf would have at once.
#include "text.h"

#include <stdarg.h>
#include <stdio.h>

wt_status wt_text_begin(wt_context *context, char *text, size_t size, size_t *length, wt_text *out) {
  if (length) *length = 0;
  if (!text && size)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "text is NULL, but size is %zu; pass memory, or size 0",
                   size);
  if (size) *text = 0;
  *out = (wt_text){.text = text, .size = size};
  return WT_SUCCESS;
}

void wt_text_add(wt_text *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  const size_t at = text->length < text->size ? text->length : text->size;
  const int length = vsnprintf(text->size ? text->text + at : NULL, text->size - at, format, args);
  va_end(args);
  if (length > 0) text->length += (size_t)length;
}
