// SPDX-License-Identifier: MIT
// Tests the facts in the rows of the instruction tables, against what the manuals' mnemonics say: for each
// fact the names that have it, and no other row may. A row that is added without its facts fails here, as
// does one with an argument that its handler does not look at.
#include <fnmatch.h>
#include <string.h>

#include "sim/isa/tables.h"
#include "tests/check.h"

enum { NAMES = 32 };

// Every row whose name fits one of the patterns has the fact, unless it fits one of those behind a '!'.
static const struct {
  uint64_t fact;
  const char *text;
  const char *names[NAMES];
} facts[] = {
#define FACT(name, ...)                    \
  {                                        \
    SIM_ROW_##name, #name, { __VA_ARGS__ } \
  }
    FACT(CANCELS, "v_xor_b32", "v_sub_u32", "v_subrev_u32", "v_sub_i32", "s_xor_b32", "s_xor_b64",
         "s_sub_u32", "s_sub_i32", "s_andn2_b32", "s_andn2_b64"),
    FACT(USES_DST, "v_fmac_*", "v_pk_fmac_*", "v_mac_*", "v_dot?c_*", "s_cmov*", "s_bitset*", "s_addk_i32",
         "s_mulk_i32"),
    FACT(READS_VCC, "v_div_fmas_*", "s_cbranch_vcc*"),
    FACT(WRITES_EXEC, "v_cmpx_*", "*_saveexec_*", "*_wrexec_*"),
    FACT(READS_M0, "*_addtid_*", "ds_append", "ds_consume", "s_sendmsg*", "s_movrel*"),
    FACT(SCC_IN, "s_addc_*", "s_subb_*", "s_cselect_*", "s_cmov*", "s_cbranch_scc?"),
    // Scalar arithmetic sets SCC, but for multiplications, moves and the like (CDNA3 ISA, "SCC").
    FACT(SCC_OUT, "s_add*", "s_sub*", "s_min_*", "s_max_*", "s_and*", "s_or*", "s_x*", "s_nand_*", "s_nor_*",
         "s_not_*", "s_lshl*", "s_lshr_*", "s_ashr_*", "s_bfe_*", "s_absdiff_*", "s_wqm_*", "s_bcnt*",
         "s_quadmask_*", "s_abs_*", "s_cmp*", "s_bitcmp*"),
    FACT(PACKED_DWORDS, "v_pk_add_f32", "v_pk_mul_f32", "v_pk_fma_f32", "v_pk_mov_b32"),
    FACT(HIGH_TO_LOW, "v_lshrrev_b64", "v_ashrrev_i64"),
    FACT(INDEXES_SOURCE, "s_movrels_*"),
    FACT(SETS_INDEX, "s_set_gpr_idx_on", "s_set_gpr_idx_idx"),
    FACT(SETS_INDEX_MODE, "s_set_gpr_idx_on", "s_set_gpr_idx_mode"),
    FACT(GETREG, "s_getreg_*"),
    FACT(SETREG, "s_setreg_*"),
    FACT(COPY, "v_mov_b32"),
    FACT(PICKS, "v_pk_mov_b32"),
    FACT(DOT, "v_dot*"),
    FACT(SPARSE, "v_smfmac_*"),
    FACT(SCALED, "v_mfma_scale_*"),
    FACT(SCALE_LOAD, "v_mfma_ld_scale_b32"),
    FACT(STORES, "*_store_*", "*_atomic_*", "ds_*", "!ds_read*", "!ds_swizzle*", "!ds_*permute*", "!ds_nop",
         "!ds_gws*"),
    FACT(ATOMIC, "*_atomic_*", "ds_*", "!ds_read*", "!ds_write*", "!ds_swizzle*", "!ds_*permute*", "!ds_nop",
         "!ds_gws*"),
    FACT(COMPARES, "ds_cmpst_*", "flat_atomic_cmpswap*", "global_atomic_cmpswap*", "buffer_atomic_cmpswap*"),
    FACT(BUFFER, "buffer_*", "tbuffer_*", "!buffer_inv", "!buffer_wbl2"),
    FACT(FORMAT, "*_format_*"),
    FACT(DIRECT, "*_load_lds_*"),
    FACT(PAIR, "ds_read2*", "ds_write2*", "ds_wrxchg2*"),
    FACT(COUNTS, "ds_append", "ds_consume"),
    FACT(EXCHANGES, "ds_read_*_tr_*"),
    FACT(BACKWARDS, "ds_bpermute_b32"),
    FACT(NO_ADDRESS, "*_addtid_*"),
    FACT(NO_MEMORY, "ds_nop", "buffer_inv", "buffer_wbl2", "s_dcache_*", "s_atc_probe*"),
    FACT(ACQUIRES, "buffer_inv", "*_atomic_*"),
    FACT(RELEASES, "buffer_wbl2", "*_atomic_*"),
    FACT(NOP, "s_nop"),
    FACT(SLEEP, "s_sleep"),
    FACT(PRIORITY, "s_setprio"),
    FACT(END, "s_endpgm*"),
    FACT(CLOCK, "s_memtime"),
    FACT(GRID, "ds_gws_barrier"),
    FACT(TARGET, "s_branch", "s_call_b64", "s_cbranch_scc?", "s_cbranch_vcc*", "s_cbranch_exec*"),
    FACT(LOADS, "s_load_*", "s_buffer_load_*"),
    FACT(INVALIDATES, "buffer_inv", "s_dcache_inv*"),
#undef FACT
};

