// SPDX-License-Identifier: MIT
// Reads compressed offload bundles, magic "CCOB" (clang, "Clang Offload Bundler", compression and
// decompression): a header in one of three versions, then one zlib or zstd stream that unpacks to an ordinary
// bundle. The last field of the header, a truncated MD5 of the bundle, is checked: the streams themselves
// need not carry a checksum.
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include "sim/object/internal.h"

typedef struct header {
  uint16_t version, method;
  uint64_t header_size, file_size, unpacked_size, hash;  // file_size 0: the version does not state it
} header;

enum { METHOD_ZLIB = 0, METHOD_ZSTD = 1 };  // llvm::compression::Format

bool sim_compressed_is(sim_bytes file) { return file.size >= 4 && memcmp(file.data, "CCOB", 4) == 0; }

static bool read_header(sim_load *load, sim_bytes file, header *out) {
  // Holds the offsets of the fields by version; the hash is the last 8 bytes.
  static const struct {
    uint8_t file_size, unpacked_size, width, total;
  } layouts[] = {{0, 8, 4, 20}, {8, 12, 4, 24}, {8, 16, 8, 32}};
  *out = (header){0};
  if (file.size < 8) {
    return sim_load_fail(load, SIM_OBJECT_INVALID, "compressed offload bundle: truncated in the header");
  }
  memcpy(&out->version, file.data + 4, 2);
  memcpy(&out->method, file.data + 6, 2);
  if (out->version < 1 || out->version > 3) {
    return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED,
                         "compressed offload bundle: version %u is not known, 1 to 3 are", out->version);
  }
  unsigned v = out->version - 1u;
  out->header_size = layouts[v].total;
  if (file.size < out->header_size) {
    return sim_load_fail(load, SIM_OBJECT_INVALID, "compressed offload bundle: truncated in the header");
  }
  if (layouts[v].file_size) memcpy(&out->file_size, file.data + layouts[v].file_size, layouts[v].width);
  memcpy(&out->unpacked_size, file.data + layouts[v].unpacked_size, layouts[v].width);
  memcpy(&out->hash, file.data + out->header_size - 8, 8);
  return true;
}

// Exactly `size` bytes must come out and the stream must end there.
static bool unpack_zlib(sim_bytes in, uint8_t *out, size_t size) {
  z_stream stream = {.next_in = (Bytef *)(uintptr_t)in.data, .next_out = out};
  if (inflateInit(&stream) != Z_OK) return false;
  int result = Z_OK;
  size_t in_left = in.size, out_left = size;
  while (result == Z_OK) {  // zlib counts in 32 bits, so feed it in pieces
    if (stream.avail_in == 0 && in_left != 0) {
      stream.avail_in = (uInt)(in_left < (1u << 30) ? in_left : 1u << 30);
      in_left -= stream.avail_in;
    }
    if (stream.avail_out == 0 && out_left != 0) {
      stream.avail_out = (uInt)(out_left < (1u << 30) ? out_left : 1u << 30);
      out_left -= stream.avail_out;
    }
    result = inflate(&stream, Z_NO_FLUSH);
  }
  bool complete = result == Z_STREAM_END && stream.avail_out == 0 && out_left == 0;
  inflateEnd(&stream);
  return complete;
}

static bool unpack_zstd(sim_bytes in, uint8_t *out, size_t size) {
  size_t frame = ZSTD_findFrameCompressedSize(in.data, in.size);
  if (ZSTD_isError(frame)) return false;
  return ZSTD_decompress(out, size, in.data, frame) == size;
}

bool sim_compressed_unpack(sim_load *load, sim_bytes file, uint8_t **out, size_t *out_size) {
  header h;
  if (!read_header(load, file, &h)) return false;
  if (h.method != METHOD_ZLIB && h.method != METHOD_ZSTD) {
    return sim_load_fail(load, SIM_OBJECT_UNSUPPORTED,
                         "compressed offload bundle: method %u is not known, 0 (zlib) and 1 (zstd) are",
                         h.method);
  }
  uint64_t end = h.file_size ? h.file_size : file.size;
  if (end < h.header_size || end > file.size) {
    return sim_load_fail(load, SIM_OBJECT_INVALID,
                         "compressed offload bundle: its header says %llu bytes, %zu are there",
                         (unsigned long long)end, file.size);
  }
  sim_bytes packed = sim_bytes_slice(file, h.header_size, end - h.header_size);
  // A header may claim any size. Machine code shrinks a few times; a thousandfold is refused before memory is
  // taken for it.
  if (h.unpacked_size > SIM_OBJECT_MAX_UNPACKED ||
      h.unpacked_size > (UINT64_C(64) << 20) + 1024 * (uint64_t)packed.size) {
    return sim_load_fail(load, SIM_OBJECT_INVALID,
                         "compressed offload bundle: %zu bytes do not unpack to %llu", packed.size,
                         (unsigned long long)h.unpacked_size);
  }
  uint8_t *unpacked = malloc(h.unpacked_size ? h.unpacked_size : 1);
  if (unpacked == NULL) {
    return sim_load_fail(load, SIM_OBJECT_NO_MEMORY, "out of memory for a bundle of %llu bytes",
                         (unsigned long long)h.unpacked_size);
  }
  bool ok = h.method == METHOD_ZLIB ? unpack_zlib(packed, unpacked, h.unpacked_size)
                                    : unpack_zstd(packed, unpacked, h.unpacked_size);
  ok = ok && sim_md5_low((sim_bytes){unpacked, h.unpacked_size}) == h.hash;
  if (!ok) {
    free(unpacked);
    return sim_load_fail(load, SIM_OBJECT_INVALID, "compressed offload bundle: its %s data is damaged",
                         h.method == METHOD_ZLIB ? "zlib" : "zstd");
  }
  *out = unpacked;
  *out_size = (size_t)h.unpacked_size;
  return true;
}
