// SPDX-License-Identifier: MIT
// Tests that kernels print with wt::printf what the host's printf prints of the same format and arguments,
// whoever prints it under whatever schedule; an assertion stops the kernel with a sentence, unless NDEBUG is
// defined. Arguments: the code objects of both chips, then the same compiled with -DNDEBUG.
#include "printf.h"

#include <unistd.h>

#include "tests/kernels/ops/isa/run.h"

enum { MOST_TEXT = 1 << 16, GROUPS = 3, THREADS = 128, LANES = 64 };

static const char *const schedules[] = {"late", "early", "lockstep", "timed", "random:1", "random:2"};
static char got[MOST_TEXT], want[MOST_TEXT];

// These take what a stream gets until capture_end, which leaves it in `got`.
static int saved;
static FILE *file;
static void capture_begin(FILE *stream) {
  fflush(stream);
  saved = dup(fileno(stream));
  file = tmpfile();
  if (!file || saved < 0) exit(1);
  dup2(fileno(file), fileno(stream));
}
static void capture_end(FILE *stream) {
  fflush(stream);
  dup2(saved, fileno(stream));
  close(saved);
  rewind(file);
  got[fread(got, 1, MOST_TEXT - 1, file)] = 0;
  fclose(file);
}

static bool launch(hipModule_t module, const char *name, unsigned groups, unsigned x, unsigned y, unsigned z,
                   void **arguments) {
  hipFunction_t function = NULL;
  return isa_ok(hipModuleGetFunction(&function, module, name), name) &&
         isa_ok(hipModuleLaunchKernel(function, groups, 1, 1, x, y, z, 0, NULL, arguments, NULL), name);
}

// Runs a kernel that prints to standard output, and compares.
static void expect_printed(hipModule_t module, const char *name, unsigned groups, unsigned x, unsigned y,
                           unsigned z, void **arguments, const char *schedule) {
  capture_begin(stdout);
  const bool ran = launch(module, name, groups, x, y, z, arguments) && hipDeviceSynchronize() == hipSuccess;
  capture_end(stdout);
  CHECK(ran, "%s under %s does not end well", name, schedule);
  CHECK(strcmp(got, want) == 0, "%s under %s printed\n%s\nexpected\n%s", name, schedule, got, want);
}

// Tells whether `got` has exactly the lines of `want`, in any order. Both are sorted as lines.
static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static size_t lines_of(char *text, char **lines) {
  size_t count = 0;
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) lines[count++] = line;
  qsort(lines, count, sizeof *lines, by_text);
  return count;
}
static void expect_lines(const char *name, const char *schedule) {
  static char *printed[MOST_TEXT], *right[MOST_TEXT];
  const size_t count = lines_of(got, printed), expected = lines_of(want, right);
  CHECK(count == expected, "%s under %s printed %zu lines, expected %zu", name, schedule, count, expected);
  for (size_t i = 0; i < count && i < expected; ++i)
    CHECK(strcmp(printed[i], right[i]) == 0, "%s under %s: line %zu is \"%s\", expected \"%s\"", name,
          schedule, i, printed[i], right[i]);
}

static void check_words(hipModule_t module, const char *schedule) {
  static char *word;
  static int *written;
  if (!word) word = isa_memory(16), written = isa_memory(GROUPS * THREADS * sizeof *written);
  strcpy(word, "round");
  void *arguments[] = {&word, &written};
  capture_begin(stdout);
  const bool ran =
      launch(module, "say", GROUPS, THREADS, 1, 1, arguments) && hipDeviceSynchronize() == hipSuccess;
  capture_end(stdout);
  CHECK(ran, "say under %s does not end well", schedule);
  size_t length = 0;
  for (int thread = 0; thread < GROUPS * THREADS; ++thread) {
    int bytes = 0;
    for (int i = 0; i < thread % 4; ++i)
      bytes += snprintf(want + length + (size_t)bytes, MOST_TEXT - length - (size_t)bytes,
                        "%s %d of thread %d\n", word, i, thread);
    CHECK(written[thread] == bytes, "printf returned %d to thread %d under %s, expected %d", written[thread],
          thread, schedule, bytes);
    length += (size_t)bytes;
  }
  expect_lines("say", schedule);
}

