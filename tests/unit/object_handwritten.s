// SPDX-License-Identifier: MIT
// Is a kernel as hand-written assembly ships it: metadata 1.0 without a target, a descriptor whose kernarg size
// is 0, arguments in 16-byte slots, a plain label as entry.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
	.text
	.globl handwritten
	.protected handwritten
	.p2align 8
handwritten:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_endpgm

	.rodata
	.p2align 6
	.amdhsa_kernel handwritten
		.amdhsa_group_segment_fixed_size 163840
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_vgpr_workitem_id 2
		.amdhsa_next_free_vgpr 512
		.amdhsa_next_free_sgpr 96
		.amdhsa_accum_offset 256
		.amdhsa_dx10_clamp 0
		.amdhsa_ieee_mode 0
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 0]
amdhsa.kernels:
  - .name: handwritten
    .symbol: handwritten.kd
    .language: "Assembler"
    .language_version: [1, 2]
    .sgpr_count: 96
    .vgpr_count: 512
    .kernarg_segment_align: 4
    .kernarg_segment_size: 48
    .group_segment_fixed_size: 163840
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .reqd_workgroup_size: [256, 1, 1]
    .max_flat_workgroup_size: 256
    .args:
      - {.name: output, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global, .actual_access: read_write}
      - {.name: pad, .size: 8, .offset: 8, .value_kind: by_value, .value_type: i32}
      - {.name: count, .size: 4, .offset: 16, .value_kind: by_value, .value_type: i32}
...
	.end_amdgpu_metadata
