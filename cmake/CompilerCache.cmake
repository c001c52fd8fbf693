# SPDX-License-Identifier: MIT
# WT_CCACHE is ccache where it is installed. C and device code are compiled through it; -DWT_CCACHE= does without.
find_program(WT_CCACHE ccache DOC "The compiler cache; empty for none")
if(NOT WT_CCACHE)
  set(WT_CCACHE "")
elseif(NOT DEFINED CMAKE_C_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${WT_CCACHE})
endif()
