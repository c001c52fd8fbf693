// SPDX-License-Identifier: MIT
// Reads and writes the header of a .npy file, and has the table of its element types.
#ifndef WT_TOOLS_NPY_HEADER_H
#define WT_TOOLS_NPY_HEADER_H

#include "npy.h"

enum { NPY_MOST_HEADER = 1 << 20 };  // bytes of a header that is read; NumPy writes 128

const char *npy_type_descr(npy_type type);  // the type as NumPy spells it: "<f4"
size_t npy_type_size(npy_type type);        // bytes of an element

// Reads the header at a stream's start; `size` as in npy_read. *offset is then where the elements begin, in
// bytes from the start, which is where the stream stands.
bool npy_read_header(FILE *file, int64_t size, npy_header *out, int64_t *offset, char *message,
                     size_t message_size);

#endif
