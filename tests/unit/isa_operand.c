// SPDX-License-Identifier: MIT
// What LLVM's disassembler prints for operands is read as the ISA encodes it.
#include "sim/isa/operand.h"

#include "check.h"

typedef struct operand_case {
  const char *text;
  sim_type type;
  int kind, reg, regs;
  uint64_t value;
} operand_case;

static void registers_constants_and_named_operands_are_read(void) {
  static const operand_case cases[] = {
      {"v0", SIM_T_F32, SIM_OPND_VGPR, 0, 1, 0},
      {"v255", SIM_T_F32, SIM_OPND_VGPR, 255, 1, 0},
      {"a[0:3]", SIM_T_B128, SIM_OPND_VGPR, 256, 4, 0},
      {"a255", SIM_T_B32, SIM_OPND_VGPR, 511, 1, 0},
      {"v[4:7]", SIM_T_ANY, SIM_OPND_VGPR, 4, 4, 0},
      {"s101", SIM_T_B32, SIM_OPND_SGPR, 101, 1, 0},
      {"s[2:3]", SIM_T_B64, SIM_OPND_SGPR, 2, 2, 0},
      {"ttmp[4:5]", SIM_T_B64, SIM_OPND_SGPR, 112, 2, 0},
      {"vcc", SIM_T_MASK, SIM_OPND_SGPR, 106, 2, 0},
      {"exec_hi", SIM_T_B32, SIM_OPND_SGPR, 127, 1, 0},
      {"m0", SIM_T_B32, SIM_OPND_SGPR, 124, 1, 0},
      {"src_shared_base", SIM_T_B64, SIM_OPND_SPECIAL, 235, 2, 0},
      {"src_scc", SIM_T_B32, SIM_OPND_SPECIAL, 253, 1, 0},
      {"off", SIM_T_ANY, SIM_OPND_OFF, 0, 0, 0},
      {"-v3", SIM_T_F32, SIM_OPND_VGPR, 3, 1, 0},
      {"|v3|", SIM_T_F32, SIM_OPND_VGPR, 3, 1, 0},
      {"-|v[2:3]|", SIM_T_F64, SIM_OPND_VGPR, 2, 2, 0},
      {"neg(1.0)", SIM_T_F32, SIM_OPND_CONST, 0, 1, 0x3f800000},
      {"sext(v9)", SIM_T_I32, SIM_OPND_VGPR, 9, 1, 0},
      {"1.0", SIM_T_F32, SIM_OPND_CONST, 0, 1, 0x3f800000},
      {"-4.0", SIM_T_F16, SIM_OPND_CONST, 0, 1, 0xc400},
      {"0.5", SIM_T_PKF16, SIM_OPND_CONST, 0, 1, 0x3800},
      {"2.0", SIM_T_BF16, SIM_OPND_CONST, 0, 1, 0x4000},
      {"1.0", SIM_T_F64, SIM_OPND_CONST, 0, 1, 0x3ff0000000000000},
      {"1.0", SIM_T_PKF32, SIM_OPND_CONST, 0, 1, 0x3f8000003f800000},
      {"0.15915494", SIM_T_F32, SIM_OPND_CONST, 0, 1, 0x3e22f983},
      {"0.15915494", SIM_T_F16, SIM_OPND_CONST, 0, 1, 0x3118},
      {"0.15915494309189532", SIM_T_F64, SIM_OPND_CONST, 0, 1, 0x3fc45f306dc9c882},
      {"-16", SIM_T_I32, SIM_OPND_CONST, 0, 1, 0xfffffffffffffff0},
      {"-1", SIM_T_B64, SIM_OPND_CONST, 0, 1, 0xffffffffffffffff},
      {"0x40590000", SIM_T_F64, SIM_OPND_CONST, 0, 1, 0x4059000000000000},
      {"0xfffffff0", SIM_T_B64, SIM_OPND_CONST, 0, 1, 0xfffffff0},
      {"0xfffffff0", SIM_T_I64, SIM_OPND_CONST, 0, 1, 0xfffffffffffffff0},
      {"lit(0x0)", SIM_T_B32, SIM_OPND_CONST, 0, 1, 0},
      {"lit(0x3ff00000)", SIM_T_F64, SIM_OPND_CONST, 0, 1, 0x3ff0000000000000},
      {"hwreg(HW_REG_MODE, 0, 4)", SIM_T_ANY, SIM_OPND_TEXT, 0, 0, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const operand_case *c = &cases[i];
    sim_operand got;
    CHECK(sim_parse_operand(c->text, c->type, &got), "%s is not understood", c->text);
    CHECK(got.kind == c->kind && got.reg == c->reg && got.value == c->value, "%s: kind %d reg %d value %#llx",
          c->text, got.kind, got.reg, (unsigned long long)got.value);
    CHECK(c->regs == got.regs, "%s: %d registers, expected %d", c->text, got.regs, c->regs);
  }
}

static void what_is_not_an_operand_is_refused(void) {
  static const char *const bad[] = {"v256",  "v[3:1]", "v[0:300]",   "s102", "vv1", "0x12g",
                                    "1.0.0", "ttmp16", "lds_direct", "v[1",  ""};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
    sim_operand got;
    CHECK(!sim_parse_operand(bad[i], SIM_T_F32, &got), "'%s' was taken as kind %d reg %d", bad[i], got.kind,
          got.reg);
  }
}

