# SPDX-License-Identifier: MIT
# Compiles every device header alone, for one target each, which take turns: -DCOMPILER= -DSOURCE= -DBINARY= -DTARGETS=
file(GLOB_RECURSE headers ${SOURCE}/include/tiles/*.h ${SOURCE}/include/ops/*.h ${SOURCE}/include/sched/*.h)
list(APPEND headers ${SOURCE}/include/wavetile_device.h)
list(LENGTH headers count)
if(count LESS 10)
  message(FATAL_ERROR "only ${count} headers found under ${SOURCE}/include")
endif()
set(empty ${BINARY}/empty.hip)
file(WRITE ${empty} "")
foreach(header ${headers})
  list(POP_FRONT TARGETS target)
  list(APPEND TARGETS ${target})
  execute_process(COMMAND ${COMPILER} -x hip --cuda-device-only -nogpuinc -nogpulib -std=c++20 -Wall -Wextra -Werror
                          -fsyntax-only --offload-arch=${target} -include ${header} ${empty}
                  RESULT_VARIABLE failed ERROR_VARIABLE output)
  if(failed)
    message(SEND_ERROR "${header} does not compile alone for ${target}:\n${output}")
  endif()
endforeach()
message("${count} headers compile alone")
