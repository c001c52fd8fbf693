// SPDX-License-Identifier: MIT
// What the MFMA tests share: cases as assembly text, data, and the comparison of every host variant with the
// reference.
#ifndef WT_TESTS_ISA_MFMA_OPS_H
#define WT_TESTS_ISA_MFMA_OPS_H

#include "harness.h"
#include "mfma_reference.h"
#include "sim/isa/tables.h"

extern const char *const mfma_variant_names[SIM_HOST_COUNT];

// Returns whether this CPU runs the variant; says so once on the console when not.
bool mfma_usable(sim_host variant);

// Returns the first operation of a snippet as the decoder built it, with the handler of a variant. It is
// false when the variant cannot run here. The instruction being absent from the tables is a failed check.
bool mfma_op(isa_program *p, size_t snippet, sim_host variant, sim_op *op);

typedef enum mfma_data {
  MFMA_INTEGERS,
  MFMA_REALS,
  MFMA_ANY_BITS,
  MFMA_HUGE,
  MFMA_TINY,
  MFMA_DATA_COUNT
} mfma_data;

typedef struct mfma_case {
  ref_case ref;
  uint32_t mode_clear, mode_set;  // changes to the MODE register
  bool mixed;                     // C holds other data than integers even when A and B do
  char text[192];
} mfma_case;

// Writes the assembly line of ref into text. constant: what to print for C, or NULL for registers.
void mfma_write(mfma_case *c, const char *name, const char *constant);
// Runs all cases on "gfx942" or "gfx950" with every kind of data and every variant.
void mfma_check_all(const char *target, mfma_case *cases, size_t count, test_rng *rng);
// test_result() of the checks made by mfma_op and mfma_check_all.
int mfma_test_result(void);

#endif
