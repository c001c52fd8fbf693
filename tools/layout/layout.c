// SPDX-License-Identifier: MIT
// Implements `wavetile layout`: which lane holds which element of an MFMA operand or accumulator, and which
// banks an access to LDS wants. All of it is read from constants that the compiler computed from the device
// headers.
#include "layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/tool.h"
#include "core/whole_file.h"
#include "layout_kernels.h"

enum { OPTIONS = 13, TILE_BYTES = 1 << 16 };

typedef struct layout_options {
  const char *what;  // operand, accumulator or lds
  const char *type, *chip, *lane, *swizzle, *access, *out, *title;
  long long rows, k, blocks, row_bytes;
  bool list, help;
} layout_options;

static const struct {
  const char *name;
  int bit;
} chips[] = {{"mi355x", LAYOUT_GFX950}, {"mi300x", LAYOUT_GFX942}};
enum { CHIPS = sizeof chips / sizeof *chips };

static void option_table(layout_options *o, tool_option *table) {
  const tool_option rows[OPTIONS] = {
      {"dtype", TOOL_STRING, &o->type, "bf16", "operand, accumulator: the element type"},
      {"rows", TOOL_SIZE, &o->rows, "16",
       "rows of the operand or accumulator, or that 64 lanes go down in LDS"},
      {"k", TOOL_SIZE, &o->k, "32",
       "operand: of the MFMA with this K; default: the fragment of rt_a and rt_b"},
      {"blocks", TOOL_SIZE, &o->blocks, "1", "operand, accumulator: of the MFMA with this many blocks"},
      {"lane", TOOL_STRING, &o->lane, "LANE", "operand, accumulator: what this lane holds"},
      {"access", TOOL_STRING, &o->access, "read_b128", "lds: the instruction"},
      {"row-bytes", TOOL_SIZE, &o->row_bytes, "128", "lds: from a row of the tile to the next"},
      {"swizzle", TOOL_STRING, &o->swizzle, "for_row",
       "lds: by name, or none; for_row: swizzle_for_row of the rows"},
      {"chip", TOOL_STRING, &o->chip, "mi355x", "the chip: mi355x or mi300x"},
      {"out", TOOL_STRING, &o->out, "FILE.svg", "draws instead of printing"},
      {"title", TOOL_STRING, &o->title, "TEXT", "the picture's title"},
      {"list", TOOL_FLAG, &o->list, NULL, "lists all operands, accumulators, accesses and swizzles"},
      {"help", TOOL_FLAG, &o->help, NULL, "print this help"}};
  memcpy(table, rows, sizeof rows);
}

static void print_help(const tool_option *table) {
  tool_help(
      "usage: wavetile layout operand --dtype TYPE [options]\n"
      "       wavetile layout accumulator [options]\n"
      "       wavetile layout lds [options]\n"
      "       wavetile layout --list\n\n"
      "Shows which lane holds which element of an MFMA operand or accumulator, and which banks the lanes of "
      "an LDS instruction use, phase by phase, before and after a swizzle. The layouts, banks and swizzles "
      "are those of include/tiles, as the compiler computed them.\n",
      table, OPTIONS);
}

static int chip_of(const char *name) {
  for (int i = 0; i < CHIPS; ++i)
    if (strcmp(name, chips[i].name) == 0) return chips[i].bit;
  return 0;
}

// ---- the list

static const char *chips_text(int bits) {
  return bits == LAYOUT_GFX942 ? "mi300x" : bits == LAYOUT_GFX950 ? "mi355x" : "mi355x mi300x";
}

static void list_maps(const layout_catalogue *c, int kind, const char *title, const char *columns) {
  printf("%s\n", title);
  for (size_t i = 0; i < c->map_count; ++i) {
    const layout_map *map = &c->maps[i];
    if (map->kind != kind) continue;
    printf("  --dtype %-8s --rows %-2d", map->type, map->rows);
    if (*columns) printf(" %s %-3d", columns, map->columns);
    if (kind != LAYOUT_NATURAL) printf(" --blocks %-2d", map->blocks);
    printf("  %s\n", chips_text(map->chips));
  }
}

