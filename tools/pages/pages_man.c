// SPDX-License-Identifier: MIT
// Writes the manual page wavetile(1), in the man macros that groff and mandoc know.
#include <string.h>

#include "pages/pages.h"
#include "sim/settings/environment.h"
#include "wavetile.h"

// Prints text in roff's alphabet. A dash remains a dash, so that options can be copied from the page.
static void print_text(FILE *out, const char *text, size_t length) {
  for (size_t i = 0; i < length; ++i) {
    const bool line_begins = i == 0 || text[i - 1] == '\n';
    if (line_begins && (text[i] == '.' || text[i] == '\'')) fputs("\\&", out);
    if (text[i] == '\\')
      fputs("\\e", out);
    else if (text[i] == '-')
      fputs("\\-", out);
    else
      fputc(text[i], out);
  }
}

static void print_string(FILE *out, const char *text) { print_text(out, text, strlen(text)); }

// Writes lines of usage and indented lines as they stand, others as paragraphs.
static void print_help(FILE *out, const char *text) {
  bool as_it_stands = false;
  while (*text) {
    const size_t length = strcspn(text, "\n");
    const bool usage = strncmp(text, "usage:", 6) == 0, fixed = usage || *text == ' ';
    if (fixed != as_it_stands) fputs(fixed ? ".PP\n.nf\n" : ".fi\n", out);
    as_it_stands = fixed;
    if (fixed) {
      const size_t skip = strspn(text + (usage ? 6 : 0), " ") + (usage ? 6 : 0);
      print_text(out, text + skip, length - skip);
      fputc('\n', out);
    } else if (length) {
      fputs(".PP\n", out);
      print_text(out, text, length);
      fputc('\n', out);
    }
    text += length + (text[length] == '\n');
  }
  if (as_it_stands) fputs(".fi\n", out);
}

static void print_options(FILE *out, const page_entry *e) {
  for (size_t i = 0; i < e->option_count; ++i) {
    const page_option *o = &e->options[i];
    fputs(".TP\n\\fB\\-\\-", out);
    print_string(out, o->name);
    fputs("\\fR", out);
    if (o->argument) {
      fputs(o->kind == TOOL_OPTIONAL ? "\\fI" : " \\fI", out);
      print_string(out, o->argument);
      fputs("\\fR", out);
    }
    fputc('\n', out);
    fputs("\\&", out);  // a line that may be empty, or begin like a request
    print_string(out, o->help);
    fputc('\n', out);
  }
}

static void print_settings(FILE *out) {
  for (int v = 0; v < SIM_ENV_COUNT; ++v) {
    char values[256];
    sim_env_values((sim_env)v, values, sizeof values);
    fputs(".TP\n\\fB", out);
    print_string(out, sim_env_name((sim_env)v));
    fputs("\\fR=\\fI", out);
    print_string(out, values);
    fputs("\\fR\n\\&", out);
    print_string(out, sim_env_help((sim_env)v));
    fputs(" (default: ", out);
    print_string(out, sim_env_otherwise((sim_env)v));
    fputs(")\n", out);
  }
}

void page_write_man(FILE *out, const page *p) {
  fprintf(
      out,
      ".\\\" Written by wavetile \\-\\-page man.\n"
      ".TH WAVETILE 1 \"\" \"wavetile %s\" \"User Commands\"\n"
      ".SH NAME\n"
      "wavetile \\- kernels for AMD CDNA GPUs, and a simulated device that runs and predicts them\n"
      ".SH SYNOPSIS\n"
      ".B wavetile\n.I SUBCOMMAND\n.RI [ options ]\n"
      ".SH DESCRIPTION\n"
      "Runs matrix products, attention, norms and other kernels on data of the user, compiles and runs HIP "
      "programs\n"
      "without a GPU, and shows what kernels do: registers, layouts, grid orders, and where their time "
      "goes.\n"
      ".PP\n"
      "Unless \\fB\\-\\-device hip:\\fIN\\fR names a GPU, everything runs on a simulated device, which "
      "executes the\n"
      "machine code of the GPU. Cycles and times that it gives are predicted by a model; they were not "
      "measured.\n"
      ".SH OPTIONS\n"
      ".TP\n\\fB\\-\\-help\\fR\nList the subcommands; after a subcommand, its options.\n"
      ".TP\n\\fB\\-\\-version\\fR\nPrint the version.\n"
      ".TP\n\\fB\\-\\-page\\fR \\fIman\\fR|\\fIbash\\fR|\\fIzsh\\fR\n"
      "Write this page, or the completion for a shell.\n"
      ".SH SUBCOMMANDS\n",
      wt_version());
  for (size_t i = 0; i < p->count; ++i) {
    const page_entry *e = &p->entries[i];
    fputs(".SS wavetile ", out);
    print_string(out, e->subcommand->name);
    if (*e->word) {
      fputc(' ', out);
      print_string(out, e->word);
    } else {
      fputs("\nIn short: ", out);
      print_string(out, e->subcommand->help);
      fputc('.', out);
    }
    fputc('\n', out);
    print_help(out, e->text);
    print_options(out, e);
  }
  fputs(
      ".SH ENVIRONMENT\n"
      ".TP\n.B WT_ROCM_PATH\nThe folder of ROCm, for \\fB\\-\\-device hip:\\fIN\\fR; /opt/rocm where it is "
      "not set.\n"
      ".TP\n.B COLUMNS\nThe width to which help is wrapped.\n"
      ".PP\nThe settings of the simulated device follow; a value that a setting may not have is refused.\n",
      out);
  print_settings(out);
  fputs(
      ".SH EXIT STATUS\n"
      ".TP\n.B 0\nSuccess.\n"
      ".TP\n.B 1\nThe work was tried and failed, or its result was wrong.\n"
      ".TP\n.B 2\nAn argument or an input was wrong, and nothing was done.\n",
      out);
}
