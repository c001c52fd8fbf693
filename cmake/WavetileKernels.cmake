# SPDX-License-Identifier: MIT
# Device code: from .hip files to code objects, checked for spills, embedded or installed. The library builds its own kernels
# with this module, and find_package(wavetile) brings it to other projects.
#
# wavetile_add_kernels(NAME FILE.hip... [TARGETS target...] [OPTIONS option...] [DESTINATION folder] [ALLOW_SCRATCH] [NO_EMBED])
#   Compiles each file for each target, and makes the object library NAME that holds the code objects: link it, and
#   #include "NAME.h", whose NAME_find("FILE", device) gives the code object for hipModuleLoadData.
#     TARGETS        gfx942 (MI300X), gfx950 (MI355X); both if none is named
#     OPTIONS        further options of the compiler, such as -DTILE=64 or -Ifolder
#     DESTINATION    installs the code objects, as FILE.TARGET.co, into this folder (below the prefix if it is relative)
#     ALLOW_SCRATCH  lets kernels use scratch memory or spill registers, which otherwise fails the build
#     NO_EMBED       makes no library; NAME is a target that builds the code objects
#   The property WAVETILE_CODE_OBJECTS of NAME lists the code objects. They are in NAME's folder of the build tree.
#
# The compiler of each target is hipcc of a ROCm that is new enough, else clang++; -DWT_DEVICE_COMPILER_gfx950=PROGRAM names
# another for gfx950. Where WT_CCACHE names a compiler cache, such as ccache, the kernels are compiled through it.
set(WT_TARGETS gfx942 gfx950)
# Lists what every kernel of this library needs.
set(WT_DEVICE_FLAGS -x hip --cuda-device-only --no-gpu-bundle-output -nogpuinc -nogpulib -O3 -std=c++20)

# Finds out whether the program compiles what the device headers need, for the target. What it said goes to
# OUTPUT.
function(wt_try_device_compiler compiler target result output)
  set(probe ${CMAKE_BINARY_DIR}/CMakeFiles/wavetile_probe.hip)
  # The feature is clang 21's (ops/isa/mfma_pinned.h).
  file(WRITE ${probe} "#if !__has_extension(gnu_asm_constexpr_strings)\n#error it is older than clang 21\n#endif\n"
                      "extern \"C\" __attribute__((global)) void probe() {}\n")
  execute_process(COMMAND ${compiler} ${WT_DEVICE_FLAGS} --offload-arch=${target} -c ${probe} -o ${probe}.${target}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said)
  string(REGEX MATCH "error: [^\n]*" sentence "${said}")
  if(NOT sentence)
    string(REGEX MATCH "[^\n]+" sentence "${said} ${failed}")
  endif()
  set(${result} ${failed} PARENT_SCOPE)
  set(${output} "${sentence}" PARENT_SCOPE)
endfunction()

