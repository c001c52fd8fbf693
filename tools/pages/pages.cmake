# SPDX-License-Identifier: MIT
# `wavetile --page`: its sources, and the pages, which the command writes of itself after it is built.
target_sources(wavetile_tool PRIVATE pages/pages.c pages/pages_completion.c pages/pages_man.c)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/pages)
file(MAKE_DIRECTORY ${folder})
add_custom_command(
  OUTPUT ${folder}/wavetile.1 ${folder}/wavetile.bash ${folder}/_wavetile
  COMMAND wavetile_tool --page man > ${folder}/wavetile.1
  COMMAND wavetile_tool --page bash > ${folder}/wavetile.bash
  COMMAND wavetile_tool --page zsh > ${folder}/_wavetile
  DEPENDS wavetile_tool
  COMMENT "Writing the manual page and the completions"
  VERBATIM)
add_custom_target(wavetile_pages ALL DEPENDS ${folder}/wavetile.1 ${folder}/wavetile.bash ${folder}/_wavetile)
set_property(TARGET wavetile_tool PROPERTY WT_PAGES ${folder})