// Checks texts of 0, 1, 2 ... characters, of which a lane prints its own and its mirror's.
static void check_texts(hipModule_t module, const char *schedule) {
  static char *texts;
  static int *first;
  int lanes = LANES, to_error = 0;
  if (!texts) texts = isa_memory(LANES * 2 * LANES), first = isa_memory(LANES * sizeof *first);
  test_rng rng = {41};
  int at = 0;
  for (int lane = 0; lane < LANES; ++lane) {
    first[lane] = at;
    for (int i = 0; i < lane * 3 / 2; ++i) texts[at++] = (char)('a' + test_random(&rng) % 26);
    texts[at++] = 0;
  }
  size_t length = 0;
  for (int lane = 0; lane < LANES; ++lane)
    length += (size_t)snprintf(want + length, MOST_TEXT - length, "%s|%s|\n", texts + first[lane],
                               texts + first[LANES - 1 - lane]);
  void *arguments[] = {&texts, &first, &lanes, &to_error};
  capture_begin(stdout);
  const bool ran =
      launch(module, "say_text", 1, LANES, 1, 1, arguments) && hipDeviceSynchronize() == hipSuccess;
  capture_end(stdout);
  CHECK(ran, "say_text under %s does not end well", schedule);
  expect_lines("say_text", schedule);  // lanes with shorter texts end before the others

  to_error = 1, lanes = 2;
  snprintf(want, sizeof want, "%s|\n%s|\n", texts + first[0], texts + first[1]);
  capture_begin(stderr);
  const bool ended =
      launch(module, "say_text", 1, LANES, 1, 1, arguments) && hipDeviceSynchronize() == hipSuccess;
  capture_end(stderr);
  CHECK(ended && strcmp(got, want) == 0, "say_text under %s told standard error %s", schedule, got);
}

static void check_assertions(hipModule_t module, hipModule_t without, const char *schedule) {
  static int *done;
  int limit = LANES;
  if (!done) done = isa_memory(LANES * sizeof *done);
  void *arguments[] = {&limit, &done};
  memset(done, 0, LANES * sizeof *done);
  isa_run(module, "at_most", LANES, arguments);
  CHECK(done[0] == 1 && done[LANES - 1] == 1, "an assertion that holds stops the kernel under %s", schedule);

  limit = 62;
  capture_begin(stderr);
  launch(module, "at_most", 1, LANES, 1, 1, arguments);
  const hipError_t error = hipDeviceSynchronize();
  capture_end(stderr);
  CHECK(error == hipErrorAssert, "a failed assertion is %s under %s", hipGetErrorName(error), schedule);
  CHECK(strstr(got, "/printf.hip:") && strstr(got, "at_most: work-group (0, 0, 0), thread (63, 0, 0)") &&
            strstr(got, "assertion `wt::lane_id() < limit' failed.") && !strstr(got, "thread (61, 0, 0)"),
        "a failed assertion says under %s: %s", schedule, got);

  memset(done, 0, LANES * sizeof *done);
  isa_run(without, "at_most", LANES, arguments);
  CHECK(done[LANES - 1] == 1, "an assertion stops the kernel in spite of -DNDEBUG under %s", schedule);
}

static void check_schedule(hipModule_t module, hipModule_t without, const char *schedule) {
  static char *word;
  if (!word) word = isa_memory(16);
  strcpy(word, "and");
  setenv("WT_SIM_SCHEDULE", schedule, 1);
  snprintf(want, sizeof want, OPS_PRINTF_FORMAT, OPS_PRINTF_ARGUMENTS);
  expect_printed(module, "every_conversion", 1, LANES, 1, 1, NULL, schedule);
  void *words[] = {&word};
  snprintf(want, sizeof want, "3 1 2 3 4 5 6|7 and 8 9.5 and\n35 1 2 3 4 5 6|7 and 8 9.5 and\n");
  expect_printed(module, "say_much", 1, LANES, 1, 1, words, schedule);
  snprintf(want, sizeof want, "thread 5\nthread 42\nthread 79\nthread 116\n");
  capture_begin(stdout);
  const bool ran = launch(module, "say_in_a_block", 1, 8, 4, 4, NULL) && hipDeviceSynchronize() == hipSuccess;
  capture_end(stdout);
  CHECK(ran, "say_in_a_block under %s does not end well", schedule);
  expect_lines("say_in_a_block", schedule);
  check_words(module, schedule);
  check_texts(module, schedule);
  check_assertions(module, without, schedule);
}

int main(int argc, char **argv) {
  int devices = 0;
  isa_ok(hipGetDeviceCount(&devices), "hipGetDeviceCount");
  CHECK(devices == 2 && argc == 5, "%d devices and %d arguments, expected 2 and 4", devices, argc - 1);
  for (int device = 0; device < devices && argc == 5; ++device) {
    hipModule_t module = NULL, without = NULL;
    if (!isa_ok(hipSetDevice(device), "hipSetDevice") ||
        !isa_ok(hipModuleLoad(&module, argv[device + 1]), "load") ||
        !isa_ok(hipModuleLoad(&without, argv[device + 3]), "load"))
      continue;
    for (size_t s = 0; s < sizeof schedules / sizeof *schedules; ++s)
      check_schedule(module, without, schedules[s]);
    isa_ok(hipModuleUnload(module), "hipModuleUnload");
    isa_ok(hipModuleUnload(without), "hipModuleUnload");
  }
  return test_result();
}
