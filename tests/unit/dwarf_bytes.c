// SPDX-License-Identifier: MIT
// Tests reads of debug sections: what lies in the section is read as DWARF has it, and what does not fit is
// marked.
#include "sim/object/dwarf_bytes.h"

#include <string.h>

#include "check.h"

static sim_dwarf_cursor cursor_of(const char *bytes, size_t count) {
  const uint8_t *at = (const uint8_t *)bytes;
  return (sim_dwarf_cursor){.at = at, .end = at + count};
}

static void fixed_numbers_are_little_endian(void) {
  static const char bytes[] = "\x01\x82\x03\x84\x05\x86\x07\x88";
  for (unsigned size = 0; size <= 8; ++size)
    for (unsigned there = 0; there <= 8; ++there) {
      sim_dwarf_cursor c = cursor_of(bytes, there);
      uint64_t expected = 0;
      for (unsigned i = 0; i < size && size <= there; ++i) expected |= (uint64_t)(uint8_t)bytes[i] << 8 * i;
      const uint64_t got = sim_dwarf_fixed(&c, size);
      CHECK(got == expected && c.bad == (size > there) &&
                (c.bad ? c.at == c.end : c.end - c.at == there - size),
            "%u of %u bytes: %#llx, %s", size, there, (unsigned long long)got, c.bad ? "bad" : "good");
    }
}

static void variable_numbers_end_with_a_byte_below_128(void) {
  static const struct {
    const char *bytes;
    size_t count;
    uint64_t u;
    int64_t s;
    bool bad;
  } cases[] = {{"\x00", 1, 0, 0, false},
               {"\x3f", 1, 63, 63, false},
               {"\x40", 1, 64, -64, false},
               {"\x7f", 1, 127, -1, false},
               {"\x80\x01", 2, 128, 128, false},
               {"\xff\x7e", 2, 16255, -129, false},
               {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX, -1, false},
               {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 10, 0, 0, false},
               {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11, 0, 0, true},
               {"\x80", 1, 0, 0, true},
               {"", 0, 0, 0, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    sim_dwarf_cursor u = cursor_of(cases[i].bytes, cases[i].count), s = u;
    const uint64_t got = sim_dwarf_uleb(&u);
    const int64_t signed_ = sim_dwarf_sleb(&s);
    CHECK(got == cases[i].u && u.bad == cases[i].bad, "case %zu: %llu", i, (unsigned long long)got);
    CHECK(signed_ == cases[i].s && s.bad == cases[i].bad, "case %zu: %lld", i, (long long)signed_);
  }
}

static void strings_end_within_the_section(void) {
  sim_dwarf_cursor c = cursor_of("ab\0c", 4);
  CHECK(strcmp(sim_dwarf_string(&c), "ab") == 0 && !c.bad && c.end - c.at == 1, "the first string");
  CHECK(strcmp(sim_dwarf_string(&c), "") == 0 && c.bad && c.at == c.end, "a string without an end");
}

static void no_more_is_skipped_than_there_is(void) {
  for (uint64_t bytes = 0; bytes < 6; ++bytes) {
    sim_dwarf_cursor c = cursor_of("1234", 4);
    sim_dwarf_skip(&c, bytes);
    CHECK(c.bad == (bytes > 4) && c.end - c.at == (bytes > 4 ? 0 : 4 - (int)bytes), "%d of 4 bytes",
          (int)bytes);
  }
}

int main(void) {
  fixed_numbers_are_little_endian();
  variable_numbers_end_with_a_byte_below_128();
  strings_end_within_the_section();
  no_more_is_skipped_than_there_is();
  return test_result();
}
