# SPDX-License-Identifier: MIT
# The library's GEMM kernels: what they were compiled to, and what they compute.
wt_add_test(NAME kernels.library.machine_code_keeps_its_promises LABEL kernels
            SOURCES machine_code.c code_loops.c ${CMAKE_SOURCE_DIR}/tools/isa/isa_loops.c
                    ${CMAKE_SOURCE_DIR}/tools/core/read_file.c
            LIBS sim_core ARGS ${CMAKE_BINARY_DIR}/kernels)
add_dependencies(test_kernels_library_machine_code_keeps_its_promises wt_embedded_kernels)

# ... and the wait states of its matrix instructions, in the library, the ladder and the tests' own kernels.
wt_add_test(NAME kernels.library.matrix_instructions_have_their_wait_states LABEL kernels
            SOURCES matrix_hazards.c ${CMAKE_SOURCE_DIR}/tools/core/read_file.c
            LIBS sim_core ARGS ${CMAKE_BINARY_DIR}/kernels ${CMAKE_CURRENT_BINARY_DIR})
add_dependencies(test_kernels_library_matrix_instructions_have_their_wait_states wt_embedded_kernels ops_mma_kernels)

add_executable(test_kernels_library library.c gemm_reference.c)
wt_host_options(test_kernels_library)
target_include_directories(test_kernels_library PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(test_kernels_library PRIVATE wavetile amdhip64 wt_hip_headers m)

# Every kernel of the table; persistent ones have a test of their own, below.
get_property(instances GLOBAL PROPERTY WT_GEMM_INSTANCES)
list(FILTER instances EXCLUDE REGEX persistent)
foreach(kernel ${instances})
  add_test(NAME kernels.library.${kernel} COMMAND test_kernels_library ${kernel})
  set_tests_properties(kernels.library.${kernel} PROPERTIES LABELS kernels TIMEOUT 300
                       ENVIRONMENT "WT_SIM_DEVICES=mi355x,mi300x;WT_SIM_QUIET=1")
endforeach()

# The persistent kernel, in every mode of execution and with check mode looking on.
wt_add_test(NAME kernels.library.gemm_4wave_persistent_256x256 LABEL kernels SOURCES persistent.c LIBS amdhip64 wt_hip_headers
            ARGS ${CMAKE_BINARY_DIR}/kernels/gemm_4wave_persistent_256x256.gfx950.co
                 ${CMAKE_BINARY_DIR}/kernels/gemm_4wave_256x256.gfx950.co
            ENV "WT_SIM_DEVICES=mi355x" "WT_SIM_QUIET=1" "WT_SIM_CHECK=fail")
target_include_directories(test_kernels_library_gemm_4wave_persistent_256x256 PRIVATE ${CMAKE_SOURCE_DIR}/include)
add_dependencies(test_kernels_library_gemm_4wave_persistent_256x256 wt_embedded_kernels)

# The end of a split K.
wt_add_test(NAME kernels.library.reduction_reads_no_padding LABEL kernels SOURCES reduction.c LIBS amdhip64 wt_hip_headers
            ARGS ${CMAKE_BINARY_DIR}/kernels/gemm_reduce.gfx950.co ${CMAKE_BINARY_DIR}/kernels/gemm_reduce.gfx942.co
            ENV "WT_SIM_DEVICES=mi355x,mi300x" "WT_SIM_QUIET=1")
target_include_directories(test_kernels_library_reduction_reads_no_padding PRIVATE ${CMAKE_SOURCE_DIR}/include)
add_dependencies(test_kernels_library_reduction_reads_no_padding wt_embedded_kernels)
