// SPDX-License-Identifier: MIT
// Copies of descriptors (src/core/desc.h): members that an older version lacks are zero, whatever stood
// there, and a newer version is taken as long as what it adds is zero. A layout of our own has every length.
#include "src/core/desc.h"
#include "tests/check.h"

typedef struct newest {
  size_t struct_size;
  int first, second, third, fourth;
} newest;
typedef struct newer {
  newest known;
  unsigned char added[16];
} newer;
enum { FIRST = sizeof(size_t) + 4, SECOND = FIRST + 4 };

static const size_t older[] = {FIRST, SECOND, 0};
static const wt_desc_layout layout = {"wt_test_desc", "WT_TEST_DESC_INIT", sizeof(newest), older},
                            alone = {"wt_test_desc", "WT_TEST_DESC_INIT", sizeof(newest), NULL};
static wt_context context;

static wt_status copy(const wt_desc_layout *l, const void *desc, newest *out) {
  memset(out, 0x5a, sizeof *out);
  return wt_desc_copy(&context, l, desc, out);
}

static void what_an_older_version_lacks_is_zero(void) {
  static const struct {
    size_t size;
    int known;
  } sizes[] = {{FIRST, 1}, {SECOND, 2}, {sizeof(newest), 4}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    const newest desc = {sizes[i].size, 1, 2, 3, 4};
    newest got;
    CHECK(copy(&layout, &desc, &got) == WT_SUCCESS, "%zu bytes: %s", sizes[i].size, wt_last_error(&context));
    CHECK(got.struct_size == sizeof got, "the copy has %zu bytes", got.struct_size);
    const int members[] = {got.first, got.second, got.third, got.fourth};
    for (int k = 0; k < 4; ++k)
      CHECK(members[k] == (k < sizes[i].known ? k + 1 : 0), "%zu bytes: member %d is %d", sizes[i].size, k,
            members[k]);
  }
}

static void other_sizes_are_refused(void) {
  newest got;
  for (size_t size = 0; size < sizeof(newest); ++size) {
    const newest desc = {size, 1, 2, 3, 4};
    const bool known = size == FIRST || size == SECOND;
    CHECK(copy(&layout, &desc, &got) == (known ? WT_SUCCESS : WT_ERROR_STRUCT_SIZE), "%zu bytes", size);
    CHECK(copy(&alone, &desc, &got) == WT_ERROR_STRUCT_SIZE, "%zu bytes, and no older version", size);
  }
  const newest wrong = {7, 0, 0, 0, 0}, huge = {SIZE_MAX, 0, 0, 0, 0};
  CHECK(copy(&layout, &wrong, &got) == WT_ERROR_STRUCT_SIZE &&
            strstr(wt_last_error(&context),
                   "desc->struct_size is 7, but this library knows 12 and 16 and 24; start from "
                   "WT_TEST_DESC_INIT"),
        "it said: %s", wt_last_error(&context));
  CHECK(copy(&alone, &wrong, &got) == WT_ERROR_STRUCT_SIZE &&
            strstr(wt_last_error(&context), "this library knows 24; start from WT_TEST_DESC_INIT"),
        "it said: %s", wt_last_error(&context));
  CHECK(copy(&layout, &huge, &got) == WT_ERROR_STRUCT_SIZE, "SIZE_MAX bytes");
}

// Changes one byte at a time, so that the first and the last count, too.
static void what_a_newer_version_adds_must_be_zero(void) {
  newest got;
  for (size_t size = sizeof(newest); size <= sizeof(newer); ++size)
    for (size_t byte = sizeof(newest) - 1; byte <= sizeof(newer); ++byte) {
      newer desc = {.known = {size, 1, 2, 3, 4}};
      if (byte >= sizeof(newest) && byte < sizeof(newer)) desc.added[byte - sizeof(newest)] = 1;
      const bool seen = byte >= sizeof(newest) && byte < size;
      const wt_status status = copy(&layout, &desc, &got);
      CHECK(status == (seen ? WT_ERROR_STRUCT_SIZE : WT_SUCCESS), "%zu bytes, byte %zu set: %s", size, byte,
            wt_status_string(status));
      if (!seen)
        CHECK(got.struct_size == sizeof got && got.fourth == 4, "%zu bytes: %zu, %d", size, got.struct_size,
              got.fourth);
    }
}

static void null_is_refused(void) {
  newest got, desc = {sizeof desc, 1, 2, 3, 4};
  CHECK(copy(&layout, NULL, &got) == WT_ERROR_NULL_ARGUMENT && got.fourth == 0, "no descriptor");
  CHECK(wt_desc_copy(NULL, &layout, &desc, &got) == WT_ERROR_NULL_ARGUMENT, "no context");
}

static void members_are_checked_to_their_ends(void) {
  CHECK(
      wt_check_size(&context, "m", 1) == WT_SUCCESS && wt_check_size(&context, "m", INT32_MAX) == WT_SUCCESS,
      "sizes");
  CHECK(wt_check_size(&context, "m", 0) == WT_ERROR_SIZE &&
            wt_check_size(&context, "m", INT32_MAX + INT64_C(1)) == WT_ERROR_SIZE &&
            wt_check_size(&context, "m", INT64_MIN) == WT_ERROR_SIZE,
        "sizes that are none");
  CHECK(wt_check_flag(&context, "f", 0) == WT_SUCCESS && wt_check_flag(&context, "f", 1) == WT_SUCCESS,
        "flags");
  CHECK(
      wt_check_flag(&context, "f", 2) == WT_ERROR_VALUE && wt_check_flag(&context, "f", -1) == WT_ERROR_VALUE,
      "no flags");
  CHECK(wt_check_finite(&context, "x", -3e38f) == WT_SUCCESS, "a finite number");
  CHECK(wt_check_finite(&context, "x", __builtin_inff()) == WT_ERROR_VALUE &&
            wt_check_finite(&context, "x", -__builtin_inff()) == WT_ERROR_VALUE &&
            wt_check_finite(&context, "x", __builtin_nanf("")) == WT_ERROR_VALUE,
        "infinite or no number");
}

int main(void) {
  what_an_older_version_lacks_is_zero();
  other_sizes_are_refused();
  what_a_newer_version_adds_must_be_zero();
  null_is_refused();
  members_are_checked_to_their_ends();
  return test_result();
}
