// SPDX-License-Identifier: MIT
// Prints what an explaining function of the C API has to say.
#ifndef WT_TOOLS_EXPLANATION_H
#define WT_TOOLS_EXPLANATION_H

#include "wavetile.h"

// A call of wt_gemm_explain or a function like it: writes the text to `size` bytes at `text`, and its length
// to *length.
typedef wt_status explanation_write(void *call, char *text, size_t size, size_t *length);

// Prints the text to stdout; *status is what the function said. Returns TOOL_OK, or reports that memory is
// out.
int explanation_print(explanation_write *write, void *call, wt_status *status);

#endif
