// SPDX-License-Identifier: MIT
// Implements the options of the commands that convert to and from block-scaled formats.
#include "block_options.h"

#include <string.h>

static const char *const shapes[] = {[WT_BLOCKS_OF_LINES] = "lines", [WT_BLOCKS_OF_SQUARES] = "squares"};
static const char *const axes[] = {[WT_BLOCKS_ALONG_ROWS] = "rows", [WT_BLOCKS_ALONG_COLUMNS] = "columns"};
static const char *const element_roundings[] = {[WT_ELEMENT_NEAREST] = "nearest",
                                                [WT_ELEMENT_STOCHASTIC] = "stochastic"};

int block_option_rows(family_job *job, tool_option *table) {
  block_options *own = job->own;
  const tool_option rows[] = {
      {"type-q", TOOL_STRING, &own->type_name, "TYPE",
       "of the elements of Q: f4e2m1 (default with E8M0 scales), f6e2m3, f6e3m2, f8e4m3 (default with "
       "others) "
       "or f8e5m2"},
      {"scales", TOOL_STRING, &own->scales_name, "KIND",
       "of Q: e8m0 (default: MX, 32 elements share a byte), or, of FP8, f32 or power-of-two, a number for "
       "128 "
       "elements"},
      {"shape", TOOL_STRING, &own->shape_name, "SHAPE",
       "of what shares a scale: lines (default) of 32 or 128 elements, or squares of as many rows"},
  };
  memcpy(table, rows, sizeof rows);
  return sizeof rows / sizeof *rows;
}

static int check_type(block_options *own) {
  const char *name = own->type_name ? own->type_name : block_is_mx(own) ? "f4e2m1" : "f8e4m3";
  own->type = mx_type_find(name);
  if (!own->type)
    return tool_error(TOOL_USAGE, "--type-q is \"%s\"; pass f4e2m1, f6e2m3, f6e3m2, f8e4m3 or f8e5m2", name);
  if (block_is_mx(own) || own->type->bits == 8) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--type-q is %s, but with --scales %s it must be f8e4m3 or f8e5m2", name,
                    own->scales_name);
}

static int check_element_rounding(block_options *own) {
  const char *name = own->element_rounding_name;
  const int found = name ? tool_word(name, element_roundings, 2) : WT_ELEMENT_NEAREST;
  if (found < 0)
    return tool_error(TOOL_USAGE, "--element-rounding is \"%s\"; pass nearest or stochastic", name);
  own->element_rounding = (wt_element_rounding)found;
  if (found == WT_ELEMENT_NEAREST) return TOOL_OK;
  if (!block_is_mx(own))
    return tool_error(
        TOOL_USAGE,
        "--element-rounding is stochastic, but elements with %s scales are rounded to nearest even; "
        "leave it out, or pass --scales e8m0",
        own->scales_name);
  if (own->shape == WT_BLOCKS_OF_LINES) return TOOL_OK;
  return tool_error(
      TOOL_USAGE,
      "--element-rounding is stochastic, but --shape squares promises the same elements when they are "
      "transposed; pass --shape lines, or --element-rounding nearest");
}

int block_options_check(family_job *job) {
  block_options *own = job->own;
  int code = own->scales_name ? mx_scales_find(own->scales_name, &own->scales) : TOOL_OK;
  if (!code) code = check_type(own);
  if (!code && block_is_mx(own)) code = mx_check_device(job, ", or --scales f32");
  if (code) return code;
  const int shape = own->shape_name ? tool_word(own->shape_name, shapes, 2) : WT_BLOCKS_OF_LINES;
  if (shape < 0) return tool_error(TOOL_USAGE, "--shape is \"%s\"; pass lines or squares", own->shape_name);
  const int along = own->along_name ? tool_word(own->along_name, axes, 2) : WT_BLOCKS_ALONG_ROWS;
  if (along < 0) return tool_error(TOOL_USAGE, "--along is \"%s\"; pass rows or columns", own->along_name);
  own->shape = (wt_block_shape)shape, own->along = (wt_block_axis)along;
  code = check_element_rounding(own);
  if (code || !own->rounding_name) return code;
  if (block_is_mx(own)) return mx_rounding_find(own->rounding_name, &own->rounding);
  return tool_error(
      TOOL_USAGE,
      "--rounding is %s, but %s scales are chosen in one way; leave it out, or pass --scales e8m0",
      own->rounding_name, own->scales_name);
}

int block_options_check_length(const family_job *job, int64_t length) {
  const block_options *own = job->own;
  if (!block_is_mx(own) || length % MX_BLOCK == 0) return TOOL_OK;
  const bool columns = own->along == WT_BLOCKS_ALONG_COLUMNS;
  const char *path = job->tensors[family_main_tensor(job)].path;
  if (!path)
    return tool_error(TOOL_USAGE, "--%s is %lld; pass a multiple of %d, of whole blocks",
                      columns ? "rows" : "columns", (long long)length, MX_BLOCK);
  return tool_error(TOOL_USAGE, "%s has %s of %lld numbers; pass a multiple of %d, of whole blocks", path,
                    columns ? "columns" : "rows", (long long)length, MX_BLOCK);
}

const fp8_format *block_numbers(const family_job *job) {
  const block_options *own = job->own;
  return element_format_on(element_type_find(own->type->name, false), job->target);
}

wt_block_scale_desc block_descriptor(const family_job *job) {
  const block_options *own = job->own;
  wt_block_scale_desc d = WT_BLOCK_SCALE_DESC_INIT;
  d.rows = job->rows, d.columns = job->columns, d.type_x = job->type->ocp;
  d.type_q = block_is_mx(own) ? own->type->type
                              : element_type_on(element_type_find(own->type->name, false), job->target);
  d.scales = own->scales, d.shape = own->shape, d.along = own->along, d.rounding = own->rounding;
  d.element_rounding = own->element_rounding, d.seed = job->run_options.seed;
  return d;
}

void block_options_describe(const family_job *job, record *r) {
  const block_options *own = job->own;
  record_text(r, "type_q", own->type->name), record_brief(r);
  record_text(r, "scales", mx_scales_name(own->scales)), record_brief(r);
  record_text(r, "shape", shapes[own->shape]), record_brief(r);
  record_text(r, "along", axes[own->along]);
}
