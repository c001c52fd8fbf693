// SPDX-License-Identifier: MIT
// Reads MessagePack (format bytes: msgpack specification, "Formats").
#include "sim/object/msgpack.h"

#include <stddef.h>

static bool read_number(sim_msgpack *reader, unsigned bytes, uint64_t *out) {  // big-endian
  if ((size_t)(reader->end - reader->at) < bytes) return false;
  uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value = value << 8 | *reader->at++;
  *out = value;
  return true;
}

static bool read_data(sim_msgpack *reader, sim_msgpack_type type, uint64_t size, sim_msgpack_value *out) {
  if ((uint64_t)(reader->end - reader->at) < size) return false;
  *out = (sim_msgpack_value){.type = type, .data = (const char *)reader->at, .size = (uint32_t)size};
  reader->at += size;
  return true;
}

static bool read_sized_data(sim_msgpack *reader, sim_msgpack_type type, unsigned bytes, unsigned extra,
                            sim_msgpack_value *out) {
  uint64_t size;
  return read_number(reader, bytes, &size) && read_data(reader, type, size + extra, out);
}

// Every element takes at least one byte, so a count beyond the rest is malformed.
static bool read_container(sim_msgpack *reader, sim_msgpack_type type, uint64_t count,
                           sim_msgpack_value *out) {
  uint64_t values = type == SIM_MSGPACK_MAP ? 2 * count : count;
  if (values > (uint64_t)(reader->end - reader->at)) return false;
  *out = (sim_msgpack_value){.type = type, .size = (uint32_t)count};
  return true;
}

static bool read_sized_container(sim_msgpack *reader, sim_msgpack_type type, unsigned bytes,
                                 sim_msgpack_value *out) {
  uint64_t count;
  return read_number(reader, bytes, &count) && read_container(reader, type, count, out);
}

static bool read_scalar(sim_msgpack *reader, sim_msgpack_type type, unsigned bytes, sim_msgpack_value *out) {
  uint64_t number;
  if (!read_number(reader, bytes, &number)) return false;
  *out = (sim_msgpack_value){.type = type, .number = number};
  if (type == SIM_MSGPACK_INT) {
    unsigned shift = 64 - 8 * bytes;
    int64_t value = (int64_t)(number << shift) >> shift;
    if (value >= 0) out->type = SIM_MSGPACK_UINT;
    out->number = (uint64_t)value;
  }
  return true;
}

bool sim_msgpack_next(sim_msgpack *reader, sim_msgpack_value *out) {
  if (reader->at == reader->end) return false;
  uint8_t head = *reader->at++;
  if (head <= 0x7f) {
    *out = (sim_msgpack_value){.type = SIM_MSGPACK_UINT, .number = head};
    return true;
  }
  if (head <= 0x8f) return read_container(reader, SIM_MSGPACK_MAP, head & 0xf, out);
  if (head <= 0x9f) return read_container(reader, SIM_MSGPACK_ARRAY, head & 0xf, out);
  if (head <= 0xbf) return read_data(reader, SIM_MSGPACK_STRING, head & 0x1f, out);
  if (head >= 0xe0) {
    *out = (sim_msgpack_value){.type = SIM_MSGPACK_INT, .number = (uint64_t)(int64_t)(int8_t)head};
    return true;
  }
  switch (head) {
    case 0xc0: *out = (sim_msgpack_value){.type = SIM_MSGPACK_NIL}; return true;
    case 0xc2:
    case 0xc3: *out = (sim_msgpack_value){.type = SIM_MSGPACK_BOOL, .number = head & 1u}; return true;
    case 0xc4:
    case 0xc5:
    case 0xc6: return read_sized_data(reader, SIM_MSGPACK_BINARY, 1u << (head - 0xc4), 0, out);
    case 0xc7:
    case 0xc8:
    case 0xc9: return read_sized_data(reader, SIM_MSGPACK_EXTENSION, 1u << (head - 0xc7), 1, out);
    case 0xca:
    case 0xcb: return read_scalar(reader, SIM_MSGPACK_FLOAT, 4u << (head - 0xca), out);
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf: return read_scalar(reader, SIM_MSGPACK_UINT, 1u << (head - 0xcc), out);
    case 0xd0:
    case 0xd1:
    case 0xd2:
    case 0xd3: return read_scalar(reader, SIM_MSGPACK_INT, 1u << (head - 0xd0), out);
    case 0xd4:
    case 0xd5:
    case 0xd6:
    case 0xd7:
    case 0xd8: return read_data(reader, SIM_MSGPACK_EXTENSION, (1u << (head - 0xd4)) + 1, out);
    case 0xd9:
    case 0xda:
    case 0xdb: return read_sized_data(reader, SIM_MSGPACK_STRING, 1u << (head - 0xd9), 0, out);
    case 0xdc:
    case 0xdd: return read_sized_container(reader, SIM_MSGPACK_ARRAY, 2u << (head - 0xdc), out);
    case 0xde:
    case 0xdf: return read_sized_container(reader, SIM_MSGPACK_MAP, 2u << (head - 0xde), out);
    default: return false;  // 0xc1 is never used
  }
}

bool sim_msgpack_skip(sim_msgpack *reader) {
  // Counts the values still owed instead of recursing: nesting depth costs nothing.
  for (uint64_t owed = 1; owed != 0; --owed) {
    sim_msgpack_value value;
    if (!sim_msgpack_next(reader, &value)) return false;
    if (value.type == SIM_MSGPACK_ARRAY) owed += value.size;
    if (value.type == SIM_MSGPACK_MAP) owed += 2 * (uint64_t)value.size;
    if (owed - 1 > (uint64_t)(reader->end - reader->at)) return false;
  }
  return true;
}
