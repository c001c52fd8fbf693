// SPDX-License-Identifier: MIT
// Implements `wavetile isa KERNEL`, which shows what a kernel was compiled to. Registers, LDS, occupancy,
// spills and scratch from the code object, and the instruction mix of each loop from the decoded program.
#include <stdio.h>
#include <string.h>

#include "core/kernel_search.h"
#include "core/tool.h"
#include "isa_loops.h"
#include "sim/exec/launch.h"
#include "sim/isa/program.h"
#include "src/core/left_out.h"
#include "wt_embedded.h"

static const char *const class_names[] = {
    [SIM_CLASS_SALU] = "SALU",       [SIM_CLASS_SMEM] = "SMEM",     [SIM_CLASS_VALU] = "VALU",
    [SIM_CLASS_TRANS] = "trans",     [SIM_CLASS_MFMA] = "MFMA",     [SIM_CLASS_LDS] = "LDS",
    [SIM_CLASS_VMEM] = "VMEM",       [SIM_CLASS_BRANCH] = "branch", [SIM_CLASS_WAIT] = "wait",
    [SIM_CLASS_BARRIER] = "barrier", [SIM_CLASS_OTHER] = "other"};
enum { CLASSES = sizeof class_names / sizeof *class_names };

// This is the order of the columns: what a kernel is about comes first.
static const sim_class columns[CLASSES] = {
    SIM_CLASS_MFMA, SIM_CLASS_VALU, SIM_CLASS_TRANS,   SIM_CLASS_LDS,    SIM_CLASS_VMEM, SIM_CLASS_SALU,
    SIM_CLASS_SMEM, SIM_CLASS_WAIT, SIM_CLASS_BARRIER, SIM_CLASS_BRANCH, SIM_CLASS_OTHER};

typedef struct isa_options {
  kernel_search search;
  bool list, text, help;
} isa_options;

static sim_class class_of(const sim_op *op) {
  return op->info ? (sim_class)op->info->klass : SIM_CLASS_OTHER;
}

// Prints one row: the ops first..last, or those of them that are members.
static void print_mix(const char *label, const sim_program *program, uint32_t first, uint32_t last,
                      const bool *member) {
  unsigned counts[CLASSES] = {0}, all = 0;
  for (uint32_t i = first; i <= last; ++i) {
    if (member && !member[i - first]) continue;
    ++counts[class_of(&program->ops[i])];
    ++all;
  }
  printf("  %-18s %6u", label, all);
  for (int i = 0; i < CLASSES; ++i) printf(" %7u", counts[columns[i]]);
  putchar('\n');
}

// Finds the indices of the kernel's operations: from its first to the last of its symbol's extent.
static bool kernel_range(const sim_program *program, const sim_kernel *kernel, uint32_t *first,
                         uint32_t *last) {
  const sim_object *object = program->object;
  for (size_t i = 0; i < object->function_count; ++i) {
    const sim_function *f = &object->functions[i];
    if (f->begin != kernel->entry) continue;
    const sim_op *op = sim_program_at(program, f->begin);
    if (!op) return false;
    *first = *last = (uint32_t)(op - program->ops);
    while (*last + 1 < program->op_count && program->ops[*last + 1].offset < f->end) ++*last;
    return true;
  }
  return false;
}

static void print_loops(const sim_program *program, uint32_t first, uint32_t last) {
  printf("  %-18s %6s", "", "all");
  for (int i = 0; i < CLASSES; ++i) printf(" %7s", class_names[columns[i]]);
  putchar('\n');
  print_mix("whole kernel", program, first, last, NULL);
  uint32_t count;
  isa_loop *loops = isa_loops_find(program, first, last, &count);
  for (uint32_t i = 0; i < count; ++i) {
    char label[64];
    snprintf(label, sizeof label, "%*sloop at +0x%llx", (int)(loops[i].depth - 1) * 2, "",
             (unsigned long long)(program->ops[loops[i].head].offset - program->ops[first].offset));
    print_mix(label, program, first, last, loops[i].member);
  }
  isa_loops_free(loops, count);
}

static void print_text(const sim_program *program, uint32_t first, uint32_t last) {
  for (uint32_t i = first; i <= last; ++i)
    printf("  +0x%05llx  %s\n", (unsigned long long)(program->ops[i].offset - program->ops[first].offset),
           sim_op_text(program, &program->ops[i]));
}

