// SPDX-License-Identifier: MIT
// Size and name of each element type.
#ifndef WT_SRC_TYPES_H
#define WT_SRC_TYPES_H

#include <stddef.h>

#include "wavetile.h"

size_t wt_type_size(wt_type type);       // bytes; 0 when unknown, or not of whole bytes
const char *wt_type_name(wt_type type);  // the enumerator's name; "unknown type" when unknown

#endif
