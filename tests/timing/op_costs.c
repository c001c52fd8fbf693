// SPDX-License-Identifier: MIT
// What single instructions cost in the timing model, where no rate that is published shows it.
#include "sim/exec/op_cost.h"

#include <stdlib.h>

#include "tests/isa/harness.h"

static const char *const code[] = {
    "v_mfma_f32_32x32x2_f32 a[0:15], v0, v1, a[0:15]\n v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], a[0:7]",
    ("v_mfma_f32_32x32x8_bf16 a[0:15], v[0:1], v[2:3], a[0:15]\n"
     "v_mfma_i32_32x32x16_i8 a[0:15], v[0:1], v[2:3], a[0:15]"),
    "s_load_dword s0, s[4:5], 0x0", "s_load_dwordx2 s[0:1], s[4:5], 0x0\n s_memtime s[0:1]\n s_dcache_wb"};
enum { ALONE, BESIDE_OTHERS, ONE_DWORD, MORE_DWORDS, CODES };

static void check(const char *target, int kind, const char *name, const sim_op_cost *c) {
  if (kind <= BESIDE_OTHERS)
    // f32 and f64 hold up vector instructions as long as they run, others while they read their operands.
    CHECK(kind == ALONE ? c->port_cycles == c->cycles
                        : c->port_cycles == c->read_cycles && c->read_cycles < c->cycles,
          "%s: %s takes %u cycles and the port for %u", target, name, c->cycles, c->port_cycles);
  else
    // The counter of scalar memory counts two for what returns more than a dword.
    CHECK(c->scalar_weight == (kind == ONE_DWORD ? 1 : 2), "%s: %s counts %u", target, name,
          (unsigned)c->scalar_weight);
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  for (int i = 0; i < 2; ++i) {
    isa_program *p = isa_assemble(targets[i], code, CODES);
    isa_begin(p, 0);
    const sim_launch *launch = isa_group(p)->launch;
    const sim_program *program = launch->program;
    sim_op_cost *costs = sim_op_costs(program, launch->machine);
    CHECK(costs, "no memory");
    for (int kind = 0; costs && kind < CODES; ++kind) {
      const sim_op *op = sim_program_at(program, isa_offset(p, (size_t)kind));
      for (; op->info && !(op->info->facts & SIM_ROW_END); ++op)
        check(targets[i], kind, sim_op_text(program, op), &costs[op - program->ops]);
    }
    free(costs);
    isa_free(p);
  }
  return test_result();
}
