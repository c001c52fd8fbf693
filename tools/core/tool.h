// SPDX-License-Identifier: MIT
// Declares what all subcommands of `wavetile` share: exit codes, messages and option tables.
#ifndef WT_TOOLS_TOOL_H
#define WT_TOOLS_TOOL_H

#include <stdbool.h>
#include <stddef.h>

enum {
  TOOL_OK = 0,
  TOOL_FAILED = 1,  // the work was tried and failed, or its result was wrong
  TOOL_USAGE = 2    // wrong options or wrong input
};

// Prints "wavetile: <sentence>" to stderr and returns `code`.
int tool_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

typedef enum tool_option_kind {
  TOOL_FLAG,      // bool: --name
  TOOL_STRING,    // const char *: --name TEXT
  TOOL_OPTIONAL,  // const char *: --name=TEXT, or --name for ""; its `argument` is written "[=TEXT]"
  TOOL_SIZE,      // long long from 1 to 2^31 - 1: --name 4096
  TOOL_JOBS,      // long long from 1 to TOOL_MOST_JOBS: --name 2
  TOOL_SIZES,     // tool_sizes (core/sizes.h), one or more of these: --name 1:4096:x2
  TOOL_SEED,      // unsigned long long, any base: --name 0x1234
  TOOL_FLOAT      // double, finite: --name 0.5
} tool_option_kind;

enum { TOOL_MOST_JOBS = 256 };

typedef struct tool_option {
  const char *name;  // without the dashes
  tool_option_kind kind;
  void *value;
  const char *argument, *help;  // for the help text; the argument is NULL for flags
} tool_option;

// Parses "--name value", "--name=value" and "-h" for "--help" into the table. Positional arguments are stored
// in order to `positional`, at most `positional_max`. Returns TOOL_OK, or reports and returns TOOL_USAGE.
int tool_options_parse(int argc, char **argv, const tool_option *options, size_t count,
                       const char **positional, size_t positional_max);
// Parses as tool_options_parse does the options before the first word that is none, or before "--"; *rest
// receives the index of the word that follows them.
int tool_options_parse_leading(int argc, char **argv, const tool_option *options, size_t count, int *rest);

// Prints help to standard output, no wider than the terminal (core/help.c): `text`, in which every line is a
// paragraph that is wrapped, indented as its first line is, and then the options.
void tool_help(const char *text, const tool_option *options, size_t count);
void tool_options_help(const tool_option *options, size_t count);
// Makes tool_help from now on give its arguments to `take`, with `to`, and print nothing; NULL: it prints
// again.
typedef void tool_help_taker(void *to, const char *text, const tool_option *options, size_t count);
void tool_help_take(tool_help_taker *take, void *to);
// Prints the words of `text`, `length` bytes of it, and ends the line. The first word is printed where the
// line is, which is column `column`; lines that follow are indented to it.
void tool_print_wrapped(const char *text, size_t length, int column);
// Returns the columns of the terminal on standard output (COLUMNS of the environment overrides them); 100
// where there is no terminal.
int tool_columns(void);
// Returns the columns that are left from column `column` on, at least 8. Where there is no terminal, as in a
// file, nothing has to be cut, and the number is without limit.
int tool_columns_left(int column);

// Writes what standard output still holds, for those who watch a long run. What fails is reported at the end.
void tool_flush_output(void);
// Called last: ends standard output. Returns `code`, or reports what could not be written and returns
// TOOL_FAILED.
int tool_end_output(int code);

// The subcommands. argv[0] is the subcommand's own name.
int tool_activation(int argc, char **argv);
int tool_attention(int argc, char **argv);
int tool_bench(int argc, char **argv);
int tool_conv(int argc, char **argv);
int tool_cross_entropy(int argc, char **argv);
int tool_dequantize(int argc, char **argv);
int tool_dequantize_blocks(int argc, char **argv);
int tool_experts(int argc, char **argv);
int tool_gemm(int argc, char **argv);
int tool_gemm_block(int argc, char **argv);
int tool_gemm_mx(int argc, char **argv);
int tool_grid(int argc, char **argv);
int tool_grouped(int argc, char **argv);
int tool_hipcc(int argc, char **argv);
int tool_isa(int argc, char **argv);
int tool_layout(int argc, char **argv);
int tool_norm(int argc, char **argv);
int tool_prof(int argc, char **argv);
int tool_quantize(int argc, char **argv);
int tool_quantize_blocks(int argc, char **argv);
int tool_rotary(int argc, char **argv);
int tool_run(int argc, char **argv);
int tool_schedule(int argc, char **argv);
int tool_shuffle(int argc, char **argv);
int tool_softmax(int argc, char **argv);
int tool_tune(int argc, char **argv);

// Returns the number of a word among `count` of them; -1 when it is none.
int tool_word(const char *word, const char *const *words, int count);
// Returns the wt_activation of that name; -1 when there is none.
int tool_activation_word(const char *word);

#endif
