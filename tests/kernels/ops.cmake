# SPDX-License-Identifier: MIT
# Operations on register tiles: kernels ops_PART.hip for both chips, checked by ops_PART.c.
foreach(part reduce mask memory mma vector team random angle parts blocks dynamic_lds)
  set(objects)
  set(checked)
  foreach(target gfx950 gfx942)  # the order of devices
    set(object ${CMAKE_CURRENT_BINARY_DIR}/ops_${part}.${target}.co)
    wt_compile_kernel(ops_${part} ${CMAKE_CURRENT_SOURCE_DIR}/ops_${part}.hip ${target} FALSE ${object} ${object}.checked)
    list(APPEND objects ${object})
    list(APPEND checked ${object}.checked)
  endforeach()
  wt_add_test(NAME kernels.ops.${part} LABEL kernels SOURCES ops_${part}.c LIBS amdhip64 wt_hip_headers ARGS ${objects}
              ENV "WT_SIM_DEVICES=mi355x,mi300x" "WT_SIM_QUIET=1")
  add_custom_target(ops_${part}_kernels DEPENDS ${checked})
  add_dependencies(test_kernels_ops_${part} ops_${part}_kernels)
endforeach()

# printf and assertions, the latter also without effect.
set(objects)
set(checked)
foreach(variant printf printf_ndebug)
  foreach(target gfx950 gfx942)  # the order of devices
    set(object ${CMAKE_CURRENT_BINARY_DIR}/ops_${variant}.${target}.co)
    wt_compile_kernel(ops_${variant} ${CMAKE_CURRENT_SOURCE_DIR}/ops_printf.hip ${target} FALSE ${object} ${object}.checked
                      $<$<STREQUAL:${variant},printf_ndebug>:-DNDEBUG>)
    list(APPEND objects ${object})
    list(APPEND checked ${object}.checked)
  endforeach()
endforeach()
wt_add_test(NAME kernels.ops.printf LABEL kernels SOURCES ops_printf.c LIBS amdhip64 wt_hip_headers ARGS ${objects}
            ENV "WT_SIM_DEVICES=mi355x,mi300x" "WT_SIM_QUIET=1")
add_custom_target(ops_printf_kernels DEPENDS ${checked})
add_dependencies(test_kernels_ops_printf ops_printf_kernels)

# The same, compiled and checked for one element type at a time: ops_PART.TYPE.
foreach(row "maps_unary f32 f16 bf16 i32" "maps_binary f32 f16 bf16 i32" "maps_other f32 f16 bf16 i32"
            "positions f32 f16 bf16 i32" "functions f32 f16 bf16" "arg_reduce f32 bf16 i32"
            "convert f32 f16 bf16 i32 i8 fp8e4m3 fp8e5m2" "layout f32 f16 bf16 i32 i8 fp8e4m3")
  separate_arguments(row)
  list(POP_FRONT row part)
  add_executable(test_kernels_ops_${part} ops_${part}.c)
  wt_host_options(test_kernels_ops_${part})
  target_include_directories(test_kernels_ops_${part} PRIVATE ${CMAKE_SOURCE_DIR}/tests ${CMAKE_SOURCE_DIR})
  target_link_libraries(test_kernels_ops_${part} PRIVATE amdhip64 wt_hip_headers m)
  set(checked)
  foreach(type ${row})
    set(objects)
    foreach(target gfx950 gfx942)  # the order of devices
      set(object ${CMAKE_CURRENT_BINARY_DIR}/ops_${part}.${type}.${target}.co)
      wt_compile_kernel(ops_${part}.${type} ${CMAKE_CURRENT_SOURCE_DIR}/ops_${part}.hip ${target} FALSE ${object}
                        ${object}.checked -DOPS_TYPE=${type})
      list(APPEND objects ${object})
      list(APPEND checked ${object}.checked)
    endforeach()
    add_test(NAME kernels.ops.${part}.${type} COMMAND test_kernels_ops_${part} ${type} ${objects})
    set_tests_properties(kernels.ops.${part}.${type} PROPERTIES LABELS kernels TIMEOUT 300
                         ENVIRONMENT "WT_SIM_DEVICES=mi355x,mi300x;WT_SIM_QUIET=1")
  endforeach()
  add_custom_target(ops_${part}_kernels DEPENDS ${checked})
  add_dependencies(test_kernels_ops_${part} ops_${part}_kernels)
endforeach()

foreach(target ${WT_TARGETS})  # a wrong law does not compile
  set(object ${CMAKE_CURRENT_BINARY_DIR}/ops_laws.${target}.co)
  wt_compile_kernel(ops_laws ${CMAKE_CURRENT_SOURCE_DIR}/ops_laws.hip ${target} FALSE ${object} ${object}.checked)
  list(APPEND ops_laws ${object}.checked)
endforeach()
add_custom_target(ops_laws ALL DEPENDS ${ops_laws})