# Sets OUT to the compiler for the target: the one that WT_DEVICE_COMPILER_<target> names, else ROCm's where there is one that
# knows the target, else clang.
function(wt_device_compiler target out)
  if(NOT target IN_LIST WT_TARGETS)
    list(JOIN WT_TARGETS " or " known)
    message(FATAL_ERROR "\"${target}\" is no target of wavetile's kernels; pass ${known}")
  endif()
  set(name WT_DEVICE_COMPILER_${target})
  if(NOT "${${name}}" STREQUAL "" AND "${${name}}" STREQUAL "${WT_DEVICE_COMPILER_TRIED_${target}}")
    set(${out} ${${name}} PARENT_SCOPE)
    return()
  endif()
  set(remedy "install clang-22 and lld-22, or name a clang++ of version 21 or newer in ${name}")
  if(${name})
    wt_try_device_compiler(${${name}} ${target} failed said)
    if(failed)
      message(FATAL_ERROR "${name} is ${${name}}, which does not compile for ${target} (${said}); ${remedy}")
    endif()
    set(found ${${name}})
  else()
    find_program(WT_HIPCC NAMES hipcc HINTS /opt/rocm/bin)
    find_program(WT_CLANGXX NAMES clang++-22 clang++-21 clang++)
    mark_as_advanced(WT_HIPCC WT_CLANGXX)
    set(refused "")
    foreach(compiler ${WT_HIPCC} ${WT_CLANGXX})
      if(compiler AND NOT found)
        wt_try_device_compiler(${compiler} ${target} failed said)
        if(failed)
          string(APPEND refused "; ${compiler} does not (${said})")
        else()
          set(found ${compiler})
        endif()
      endif()
    endforeach()
    if(NOT found)
      message(FATAL_ERROR "no compiler was found that compiles for ${target}${refused}; ${remedy}")
    endif()
    message(STATUS "Device compiler for ${target}: ${found}")
    set(${name} ${found} CACHE FILEPATH "Compiler for ${target} kernels" FORCE)
  endif()
  set(WT_DEVICE_COMPILER_TRIED_${target} ${found} CACHE INTERNAL "The compiler for ${target} that was found to work")
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Compiles one code object, with what further arguments say, and checks it; `checked` is touched when the check passes.
#
# A preprocessor run of its own, of some 30 ms, writes the dependency file: clang's driver writes none when it compiles for the
# device alone, and a compiler cache (WT_CCACHE) that finds an object of another build folder would not write it there.
function(wt_compile_kernel stem source target allow_scratch object checked)
  wt_device_compiler(${target} compiler)
  set(flags ${WT_DEVICE_FLAGS} --offload-arch=${target} ${ARGN})
  set(includes "-I$<JOIN:$<TARGET_PROPERTY:wavetile::device,INTERFACE_INCLUDE_DIRECTORIES>,;-I>")
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${compiler} ${flags} "${includes}" -E -Xclang -dependency-file -Xclang ${object}.d -Xclang -MT -Xclang ${object}
            ${source} -o /dev/null
    COMMAND ${WT_CCACHE} ${compiler} ${flags} "${includes}" -c ${source} -o ${object}
    DEPENDS ${source}
    DEPFILE ${object}.d
    COMMENT "Compiling ${stem} for ${target}"
    VERBATIM COMMAND_EXPAND_LISTS)
  set(checker $<TARGET_FILE:wavetile::kernel_check>)
  if(WT_CHECK_KERNELS_ONCE)  # and not again where only the checker has changed, as in each mutation of the simulator
    set(checker "")
  endif()
  add_custom_command(
    OUTPUT ${checked}
    COMMAND wavetile::kernel_check $<$<BOOL:${allow_scratch}>:--allow-scratch> ${object} ${target}
    COMMAND ${CMAKE_COMMAND} -E touch ${checked}
    DEPENDS ${object} ${checker}
    COMMENT "Checking ${stem} for ${target}"
    VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

# Makes the object library `library` with the table of code objects that NAME.h in `folder` declares. Lists of equal
# length say where each code object is, which file shows that it was checked, and the stem and target that it is found
# by.
function(wt_embed_objects library name folder objects checks stems targets)
  # The image is in assembly, the one language that can put a file's size into a constant; within C or C++, whichever the
  # project has. A row of the table is four fields of 8 bytes.
  set(images "")
  set(rows "")
  set(count 0)
  foreach(object stem target IN ZIP_LISTS objects stems targets)
    string(APPEND images "\".balign 4096\\n.Limage${count}:\\n.incbin \\\"${object}\\\"\\n.Lend${count}:\\n\"\n"
                         "\".Lname${count}: .asciz \\\"${stem}\\\"\\n.Ltarget${count}: .asciz \\\"${target}\\\"\\n\"\n")
    string(APPEND rows "\".quad .Lname${count}, .Ltarget${count}, .Limage${count}, .Lend${count} - .Limage${count}\\n\"\n")
    math(EXPR count "${count} + 1")
  endforeach()
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  set(source ${folder}/${name}.cpp)
  if(C IN_LIST languages)
    set(source ${folder}/${name}.c)
  endif()
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/wavetile_kernels.h.in ${folder}/${name}.h @ONLY)
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT
       "/* Generated: the table of ${name}.h, each code object on a page of its own. */
__asm__(\".pushsection .data.rel.ro, \\\"aw\\\"\\n\"
\".hidden ${name}_table\\n.global ${name}_table\\n.balign 8\\n${name}_table:\\n\"
${rows}\".popsection\\n.pushsection .rodata\\n\"
\".hidden ${name}_count\\n.global ${name}_count\\n.balign 8\\n${name}_count: .quad ${count}\\n\"
${images}\".popsection\\n\");
")
  add_library(${library} OBJECT ${source})
  target_include_directories(${library} INTERFACE ${folder})
  target_compile_options(${library} PRIVATE -w -fno-lto)  # link-time optimisation may drop what only assembly defines
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${objects};${checks}")
endfunction()

function(wavetile_add_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 K "ALLOW_SCRATCH;NO_EMBED" "DESTINATION" "TARGETS;OPTIONS")
  set(call "wavetile_add_kernels(${name})")
  if(NOT K_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${call}: no .hip file is named")
  endif()
  if(NOT name MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "${call}: the name becomes part of C identifiers; use letters, digits and underscores")
  endif()
  if(NOT K_TARGETS)
    set(K_TARGETS ${WT_TARGETS})
  endif()
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name})
  file(MAKE_DIRECTORY ${folder})
  set(objects "")
  set(checks "")
  set(stems "")
  set(targets "")
  foreach(file ${K_UNPARSED_ARGUMENTS})
    get_filename_component(path ${file} ABSOLUTE)
    get_filename_component(stem ${file} NAME_WE)
    if(NOT EXISTS ${path} OR IS_DIRECTORY ${path})
      message(FATAL_ERROR "${call}: there is no file ${path}")
    endif()
    foreach(target ${K_TARGETS})
      set(object ${folder}/${stem}.${target}.co)
      if(object IN_LIST objects)
        message(FATAL_ERROR "${call}: two kernel files are named ${stem}; the name is what a code object is found by")
      endif()
      wt_compile_kernel(${stem} ${path} ${target} ${K_ALLOW_SCRATCH} ${object} ${object}.checked ${K_OPTIONS})
      list(APPEND objects ${object})
      list(APPEND checks ${object}.checked)
      list(APPEND stems ${stem})
      list(APPEND targets ${target})
    endforeach()
  endforeach()
  if(K_NO_EMBED)
    add_custom_target(${name} ALL DEPENDS ${objects} ${checks})
  else()
    wt_embed_objects(${name} ${name} ${folder} "${objects}" "${checks}" "${stems}" "${targets}")
  endif()
  set_property(TARGET ${name} PROPERTY WAVETILE_CODE_OBJECTS ${objects})
  if(K_DESTINATION)
    install(FILES ${objects} DESTINATION ${K_DESTINATION})
  endif()
endfunction()