static void print_kernel(const sim_program *program, const sim_machine *machine, const sim_kernel *k,
                         bool text) {
  const uint32_t block = k->max_workgroup_size ? k->max_workgroup_size : machine->max_workgroup_size;
  const uint32_t groups = sim_occupancy(machine, k, block, 0);
  const uint32_t waves = (block + 63) / 64 * groups / machine->simds_per_cu;
  printf("%s (%s)\n", k->name, program->object->target);
  printf("  VGPR %u, of these AGPR %u; SGPR %u; LDS %u bytes\n", k->vgpr_count, k->agpr_count, k->sgpr_count,
         k->lds_bytes);
  printf("  occupancy with work-groups of %u: %u per CU, %u waves per SIMD\n", block, groups, waves);
  printf("  spills: %u VGPR, %u SGPR; scratch %u bytes per lane\n", k->vgpr_spills, k->sgpr_spills,
         k->scratch_bytes);
  uint32_t first, last;
  if (!kernel_range(program, k, &first, &last)) {
    printf("  its code has no symbol, so its loops are not known\n");
    return;
  }
  print_loops(program, first, last);
  if (text) print_text(program, first, last);
}

// Prints the kernels of one code object whose name is `name`, or all when it is NULL (kernel_taker).
static int show_object(void *to, const sim_object *object, const sim_machine *machine, const char *name) {
  const isa_options *options = to;
  char message[256];
  sim_program *program;
  if (!sim_program_create(object, machine->chip, &program, message, sizeof message))
    return tool_error(TOOL_FAILED, "%s", message);
  for (size_t i = 0; i < object->kernel_count; ++i)
    if (!name || strcmp(object->kernels[i].name, name) == 0)
      print_kernel(program, machine, &object->kernels[i], options->text);
  sim_program_free(program);
  return TOOL_OK;
}

// Lists the library's files, which the table holds once for each target.
static int list_embedded(const kernel_search *search) {
  for (size_t i = 0; i < wt_embedded_count; ++i) {
    const char *name = wt_embedded_table[i].name;
    if (search->target && strcmp(search->target, wt_embedded_table[i].target) != 0) continue;
    bool first = true;
    for (size_t j = 0; j < i && first; ++j)
      first = strcmp(wt_embedded_table[j].name, name) != 0 ||
              (search->target && strcmp(search->target, wt_embedded_table[j].target) != 0);
    if (!first) continue;
    printf("%-40s", name);
    for (size_t j = i; j < wt_embedded_count; ++j)
      if (strcmp(wt_embedded_table[j].name, name) == 0) printf(" %s", wt_embedded_table[j].target);
    putchar('\n');
  }
  for (const wt_left_out *e = wt_left_out_table; e->name; ++e)
    if (!search->target || strcmp(search->target, e->target) == 0)
      printf("%-40s %s, left out when this library was built\n", e->name, e->target);
  return TOOL_OK;
}

int tool_isa(int argc, char **argv) {
  isa_options o = {0};
  const tool_option table[] = {{"target", TOOL_STRING, &o.search.target, "gfx950",
                                "only this target: gfx942 or gfx950 (default: both)"},
                               {"text", TOOL_FLAG, &o.text, NULL, "also print the instructions"},
                               {"list", TOOL_FLAG, &o.list, NULL,
                                "list the files of kernels that are in the library, with their targets"},
                               {"help", TOOL_FLAG, &o.help, NULL, "print this help"}};
  const size_t count = sizeof table / sizeof *table;
  const char *words[2] = {NULL, NULL};
  const int code = tool_options_parse(argc, argv, table, count, words, 2);
  if (code) return code;
  if (o.help) {
    tool_help(
        "usage: wavetile isa KERNEL [options]\n"
        "       wavetile isa FILE [KERNEL] [options]\n"
        "       wavetile isa --list\n\n"
        "Prints registers, LDS, occupancy, spills, scratch and the instruction mix of each loop of a kernel. "
        "gemm_05_direct_to_lds names all kernels of that file of the library, "
        "gemm_05_direct_to_lds_f8e4m3_bf16 one of them. A name with a dot or a slash is that of a FILE: a "
        "code object or a bundle of them, whose kernels are shown.\n",
        table, count);
    return TOOL_OK;
  }
  if (o.list && words[0])
    return tool_error(TOOL_USAGE, "--list lists the library's kernels; leave out \"%s\"", words[0]);
  const int wrong =
      o.list ? kernel_search_check_target(&o.search) : kernel_search_begin(&o.search, words, "isa");
  if (wrong) return wrong;
  return o.list ? list_embedded(&o.search) : kernel_search_run(&o.search, show_object, &o);
}
