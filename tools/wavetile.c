// SPDX-License-Identifier: MIT
// Implements the command `wavetile`: it finds the subcommand and runs it.
#include "wavetile.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "core/tool.h"
#include "pages/pages.h"
#include "sim/settings/nearest.h"

static const tool_subcommand subcommands[] = {
    {"activation", tool_activation,
     "apply ReLU, GELU or SiLU to elements, with and without a gate, forward and backward"},
    {"attention", tool_attention, "attention and its gradients, and verify the results"},
    {"bench", tool_bench, "compare the timing model with published measurements, and time the simulator"},
    {"conv", tool_conv, "convolve images with filters in FP8, BF16 or F16 and verify the result"},
    {"cross-entropy", tool_cross_entropy, "compute the losses of rows of logits, and their gradients"},
    {"dequantize", tool_dequantize, "turn FP8 numbers and scales into numbers"},
    {"dequantize-blocks", tool_dequantize_blocks, "turn elements and scales of an MX format into numbers"},
    {"experts", tool_experts, "route tokens to experts, run these, and add up their results"},
    {"gemm", tool_gemm, "multiply matrices in FP8, BF16, F16 or I8 and verify the result"},
    {"gemm-block", tool_gemm_block, "multiply FP8 matrices with F32 scales for blocks of 128 elements"},
    {"gemm-mx", tool_gemm_mx, "multiply matrices in MX formats, with a scale for every 32 elements"},
    {"grid", tool_grid, "show a grid order: which die computes which tile, and what its L2 loads"},
    {"grouped", tool_grouped, "multiply groups of rows with a matrix each, as layers of experts need it"},
    {"hipcc", tool_hipcc, "compile HIP programs and kernels for the simulated device"},
    {"isa", tool_isa, "show what a kernel was compiled to: registers, LDS, occupancy, instruction mix"},
    {"layout", tool_layout, "show which lane holds which element, and which banks an LDS access wants"},
    {"norm", tool_norm, "normalise the rows of a matrix, with residual and dropout, forward and backward"},
    {"prof", tool_prof, "run a HIP program and predict where the time of its kernels goes"},
    {"quantize", tool_quantize, "round a matrix to FP8 with scales"},
    {"quantize-blocks", tool_quantize_blocks,
     "round a matrix to an MX format, with a scale for every 32 elements"},
    {"rotary", tool_rotary, "rotate the heads of an array by their positions (rotary embedding)"},
    {"run", tool_run, "run a HIP program on the simulated device, and say what it did"},
    {"schedule", tool_schedule,
     "show a kernel's schedule: the derived waits and barriers, and a timeline of its loop"},
    {"shuffle", tool_shuffle, "bring weights or scales to the order in which gemm-mx reads them, and back"},
    {"softmax", tool_softmax, "compute the softmax of rows, forward and backward"},
    {"tune", tool_tune, "search kernels and grid orders for a matrix product in the timing model"},
};
enum { SUBCOMMANDS = sizeof subcommands / sizeof *subcommands };

static void print_help(void) {
  static const char more[] =
      "wavetile SUBCOMMAND --help tells more, wavetile --version the version. wavetile --page man, bash or "
      "zsh writes the manual page or a completion.";
  puts("usage: wavetile SUBCOMMAND [options]\n");
  for (int i = 0; i < SUBCOMMANDS; ++i) {
    printf("  %-17s ", subcommands[i].name);
    tool_print_wrapped(subcommands[i].help, strlen(subcommands[i].help), 20);
  }
  putchar('\n');
  tool_print_wrapped(more, sizeof more - 1, 0);
}

static int unknown_subcommand(const char *name) {
  char near[256];
  nearest search = nearest_begin(name);
  for (int i = 0; i < SUBCOMMANDS; ++i) nearest_offer(&search, subcommands[i].name);
  nearest_text(&search, "", near, sizeof near);
  return tool_error(TOOL_USAGE, "unknown subcommand \"%s\"%s%s wavetile --help lists all", name, near,
                    *near ? "" : ";");
}

static char help_option[] = "--help";

static int run(int argc, char **argv) {
  if (argc < 2) return tool_error(TOOL_USAGE, "name a subcommand; wavetile --help lists all");
  const char *name = argv[1];
  const bool wants_help = strcmp(name, "help") == 0;
  if ((wants_help && argc == 2) || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    print_help();
    return TOOL_OK;
  }
  if (strcmp(name, "--version") == 0 || strcmp(name, "version") == 0) {
    printf("wavetile %s\n", wt_version());
    return TOOL_OK;
  }
  if (strcmp(name, "--page") == 0) return tool_page(argc > 2 ? argv[2] : "", subcommands, SUBCOMMANDS);
  if (wants_help) name = argv[2];
  for (int i = 0; i < SUBCOMMANDS; ++i)
    if (strcmp(name, subcommands[i].name) == 0)
      return wants_help ? subcommands[i].run(2, (char *[]){argv[2], help_option, NULL})
                        : subcommands[i].run(argc - 1, argv + 1);
  return unknown_subcommand(name);
}

// Descriptors that the caller closed are taken by files that refuse what they are for, so that no file opened
// later is mistaken for standard output.
static void occupy_standard_files(void) {
  static const int modes[] = {
      [STDIN_FILENO] = O_WRONLY, [STDOUT_FILENO] = O_RDONLY, [STDERR_FILENO] = O_RDONLY};
  for (int i = 0; i < 3; ++i)
    if (fcntl(i, F_GETFD) < 0 && open("/dev/null", modes[i]) < 0) return;
}

int main(int argc, char **argv) {
  occupy_standard_files();
  cleanup_begin();
  return tool_end_output(run(argc, argv));
}
