// SPDX-License-Identifier: MIT
// Tests the checks of operands that all families share (src/core/operand.h), against all elements one by one:
// what is taken has no element in common, and what one matrix of columns holds is taken.
#include <hip/hip_runtime_api.h>
#include <stdbool.h>

#include "src/core/operand.h"
#include "tests/check.h"

enum { MEMORY = 1 << 12 };

static wt_context context;
static unsigned char *memory;

static int between(test_rng *rng, int low, int high) {
  return low + (int)(test_random(rng) % (uint64_t)(high - low + 1));
}

// Marks the bytes of all elements; whether one was marked before, by this operand or another.
static bool mark(const wt_operand *x, unsigned char *marks) {
  int64_t at[WT_AXES] = {0};
  bool twice = false;
  for (bool more = true; more;) {
    int64_t element = (const unsigned char *)x->pointer - memory;
    for (int i = 0; i < WT_AXES; ++i) element += at[i] * x->axes[i].stride * (int64_t)x->element_bytes;
    for (size_t byte = 0; byte < x->element_bytes; ++byte) twice = marks[(size_t)element + byte]++ || twice;
    more = false;
    for (int i = 0; i < WT_AXES && !more; ++i) {
      more = ++at[i] < x->axes[i].count;
      if (!more) at[i] = 0;
    }
  }
  return twice;
}

// Returns a random operand of up to four axes that lies within the memory.
static wt_operand random_operand(test_rng *rng, const char *name) {
  static const size_t elements[] = {1, 2, 4};
  for (;;) {
    wt_operand x = {.name = name, .element_bytes = elements[between(rng, 0, 2)]};
    x.alignment = x.element_bytes;
    x.pointer = memory + (size_t)between(rng, 0, 200) * x.element_bytes;
    const int pitch = between(rng, 1, 40);
    for (int i = 0; i < WT_AXES; ++i)
      if (between(rng, 0, 3)) {
        const int of_pitch[] = {1, between(rng, 1, 8), pitch, pitch * between(rng, 1, 6)};
        x.axes[i] = (wt_axis){between(rng, 1, 4), of_pitch[i]};
      }
    if (wt_operand_span(&x) && (const unsigned char *)x.pointer + x.bytes <= memory + MEMORY) return x;
  }
}

static void test_random_operands(test_rng *rng) {
  int injective = 0, apart = 0;
  for (int i = 0; i < 20000; ++i) {
    unsigned char marks[MEMORY] = {0};
    wt_operand x = random_operand(rng, "x"), y = random_operand(rng, "y");
    const bool twice = mark(&x, marks);
    if (wt_operand_is_injective(&x)) {
      ++injective;
      CHECK(!twice, "operand %d is said to be injective, but shares an element with itself", i);
    }
    if (twice) continue;  // the rest of this case tells two operands apart
    x.written = true;
    unsigned char others[MEMORY] = {0};
    (void)mark(&y, others);
    bool shared = false;
    for (int byte = 0; byte < MEMORY; ++byte) shared = shared || (marks[byte] && others[byte]);
    const wt_status status = wt_operands_check(&context, (const wt_operand[]){x, y}, 2);
    CHECK(status == WT_SUCCESS || status == WT_ERROR_OVERLAP, "case %d: %s", i, wt_last_error(&context));
    CHECK(status == WT_ERROR_OVERLAP || !shared, "case %d: shared elements are not noticed", i);
    apart += status == WT_SUCCESS;
  }
  CHECK(injective > 1000 && apart > 1000, "%d injective, %d apart", injective, apart);
}

// Places Q, K and V of several heads as columns of one matrix, in two batch members: each may be written.
static void test_columns_of_one_matrix(void) {
  enum { D = 8, HEADS = 3, ROWS = 4, PITCH = 5 * D, GAP = 2 * PITCH };
  wt_operand parts[3];
  for (int i = 0; i < 3; ++i) {
    parts[i] = (wt_operand){.name = "part",
                            .pointer = memory + 2 * (size_t)(i == 0 ? 0 : (HEADS + i - 1) * D),
                            .element_bytes = 2,
                            .alignment = 2,
                            .axes = {{2, ROWS * PITCH + GAP}, {ROWS, PITCH}, {i ? 1 : HEADS, D}, {D, 1}},
                            .written = true};
    CHECK(wt_operand_span(&parts[i]) && wt_operand_is_injective(&parts[i]), "part %d", i);
  }
  CHECK(wt_operands_check(&context, parts, 3) == WT_SUCCESS, "%s", wt_last_error(&context));
  parts[2].pointer = (const unsigned char *)parts[2].pointer - 2;
  CHECK(wt_operands_check(&context, parts, 3) == WT_ERROR_OVERLAP, "one element further left");
}

static void test_spans(void) {
  wt_operand x = {.element_bytes = 4, .axes = {{3, 100}, {1, INT64_MAX}, {5, 7}}};
  CHECK(wt_operand_span(&x) && x.bytes == (2 * 100 + 4 * 7 + 1) * 4, "%llu bytes",
        (unsigned long long)x.bytes);
  x.axes[3] = (wt_axis){2, INT64_MAX / 4};
  CHECK(!wt_operand_span(&x), "beyond 2^63 bytes");
  x.axes[3] = (wt_axis){INT64_MAX, INT64_MAX};
  CHECK(!wt_operand_span(&x), "far beyond 2^63 bytes");
}

int main(void) {
  test_rng rng = test_seed(11);
  CHECK(pthread_mutex_init(&context.mutex, NULL) == 0, "mutex");
  CHECK(hipHostMalloc((void **)&memory, MEMORY, 0) == hipSuccess, "memory");
  test_spans();
  test_columns_of_one_matrix();
  test_random_operands(&rng);
  return test_result();
}
