// SPDX-License-Identifier: MIT
// The buffer descriptor of a global tensor, whose bounds make the hardware drop what lies outside the tensor.
#ifndef WT_OPS_MEMORY_OF_H
#define WT_OPS_MEMORY_OF_H

#include "../tiles/gl.h"
#include "isa/buffer.h"

namespace wt {

// A descriptor of the leading `tall` rows: from the first element to past the last one that exists, nothing
// when none does. Needs fits_buffer(tall).
template <class T>
WT_DEVICE buffer memory_of(const gl<T> &matrix, int tall) {
  const bool some = matrix.rows > 0 && matrix.columns > 0;
  return make_buffer(matrix.data, some ? static_cast<int>(matrix.span_bytes(tall, matrix.columns)) : 0);
}

}  // namespace wt

#endif