// Entries of one name stand together: of the two chips, and of the row lengths.
static void list_lds(const layout_catalogue *c) {
  puts("lds: accesses");
  for (size_t i = 0; i < c->op_count;) {
    int bits = 0;
    const char *name = c->ops[i].name;
    for (; i < c->op_count && strcmp(c->ops[i].name, name) == 0; ++i) bits |= c->ops[i].chips;
    if (strncmp(name, "copy", 4) != 0) printf("  --access %-12s  %s\n", name, chips_text(bits));
  }
  puts("lds: swizzles");
  for (size_t i = 0; i < c->swizzle_count; ++i) {
    const layout_swizzle *s = &c->swizzles[i];
    printf("  --swizzle %-21s", s->name);
    if (s->row_bytes)
      printf(" --row-bytes %-4d", s->row_bytes);
    else
      printf(" any rows        ");
    printf("  %s\n", chips_text(s->chips));
  }
}

static void print_list(const layout_catalogue *c) {
  list_maps(c, LAYOUT_NATURAL, "operand: fragments of rt_a and rt_b", "");
  list_maps(c, LAYOUT_OPERAND, "operand: of one MFMA", "--k");
  list_maps(c, LAYOUT_ACCUMULATOR, "accumulator: of one MFMA", "");
  list_lds(c);
}

// ---- maps

static int find_map(const layout_catalogue *c, const layout_options *o, layout_view *view) {
  const bool operand = strcmp(o->what, "operand") == 0;
  const int kind = !operand ? LAYOUT_ACCUMULATOR : o->k || o->blocks > 1 ? LAYOUT_OPERAND : LAYOUT_NATURAL;
  const char *type = o->type ? o->type : "f32";
  if (operand && !o->type)
    return tool_error(TOOL_USAGE, "the operand's type is missing; pass --dtype bf16 or another of --list");
  for (size_t i = 0; i < c->map_count; ++i) {
    const layout_map *map = &c->maps[i];
    if (map->kind == kind && (map->chips & chip_of(o->chip)) && strcmp(map->type, type) == 0 &&
        map->rows == o->rows && map->blocks == o->blocks && (!o->k || map->columns == o->k)) {
      view->map = map;
      return TOOL_OK;
    }
  }
  bool known = !o->type;
  for (size_t i = 0; i < c->map_count && !known; ++i) known = strcmp(c->maps[i].type, type) == 0;
  if (!known)
    return tool_error(TOOL_USAGE, "--dtype is \"%s\"; pass bf16 or another that wavetile layout --list names",
                      type);
  char k[40] = "", blocks[40] = "";
  if (o->k) snprintf(k, sizeof k, " and K %lld", o->k);
  if (o->blocks > 1) snprintf(blocks, sizeof blocks, " in %lld blocks", o->blocks);
  return tool_error(TOOL_USAGE,
                    "%s has no %s %s of %lld rows%s%s; wavetile layout --list names all there are", o->chip,
                    type, o->what, o->rows, k, blocks);
}

static int set_lane(const char *text, int *lane) {
  char *end;
  const long value = strtol(text, &end, 10);
  if (end == text || *end || value < 0 || value >= LAYOUT_LANES)
    return tool_error(TOOL_USAGE, "--lane is \"%s\", but a wave has lanes 0 to 63; pass one of these", text);
  *lane = (int)value;
  return TOOL_OK;
}

static int run_map(const layout_catalogue *c, const layout_options *o) {
  layout_view view = {.chip = o->chip, .lane = -1};
  int code = o->lane ? set_lane(o->lane, &view.lane) : TOOL_OK;
  if (!code) code = find_map(c, o, &view);
  if (code) return code;
  char message[WHOLE_FILE_PATH + 512];
  if (!o->out)
    layout_map_print(&view);
  else if (!layout_map_draw(&view, o->out, o->title, message, sizeof message))
    return tool_error(TOOL_FAILED, "--out %s", message);
  return TOOL_OK;
}

