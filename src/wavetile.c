// SPDX-License-Identifier: MIT
// Creates and destroys contexts with what the families keep in them.
#include "wavetile.h"

#include <stdlib.h>

#include "core/context.h"
#include "gemm/table.h"

static wt_status load_gemm_table(wt_context *context) {
  const char *path = getenv("WT_GEMM_TABLE");
  return path && *path ? wt_gemm_table_load(context, path) : WT_SUCCESS;
}

wt_status wt_context_create(int device, wt_context **out) {
  if (!out)
    return wt_fail(NULL, WT_ERROR_NULL_ARGUMENT, "out is NULL; pass the address of a wt_context pointer");
  *out = NULL;
  wt_context *context;
  wt_status status = wt_context_open(device, &context);
  if (status) return status;
  status = load_gemm_table(context);
  if (status) {
    wt_fail(NULL, status, "WT_GEMM_TABLE: %s", wt_last_error(context));
    wt_context_destroy(context);
    return status;
  }
  *out = context;
  return WT_SUCCESS;
}

void wt_context_destroy(wt_context *context) {
  if (!context) return;
  struct wt_gemm_table *table = context->gemm_table;
  wt_context_close(context);
  wt_gemm_table_free(table);
}
