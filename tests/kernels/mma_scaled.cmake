# SPDX-License-Identifier: MIT
# Products of register tiles with block scales, which gfx950 alone has.
set(object ${CMAKE_CURRENT_BINARY_DIR}/mma_scaled.gfx950.co)
wt_compile_kernel(mma_scaled ${CMAKE_CURRENT_SOURCE_DIR}/mma_scaled.hip gfx950 FALSE ${object} ${object}.checked)
wt_add_test(NAME kernels.mma_scaled LABEL kernels SOURCES mma_scaled.c LIBS amdhip64 wt_hip_headers m ARGS ${object}
            ENV "WT_SIM_DEVICES=mi355x" "WT_SIM_QUIET=1")
add_custom_target(mma_scaled_kernels DEPENDS ${object}.checked)
add_dependencies(test_kernels_mma_scaled mma_scaled_kernels)