// ---- LDS

static bool is_power_of_two(long long value) { return value > 0 && (value & (value - 1)) == 0; }

static int find_op(const layout_catalogue *c, const layout_options *o, layout_access *a) {
  if (strncmp(o->access, "copy", 4) == 0)
    return tool_error(
        TOOL_USAGE,
        "--access is \"%s\", but copies fill LDS lane after lane and never conflict; pass a read "
        "or a write",
        o->access);
  bool known = false;
  for (size_t i = 0; i < c->op_count; ++i) {
    if (strcmp(c->ops[i].name, o->access) != 0) continue;
    known = true;
    if (c->ops[i].chips & chip_of(o->chip)) a->op = &c->ops[i];
  }
  if (!known)
    return tool_error(TOOL_USAGE, "--access is \"%s\"; pass read_b128 or another of wavetile layout --list",
                      o->access);
  if (!a->op) return tool_error(TOOL_USAGE, "%s has no ds_%s; pass another --access", o->chip, o->access);
  return TOOL_OK;
}

static int find_swizzle(const layout_catalogue *c, const layout_options *o, layout_access *a) {
  bool known = false;
  const bool for_row = strcmp(o->swizzle, "for_row") == 0;
  for (size_t i = 0; i < c->swizzle_count; ++i) {
    const layout_swizzle *s = &c->swizzles[i];
    if (strcmp(s->name, o->swizzle) != 0) continue;
    known = true;
    if ((s->chips & chip_of(o->chip)) && (!for_row || s->row_bytes == a->row_bytes)) a->swizzle = s;
  }
  if (!known)
    return tool_error(TOOL_USAGE, "--swizzle is \"%s\"; pass one that wavetile layout --list names",
                      o->swizzle);
  if (!a->swizzle)
    return tool_error(
        TOOL_USAGE,
        "--row-bytes is %d, and for_row is listed for rows of 64, 128, 256, 512 and 1024 bytes; "
        "pass one of these or another --swizzle",
        a->row_bytes);
  return TOOL_OK;
}

static int check_access(const layout_access *a) {
  const int unit = layout_access_unit(a), side = LAYOUT_LANES / a->rows * unit;
  if (a->row_bytes % unit != 0)
    return tool_error(TOOL_USAGE, "--row-bytes is %d, but ds_%s wants multiples of %d; pass one",
                      a->row_bytes, a->op->name, unit);
  if (a->rows > 1 && side > a->row_bytes)
    return tool_error(
        TOOL_USAGE,
        "--row-bytes is %d, but 64 lanes over %d rows take %d bytes of each; pass more --rows or "
        "longer rows",
        a->row_bytes, a->rows, side);
  if (strcmp(a->swizzle->name, "none") == 0) return TOOL_OK;
  if (!is_power_of_two(a->row_bytes))
    return tool_error(TOOL_USAGE,
                      "--row-bytes is %d, but a swizzle wants a power of two; pass one, or --swizzle "
                      "none",
                      a->row_bytes);
  if (a->swizzle->granule < unit)
    return tool_error(TOOL_USAGE,
                      "--swizzle %s keeps %d bytes together, and ds_%s takes %d; pass another swizzle or a "
                      "narrower --access",
                      a->swizzle->name, a->swizzle->granule, a->op->name, unit);
  return TOOL_OK;
}

