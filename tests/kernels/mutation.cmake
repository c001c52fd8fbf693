# SPDX-License-Identifier: MIT
# Waits and barriers removed one by one (mutation.c and, with block scales, mutation_scaled.c), kernel by kernel and chip by chip. Each kernel has an object of its
# own, which is loaded anew for every trial: the rungs of the ladder as they are, the library's loops in small tiles.
foreach(program mutation mutation_scaled)
  add_executable(test_kernels_${program} ${program}.c ${CMAKE_SOURCE_DIR}/tools/core/read_file.c)
  wt_host_options(test_kernels_${program})
  target_include_directories(test_kernels_${program} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/include)
  target_link_libraries(test_kernels_${program} PRIVATE amdhip64 wt_hip_headers sim_core)
endforeach()

# mutation_test(PROGRAM ROW KERNEL CODE [TARGET...]): CODE defines the one kernel, KERNEL, which PROGRAM runs.
set(mutants)
function(mutation_test program row kernel code)
  set(stem ${CMAKE_CURRENT_BINARY_DIR}/mutants/${row})
  file(CONFIGURE OUTPUT ${stem}.hip CONTENT "${code}" @ONLY)
  set(targets ${ARGN})
  if(NOT targets)
    set(targets ${WT_TARGETS})
  endif()
  foreach(target ${targets})
    set(object ${stem}.${target}.co)
    wt_compile_kernel(mutant_${row} ${stem}.hip ${target} FALSE ${object} ${object}.checked)
    list(APPEND mutants ${object}.checked)
    add_test(NAME kernels.mutation.${row}.${target} COMMAND test_kernels_${program} ${object} ${kernel} ${row} ${target}
             ${CMAKE_SOURCE_DIR}/docs/check.md)
    set_tests_properties(kernels.mutation.${row}.${target} PROPERTIES LABELS kernels TIMEOUT 300
                         ENVIRONMENT "WT_SIM_DEVICES=mi355x,mi300x;WT_SIM_QUIET=1;WT_SIM_MFMA=fast")
  endforeach()
  set(mutants ${mutants} PARENT_SCOPE)
endfunction()

