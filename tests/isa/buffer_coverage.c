// SPDX-License-Identifier: MIT
// Every MUBUF and MTBUF instruction of the manual that the assembler accepts decodes to a table row.
#include "tests/isa/lds_coverage.h"

static const char *const lines[] = {
    "tbuffer_load_format_x v4, v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
    "offset:16",
    "tbuffer_load_format_xy v[4:5], v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
    "offset:16",
    "tbuffer_load_format_xyz v[4:6], v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
    "offset:16",
    "tbuffer_load_format_xyzw v[4:7], v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
    "offset:16",
    "tbuffer_store_format_x v4, v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
    "offset:16",
    "tbuffer_store_format_xy v[4:5], v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
    "offset:16",
    "tbuffer_store_format_xyz v[4:6], v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
    "offset:16",
    "tbuffer_store_format_xyzw v[4:7], v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] "
    "offen offset:16",
    "tbuffer_load_format_d16_x v4, v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
    "offset:16",
    "tbuffer_load_format_d16_xy v4, v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
    "offset:16",
    "tbuffer_load_format_d16_xyz v[4:5], v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] "
    "offen offset:16",
    "tbuffer_load_format_d16_xyzw v[4:5], v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] "
    "offen offset:16",
    "tbuffer_store_format_d16_x v4, v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
    "offset:16",
    "tbuffer_store_format_d16_xy v4, v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] offen "
    "offset:16",
    "tbuffer_store_format_d16_xyz v[4:5], v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] "
    "offen offset:16",
    "tbuffer_store_format_d16_xyzw v[4:5], v1, s[8:11], s3 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT] "
    "offen offset:16",
    "buffer_load_format_x v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_format_xy v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_load_format_xyz v[4:6], v1, s[8:11], s3 offen offset:16",
    "buffer_load_format_xyzw v[4:7], v1, s[8:11], s3 offen offset:16",
    "buffer_store_format_x v4, v1, s[8:11], s3 offen offset:16",
    "buffer_store_format_xy v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_store_format_xyz v[4:6], v1, s[8:11], s3 offen offset:16",
    "buffer_store_format_xyzw v[4:7], v1, s[8:11], s3 offen offset:16",
    "buffer_load_format_d16_x v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_format_d16_xy v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_format_d16_xyz v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_load_format_d16_xyzw v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_store_format_d16_x v4, v1, s[8:11], s3 offen offset:16",
    "buffer_store_format_d16_xy v4, v1, s[8:11], s3 offen offset:16",
    "buffer_store_format_d16_xyz v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_store_format_d16_xyzw v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_load_ubyte v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_sbyte v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_ushort v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_sshort v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_dword v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_dwordx2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_load_dwordx3 v[4:6], v1, s[8:11], s3 offen offset:16",
    "buffer_load_dwordx4 v[4:7], v1, s[8:11], s3 offen offset:16",
    "buffer_store_byte v4, v1, s[8:11], s3 offen offset:16",
    "buffer_store_byte_d16_hi v4, v1, s[8:11], s3 offen offset:16",
    "buffer_store_short v4, v1, s[8:11], s3 offen offset:16",
    "buffer_store_short_d16_hi v4, v1, s[8:11], s3 offen offset:16",
    "buffer_store_dword v4, v1, s[8:11], s3 offen offset:16",
    "buffer_store_dwordx2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_store_dwordx3 v[4:6], v1, s[8:11], s3 offen offset:16",
    "buffer_store_dwordx4 v[4:7], v1, s[8:11], s3 offen offset:16",
    "buffer_load_ubyte_d16 v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_ubyte_d16_hi v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_sbyte_d16 v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_sbyte_d16_hi v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_short_d16 v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_short_d16_hi v4, v1, s[8:11], s3 offen offset:16",
    "buffer_load_format_d16_hi_x v4, v1, s[8:11], s3 offen offset:16",
    "buffer_store_format_d16_hi_x v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_swap v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_swap v4, off, s[8:11], s3 sc0",
    "buffer_atomic_cmpswap v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_cmpswap v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_add v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_add v4, off, s[8:11], s3 sc0",
    "buffer_atomic_sub v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_sub v4, off, s[8:11], s3 sc0",
    "buffer_atomic_smin v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_smin v4, off, s[8:11], s3 sc0",
    "buffer_atomic_umin v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_umin v4, off, s[8:11], s3 sc0",
    "buffer_atomic_smax v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_smax v4, off, s[8:11], s3 sc0",
    "buffer_atomic_umax v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_umax v4, off, s[8:11], s3 sc0",
    "buffer_atomic_and v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_and v4, off, s[8:11], s3 sc0",
    "buffer_atomic_or v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_or v4, off, s[8:11], s3 sc0",
    "buffer_atomic_xor v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_xor v4, off, s[8:11], s3 sc0",
    "buffer_atomic_inc v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_inc v4, off, s[8:11], s3 sc0",
    "buffer_atomic_dec v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_dec v4, off, s[8:11], s3 sc0",
    "buffer_atomic_add_f32 v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_add_f32 v4, off, s[8:11], s3 sc0",
    "buffer_atomic_pk_add_f16 v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_pk_add_f16 v4, off, s[8:11], s3 sc0",
    "buffer_atomic_add_f64 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_add_f64 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_min_f64 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_min_f64 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_max_f64 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_max_f64 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_pk_add_bf16 v4, v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_pk_add_bf16 v4, off, s[8:11], s3 sc0",
    "buffer_atomic_swap_x2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_swap_x2 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_cmpswap_x2 v[4:7], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_cmpswap_x2 v[4:7], off, s[8:11], s3 sc0",
    "buffer_atomic_add_x2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_add_x2 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_sub_x2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_sub_x2 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_smin_x2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_smin_x2 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_umin_x2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_umin_x2 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_smax_x2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_smax_x2 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_umax_x2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_umax_x2 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_and_x2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_and_x2 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_or_x2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_or_x2 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_xor_x2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_xor_x2 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_inc_x2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_inc_x2 v[4:5], off, s[8:11], s3 sc0",
    "buffer_atomic_dec_x2 v[4:5], v1, s[8:11], s3 offen offset:16",
    "buffer_atomic_dec_x2 v[4:5], off, s[8:11], s3 sc0",
    "buffer_load_ubyte v1, s[8:11], s3 offen offset:16 lds",
    "buffer_load_sbyte v1, s[8:11], s3 offen offset:16 lds",
    "buffer_load_ushort v1, s[8:11], s3 offen offset:16 lds",
    "buffer_load_sshort v1, s[8:11], s3 offen offset:16 lds",
    "buffer_load_dword v1, s[8:11], s3 offen offset:16 lds",
    "buffer_load_format_x v1, s[8:11], s3 offen offset:16 lds",
    "buffer_load_dwordx3 v1, s[8:11], s3 offen offset:16 lds",
    "buffer_load_dwordx4 v1, s[8:11], s3 offen offset:16 lds",
    "buffer_load_dword v4, off, s[8:11], 0",
    "buffer_load_dword v4, v[2:3], s[8:11], m0 idxen offen",
    "buffer_store_dword a4, v1, s[8:11], -1 idxen",
    "buffer_wbl2",
    "buffer_wbl2 sc0 sc1",
    "buffer_inv",
    "buffer_inv sc1",
    "buffer_inv sc0 sc1",
};

int main(void) {
  size_t count = sizeof lines / sizeof lines[0];
  check_known("gfx950", lines, count, 0);
  check_known("gfx942", lines, count, 4);  // gfx950 only
  const char *const targets[] = {"gfx942", "gfx950"};
  for (int i = 0; i < 2; ++i) {
    // Register numbers that are multiples of four suit every width.
    check_opcodes(targets[i], "MUBUF", 0xe0000000, 18, 128, 0x80020400, NULL, 70);
    check_opcodes(targets[i], "MUBUF to LDS", 0xe0010000, 18, 128, 0x80020000, NULL, 6);
    check_opcodes(targets[i], "MTBUF", 0xe8000000 | 4 << 19 | 7 << 23, 15, 16, 0x80020400, NULL, 16);
  }
  return test_result();
}
