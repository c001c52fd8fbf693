// SPDX-License-Identifier: MIT
// Tiles through registers into LDS, transposed operands and operands read past LDS: of matrices of any
// alignment, whose memory ends with their last element, without an LDS bank conflict.
#include "tests/kernels/ops/isa/run.h"
#include "wavetile_sim.h"

enum { THREADS = 256, ROWS = 64, STEP_BYTES = 128, LANES = 64 };
static const char *const schedules[] = {"late", "early", "random:1"};

typedef struct matrix {  // wt::gl
  void *data;
  long long row_stride, column_stride;
  int rows, columns;
} matrix;

typedef enum arrangement {
  BY_ROWS,     // columns lie together
  BY_COLUMNS,  // rows lie together
  MASKED       // columns lie together and end within the tile
} arrangement;

// Describes a case: rows of the matrix, columns beyond those of the tile (columns of the tile, for MASKED),
// elements to advance by, between rows and before the first.
typedef struct shape {
  int rows, columns, advance, gap, offset;
} shape;

static const shape inside[] = {{64, 64, 64, 0, 0}, {64, 128, 128, 16, 0}, {64, 65, 64, 0, 0},
                               {70, 64, 64, 3, 1}, {33, 64, 48, 0, 3},    {20, 90, 77, 5, 2},
                               {1, 64, 64, 0, 0},  {17, 64, 64, 40, 7},   {16, 64, 64, 0, 0}};
static const shape masked[] = {{64, 64, 0, 0, 0}, {64, 1, 0, 0, 0},  {33, 5, 0, 1, 1},    {20, 15, 0, 0, 0},
                               {20, 16, 0, 0, 0}, {64, 17, 0, 3, 1}, {64, 63, 0, 1, 0},   {1, 7, 0, 0, 0},
                               {1, 50, 0, 0, 0},  {20, 3, 64, 0, 3}, {64, 33, 128, 7, 0}, {2, 8, 4, 0, 0},
                               {2, 1, 15, 0, 0}};

static void run(hipModule_t module, const char *name, const char *type, int bytes, unsigned threads,
                arrangement how, const shape *s) {
  char symbol[64];
  snprintf(symbol, sizeof symbol, "%s_%s", name, type);
  const int tile_columns = STEP_BYTES / bytes;
  const int columns = s->advance + s->columns + (how == MASKED ? 0 : tile_columns);
  // There are 16 elements from one column to the next or more, as the kernels have it.
  const long long minor = how == BY_COLUMNS ? (s->rows < 16 ? 16 : s->rows) + s->gap : columns + s->gap;
  matrix from = {NULL, how == BY_COLUMNS ? 1 : minor, how == BY_COLUMNS ? minor : 1, s->rows, columns};
  const size_t count = (size_t)((s->rows - 1) * from.row_stride + (columns - 1) * from.column_stride + 1);
  const size_t size = (count + (size_t)s->offset) * (size_t)bytes, out_size = ROWS * STEP_BYTES;
  unsigned char *in, *out;
  if (!isa_ok(hipHostMalloc((void **)&in, size, 0), "memory") ||
      !isa_ok(hipHostMalloc((void **)&out, out_size, 0), "memory"))
    return;
  test_rng rng = {size};
  for (size_t i = 0; i < size; ++i) in[i] = (unsigned char)test_random(&rng);
  from.data = in + s->offset * bytes;
  long long advance = s->advance * from.column_stride * bytes;
  void *arguments[] = {&from, &out, &advance};
  for (size_t k = 0; k < sizeof schedules / sizeof *schedules; ++k) {
    setenv("WT_SIM_SCHEDULE", schedules[k], 1);
    memset(out, 0xa5, out_size);
    if (!isa_run(module, symbol, threads, arguments)) break;
    int wrong = 0;
    for (int r = 0; r < ROWS && r < s->rows; ++r)
      for (int c = 0; c < tile_columns; ++c) {
        static const unsigned char zero[2];
        const int column = s->advance + c;
        const unsigned char *want =
            column < columns
                ? (unsigned char *)from.data + (r * from.row_stride + column * from.column_stride) * bytes
                : zero;
        wrong += memcmp(out + (r * tile_columns + c) * bytes, want, (size_t)bytes) != 0;
      }
    CHECK(wrong == 0, "%s, %s: %d elements of %d x %d, advance %d, gap %d, offset %d", symbol, schedules[k],
          wrong, s->rows, columns, s->advance, s->gap, s->offset);
  }
  isa_ok(hipHostFree(in), "memory");
  isa_ok(hipHostFree(out), "memory");
}

static unsigned byte_of(uint32_t value, int i) { return value >> 8 * i & 0xff; }

static void check_permute(hipModule_t module) {
  uint32_t (*in)[4] = isa_memory(LANES * sizeof *in), (*out)[7] = isa_memory(LANES * sizeof *out);
  test_rng rng = {5};
  for (int l = 0; l < LANES; ++l)
    for (int i = 0; i < 4; ++i) in[l][i] = (uint32_t)test_random(&rng);
  void *arguments[] = {&in, &out};
  if (!isa_run(module, "permute", LANES, arguments)) return;
  for (int l = 0; l < LANES; ++l) {
    const uint32_t *r = in[l];
    const uint32_t picked =
        byte_of(r[1], 3) | byte_of(r[0], 0) << 8 | byte_of(r[1], 1) << 16 | byte_of(r[0], 2) << 24;
    CHECK(out[l][0] == picked, "lane %d: %08x of %08x %08x", l, out[l][0], r[0], r[1]);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        CHECK(byte_of(out[l][1 + i], j) == byte_of(r[j], i), "lane %d: byte %d of row %d", l, j, i);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        CHECK((out[l][5 + i] >> 16 * j & 0xffff) == (r[j] >> 16 * i & 0xffff), "lane %d: half %d of row %d",
              l, j, i);
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  static const struct {
    const char *name;
    int bytes;
  } types[] = {{"fp8e4m3", 1}, {"i8", 1}, {"bf16", 2}};
  unsigned long long accesses[2] = {0, 0}, conflicts[2] = {0, 0};
  CHECK(wtSimLdsConflicts(1, &accesses[0], &conflicts[0]) == 0, "conflicts are not counted");
  check_permute(module);
  for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
    const char *type = types[t].name;
    const int bytes = types[t].bytes;
    for (size_t i = 0; i < sizeof inside / sizeof *inside; ++i) {
      run(module, "stage_rows", type, bytes, THREADS, BY_ROWS, &inside[i]);
      run(module, "stage_transposed", type, bytes, THREADS, BY_COLUMNS, &inside[i]);
      if (gfx950 || bytes == 2) {
        run(module, "read_transposed", type, bytes, THREADS, BY_COLUMNS, &inside[i]);
        run(module, "read_runs", type, bytes, THREADS, BY_COLUMNS, &inside[i]);
      }
      run(module, "read_rows", type, bytes, LANES, BY_ROWS, &inside[i]);
    }
    for (size_t i = 0; i < sizeof masked / sizeof *masked; ++i)
      run(module, "read_masked", type, bytes, LANES, MASKED, &masked[i]);
  }
  CHECK(wtSimLdsConflicts(0, &accesses[1], &conflicts[1]) == 0 && accesses[1] > accesses[0] &&
            conflicts[1] == conflicts[0],
        "%llu LDS instructions lost %llu cycles to bank conflicts", accesses[1] - accesses[0],
        conflicts[1] - conflicts[0]);
}

int main(int argc, char **argv) { return isa_main(argc, argv, check_device); }
