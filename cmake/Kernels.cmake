# SPDX-License-Identifier: MIT
# Device code: from .hip files to code objects, checked for spills and scratch, embedded in the library.
#
# wt_add_kernels(FILE.hip... [TARGETS gfx942 gfx950] [ALLOW_SCRATCH])
#   Adds kernel files to the library. ALLOW_SCRATCH lets these files use scratch memory or spill registers, which
#   otherwise fails the build.
# Target wt_embedded_kernels (an object library, src/core/embedded.h) holds them all.

set(WT_TARGETS gfx942 gfx950)
set(WT_KERNEL_FLAGS -x hip --cuda-device-only --no-gpu-bundle-output -nogpuinc -nogpulib -O3 -std=c++20 -Wall -Wextra
                    $<$<BOOL:${WT_WERROR}>:-Werror>)

# ROCm's compiler where there is one that knows the target, else clang; sets OUT to the program.
function(wt_device_compiler target out)
  if(NOT DEFINED CACHE{WT_DEVICE_COMPILER_${target}})
    set(probe ${CMAKE_BINARY_DIR}/kernels/probe.hip)
    # The feature is clang 21's (include/ops/isa/mfma_pinned.h).
    file(WRITE ${probe} "#if !__has_extension(gnu_asm_constexpr_strings)\n#error \"clang 21 or newer is needed\"\n#endif\n"
                        "extern \"C\" __attribute__((global)) void probe() {}\n")
    find_program(WT_HIPCC NAMES hipcc HINTS /opt/rocm/bin)
    set(found "")
    foreach(compiler ${WT_HIPCC} ${WT_CLANGXX})
      if(NOT found)
        execute_process(COMMAND ${compiler} -x hip --cuda-device-only --no-gpu-bundle-output -nogpuinc -nogpulib -O3
                                -std=c++20 --offload-arch=${target} ${probe} -o ${probe}.${target}
                        RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
        if(NOT failed)
          set(found ${compiler})
        endif()
      endif()
    endforeach()
    if(NOT found)
      message(FATAL_ERROR "no compiler for ${target}: install clang-22 and lld-22, or a ROCm based on clang >= 21. Last said:\n${output}")
    endif()
    message(STATUS "Device compiler for ${target}: ${found}")
    set(WT_DEVICE_COMPILER_${target} ${found} CACHE FILEPATH "Compiler for ${target} kernels")
  endif()
  set(${out} ${WT_DEVICE_COMPILER_${target}} PARENT_SCOPE)
endfunction()

function(wt_add_kernels)
  cmake_parse_arguments(K "ALLOW_SCRATCH" "" "TARGETS" ${ARGN})
  if(NOT K_TARGETS)
    set(K_TARGETS ${WT_TARGETS})
  endif()
  foreach(file ${K_UNPARSED_ARGUMENTS})
    get_filename_component(path ${file} ABSOLUTE)
    get_filename_component(stem ${file} NAME_WE)
    get_property(known GLOBAL PROPERTY WT_KERNEL_STEMS)
    if(stem IN_LIST known)
      message(FATAL_ERROR "two kernel files are named ${stem}: the name is what the library finds them by")
    endif()
    set_property(GLOBAL APPEND PROPERTY WT_KERNEL_STEMS ${stem})
    set_property(GLOBAL PROPERTY WT_KERNEL_SOURCE_${stem} ${path})
    set_property(GLOBAL PROPERTY WT_KERNEL_TARGETS_${stem} ${K_TARGETS})
    set_property(GLOBAL PROPERTY WT_KERNEL_SCRATCH_${stem} ${K_ALLOW_SCRATCH})
  endforeach()
endfunction()

# One code object: compiled, with what further arguments say, then checked; `checked` is touched when the check passes.
# Clang's driver writes no dependency file when it compiles for the device only, so its front end is asked (-Xclang).
function(wt_compile_kernel stem source target allow_scratch object checked)
  wt_device_compiler(${target} compiler)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${compiler} ${WT_KERNEL_FLAGS} --offload-arch=${target} -I${CMAKE_SOURCE_DIR}/include -I${CMAKE_SOURCE_DIR}
            -Xclang -dependency-file -Xclang ${object}.d -Xclang -MT -Xclang ${object} ${ARGN} ${source} -o ${object}
    DEPENDS ${source}
    DEPFILE ${object}.d
    COMMENT "Compiling ${stem} for ${target}"
    VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_command(
    OUTPUT ${checked}
    COMMAND kernel_check $<$<BOOL:${allow_scratch}>:--allow-scratch> ${object} ${target}
    COMMAND ${CMAKE_COMMAND} -E touch ${checked}
    DEPENDS ${object} kernel_check
    COMMENT "Checking ${stem} for ${target}"
    VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

# Runs at the end of the top directory, when every folder has named its kernels.
function(wt_embed_kernels)
  set(dir ${CMAKE_BINARY_DIR}/kernels)
  file(MAKE_DIRECTORY ${dir})
  add_executable(kernel_check ${CMAKE_SOURCE_DIR}/tools/kernel_check.c ${CMAKE_SOURCE_DIR}/tools/core/read_file.c)
  wt_host_options(kernel_check)
  target_link_libraries(kernel_check PRIVATE sim_core)

  # In assembly, the one language that can put a file's size into a constant. Rows are wt_embedded: four 8-byte fields.
  set(images "")
  set(rows "")
  set(objects "")
  set(count 0)
  get_property(stems GLOBAL PROPERTY WT_KERNEL_STEMS)
  foreach(stem ${stems})
    get_property(source GLOBAL PROPERTY WT_KERNEL_SOURCE_${stem})
    get_property(targets GLOBAL PROPERTY WT_KERNEL_TARGETS_${stem})
    get_property(allow_scratch GLOBAL PROPERTY WT_KERNEL_SCRATCH_${stem})
    foreach(target ${targets})
      set(object ${dir}/${stem}.${target}.co)
      wt_compile_kernel(${stem} ${source} ${target} ${allow_scratch} ${object} ${object}.checked)
      list(APPEND objects ${object} ${object}.checked)
      string(APPEND images ".balign 4096\n.Limage${count}:\n.incbin \"${object}\"\n.Lend${count}:\n"
                           ".Lname${count}: .asciz \"${stem}\"\n.Ltarget${count}: .asciz \"${target}\"\n")
      string(APPEND rows ".quad .Lname${count}, .Ltarget${count}, .Limage${count}, .Lend${count} - .Limage${count}\n")
      math(EXPR count "${count} + 1")
    endforeach()
  endforeach()
  file(CONFIGURE OUTPUT ${dir}/embedded.S @ONLY CONTENT
       "/* Generated: wt_embedded_table and wt_embedded_count (src/core/embedded.h), each code object on a page of its own. */
.section .data.rel.ro, \"aw\", %progbits
.hidden wt_embedded_table
.global wt_embedded_table
.balign 8
wt_embedded_table:
${rows}.section .rodata
.hidden wt_embedded_count
.global wt_embedded_count
.balign 8
wt_embedded_count: .quad ${count}
${images}.section .note.GNU-stack, \"\", %progbits
")
  add_library(wt_embedded_kernels OBJECT ${dir}/embedded.S)
  set_source_files_properties(${dir}/embedded.S PROPERTIES OBJECT_DEPENDS "${objects}")
endfunction()
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL wt_embed_kernels)