static void lines_are_split_at_commas_outside_brackets(void) {
  static const struct {
    const char *line, *mnemonic, *pieces[4];
    int count;
  } cases[] = {
      {"\ts_endpgm", "s_endpgm", {0}, 0},
      {"v_add_f32_e64 v0, -|v1|, v2 clamp mul:2", "v_add_f32_e64", {"v0", "-|v1|", "v2"}, 3},
      {"v_mov_b32_dpp v0, v1 quad_perm:[1,0,3,2] row_mask:0xf", "v_mov_b32_dpp", {"v0", "v1"}, 2},
      {"s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)", "s_getreg_b32", {"s0", "hwreg(HW_REG_MODE, 0, 4)"}, 2},
      {"ds_swizzle_b32 v0, v1 offset:swizzle(BITMASK_PERM,\"00p11\")", "ds_swizzle_b32", {"v0", "v1"}, 2},
      {"v_x a0, 1.0/*Invalid immediate*/, v5 op_sel:[1,0]", "v_x", {"a0", "1.0", "v5"}, 3},
      {"buffer_load_dword v1, off, s[0:3], 0 offset:4 lds",
       "buffer_load_dword",
       {"v1", "off", "s[0:3]", "0"},
       4},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    char line[128], *mnemonic, *pieces[SIM_MAX_OPERANDS];
    snprintf(line, sizeof line, "%s", cases[i].line);
    int count = sim_split_line(line, &mnemonic, pieces);
    CHECK(count == cases[i].count, "%s: %d operands", cases[i].line, count);
    CHECK(strcmp(mnemonic, cases[i].mnemonic) == 0, "%s: mnemonic %s", cases[i].line, mnemonic);
    for (int k = 0; k < count && k < cases[i].count; ++k)
      CHECK(strcmp(pieces[k], cases[i].pieces[k]) == 0, "%s: operand %d is '%s'", cases[i].line, k,
            pieces[k]);
  }
}

static void signatures_parse_or_are_refused(void) {
  sim_signature s;
  CHECK(sim_parse_signature("=u32,=m64,u32,any?", &s), "a valid signature");
  CHECK(s.count == 4 && s.optional == 1, "%d operands, %d optional", s.count, s.optional);
  CHECK(s.operands[1].destination && s.operands[1].type == SIM_T_MASK,
        "second operand is a mask destination");
  CHECK(sim_parse_signature("", &s) && s.count == 0, "no operands");
  static const char *const bad[] = {"f33",      "=",       "f32,",
                                    "f32,,f32", "f32 f32", "b32,b32,b32,b32,b32,b32,b32,b32,b32"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i)
    CHECK(!sim_parse_signature(bad[i], &s), "'%s' was accepted", bad[i]);
}

int main(void) {
  registers_constants_and_named_operands_are_read();
  what_is_not_an_operand_is_refused();
  lines_are_split_at_commas_outside_brackets();
  signatures_parse_or_are_refused();
  return test_result();
}
