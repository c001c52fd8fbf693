# SPDX-License-Identifier: MIT
# Kernel files that are made of a table: the file instances.def beside a CMakeLists.txt, with a row MACRO(column, ...) for each.
#
# wt_read_instances(MACRO OUT)
#   Sets OUT to the table's rows.
# wt_instance_columns(ROW NAME...)
#   Sets the variables NAME... to the columns of a row, from the first on.
# wt_instance_targets(OUT GFX942 GFX950)
#   Sets OUT to the targets for which the column is not NOT_MADE.
# wt_instance_value(OUT GFX942 GFX950)
#   Sets OUT to the number in these columns as an expression of device code, for all targets that have one. REGISTERS is
#   kGemmThroughRegisters (kernels/gemm/gemm_frame.h).
# wt_add_instance(FAMILY NAME DESCRIBED HEADER KERNELS [TARGETS gfx942 gfx950] [DEFINE MACRO])
#   Adds the file NAME.hip, which includes HEADER of the table's folder and consists of KERNELS, a use of its macro. DESCRIBED is the
#   name that the other columns of the row make: the row is wrong if it has another. MACRO is defined before HEADER.
function(wt_read_instances macro out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS instances.def)
  file(STRINGS instances.def rows REGEX "^${macro}\\(")
  set(${out} ${rows} PARENT_SCOPE)
endfunction()

function(wt_instance_columns row)
  string(REGEX REPLACE "^[A-Z_]+\\((.*)\\)$" "\\1" row "${row}")
  string(REGEX REPLACE ", *" ";" row "${row}")
  list(LENGTH row columns)
  list(LENGTH ARGN names)
  if(NOT columns EQUAL names)
    message(FATAL_ERROR "instances.def: the row \"${row}\" has ${columns} columns, but must have ${names}: ${ARGN}")
  endif()
  foreach(name ${ARGN})
    list(POP_FRONT row value)
    set(${name} ${value} PARENT_SCOPE)
  endforeach()
endfunction()

function(wt_instance_targets out gfx942 gfx950)
  set(targets "")
  foreach(target ${WT_TARGETS})
    if(NOT ${target} STREQUAL "NOT_MADE")
      list(APPEND targets ${target})
    endif()
  endforeach()
  set(${out} ${targets} PARENT_SCOPE)
endfunction()

function(wt_instance_value out gfx942 gfx950)
  set(value ${gfx950})
  if(gfx950 STREQUAL "NOT_MADE")
    set(value ${gfx942})
  elseif(NOT gfx942 STREQUAL gfx950 AND NOT gfx942 STREQUAL "NOT_MADE")
    set(value "(wt::target::kGfx950 ? ${gfx950} : ${gfx942})")
  endif()
  string(REPLACE REGISTERS kGemmThroughRegisters value "${value}")
  set(${out} ${value} PARENT_SCOPE)
endfunction()

function(wt_add_instance family name described header kernels)
  cmake_parse_arguments(PARSE_ARGV 5 I "" "DEFINE" "TARGETS")
  set(define "")
  if(I_DEFINE)
    set(define "#define ${I_DEFINE}\n")
  endif()
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
  if(NOT name STREQUAL described)
    message(FATAL_ERROR "${folder}/instances.def: the row of ${name} describes ${described}")
  endif()
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}.hip)
  file(CONFIGURE OUTPUT ${file} @ONLY CONTENT "// Generated from ${folder}/instances.def.
${define}#include \"${folder}/${header}\"

${kernels}
")
  wt_add_kernels(FAMILY ${family} ${file} TARGETS ${I_TARGETS})
endfunction()
