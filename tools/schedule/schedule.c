// SPDX-License-Identifier: MIT
// Implements `wavetile schedule`: the pipelines that kernels run, with the waits and barriers that were
// derived for them.
#include "schedule.h"

#include <stdio.h>
#include <string.h>

#include "core/kernel_search.h"
#include "core/tool.h"
#include "core/whole_file.h"

typedef struct schedule_options {
  kernel_search search;
  const char *out, *title;
  bool json, help;
} schedule_options;

// kernel_taker
static int collect(void *to, const sim_object *object, const sim_machine *machine, const char *name) {
  return schedule_collect(to, object, machine->target, name);
}

static int check_options(const schedule_options *o) {
  if (o->title && !o->out) return tool_error(TOOL_USAGE, "--title is for pictures; pass --out too");
  if (o->json && o->out)
    return tool_error(TOOL_USAGE, "--json and --out exclude each other; pass one of them");
  char message[WHOLE_FILE_PATH + 512];
  if (o->out && !whole_file_allowed(o->out, message, sizeof message))
    return tool_error(TOOL_USAGE, "--out %s", message);
  return TOOL_OK;
}

static int draw(const schedule_list *list, const schedule_options *o) {
  if (list->count > 1)
    return tool_error(
        TOOL_USAGE,
        "--out draws one schedule, and there are %zu; name one kernel and its --target, such as %s "
        "for %s",
        list->count, list->at[0].kernels[0], list->at[0].target);
  schedule_flow flow;
  char message[WHOLE_FILE_PATH + 512];
  if (!schedule_flow_make(&list->at[0], &flow))
    return tool_error(TOOL_FAILED, "out of memory for the picture");
  const bool good = schedule_draw(&list->at[0], &flow, o->out, o->title, message, sizeof message);
  schedule_flow_free(&flow);
  return good ? TOOL_OK : tool_error(TOOL_FAILED, "--out %s", message);
}

static int print(const schedule_list *list) {
  for (size_t i = 0; i < list->count; ++i) {
    schedule_flow flow;
    if (!schedule_flow_make(&list->at[i], &flow))
      return tool_error(TOOL_FAILED, "out of memory for a schedule");
    if (i) putchar('\n');
    schedule_print(&list->at[i], &flow);
    schedule_flow_free(&flow);
  }
  return TOOL_OK;
}

static int show(const schedule_list *list, const schedule_options *o) {
  if (!list->count)
    return tool_error(
        TOOL_USAGE,
        "%s%s%s has no schedule: only kernels that call wt::sched::run or resume have one, as those "
        "of gemm_4wave_256x256 do",
        o->search.kernel ? o->search.kernel : "", o->search.kernel && o->search.file ? " in " : "",
        o->search.file ? o->search.file : "");
  if (o->out) return draw(list, o);
  return o->json ? schedule_print_json(list) : print(list);
}

int tool_schedule(int argc, char **argv) {
  schedule_options o = {0};
  const tool_option table[] = {{"target", TOOL_STRING, &o.search.target, "gfx950",
                                "only this target: gfx942 or gfx950 (default: both)"},
                               {"json", TOOL_FLAG, &o.json, NULL, "print JSON"},
                               {"out", TOOL_STRING, &o.out, "FILE.svg",
                                "draw the timeline of the loop to this file instead of printing"},
                               {"title", TOOL_STRING, &o.title, "TEXT", "the picture's title"},
                               {"help", TOOL_FLAG, &o.help, NULL, "print this help"}};
  const size_t count = sizeof table / sizeof *table;
  const char *words[2] = {NULL, NULL};
  int code = tool_options_parse(argc, argv, table, count, words, 2);
  if (code) return code;
  if (o.help) {
    tool_help(
        "usage: wavetile schedule KERNEL [options]\n"
        "       wavetile schedule FILE [KERNEL] [options]\n\n"
        "Prints the schedule of a kernel: what each cluster of the loop multiplies, reads and copies, and "
        "the "
        "waits and barriers that were derived from it for prologue, loop and epilogue. gemm_4wave_256x256 "
        "names "
        "all kernels of that file of the library, gemm_4wave_256x256_bf16_bf16 one of them; what kernels "
        "have "
        "in common is printed once. A name with a dot or a slash is that of a FILE: a code object or a "
        "bundle "
        "of them.\n",
        table, count);
    return TOOL_OK;
  }
  schedule_list list = {0};
  code = kernel_search_begin(&o.search, words, "schedule");
  if (!code) code = check_options(&o);
  if (!code) code = kernel_search_run(&o.search, collect, &list);
  if (!code) code = show(&list, &o);
  schedule_list_free(&list);
  return code;
}
