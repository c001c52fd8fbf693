// SPDX-License-Identifier: MIT
// Asks for the length first, then for the text.
#include "explanation.h"

#include <stdio.h>
#include <stdlib.h>

#include "tool.h"

int explanation_print(explanation_write *write, void *call, wt_status *status) {
  size_t length = 0;
  *status = write(call, NULL, 0, &length);
  char *text = malloc(length + 1);
  if (!text) return tool_error(TOOL_FAILED, "out of host memory for the explanation");
  *status = write(call, text, length + 1, NULL);
  fputs(text, stdout);
  free(text);
  return TOOL_OK;
}