foreach(rung gemm_02_lds_tiled gemm_03_matrix_core gemm_04_vector_loads gemm_05_direct_to_lds gemm_06_swizzle
             gemm_07_double_buffer gemm_08_multi_wave_128x128_8 gemm_08_multi_wave_256x256_8
             gemm_08_multi_wave_256x256_16 gemm_09_ping_pong gemm_10_interleave)
  mutation_test(mutation ${rung} ${rung}_f8e4m3_f32 "#include \"examples/gemm/gemm_problem.h\"
#undef GEMM_KERNELS
#define GEMM_KERNELS(rung, threads) GEMM_KERNEL(rung, threads, f8e4m3, fp8e4m3, f32, float)
#include \"examples/gemm/${rung}.hip\"
")
endforeach()

foreach(rung gemm_pc_4p8c gemm_pc_4p12c)
  mutation_test(mutation ${rung} ${rung}_bf16_f32 "#include \"examples/gemm/gemm_problem.h\"
#undef GEMM_KERNELS_OF
#define GEMM_KERNELS_OF(rung, threads, in_name, In) GEMM_KERNEL(rung, threads, in_name, In, f32, float)
#include \"examples/gemm/${rung}.hip\"
")
endforeach()

# The last two are as large tiles have them on gfx942: through registers. Rows: name, header, loop, entry, waves per SIMD, tile, stages.
foreach(row "gemm_4wave gemm_4wave gemm_4wave gemm_scheduled 1 64 64 3" "gemm_8wave gemm_8wave gemm_8wave gemm_scheduled 2 128 128 2"
            "gemm_general gemm_general gemm_general gemm 2 64 64 2" "gemm_skinny gemm_skinny gemm_skinny gemm_of_few_rows 2 16 64 1"
            "gemm_4wave_transposed gemm_4wave_transposed gemm_4wave_tatb gemm_scheduled 1 64 64 3 gfx950"
            "gemm_4wave_fetched gemm_4wave gemm_4wave gemm_scheduled 1 64 64 1 gfx942"
            "gemm_8wave_fetched gemm_8wave gemm_8wave gemm_scheduled 2 128 128 1 gfx942")
  separate_arguments(row)
  list(POP_FRONT row name header loop entry per_simd tile_m tile_n stages)
  mutation_test(mutation ${name} mutant_f8e4m3_f8e4m3 "#include \"kernels/gemm/${header}.h\"
GEMM_KERNEL(${entry}, ${loop}, mutant, ${tile_m}, ${tile_n}, ${stages}, ${per_simd}, f8e4m3, wt::fp8e4m3, f8e4m3, wt::fp8e4m3)
" ${row})
endforeach()
mutation_test(mutation gemm_4wave_persistent mutant_f8e4m3_f8e4m3_bf16 "#include \"kernels/gemm/gemm_4wave_persistent.h\"
GEMM_PERSISTENT_KERNEL(mutant, 64, 64, 3, 1, f8e4m3, wt::fp8e4m3, f8e4m3, wt::fp8e4m3, bf16, wt::bf16)
")

# Products with block scales, in the smallest tiles that the loops take. Rows: name, types of A and B, tile, scales.
foreach(row "gemm_mx_fp4 fp4e2m1 fp4e2m1 128 row" "gemm_mx_fp4_shuffled fp4e2m1 fp4e2m1 256 shuffled" "gemm_mx_bf16_fp4 bf16 fp4e2m1 128 row")
  separate_arguments(row)
  list(POP_FRONT row name a b tile scales)
  mutation_test(mutation_scaled ${name} mutant "#include \"kernels/gemm_mx/gemm_mx.h\"
GEMM_MX_KERNEL(mutant, wt::${a}, wt::${b}, ${tile}, ${tile}, 2, gemm_mx_${scales}_scales)
" gfx950)
endforeach()
mutation_test(mutation_scaled gemm_mx_fp4_persistent mutant_bf16 "#include \"kernels/gemm_mx/gemm_mx_persistent.h\"
GEMM_MX_PERSISTENT_OF(1536, mutant, wt::fp4e2m1, wt::fp4e2m1, 256, 256, 2, gemm_mx_shuffled_scales, bf16, wt::bf16)
" gfx950)
mutation_test(mutation_scaled gemm_mx_skinny_fp4 mutant "#include \"kernels/gemm_mx/gemm_mx_skinny.h\"
GEMM_MX_SKINNY_KERNEL(mutant, wt::fp4e2m1, wt::fp4e2m1, 32, 32, 8, 2)
" gfx950)
mutation_test(mutation_scaled gemm_block_fp8 mutant "#include \"kernels/gemm_block/gemm_block.h\"
GEMM_BLOCK_KERNEL(mutant, wt::fp8e4m3, tiles, 128, 128, 4, 1)
")
mutation_test(mutation_scaled gemm_block_fp8_256x256 mutant "#include \"kernels/gemm_block/gemm_block.h\"
GEMM_BLOCK_KERNEL(mutant, wt::fp8e4m3, tiles, 256, 256, 8, 2)
" gfx950)
mutation_test(mutation_scaled grouped_mx_fp4 mutant_fp4e2m1_fp4e2m1 "#define WT_FORGET_THREADS
#include \"kernels/grouped/grouped_mx.h\"
GROUPED_MX_KERNEL(before_stores, mutant, 128, 128, 4, 1, 2, 1, fp4e2m1, wt::fp4e2m1, fp4e2m1, wt::fp4e2m1)
" gfx950)
mutation_test(mutation_scaled grouped_block_fp8 mutant_fp8e4m3_fp8e4m3 "#define WT_FORGET_THREADS
#include \"kernels/grouped/grouped_block.h\"
GROUPED_BLOCK_KERNEL(tiles, mutant, 128, 128, 4, 1, 2, 1, fp8e4m3, wt::fp8e4m3, fp8e4m3, wt::fp8e4m3)
" gfx950)
mutation_test(mutation_scaled gemm_block_powers_fp8 mutant "#include \"kernels/gemm_block/gemm_block_powers.h\"
GEMM_BLOCK_POWERS_KERNEL(mutant, wt::fp8e4m3, tiles, 128, 128, 2)
" gfx950)
mutation_test(mutation_scaled grouped_block_powers_fp8 mutant_fp8e4m3_fp8e4m3 "#define WT_FORGET_THREADS
#include \"kernels/grouped/grouped_block_powers.h\"
GROUPED_BLOCK_POWERS_KERNEL(tiles, mutant, 128, 128, 4, 1, 2, 1, fp8e4m3, wt::fp8e4m3, fp8e4m3, wt::fp8e4m3)
" gfx950)
add_custom_target(mutants ALL DEPENDS ${mutants})
