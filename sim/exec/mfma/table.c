// SPDX-License-Identifier: MIT
// Defines the MFMA instruction table of one host variant, expanded from the list in shape.h.
#include "sim/exec/mfma/mfma.h"

#define DENSE_INDEX(name, ...) INDEX_##name,
#define SPARSE_INDEX(name, ...) INDEX_SPARSE_##name,
enum {
  SIM_MFMA_DENSE(DENSE_INDEX) SIM_MFMA_F64(DENSE_INDEX) SIM_MFMA_SCALED(DENSE_INDEX)
      SIM_MFMA_SPARSE(SPARSE_INDEX)
};

#define DENSE_SHAPE(name, chips, m, k, blocks, a, b, d_type, s_type, p942, p950) \
  {m, k, blocks, SIM_ELEM_##a, SIM_ELEM_##b, {p942, p950}},
#define SPARSE_SHAPE(name, chips, m, k, blocks, a, b, d_type, a_type, b_type, p942, p950) \
  {m, k, blocks, SIM_ELEM_##a, SIM_ELEM_##b, {p942, p950}},
const sim_mfma_shape SIM_VARIANT_NAME(sim_mfma_shapes)[] = {
    SIM_MFMA_DENSE(DENSE_SHAPE) SIM_MFMA_F64(DENSE_SHAPE) SIM_MFMA_SCALED(DENSE_SHAPE)
        SIM_MFMA_SPARSE(SPARSE_SHAPE)};

#define ROW(text, types, handler, chip_bits, index, facts_) \
  {.name = text,                                            \
   .operands = types,                                       \
   .run = SIM_VARIANT_NAME(handler),                        \
   .chips = chip_bits,                                      \
   .klass = SIM_CLASS_MFMA,                                 \
   .arg = index,                                            \
   .facts = facts_},
#define DENSE_ROW(name, chips, m, k, blocks, a, b, d_type, s_type, p942, p950) \
  ROW("v_mfma_" #name, "=" d_type "," s_type "," s_type "," d_type, sim_mfma_dense, chips, INDEX_##name, 0)
#define F64_ROW(name, chips, m, k, blocks, a, b, d_type, s_type, p942, p950) \
  ROW("v_mfma_" #name, "=" d_type "," s_type "," s_type "," d_type, sim_mfma_f64, chips, INDEX_##name, 0)
#define SCALED_ROW(name, chips, m, k, blocks, a, b, d_type, s_type, p942, p950)                        \
  ROW("v_mfma_" #name, "=" d_type "," s_type "," s_type "," d_type ",b32,b32", sim_mfma_scaled, chips, \
      INDEX_##name, SIM_ROW_SCALED)
#define SPARSE_ROW(name, chips, m, k, blocks, a, b, d_type, a_type, b_type, p942, p950)   \
  ROW("v_smfmac_" #name, "=" d_type "," a_type "," b_type ",b32", sim_mfma_sparse, chips, \
      INDEX_SPARSE_##name, SIM_ROW_SPARSE)

// A scale pair whose MFMA has ABID[0] = 0 prints as an instruction of its own: the scales are forced to 1.0,
// so it has no effect (CDNA4 ISA 7).
static void ignored_scale(sim_wave *w, const sim_op *op) {
  (void)w;
  (void)op;
}

static const sim_opinfo rows[] = {SIM_MFMA_DENSE(DENSE_ROW) SIM_MFMA_F64(F64_ROW) SIM_MFMA_SCALED(SCALED_ROW)
                                      SIM_MFMA_SPARSE(SPARSE_ROW){.name = "v_mfma_ld_scale_b32",
                                                                  .operands = "b32,b32",
                                                                  .run = ignored_scale,
                                                                  .chips = SIM_ON_GFX950,
                                                                  .klass = SIM_CLASS_MFMA,
                                                                  .facts = SIM_ROW_SCALE_LOAD}};

const sim_optable SIM_VARIANT_NAME(sim_table_mfma) = {rows, sizeof rows / sizeof rows[0]};
