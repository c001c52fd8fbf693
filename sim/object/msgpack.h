// SPDX-License-Identifier: MIT
// Declares a reader over MessagePack bytes: one value at a time, nothing allocated, nothing read outside [at,
// end).
#ifndef SIM_OBJECT_MSGPACK_H
#define SIM_OBJECT_MSGPACK_H

#include <stdbool.h>
#include <stdint.h>

typedef enum sim_msgpack_type {
  SIM_MSGPACK_NIL,
  SIM_MSGPACK_BOOL,
  SIM_MSGPACK_UINT,
  SIM_MSGPACK_INT,  // negative only: a non-negative signed value reads as SIM_MSGPACK_UINT
  SIM_MSGPACK_FLOAT,
  SIM_MSGPACK_STRING,
  SIM_MSGPACK_BINARY,
  SIM_MSGPACK_ARRAY,
  SIM_MSGPACK_MAP,
  SIM_MSGPACK_EXTENSION
} sim_msgpack_type;

typedef struct sim_msgpack {
  const uint8_t *at, *end;
} sim_msgpack;

typedef struct sim_msgpack_value {
  sim_msgpack_type type;
  uint64_t number;   // bool and unsigned value; negative value as two's complement
  const char *data;  // string, binary, extension: not NUL-terminated
  uint32_t size;     // bytes of data; elements of an array; pairs of a map, which follow as 2 * size values
} sim_msgpack_value;

// Reads the next value, but only the head of an array or map. Returns false when it is truncated or
// malformed.
bool sim_msgpack_next(sim_msgpack *reader, sim_msgpack_value *out);
// Reads and drops one whole value with all that it contains. Returns false when it is truncated or malformed.
bool sim_msgpack_skip(sim_msgpack *reader);

#endif
