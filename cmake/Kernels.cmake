# SPDX-License-Identifier: MIT
# The library's own kernels: what the folders of kernels/ name, compiled and embedded by the module that other projects use, too.
#
# wt_add_kernels(FAMILY name FILE.hip... [TARGETS gfx942 gfx950] [OPTIONS option...] [ALLOW_SCRATCH])
#   Adds kernel files to a family of the library's kernels. ALLOW_SCRATCH lets these files use scratch memory or spill
#   registers, which otherwise fails the build.
# Target wt_embedded_kernels (an object library) holds those that WT_KERNELS names, whose table wt_embedded.h declares. It also
# names the others (src/core/left_out.h), so that the library can say how to build them.
include(WavetileKernels)
set(WT_KERNELS all CACHE STRING "Kernels to build into the library: all, or a list of families and of kernel files, such as gemm;norm_forward")
# Every warning about our own code is an error.
list(APPEND WT_DEVICE_FLAGS -Wall -Wextra)
if(WT_WERROR)
  list(APPEND WT_DEVICE_FLAGS -Werror)
endif()

# Provides the device headers, and the root, from which kernels name the folders of other kernels.
add_library(wt_device INTERFACE)
target_include_directories(wt_device INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR})
add_library(wavetile::device ALIAS wt_device)

add_executable(kernel_check ${CMAKE_SOURCE_DIR}/tools/kernel_check.c ${CMAKE_SOURCE_DIR}/tools/core/read_file.c)
wt_host_options(kernel_check)
target_link_libraries(kernel_check PRIVATE sim_core)
add_executable(wavetile::kernel_check ALIAS kernel_check)

function(wt_add_kernels)
  cmake_parse_arguments(K "ALLOW_SCRATCH" "FAMILY" "TARGETS;OPTIONS" ${ARGN})
  if(NOT K_FAMILY)
    message(FATAL_ERROR "wt_add_kernels(${K_UNPARSED_ARGUMENTS}): name the FAMILY that these kernels belong to")
  endif()
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
    set_property(GLOBAL APPEND PROPERTY WT_KERNEL_FAMILIES ${K_FAMILY})
    set_property(GLOBAL PROPERTY WT_KERNEL_FAMILY_${stem} ${K_FAMILY})
    set_property(GLOBAL PROPERTY WT_KERNEL_SOURCE_${stem} ${path})
    set_property(GLOBAL PROPERTY WT_KERNEL_TARGETS_${stem} ${K_TARGETS})
    set_property(GLOBAL PROPERTY WT_KERNEL_OPTIONS_${stem} ${K_OPTIONS})
    set_property(GLOBAL PROPERTY WT_KERNEL_SCRATCH_${stem} ${K_ALLOW_SCRATCH})
  endforeach()
endfunction()

# Refuses a name in a selection that is neither a family nor a kernel file.
function(wt_check_selection option selection)
  get_property(stems GLOBAL PROPERTY WT_KERNEL_STEMS)
  get_property(families GLOBAL PROPERTY WT_KERNEL_FAMILIES)
  list(REMOVE_DUPLICATES families)
  foreach(name ${selection})
    if(NOT name IN_LIST families AND NOT name IN_LIST stems AND NOT name STREQUAL "all")
      list(JOIN families ", " families)
      message(FATAL_ERROR "${option} names \"${name}\", which is no family of kernels and no kernel file; "
                          "pass all, or a list of families (${families}) and kernel files")
    endif()
  endforeach()
endfunction()

# Sets OUT to whether the kernel file is in the selection: by its own name, by its family's, or as one of all.
function(wt_is_selected stem selection out)
  get_property(family GLOBAL PROPERTY WT_KERNEL_FAMILY_${stem})
  set(${out} FALSE PARENT_SCOPE)
  if("all" IN_LIST selection OR family IN_LIST selection OR stem IN_LIST selection)
    set(${out} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Makes the object library `library` with the code objects of a selection, from the folder kernels/ of the build, and with the
# names of all others. Its sources are generated in `folder`.
function(wt_embed_selection library folder selection)
  set(objects "")
  set(checks "")
  set(all_stems "")
  set(all_targets "")
  set(left_out "")
  get_property(stems GLOBAL PROPERTY WT_KERNEL_STEMS)
  foreach(stem ${stems})
    get_property(family GLOBAL PROPERTY WT_KERNEL_FAMILY_${stem})
    get_property(targets GLOBAL PROPERTY WT_KERNEL_TARGETS_${stem})
    wt_is_selected(${stem} "${selection}" selected)
    foreach(target ${targets})
      if(selected)
        list(APPEND objects ${CMAKE_BINARY_DIR}/kernels/${stem}.${target}.co)
        list(APPEND checks ${CMAKE_BINARY_DIR}/kernels/${stem}.${target}.co.checked)
        list(APPEND all_stems ${stem})
        list(APPEND all_targets ${target})
      else()
        string(APPEND left_out "    {\"${stem}\", \"${family}\", \"${target}\"},\n")
      endif()
    endforeach()
  endforeach()
  file(MAKE_DIRECTORY ${folder})
  wt_embed_objects(${library} wt_embedded ${folder} "${objects}" "${checks}" "${all_stems}" "${all_targets}")
  file(CONFIGURE OUTPUT ${folder}/left_out.c @ONLY CONTENT
       "// Generated: the kernels that were left out.
#include \"core/left_out.h\"

const wt_left_out wt_left_out_table[] = {
${left_out}    {NULL, NULL, NULL},
};
")
  target_sources(${library} PRIVATE ${folder}/left_out.c)
  target_include_directories(${library} PRIVATE ${CMAKE_SOURCE_DIR}/src)
endfunction()

# Runs at the end of the top directory, when every folder has named its kernels.
function(wt_embed_kernels)
  set(dir ${CMAKE_BINARY_DIR}/kernels)
  wt_check_selection(WT_KERNELS "${WT_KERNELS}")
  get_property(stems GLOBAL PROPERTY WT_KERNEL_STEMS)
  foreach(stem ${stems})
    get_property(source GLOBAL PROPERTY WT_KERNEL_SOURCE_${stem})
    get_property(targets GLOBAL PROPERTY WT_KERNEL_TARGETS_${stem})
    get_property(options GLOBAL PROPERTY WT_KERNEL_OPTIONS_${stem})
    get_property(allow_scratch GLOBAL PROPERTY WT_KERNEL_SCRATCH_${stem})
    wt_is_selected(${stem} "${WT_KERNELS}" selected)
    if(selected)
      foreach(target ${targets})
        set(object ${dir}/${stem}.${target}.co)
        wt_compile_kernel(${stem} ${source} ${target} ${allow_scratch} ${object} ${object}.checked ${options})
      endforeach()
    endif()
  endforeach()
  wt_embed_selection(wt_embedded_kernels ${dir} "${WT_KERNELS}")
endfunction()
cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR} CALL wt_embed_kernels)
