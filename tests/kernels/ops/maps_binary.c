// SPDX-License-Identifier: MIT
// Tests maps of two against C's arithmetic, bit by bit: of two tiles, of a tile and a number, a column
// vector, a row vector.
#include "maps.h"

static double add(double a, double b) { return a + b; }
static double sub(double a, double b) { return a - b; }
static double mul(double a, double b) { return a * b; }
static double divided(double a, double b) { return a / b; }
static double integers_divided(double a, double b) { return trunc(a / b); }

// Double precision has twice the digits of f32 and two more, so rounding to it first changes nothing
// (Figueroa 1995).
static const struct function {
  const char *name;
  double (*f)(double, double);
} functions[] = {{"add", add}, {"sub", sub}, {"mul", mul}, {"div", divided}, {"max", fmax}, {"min", fmin}};

static ops_map *m;
static ops_number number;

static void check(const char *name, void *context) {
  double (*f)(double, double) = ((const struct function *)context)->f;
  const bool any_zero = f == fmax || f == fmin;  // of two zeros either
  if (m->type == OPS_i32 && f == divided) f = integers_divided;
  for (int k = 0; k < OPS_SIZE; ++k) {
    const double others[OPS_FORMS] = {
        [OPS_WITH_TILE] = ops_argument(m, 1, k),
        [OPS_WITH_NUMBER] = m->type == OPS_i32 ? number.i32 : (double)number.f32,
        [OPS_WITH_COLUMN_VECTOR] = m->list[k].row + 1,
        [OPS_WITH_ROW_VECTOR] = m->list[k].column + 1};
    for (int form = 0; form < OPS_FORMS; ++form) {
      const double a = ops_argument(m, 0, k), got = ops_result(m, form, k),
                   want = ops_rounded(m, f(a, others[form]));
      CHECK(same(got, want) || (any_zero && got == 0 && want == 0),
            "%s(%.9g, %.9g) is %.9g, expected %.9g, in form %d", name, a, others[form], got, want, form);
    }
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  enum { KINDS = 8 };  // of special numbers, each with each
  test_rng rng = {5};
  m->gfx950 = gfx950;
  number = ops_number_of(m, m->type == OPS_i32 ? -7 : -0.3);  // which no type has
  for (int k = 0; k < OPS_SIZE; ++k) {
    for (int i = 0; i < 2; ++i) {
      if (m->type == OPS_i32)
        ops_set(m, i, k, ops_between(&rng, 1, 30000) * (test_random(&rng) % 2 ? 1 : -1));
      else if (k < KINDS * KINDS)
        ops_set(m, i, k, ops_special(m->type, gfx950, i ? k / KINDS : k % KINDS));
      else
        ops_set(m, i, k, ops_random(&rng, -7, 9));
    }
  }
  for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
    char kernel[32];
    snprintf(kernel, sizeof kernel, "map_%s", functions[i].name);
    void *arguments[] = {&m->in[0], &m->in[1], &number, &m->out};
    ops_each_layout(m, module, kernel, arguments, check, (void *)(uintptr_t)&functions[i]);
  }
}

int main(int argc, char **argv) {
  m = ops_new_map(ops_type_argument(&argc, &argv));
  return isa_main(argc, argv, check_device);
}
