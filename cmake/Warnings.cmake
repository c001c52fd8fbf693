# SPDX-License-Identifier: MIT
# wt_host_options(TARGET): the warnings and sanitizers every host target is built with.
function(wt_host_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wvla -Wpointer-arith -Wmissing-prototypes
                                           -Wstrict-prototypes $<$<BOOL:${WT_WERROR}>:-Werror>)
  # Simulated arithmetic must round exactly once per instruction: no contraction of a*b+c by the host compiler.
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -fno-strict-aliasing)
  if(WT_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=address,undefined -fno-sanitize-recover=undefined
                                             -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
  if(WT_FUZZ)  # the branches of everything guide the fuzzer
    target_compile_options(${target} PRIVATE -g -O1 -fsanitize=fuzzer-no-link,address,undefined
                                             -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    target_link_options(${target} PRIVATE -fsanitize=address,undefined)
  endif()
  if(WT_SANITIZE_THREADS)
    target_compile_options(${target} PRIVATE -g -fsanitize=thread)
    target_link_options(${target} PRIVATE -fsanitize=thread)
  endif()
endfunction()