// Says how undefined bits spread where it is not as in most instructions of the class.
static const struct {
  sim_spread spread;
  const char *text;
  const char *names[NAMES];
} spreads[] = {
#define SPREAD(name, ...)                     \
  {                                           \
    SIM_SPREAD_##name, #name, { __VA_ARGS__ } \
  }
    SPREAD(CHOICE, "v_cndmask_b32"),
    SPREAD(PERM, "v_perm_b32"),
    SPREAD(FIRST, "v_readfirstlane_b32"),
    SPREAD(READLANE, "v_readlane_b32"),
    SPREAD(WRITELANE, "v_writelane_b32"),
    SPREAD(SWAP, "v_swap_b32"),
    SPREAD(SWAP_ROWS, "v_permlane*_swap_b32"),
    SPREAD(AND, "s_and_*", "s_nand_*"),
    SPREAD(OR, "s_or_*", "s_nor_*"),
    SPREAD(ANDN1, "s_andn1_*"),
    SPREAD(ANDN2, "s_andn2_*"),
    SPREAD(ORN1, "s_orn1_*"),
    SPREAD(ORN2, "s_orn2_*"),
    SPREAD(INDEX, "s_set_gpr_idx_*", "!s_set_gpr_idx_off"),
    SPREAD(BITS, "s_mov_b*", "s_not_b*", "s_xor_b*", "s_xnor_b*"),
    SPREAD(SELECT, "s_cselect_*"),
    SPREAD(PERMUTE, "ds_swizzle_b32", "ds_*permute_b32"),
#undef SPREAD
};

// These are the rows whose handlers look at their argument; that of all others is 0.
static const char *const with_argument[NAMES] = {"s_endpgm_ordered_*",
                                                 "s_movrel*",
                                                 "s_*load_dword*",
                                                 "s_*store_dword*",
                                                 "s_*atomic_*",
                                                 "s_memrealtime",
                                                 "ds_*",
                                                 "!ds_nop",
                                                 "!ds_gws*",
                                                 "buffer_*",
                                                 "!buffer_inv",
                                                 "!buffer_wbl2",
                                                 "tbuffer_*",
                                                 "flat_*",
                                                 "global_*",
                                                 "scratch_*",
                                                 "v_permlane*_swap*",
                                                 "v_pk_*_i16",
                                                 "v_fma_mixhi_f16",
                                                 "v_rndne_*",
                                                 "v_exp_*",
                                                 "v_log_*",
                                                 "v_rcp_*",
                                                 "v_rsq_*",
                                                 "v_sqrt_*",
                                                 "v_sin_*",
                                                 "v_cos_*",
                                                 "v_div_scale_*",
                                                 "v_trig_preop_*",
                                                 "v_mfma_*_*",
                                                 "v_smfmac_*"};

static bool fits(const char *name, const char *const names[NAMES]) {
  bool found = false;
  for (int i = 0; i < NAMES && names[i]; ++i) {
    const bool without = names[i][0] == '!';
    if (fnmatch(names[i] + without, name, 0) != 0) continue;
    if (without) return false;
    found = true;
  }
  return found;
}

static void check_row(const sim_opinfo *row) {
  const sim_spread spread = sim_row_spread(row);
  const char *expected = "usual";
  sim_spread other = SIM_SPREAD_NONE;
  uint64_t known = (uint64_t)0xff << SIM_ROW_SPREAD_SHIFT;
  for (size_t i = 0; i < sizeof facts / sizeof *facts; ++i) {
    const bool has = row->facts & facts[i].fact, should = fits(row->name, facts[i].names);
    known |= facts[i].fact;
    CHECK(has == should, "%s %s the fact %s", row->name, has ? "has" : "lacks", facts[i].text);
  }
  CHECK(!(row->facts & ~known), "%s has facts that no test knows: 0x%llx", row->name,
        (unsigned long long)(row->facts & ~known));
  CHECK(!row->arg || fits(row->name, with_argument), "%s has the argument %u, which nothing looks at",
        row->name, (unsigned)row->arg);
  for (size_t i = 0; i < sizeof spreads / sizeof *spreads; ++i)
    if (fits(row->name, spreads[i].names)) {
      other = spreads[i].spread;
      expected = spreads[i].text;
    }
  CHECK(spread == other, "%s spreads undefined bits as kind %d, not as %s", row->name, (int)spread, expected);
}

static void check_table(const sim_optable *table) {
  for (size_t i = 0; i < table->count; ++i) check_row(&table->rows[i]);
}

// A name that nothing has is a slip of the pen.
static void every_name_is_that_of_a_row(const sim_optable *const *tables, size_t count) {
  for (size_t f = 0; f < sizeof facts / sizeof *facts; ++f)
    for (int n = 0; n < NAMES && facts[f].names[n]; ++n) {
      const char *name = facts[f].names[n];
      bool found = false;
      for (size_t t = 0; t < count; ++t)
        for (size_t i = 0; i < tables[t]->count; ++i)
          found |= fnmatch(name + (name[0] == '!'), tables[t]->rows[i].name, 0) == 0;
      CHECK(found, "no instruction fits %s of %s", name, facts[f].text);
    }
}

int main(void) {
#define PORTABLE(name) &name##_portable,
  static const sim_optable *const tables[] = {&sim_table_salu,
                                              &sim_table_control,
                                              &sim_table_smem,
                                              &sim_table_crosslane,
                                              &sim_table_lds,
                                              &sim_table_lds_atomic,
                                              &sim_table_buffer,
                                              &sim_table_flat,
                                              &sim_table_cache,
                                              &sim_table_gws,
                                              SIM_VECTOR_TABLES(PORTABLE)};
  const size_t count = sizeof tables / sizeof *tables;
  for (size_t i = 0; i < count; ++i) check_table(tables[i]);
  every_name_is_that_of_a_row(tables, count);
  return test_result();
}
