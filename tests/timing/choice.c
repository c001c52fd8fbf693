// SPDX-License-Identifier: MIT
// The cost model (src/gemm/cost.c) chooses well by the timing model: for each shape of a file of predictions,
// those of what wt_gemm chooses today are close to those of the best kernel and split. Nothing is predicted
// here. Argument: the file, which `wavetile bench choice --keep` writes.
#include <hip/hip_runtime_api.h>
#include <string.h>

#include "bench/bench_keep.h"
#include "bench/choice_figures.h"
#include "check.h"
#include "core/device.h"
#include "predict/predict.h"
#include "wavetile.h"

enum { MOST_SHAPES = 512, FEWEST_SHAPES = 40 };

typedef struct shape {
  char chip[16], type[16], text[64];
  char kernel[64];  // that is chosen; gemm_chosen where several kernels are launched
  int parts;
  double chosen, best;  // predicted cycles; chosen 0: the file has none
  int predictions;
} shape;

static shape shapes[MOST_SHAPES];
static size_t count;

// Asks the library which kernel and split it chooses, as tools/bench/choice_candidates.c does.
static bool choose(shape *s) {
  char device_name[32];
  tool_device device;
  predict_shape sizes;
  wt_context *context = NULL;
  snprintf(device_name, sizeof device_name, "sim:%s", s->chip);
  if (!predict_shape_read(s->text, &sizes) || tool_device_open(device_name, &device) ||
      wt_context_create(device.ordinal, &context))
    return false;
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = sizes.size[0], desc.n = sizes.size[1], desc.k = sizes.size[2];
  desc.type_a = desc.type_b = element_type_on(element_type_find(s->type, false), wt_context_target(context));
  desc.type_c = WT_TYPE_BF16;
  wt_gemm_piece_info piece = {.struct_size = sizeof piece};
  const bool good = wt_gemm_piece_at(context, &desc, 0, &piece) == WT_SUCCESS;
  if (good) {
    const bool several = piece.count > 1 || piece.packs_a || piece.packs_b;
    snprintf(s->kernel, sizeof s->kernel, "%s", several ? "gemm_chosen" : piece.kernel);
    s->parts = (int)piece.parts;
  }
  wt_context_destroy(context);
  return good;
}

static shape *shape_of(const char *chip, const char *type, const char *text) {
  for (size_t i = 0; i < count; ++i)
    if (!strcmp(shapes[i].chip, chip) && !strcmp(shapes[i].type, type) && !strcmp(shapes[i].text, text))
      return &shapes[i];
  if (count == MOST_SHAPES) return NULL;
  shape *s = &shapes[count++];
  snprintf(s->chip, sizeof s->chip, "%s", chip);
  snprintf(s->type, sizeof s->type, "%s", type);
  snprintf(s->text, sizeof s->text, "%s", text);
  CHECK(choose(s), "nothing is chosen for %s %s on %s: %s", type, text, chip, wt_last_error(NULL));
  return s;
}

enum { CHIP, TYPE, SHAPE, KERNEL, PARTS, CYCLES, FIELDS };

static void take_line(void *context, char *const field[]) {
  (void)context;
  shape *s = shape_of(field[CHIP], field[TYPE], field[SHAPE]);
  const double cycles = strtod(field[CYCLES], NULL);
  CHECK(s && cycles > 0, "the file has more than %d shapes, or no cycles: %s", MOST_SHAPES, field[SHAPE]);
  if (!s) return;
  if (!s->predictions++ || cycles < s->best) s->best = cycles;
  if (strcmp(s->kernel, field[KERNEL]) == 0 && s->parts == atoi(field[PARTS])) s->chosen = cycles;
}

int main(int argc, char **argv) {
  static double ratios[MOST_SHAPES];
  size_t known = 0;
  CHECK(argc == 2 && bench_keep_lines(argv[1], FIELDS, take_line, NULL) == TOOL_OK, "no predictions");
  for (size_t i = 0; i < count; ++i) {
    const shape *s = &shapes[i];
    CHECK(
        s->chosen > 0 && s->predictions > 1,
        "%s %s on %s: %s in %d parts is chosen, which the %d predictions leave out; docs/guide/choice.md has "
        "the command that adds it",
        s->type, s->text, s->chip, s->kernel, s->parts, s->predictions);
    if (!(s->chosen > 0)) continue;
    ratios[known++] = s->chosen / s->best;
    if (s->chosen > 1.05 * s->best)
      printf("%.3f: %s %s on %s, %s in %d parts\n", s->chosen / s->best, s->type, s->text, s->chip, s->kernel,
             s->parts);
  }
  CHECK(known >= FEWEST_SHAPES, "only %zu shapes are compared", known);
  if (known) {
    const choice_figures figures = choice_figures_of(ratios, known);
    printf("%zu shapes: ", known);
    choice_figures_print(stdout, &figures, &choice_targets);
    CHECK(choice_figures_met(&figures, &choice_targets), "the choice has become worse");
  }
  return test_result();
}
