// SPDX-License-Identifier: MIT
// This header makes the buffer descriptor of a global tensor, whose bounds make the hardware drop what lies
// outside the tensor.
#ifndef WT_OPS_MEMORY_OF_H
#define WT_OPS_MEMORY_OF_H

#include "../tiles/gl.h"
#include "isa/buffer.h"

namespace wt {

// Returns a descriptor of the leading `tall` rows: it spans from the first element to past the last one that
// exists, and nothing when none does. The matrix must be one for which fits_buffer(tall) holds.
//
// scope: wave; operands: gl, uniform; leaves: none; waits: nobody; LDS: none; registers: 4 scalar; chips:
// both
template <class T>
WT_DEVICE buffer memory_of(const gl<T> &matrix, int tall) {
  const bool some = matrix.rows > 0 && matrix.columns > 0;
  return make_buffer(matrix.data, some ? static_cast<int>(matrix.span_bytes(tall, matrix.columns)) : 0);
}

}  // namespace wt

#endif
