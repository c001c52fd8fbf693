// SPDX-License-Identifier: MIT
// Defines the kernels of fuzz_launch.c, whose code after the label `body` is replaced. Arguments: eight
// quadwords.
	.macro preamble
	s_load_dwordx16 s[16:31], s[4:5], 0x0
	s_load_dwordx4 s[32:35], s[4:5], 0x40 // hostcall buffer, heap
	s_waitcnt lgkmcnt(0)
	v_and_b32_e32 v1, 63, v0
	v_lshlrev_b32_e32 v1, 4, v1
	.endm

	.text
	.globl fuzz_arguments
	.p2align 8
	.type fuzz_arguments,@function
// Most registers reach memory, whatever the code makes of them. SGPRs in eights from s40 on hold quadwords 0 and 1,
// and a descriptor of quadword 2. VGPRs in eights from v2 on hold quadwords 0 to 2 plus 16 * lane, and 16 * lane
// twice.
fuzz_arguments:
	preamble
	.altmacro
	.macro sgprs at
	s_mov_b64 s[\at:\at+1], s[16:17]
	s_mov_b64 s[\at+2:\at+3], s[18:19]
	s_mov_b64 s[\at+4:\at+5], s[20:21]
	s_mov_b32 s[\at+6], 0x1000
	s_mov_b32 s[\at+7], 0x27000
	.endm
	.macro vgprs at
	v_add_u32_e32 v[\at], s16, v1
	v_mov_b32_e32 v[\at+1], s17
	v_add_u32_e32 v[\at+2], s18, v1
	v_mov_b32_e32 v[\at+3], s19
	v_add_u32_e32 v[\at+4], s20, v1
	v_mov_b32_e32 v[\at+5], s21
	v_mov_b32_e32 v[\at+6], v1
	v_mov_b32_e32 v[\at+7], v1
	.endm
	.set at, 2
	.rept 31
	vgprs %at
	.set at, at+8
	.endr
	.set at, 40
	.rept 7
	sgprs %at
	.set at, at+8
	.endr
	s_mov_b32 m0, 0x1000
	s_branch body

	.globl fuzz_request
	.p2align 8
	.type fuzz_request,@function
// Sends the host a request of the kernel's own making, in the layout of hostcall.c: quadwords 0 to 2 are the
// header of packet 0, 3 to 5 the first slots of its lanes, 6 the ready stack. Quadword 7 is a dword, in its
// high half, to store at a byte of the buffer, in its low half.
fuzz_request:
	preamble
	s_load_dwordx4 s[40:43], s[32:33], 0x0 // headers, payloads
	v_mov_b32_e32 v20, 0
	v_and_b32_e32 v1, 63, v0
	v_lshlrev_b32_e32 v1, 6, v1
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s16
	v_mov_b32_e32 v3, s17
	v_mov_b32_e32 v4, s18
	v_mov_b32_e32 v5, s19
	v_mov_b32_e32 v6, s20
	v_mov_b32_e32 v7, s21
	global_store_dwordx2 v20, v[2:3], s[40:41]
	global_store_dwordx2 v20, v[4:5], s[40:41] offset:8
	global_store_dwordx2 v20, v[6:7], s[40:41] offset:16
	v_mov_b32_e32 v2, s22
	v_mov_b32_e32 v3, s23
	v_mov_b32_e32 v4, s24
	v_mov_b32_e32 v5, s25
	v_mov_b32_e32 v6, s26
	v_mov_b32_e32 v7, s27
	global_store_dwordx2 v1, v[2:3], s[42:43]
	global_store_dwordx2 v1, v[4:5], s[42:43] offset:8
	global_store_dwordx2 v1, v[6:7], s[42:43] offset:16
	v_mov_b32_e32 v2, s28
	v_mov_b32_e32 v3, s29
	global_store_dwordx2 v20, v[2:3], s[32:33] offset:32
	s_cmp_eq_u64 s[30:31], 0
	s_cbranch_scc1 1f
	v_mov_b32_e32 v2, s30
	v_mov_b32_e32 v3, s31
	global_store_dword v2, v3, s[32:33]
1:
	s_waitcnt vmcnt(0)
	s_sendmsg sendmsg(MSG_INTERRUPT)
	s_branch body

	.globl fuzz_bare
	.p2align 8
	.type fuzz_bare,@function
fuzz_bare:
	s_branch body

	.p2align 8
body:
	.quad 0x6f6d655265646f43, 0x79646f62206e6920 // found by these sixteen bytes
	.fill 1020, 4, 0xbf810000                    // s_endpgm
body_end:

	.macro descriptor name, lds, scratch
	.globl \name\().kd
	.rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_group_segment_fixed_size \lds
		.amdhsa_private_segment_fixed_size \scratch
		.amdhsa_kernarg_size 80
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 512
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 256
	.end_amdhsa_kernel
	.endm
	descriptor fuzz_arguments, 8192, 256
	descriptor fuzz_request, 0, 0
	descriptor fuzz_bare, 64, 16

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: fuzz_arguments
    .symbol: fuzz_arguments.kd
    .sgpr_count: 96
    .vgpr_count: 512
    .agpr_count: 256
    .kernarg_segment_align: 8
    .kernarg_segment_size: 80
    .group_segment_fixed_size: 8192
    .private_segment_fixed_size: 256
    .wavefront_size: 64
    .max_flat_workgroup_size: 256
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.size: 8, .offset: 8, .value_kind: global_buffer, .address_space: global}
      - {.size: 8, .offset: 16, .value_kind: by_value}
      - {.size: 8, .offset: 24, .value_kind: by_value}
      - {.size: 8, .offset: 32, .value_kind: by_value}
      - {.size: 8, .offset: 40, .value_kind: by_value}
      - {.size: 8, .offset: 48, .value_kind: by_value}
      - {.size: 8, .offset: 56, .value_kind: by_value}
      - {.size: 8, .offset: 64, .value_kind: hidden_hostcall_buffer}
      - {.size: 8, .offset: 72, .value_kind: hidden_heap_v1}
  - .name: fuzz_request
    .symbol: fuzz_request.kd
    .sgpr_count: 96
    .vgpr_count: 512
    .kernarg_segment_align: 8
    .kernarg_segment_size: 80
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .max_flat_workgroup_size: 1024
    .args:
      - {.size: 64, .offset: 0, .value_kind: by_value}
      - {.size: 8, .offset: 64, .value_kind: hidden_hostcall_buffer}
      - {.size: 8, .offset: 72, .value_kind: hidden_heap_v1}
...
	.end_amdgpu_metadata
