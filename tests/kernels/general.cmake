# SPDX-License-Identifier: MIT
# What the general and the skinny GEMM are made of: loads through registers, transposed reads, reads past LDS.
set(objects)
set(checked)
foreach(target gfx950 gfx942)  # the order of devices
  set(object ${CMAKE_CURRENT_BINARY_DIR}/general_load.${target}.co)
  wt_compile_kernel(general_load ${CMAKE_CURRENT_SOURCE_DIR}/general_load.hip ${target} FALSE ${object} ${object}.checked)
  list(APPEND objects ${object})
  list(APPEND checked ${object}.checked)
endforeach()
wt_add_test(NAME kernels.general.load LABEL kernels SOURCES general_load.c LIBS amdhip64 wt_hip_headers ARGS ${objects}
            ENV "WT_SIM_DEVICES=mi355x,mi300x" "WT_SIM_QUIET=1")
add_custom_target(general_load_kernels DEPENDS ${checked})
add_dependencies(test_kernels_general_load general_load_kernels)

# Waits and barriers removed one by one (mutation.c). All of the main loops are caught. What may go unseen: waits that the
# compiler repeats where branches join, waits for elements that are masked afterwards, and the first barrier of a masked
# step that no other one precedes.
set(tile_k_contiguous 64)
set(tile_rows_contiguous 64)
set(tile_few_rows 16)
set(unseen_k_contiguous_gfx950 16)
set(unseen_k_contiguous_gfx942 13)
set(unseen_rows_contiguous_gfx950 6)
set(unseen_rows_contiguous_gfx942 8)
set(unseen_few_rows_gfx950 13)
set(unseen_few_rows_gfx942 14)
set(checked)
set(device 0)
foreach(target gfx950 gfx942)  # the order of devices
  set(object ${CMAKE_CURRENT_BINARY_DIR}/general_mutants.${target}.co)
  wt_compile_kernel(general_mutants ${CMAKE_CURRENT_SOURCE_DIR}/general_mutants.hip ${target} FALSE ${object}
                    ${object}.checked)
  list(APPEND checked ${object}.checked)
  foreach(way k_contiguous rows_contiguous few_rows)
    add_test(NAME kernels.mutation.${way}.${target}
             COMMAND test_kernels_mutation ${object} mutant_${way}_f8e4m3_f8e4m3 ${target} ${device} ${tile_${way}} 64 256
                     ${unseen_${way}_${target}})
    set_tests_properties(kernels.mutation.${way}.${target} PROPERTIES LABELS kernels TIMEOUT 300
                         ENVIRONMENT "WT_SIM_DEVICES=mi355x,mi300x;WT_SIM_QUIET=1")
  endforeach()
  math(EXPR device "${device} + 1")
endforeach()
add_custom_target(general_mutants ALL DEPENDS ${checked})
