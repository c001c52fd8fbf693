// SPDX-License-Identifier: MIT
// The MessagePack reader reads every format of the specification, skips nested values whole, and refuses
// every proper prefix of a value.
#include "check.h"
#include "sim/object/msgpack.h"

typedef struct format {
  const char *bytes;
  uint32_t size;
  sim_msgpack_type type;
  uint64_t number;  // value, or size of data and containers
} format;

#define BYTES(text) text, sizeof text - 1

static const format formats[] = {
    {BYTES("\x00"), SIM_MSGPACK_UINT, 0},
    {BYTES("\x7f"), SIM_MSGPACK_UINT, 127},
    {BYTES("\xff"), SIM_MSGPACK_INT, UINT64_MAX},
    {BYTES("\xe0"), SIM_MSGPACK_INT, (uint64_t)-32},
    {BYTES("\xc0"), SIM_MSGPACK_NIL, 0},
    {BYTES("\xc2"), SIM_MSGPACK_BOOL, 0},
    {BYTES("\xc3"), SIM_MSGPACK_BOOL, 1},
    {BYTES("\xcc\xff"), SIM_MSGPACK_UINT, 255},
    {BYTES("\xcd\x01\x00"), SIM_MSGPACK_UINT, 256},
    {BYTES("\xce\x80\x00\x00\x01"), SIM_MSGPACK_UINT, 0x80000001u},
    {BYTES("\xcf\x80\x00\x00\x00\x00\x00\x00\x02"), SIM_MSGPACK_UINT, 0x8000000000000002u},
    {BYTES("\xd0\x80"), SIM_MSGPACK_INT, (uint64_t)-128},
    {BYTES("\xd0\x05"), SIM_MSGPACK_UINT, 5},
    {BYTES("\xd1\xff\xfe"), SIM_MSGPACK_INT, (uint64_t)-2},
    {BYTES("\xd2\x80\x00\x00\x00"), SIM_MSGPACK_INT, (uint64_t)INT32_MIN},
    {BYTES("\xd3\x80\x00\x00\x00\x00\x00\x00\x00"), SIM_MSGPACK_INT, (uint64_t)INT64_MIN},
    {BYTES("\xca\x3f\x80\x00\x00"), SIM_MSGPACK_FLOAT, 0x3f800000},
    {BYTES("\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00"), SIM_MSGPACK_FLOAT, 0x3ff0000000000000u},
    {BYTES("\xa0"), SIM_MSGPACK_STRING, 0},
    {BYTES("\xa3"
           "abc"),
     SIM_MSGPACK_STRING, 3},
    {BYTES("\xd9\x02"
           "ab"),
     SIM_MSGPACK_STRING, 2},
    {BYTES("\xda\x00\x02"
           "ab"),
     SIM_MSGPACK_STRING, 2},
    {BYTES("\xdb\x00\x00\x00\x02"
           "ab"),
     SIM_MSGPACK_STRING, 2},
    {BYTES("\xc4\x02"
           "ab"),
     SIM_MSGPACK_BINARY, 2},
    {BYTES("\xc5\x00\x02"
           "ab"),
     SIM_MSGPACK_BINARY, 2},
    {BYTES("\xc6\x00\x00\x00\x02"
           "ab"),
     SIM_MSGPACK_BINARY, 2},
    {BYTES("\xd4\x01"
           "a"),
     SIM_MSGPACK_EXTENSION, 2},
    {BYTES("\xd8\x01"
           "0123456789abcdef"),
     SIM_MSGPACK_EXTENSION, 17},
    {BYTES("\xc7\x02\x01"
           "ab"),
     SIM_MSGPACK_EXTENSION, 3},
    {BYTES("\xc8\x00\x02\x01"
           "ab"),
     SIM_MSGPACK_EXTENSION, 3},
    {BYTES("\xc9\x00\x00\x00\x02\x01"
           "ab"),
     SIM_MSGPACK_EXTENSION, 3},
    {BYTES("\x90"), SIM_MSGPACK_ARRAY, 0},
    {BYTES("\x92\x01\x02"), SIM_MSGPACK_ARRAY, 2},
    {BYTES("\xdc\x00\x01\x07"), SIM_MSGPACK_ARRAY, 1},
    {BYTES("\xdd\x00\x00\x00\x01\x07"), SIM_MSGPACK_ARRAY, 1},
    {BYTES("\x80"), SIM_MSGPACK_MAP, 0},
    {BYTES("\x81\xa1k\x91\x92\x01\x81\x02\x03"), SIM_MSGPACK_MAP, 1},
    {BYTES("\xde\x00\x01\x01\x02"), SIM_MSGPACK_MAP, 1},
    {BYTES("\xdf\x00\x00\x00\x01\x01\x02"), SIM_MSGPACK_MAP, 1},
};

static sim_msgpack reader_over(const char *bytes, size_t size) {
  return (sim_msgpack){(const uint8_t *)bytes, (const uint8_t *)bytes + size};
}

static void check_format(size_t i) {
  const format *f = &formats[i];
  sim_msgpack_value v;
  sim_msgpack reader = reader_over(f->bytes, f->size);
  CHECK(sim_msgpack_next(&reader, &v), "format %zu", i);
  bool sized = f->type >= SIM_MSGPACK_STRING;
  CHECK(v.type == f->type && (sized ? v.size : v.number) == f->number, "format %zu: type %d", i, v.type);
  if (f->type == SIM_MSGPACK_STRING && f->number >= 2) CHECK(memcmp(v.data, "ab", 2) == 0, "format %zu", i);
  reader = reader_over(f->bytes, f->size);
  CHECK(sim_msgpack_skip(&reader) && reader.at == reader.end, "format %zu", i);
  for (size_t size = 0; size < f->size; ++size) {
    char *copy = malloc(size + 1);
    if (copy == NULL) exit(1);
    memcpy(copy, f->bytes, size);
    reader = reader_over(copy, size);
    CHECK(!sim_msgpack_skip(&reader), "format %zu cut to %zu bytes", i, size);
    free(copy);
  }
}

int main(void) {
  for (size_t i = 0; i < sizeof formats / sizeof formats[0]; ++i) check_format(i);
  sim_msgpack reader = reader_over("\xc1", 1);
  CHECK(!sim_msgpack_skip(&reader), "0xc1 is never used");
  reader = reader_over("\xdd\xff\xff\xff\xff\x00", 6);
  CHECK(!sim_msgpack_skip(&reader), "more elements than bytes");
  static char deep[1 << 20];  // one million nested arrays must not exhaust the stack
  memset(deep, 0x91, sizeof deep - 1);
  deep[sizeof deep - 1] = 0;
  reader = reader_over(deep, sizeof deep);
  CHECK(sim_msgpack_skip(&reader) && reader.at == reader.end, "nesting");
  return test_result();
}
