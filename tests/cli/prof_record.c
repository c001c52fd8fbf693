// SPDX-License-Identifier: MIT
// Records of launches: what was written is read back, and a file that ends anywhere, or has any byte changed,
// is read without harm.
#include "check.h"
#include "sim/report/profile.h"

static sim_profile_op ops[2] = {
    {.offset = 0, .target = UINT32_MAX, .text = 0, .size = 8, .seen = {.issued = 7}},
    {.offset = 8, .target = 0, .text = 6, .size = 4, .frame = 1, .frame_count = 1, .seen = {.issued = 5}}};
static char text[] = "s_nop\0s_branch\0kernel.hip";
static sim_profile_frame frames[2] = {{.file = 15, .line = 7}, {.file = 15, .line = 9}};
static sim_timing_issue issues[3] = {{.cycle = 4, .op = 0}, {.cycle = 8, .op = 1, .wave = 2}, {.cycle = 9}};

static FILE *temporary(void) {
  FILE *file = tmpfile();
  if (!file) exit(1);
  return file;
}

// The bytes of a file with one record of each kind.
static size_t write_records(unsigned char *out, size_t size) {
  sim_profile_launch launch = {.facts = {.shape = 77,
                                         .grid = {3, 2, 1},
                                         .loop_branch = 1,
                                         .op_count = 2,
                                         .text_size = sizeof text,
                                         .issue_count = 3,
                                         .frame_count = 2},
                               .kernel = "kernel",
                               .chip = "chip",
                               .target = "gfx950",
                               .ops = ops,
                               .text = text,
                               .frames = frames,
                               .issues = issues};
  FILE *file = temporary();
  CHECK(sim_profile_write_launch(file, &launch), "write");
  CHECK(sim_profile_write_shape(file, SIM_PROFILE_EQUAL, 77), "write");
  CHECK(sim_profile_write_shape(file, SIM_PROFILE_ALIKE, 78), "write");
  rewind(file);
  const size_t count = fread(out, 1, size, file);
  fclose(file);
  return count;
}

// Reads all records; their number, or -1 when the file is broken.
static int read_records(const unsigned char *bytes, size_t size, sim_profile_record *first) {
  FILE *file = temporary();
  sim_profile_record record;
  bool broken;
  int count = 0;
  fwrite(bytes, 1, size, file);
  rewind(file);
  for (; sim_profile_read(file, &record, &broken); ++count) {
    if (count == 0 && first)
      *first = record;
    else
      sim_profile_launch_free(record.launch);
  }
  fclose(file);
  return broken ? -1 : count;
}

static void check_contents(const unsigned char *bytes, size_t size) {
  sim_profile_record first = {.launch = NULL};
  CHECK(read_records(bytes, size, &first) == 3, "three records");
  CHECK(first.kind == SIM_PROFILE_TIMED && first.shape == 77 && first.launch, "the launch comes first");
  if (!first.launch) return;
  const sim_profile_launch *l = first.launch;
  CHECK(strcmp(l->kernel, "kernel") == 0 && strcmp(l->chip, "chip") == 0 && l->facts.grid[1] == 2,
        "its facts");
  CHECK(l->facts.op_count == 2 && memcmp(l->ops, ops, sizeof ops) == 0, "its ops");
  CHECK(memcmp(l->text, text, sizeof text) == 0, "its text");
  CHECK(l->facts.issue_count == 3 && memcmp(l->issues, issues, sizeof issues) == 0, "its issues");
  CHECK(l->facts.frame_count == 2 && memcmp(l->frames, frames, sizeof frames) == 0, "its frames");
  sim_profile_launch_free(first.launch);
}

// What a record may hold is limited by nothing but the file.
static void a_large_record_is_read(void) {
  enum { LARGE = (1 << 24) + 1000 };
  char *large = calloc(LARGE, 1);
  FILE *file = temporary();
  sim_profile_record record = {.launch = NULL};
  bool broken;
  if (!large) exit(1);
  large[LARGE - 2] = 'x';
  const sim_profile_launch launch = {.facts = {.loop_branch = UINT32_MAX, .text_size = LARGE},
                                     .kernel = "k",
                                     .chip = "c",
                                     .target = "t",
                                     .text = large};
  CHECK(sim_profile_write_launch(file, &launch), "write");
  rewind(file);
  CHECK(sim_profile_read(file, &record, &broken) && !broken, "a record of %d bytes of text", LARGE);
  CHECK(record.launch && memcmp(record.launch->text, large, LARGE) == 0, "its text");
  sim_profile_launch_free(record.launch);
  fclose(file);
  free(large);
}

int main(void) {
  static unsigned char bytes[1 << 16];
  const size_t size = write_records(bytes, sizeof bytes);
  const size_t ends[] = {0, size - 32, size - 16, size};  // between records
  check_contents(bytes, size);
  a_large_record_is_read();
  for (size_t i = 0, end = 0; i < size; ++i) {
    while (ends[end] < i) ++end;
    const int expected = ends[end] == i ? (int)end : -1;
    CHECK(read_records(bytes, i, NULL) == expected, "%zu of %zu bytes", i, size);
  }
  test_rng rng = test_seed(11);
  for (int i = 0; i < 2000; ++i) {
    const size_t at = test_random(&rng) % size;
    const unsigned char before = bytes[at];
    bytes[at] = (unsigned char)test_random(&rng);
    CHECK(read_records(bytes, size, NULL) <= 3, "byte %zu changed", at);
    bytes[at] = before;
  }
  return test_result();
}
