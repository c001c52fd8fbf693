// SPDX-License-Identifier: MIT
// Says where the decoder finds instruction rows: each folder of sim/exec exports tables, and sim/exec/vector
// one per host variant.
#ifndef SIM_ISA_TABLES_H
#define SIM_ISA_TABLES_H

#include "sim/isa/op.h"

// Lists host vector variants, widest first. Files of sim/exec/vector are compiled once per variant with
// -DSIM_VARIANT=<suffix>.
typedef enum sim_host { SIM_HOST_AVX512, SIM_HOST_AVX2, SIM_HOST_PORTABLE, SIM_HOST_COUNT } sim_host;

// Returns the variant in use: the widest the CPU has, or WT_SIM_HOST=avx512|avx2|portable when the CPU can
// run it.
sim_host sim_host_variant(void);

// Returns whether this CPU (and this build) can run a variant.
bool sim_host_usable(sim_host host);

#define SIM_PASTE2(a, b) a##_##b
#define SIM_PASTE(a, b) SIM_PASTE2(a, b)
#define SIM_VARIANT_NAME(name) SIM_PASTE(name, SIM_VARIANT)

// These are scalar, control and memory instructions: one table per file.
extern const sim_optable sim_table_salu, sim_table_control, sim_table_smem, sim_table_crosslane;
extern const sim_optable sim_table_lds, sim_table_lds_atomic, sim_table_buffer, sim_table_flat,
    sim_table_cache, sim_table_gws;
// Vector instructions have one table per variant. A new table is named here and in SIM_VECTOR_TABLES.
#define SIM_VECTOR_TABLES(X) \
  X(sim_table_valu_int)      \
  X(sim_table_valu_float)    \
  X(sim_table_valu_wide)     \
  X(sim_table_valu_trans)    \
  X(sim_table_valu_convert)  \
  X(sim_table_valu_compare)  \
  X(sim_table_valu_dot)      \
  X(sim_table_valu_scale)    \
  X(sim_table_mfma)
#define SIM_DECLARE_TABLE(name) extern const sim_optable name##_avx512, name##_avx2, name##_portable;
SIM_VECTOR_TABLES(SIM_DECLARE_TABLE)
#undef SIM_DECLARE_TABLE

// Initialises an array of SIM_HOST_COUNT with the variants of a vector table; NULL for those left out of the
// build.
#ifdef SIM_PORTABLE_ONLY
#define SIM_VARIANTS_OF(name) {[SIM_HOST_PORTABLE] = &name##_portable}
#else
#define SIM_VARIANTS_OF(name) {&name##_avx512, &name##_avx2, &name##_portable}
#endif

// Returns the row for a mnemonic (suffix already stripped) on a chip, or NULL. Names are unique over all
// tables.
const sim_opinfo *sim_find_opinfo(const char *name, int chip_bit);

#endif
