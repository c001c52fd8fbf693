// SPDX-License-Identifier: MIT
// Size and name of each element type.
#include "types.h"

size_t wt_type_size(wt_type type) {
  switch (type) {
    case WT_TYPE_F8E4M3:
    case WT_TYPE_F8E5M2:
    case WT_TYPE_F8E4M3_FNUZ:
    case WT_TYPE_F8E5M2_FNUZ:
    case WT_TYPE_I8: return 1;
    case WT_TYPE_BF16:
    case WT_TYPE_F16: return 2;
    case WT_TYPE_F32:
    case WT_TYPE_I32: return 4;
    case WT_TYPE_F6E2M3:
    case WT_TYPE_F6E3M2:
    case WT_TYPE_F4E2M1: return 0;
  }
  return 0;
}

const char *wt_type_name(wt_type type) {
  switch (type) {
    case WT_TYPE_F8E4M3: return "WT_TYPE_F8E4M3";
    case WT_TYPE_F8E5M2: return "WT_TYPE_F8E5M2";
    case WT_TYPE_F8E4M3_FNUZ: return "WT_TYPE_F8E4M3_FNUZ";
    case WT_TYPE_F8E5M2_FNUZ: return "WT_TYPE_F8E5M2_FNUZ";
    case WT_TYPE_BF16: return "WT_TYPE_BF16";
    case WT_TYPE_F16: return "WT_TYPE_F16";
    case WT_TYPE_F32: return "WT_TYPE_F32";
    case WT_TYPE_I8: return "WT_TYPE_I8";
    case WT_TYPE_I32: return "WT_TYPE_I32";
    case WT_TYPE_F6E2M3: return "WT_TYPE_F6E2M3";
    case WT_TYPE_F6E3M2: return "WT_TYPE_F6E3M2";
    case WT_TYPE_F4E2M1: return "WT_TYPE_F4E2M1";
  }
  return "unknown type";
}
