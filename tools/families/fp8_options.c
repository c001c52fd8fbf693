// SPDX-License-Identifier: MIT
// Options, checks and fields of the commands that convert to FP8 and back.
#include "fp8_options.h"

#include <string.h>

int fp8_option_rows(family_job *job, tool_option *table) {
  fp8_options *own = job->own;
  const tool_option rows[] = {
      {"type-q", TOOL_STRING, &own->type_name, "TYPE",
       "f8e4m3 (default) or f8e5m2, in the encoding of the device: OCP on gfx950, FNUZ on gfx942"},
      {"by-row", TOOL_FLAG, &own->by_row, NULL, "a scale for each row (default: one for the matrix)"},
  };
  memcpy(table, rows, sizeof rows);
  return sizeof rows / sizeof *rows;
}

int fp8_check(family_job *job) {
  fp8_options *own = job->own;
  own->type = element_type_find(own->type_name, false);
  if (own->type && own->type->format_ocp) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--type-q is \"%s\"; pass f8e4m3 or f8e5m2", own->type_name);
}

void fp8_describe(const family_job *job, record *r) {
  const fp8_options *own = job->own;
  record_text(r, "type_q", element_type_title(own->type, job->target)), record_brief(r);
  record_text(r, "scaling", own->by_row ? "row" : "tensor"), record_brief(r);
}

wt_quantize_desc fp8_descriptor(const family_job *job) {
  const fp8_options *own = job->own;
  wt_quantize_desc d = WT_QUANTIZE_DESC_INIT;
  d.rows = job->rows, d.columns = job->columns, d.type_x = job->type->ocp;
  d.type_q = element_type_on(own->type, job->target);
  d.scaling = own->by_row ? WT_SCALING_ROW : WT_SCALING_TENSOR;
  return d;
}
