// SPDX-License-Identifier: MIT
// Tests how many instructions a wave executes for a block of keys that it sees whole, counted by the
// simulated device: without those that mask scores and rescale O, which attention_code counts as well.
// Bounds, so that the main loops cannot grow unseen.
#include <hip/hip_runtime_api.h>
#include <stdlib.h>
#include <wavetile.h>

#include "check.h"
#include "wavetile_sim.h"

enum { QUERIES = 256, WAVES = 8, FEW = 16, MANY = 24 };

typedef struct promise {
  wt_type type;
  int head_dim, keys;     // keys: of a block
  unsigned mfmas, bound;  // per block and wave
} promise;

static const promise promises[2][3] = {
    {{WT_TYPE_BF16, 128, 64, 32, 320}, {WT_TYPE_F16, 128, 64, 32, 320}, {WT_TYPE_BF16, 64, 128, 32, 400}},
    {{WT_TYPE_BF16, 128, 32, 32, 460}, {WT_TYPE_F16, 128, 32, 32, 395}, {WT_TYPE_BF16, 64, 32, 16, 360}}};

static void *zeros(size_t bytes) {
  void *memory = NULL;
  CHECK(hipMalloc(&memory, bytes) == hipSuccess && hipMemset(memory, 0, bytes) == hipSuccess, "%zu bytes",
        bytes);
  return memory;
}

// Returns how many instructions of one work-group `blocks` blocks of keys take. Equal scores never rescale O
// after the first.
static unsigned long long executed(wt_context *context, const promise *p, int blocks) {
  const size_t row = (size_t)p->head_dim * 2, keys = (size_t)(blocks * p->keys);
  void *q = zeros(QUERIES * row), *k = zeros(keys * row), *v = zeros(keys * row), *o = zeros(QUERIES * row);
  wt_attention_desc d = WT_ATTENTION_DESC_INIT;
  d.type = p->type;
  d.head_dim = p->head_dim;
  d.queries = QUERIES;
  d.keys = (int64_t)keys;
  unsigned long long before = 0, after = 0;
  CHECK(wtSimTotals(&before, NULL) == 0, "instructions are not counted");
  CHECK(wt_attention_forward(context, &d, q, k, v, o, NULL, NULL) == WT_SUCCESS, "%s",
        wt_last_error(context));
  CHECK(hipDeviceSynchronize() == hipSuccess && wtSimTotals(&after, NULL) == 0, "a launch failed");
  void *const all[] = {q, k, v, o};
  for (int i = 0; i < 4; ++i) CHECK(hipFree(all[i]) == hipSuccess, "hipFree");
  return after - before;
}

int main(void) {
  for (int device = 0; device < 2; ++device) {
    wt_context *context;
    const wt_status status = wt_context_create(device, &context);
    CHECK(status == WT_SUCCESS && hipSetDevice(device) == hipSuccess, "device %d: %s", device,
          wt_last_error(NULL));
    if (status) break;
    for (int i = 0; i < 3; ++i) {
      const promise *p = &promises[device][i];
      const unsigned long long more = executed(context, p, MANY) - executed(context, p, FEW);
      const double per_block = (double)more / (WAVES * (MANY - FEW));
      printf("%s type %d heads of %d: %.1f instructions for %u MFMAs, %.1f each\n",
             wt_context_target(context), p->type, p->head_dim, per_block, p->mfmas, per_block / p->mfmas);
      CHECK(per_block <= p->bound,
            "%s, type %d, heads of %d: %.1f instructions per block of keys, promised %u",
            wt_context_target(context), p->type, p->head_dim, per_block, p->bound);
    }
    wt_context_destroy(context);
  }
  return test_result();
}
