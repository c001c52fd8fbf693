// SPDX-License-Identifier: MIT
// expect: buffer_load moves 1, 2, 4, 8, 12 or 16 bytes
#include "ops/isa/buffer.h"

struct three {
  unsigned char bytes[3];
};
WT_KERNEL(64) load(three *data) { *data = wt::buffer_load<three>(wt::make_buffer(data, 3), 0); }
