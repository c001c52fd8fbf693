# SPDX-License-Identifier: MIT
# The library's GEMM kernels: what they were compiled to.
wt_add_test(NAME kernels.library.machine_code_keeps_its_promises LABEL kernels
            SOURCES machine_code.c ${CMAKE_SOURCE_DIR}/tools/isa_loops.c ${CMAKE_SOURCE_DIR}/tools/read_file.c
            LIBS sim_core ARGS ${CMAKE_BINARY_DIR}/kernels)
add_dependencies(test_kernels_library_machine_code_keeps_its_promises wt_embedded_kernels)