static int run_lds(const layout_catalogue *c, const layout_options *o) {
  if (!is_power_of_two(o->rows) || o->rows > LAYOUT_LANES)
    return tool_error(TOOL_USAGE, "--rows is %lld; pass 1, 2, 4, 8, 16, 32 or 64, which divide the lanes",
                      o->rows);
  if (o->row_bytes * o->rows > TILE_BYTES)
    return tool_error(TOOL_USAGE, "%lld rows of %lld bytes exceed a tile of %d; pass shorter --row-bytes",
                      o->rows, o->row_bytes, TILE_BYTES);
  layout_access a = {.chip = o->chip, .row_bytes = (int)o->row_bytes, .rows = (int)o->rows};
  int code = find_op(c, o, &a);
  if (!code) code = find_swizzle(c, o, &a);
  if (!code) code = check_access(&a);
  if (code) return code;
  layout_access_count(&a);
  if (!o->out) {
    layout_access_print(&a);
    return TOOL_OK;
  }
  const int lines = layout_access_lines(&a);
  if (lines > LAYOUT_LINES)
    return tool_error(
        TOOL_USAGE,
        "--out draws at most %d lines of LDS, and the lanes reach over %d; pass fewer --rows or "
        "shorter --row-bytes",
        LAYOUT_LINES, lines);
  char message[WHOLE_FILE_PATH + 512];
  if (layout_access_draw(&a, o->out, o->title, message, sizeof message)) return TOOL_OK;
  return tool_error(TOOL_FAILED, "--out %s", message);
}

// ---- options

// Refuses an option that the other kind of layout has.
static int refuse_others(const layout_options *o, bool lds) {
  const struct {
    const char *name;
    bool given, of_lds;
  } own[] = {{"dtype", o->type, false},    {"k", o->k, false},          {"blocks", o->blocks, false},
             {"lane", o->lane, false},     {"access", o->access, true}, {"row-bytes", o->row_bytes, true},
             {"swizzle", o->swizzle, true}};
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i) {
    if (own[i].given && own[i].of_lds != lds)
      return tool_error(TOOL_USAGE, "--%s is for wavetile layout %s; leave it out", own[i].name,
                        own[i].of_lds ? "lds" : "operand and accumulator");
  }
  if (o->k && strcmp(o->what, "accumulator") == 0)
    return tool_error(TOOL_USAGE,
                      "--k is for wavetile layout operand; an accumulator has no k: leave it out");
  return TOOL_OK;
}

static int check_options(layout_options *o) {
  if (!o->what)
    return tool_error(TOOL_USAGE, "say what to show: wavetile layout operand, accumulator or lds; or --list");
  const bool lds = strcmp(o->what, "lds") == 0;
  if (!lds && strcmp(o->what, "operand") != 0 && strcmp(o->what, "accumulator") != 0)
    return tool_error(TOOL_USAGE, "no layout is named \"%s\"; pass operand, accumulator or lds", o->what);
  if (!chip_of(o->chip)) return tool_error(TOOL_USAGE, "--chip is \"%s\"; pass mi355x or mi300x", o->chip);
  const int code = refuse_others(o, lds);
  if (code) return code;
  if (o->title && !o->out) return tool_error(TOOL_USAGE, "--title is for pictures; pass --out too");
  char message[WHOLE_FILE_PATH + 512];
  if (o->out && !whole_file_allowed(o->out, message, sizeof message))
    return tool_error(TOOL_USAGE, "--out %s", message);
  if (!o->rows) o->rows = 16;
  if (!o->blocks) o->blocks = 1;
  if (!o->row_bytes) o->row_bytes = 128;
  if (!o->access) o->access = "read_b128";
  if (!o->swizzle) o->swizzle = "for_row";
  return TOOL_OK;
}

int tool_layout(int argc, char **argv) {
  layout_options o = {.chip = "mi355x"};
  tool_option table[OPTIONS];
  option_table(&o, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, &o.what, 1);
  if (code) return code;
  if (o.help) {
    print_help(table);
    return TOOL_OK;
  }
  if (!o.list) code = check_options(&o);
  if (code) return code;
  layout_catalogue catalogue;
  char message[256];
  const layout_kernels *object = layout_kernels_find("layout_catalogue", "gfx950");
  if (!layout_catalogue_read(&catalogue, object->image, object->size, object->target, message,
                             sizeof message))
    return tool_error(TOOL_FAILED, "%s", message);
  if (o.list)
    print_list(&catalogue);
  else
    code = strcmp(o.what, "lds") == 0 ? run_lds(&catalogue, &o) : run_map(&catalogue, &o);
  layout_catalogue_free(&catalogue);
  return code;
}
