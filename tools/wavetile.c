// SPDX-License-Identifier: MIT
// The command `wavetile`: finds the subcommand and runs it.
#include "wavetile.h"

#include <stdio.h>
#include <string.h>

#include "core/tool.h"

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *help;
} subcommands[] = {
    {"attention", tool_attention, "attention and its gradients, and verify the results"},
    {"bench", tool_bench, "compare the timing model with published measurements, and time the simulator"},
    {"gemm", tool_gemm, "multiply matrices in FP8 and verify the result"},
    {"grid", tool_grid, "show a grid order: which die computes which tile, and what its L2 loads"},
    {"isa", tool_isa, "show what a kernel was compiled to: registers, LDS, occupancy, instruction mix"},
    {"layout", tool_layout, "show which lane holds which element, and which banks an LDS access wants"},
    {"norm", tool_norm, "normalise the rows of a matrix, with residual and dropout, forward and backward"},
    {"prof", tool_prof, "run a HIP program and predict where the time of its kernels goes"},
    {"rotary", tool_rotary, "turn the heads of an array by their positions (rotary embedding)"},
    {"tune", tool_tune, "search kernels and grid orders for a matrix product in the timing model"},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static void print_help(void) {
  puts("usage: wavetile SUBCOMMAND [options]\n");
  for (int i = 0; i < SUBCOMMANDS; ++i) printf("  %-10s %s\n", subcommands[i].name, subcommands[i].help);
  puts("\nwavetile SUBCOMMAND --help tells more, wavetile --version the version.");
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "--help";
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    print_help();
    return argc > 1 ? TOOL_OK : TOOL_USAGE;
  }
  if (strcmp(name, "--version") == 0) {
    printf("wavetile %s\n", wt_version());
    return TOOL_OK;
  }
  for (int i = 0; i < SUBCOMMANDS; ++i)
    if (strcmp(name, subcommands[i].name) == 0) return subcommands[i].run(argc - 1, argv + 1);
  return tool_error(TOOL_USAGE, "unknown subcommand \"%s\"; wavetile --help lists them", name);
}
