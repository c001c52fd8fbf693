// SPDX-License-Identifier: MIT
// The names of files in a line table of DWARF 5, in whatever form their directory is given; without a number
// it is the first.
#include "sim/object/source_lines.h"

#include <string.h>

#include "check.h"

enum { UDATA = 0x0f, DATA1 = 0x0b, DATA2 = 0x05, DATA4 = 0x06, DATA8 = 0x07, DATA16 = 0x1e, BLOCK = 0x09 };

static uint8_t table[256];
static size_t size;

static void put(const void *bytes, size_t count) {
  memcpy(table + size, bytes, count);
  size += count;
}
#define PUT(...) put((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

// Makes a table of two directories and a file, whose directory has the form and these bytes.
static void make_table(uint8_t form, const uint8_t *directory, size_t bytes) {
  size = 0;
  PUT(0, 0, 0, 0, 5, 0, 8, 0, 0, 0, 0, 0);  // the lengths are filled in below
  const size_t header = size;
  PUT(1, 1, 1, 0, 1, 1);  // one byte for an instruction, lines from 0 on, no opcodes but special ones
  PUT(1, 1, 8, 2), put("zero", 5), put("one", 4);
  PUT(2, 1, 8, 2, form, 1), put("a.c", 4), put(directory, bytes);
  table[8] = (uint8_t)(size - header);
  PUT(0, 9, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 5, 1, 0, 2, 4, 0, 1, 0, 1, 1);  // a row at byte 256, and the end
  table[0] = (uint8_t)(size - 4);
}

int main(void) {
  static const struct {
    uint8_t form, bytes[16];
    size_t count;
    const char *folder;
  } cases[] = {{UDATA, {1}, 1, "one"},    {DATA1, {1}, 1, "one"},       {DATA2, {1}, 2, "one"},
               {DATA4, {1}, 4, "one"},    {DATA8, {1}, 8, "one"},       {DATA1, {0}, 1, "zero"},
               {DATA16, {1}, 16, "zero"}, {BLOCK, {2, 1, 1}, 3, "zero"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    make_table(cases[i].form, cases[i].bytes, cases[i].count);
    sim_object object = {.debug[SIM_DEBUG_LINE] = {.data = table, .size = size}};
    sim_source_lines *lines = sim_source_lines_read(&object);
    sim_source_place place = {"", "", 0};
    char path[64] = "";
    const bool found = lines && sim_source_file_at(lines, 0, 0, &place);
    sim_source_path(path, sizeof path, "", place.file);
    CHECK(found && strncmp(path, cases[i].folder, strlen(cases[i].folder)) == 0 && strstr(path, "a.c"),
          "form %#x: the file is %s, in %s", cases[i].form, path, place.folder);
    sim_source_lines_free(lines);
  }
  return test_result();
}
