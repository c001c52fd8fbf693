// SPDX-License-Identifier: MIT
// Tuning tables: the row of a problem is what wt_gemm runs, other problems are left alone, and a table that
// is not of its form is refused with file, line, value and remedy and changes nothing.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "gemm_device.h"

static wt_context *context;
static char path[64];

#define HEADER "target,type_a,type_b,m,n,k,kernel,window,chunk,parts,cycles\n"

static void write_table(const char *text) {
  FILE *file = fopen(path, "wb");
  CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0, "cannot write %s", path);
}

static wt_gemm_desc problem(void) {
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = 300, desc.n = 200, desc.k = 512;
  desc.type_a = desc.type_b = WT_TYPE_BF16;
  desc.type_c = WT_TYPE_F32;
  return desc;
}

static const char *chosen(wt_gemm_desc desc) {
  const char *name = NULL;
  CHECK(wt_gemm_chosen(context, &desc, &name) == WT_SUCCESS, "%s", wt_last_error(context));
  return name ? name : "";
}

static void explained(wt_gemm_desc desc, const char *word, bool expected) {
  char text[8192];
  CHECK(wt_gemm_explain(context, &desc, text, sizeof text, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  CHECK((strstr(text, word) != NULL) == expected, "\"%s\" is %sin\n%s", word, expected ? "not " : "", text);
}

static void load_row(const char *row) {
  char text[512];
  snprintf(text, sizeof text, "# by hand\n\n" HEADER "%s,%s\n", wt_context_target(context), row);
  write_table(text);
  CHECK(wt_gemm_table_load(context, path) == WT_SUCCESS, "%s", wt_last_error(context));
}

static void test_matches(void) {
  const char *before = chosen(problem());
  load_row("bf16,bf16,300,200,512,gemm_8wave_128x128,3,5,1,1234.5");
  CHECK(strcmp(chosen(problem()), "gemm_8wave_128x128") == 0, "the row's kernel: %s", chosen(problem()));
  explained(problem(), "the tuning table names it", true);
  explained(problem(), "runs of 5 tiles each, in windows of 3 tile rows", true);
  wt_gemm_desc other = problem();
  other.grid_window = 2;
  explained(other, "runs of 5 tiles each, in windows of 2 tile rows", true);
  other = problem(), other.kernel = "gemm_4wave_64x64";
  CHECK(strcmp(chosen(other), "gemm_4wave_64x64") == 0, "a named kernel: %s", chosen(other));
  other = problem(), other.k = 1024;
  explained(other, "the tuning table", false);
  other = problem(), other.type_a = other.type_b = WT_TYPE_F16;
  explained(other, "the tuning table", false);
  other = problem(), other.batch = 2, other.stride_c = 60000;
  explained(other, "the tuning table", false);
  other = problem(), other.lda = 513;  // rows that copies cannot take
  explained(other, "the tuning table", false);
  CHECK(wt_gemm_table_load(context, NULL) == WT_SUCCESS, "forgetting");
  CHECK(strcmp(chosen(problem()), before) == 0, "forgotten: %s, before %s", chosen(problem()), before);
}

// A row may say how many parts K is cut into; the descriptor goes before, and so does the lack of memory.
static void test_parts(void) {
  const char *before = chosen(problem());
  load_row("bf16,bf16,300,200,512,gemm_8wave_128x128,0,0,2,0");
  explained(problem(), "2 parts of 256", true);
  wt_gemm_desc other = problem();
  other.split_k = 1;
  explained(other, "split K     none", true);
  explained(other, "the tuning table names it", true);
  CHECK(wt_context_set_workspace_limit(context, 0) == WT_SUCCESS, "%s", wt_last_error(context));
  explained(problem(), "the tuning table", false);
  CHECK(wt_context_set_workspace_limit(context, WT_WORKSPACE_LIMIT_DEFAULT) == WT_SUCCESS, "the default");
  CHECK(wt_gemm_table_load(context, NULL) == WT_SUCCESS, "forgetting");
  CHECK(strcmp(chosen(problem()), before) == 0, "forgotten: %s, before %s", chosen(problem()), before);
}

// A stream-K kernel cuts K itself, and its cost is explained as that of others.
static void test_stream(void) {
  load_row("bf16,bf16,300,200,512,gemm_4wave_stream_256x256,0,0,0,0");
  explained(problem(), "the tuning table names it", true);
  explained(problem(), "ranges of equal length", true);
  explained(problem(), "cost        0.0 thousand", false);
  CHECK(wt_gemm_table_load(context, NULL) == WT_SUCCESS, "forgetting");
}

static void test_last_row_counts(void) {
  char text[512];
  snprintf(
      text, sizeof text,
      HEADER
      "%s,bf16,bf16,300,200,512,gemm_4wave_64x64,0,0,1,1\ngfx9%s,bf16,bf16,300,200,512,gemm_4wave_64x128,"
      "0,0,1,1\n"
      "%s,bf16,bf16,300,200,512,gemm_4wave_128x64,0,0,1,0",
      wt_context_target(context), is_gfx950(context) ? "42" : "50", wt_context_target(context));
  write_table(text);
  CHECK(wt_gemm_table_load(context, path) == WT_SUCCESS, "%s", wt_last_error(context));
  CHECK(strcmp(chosen(problem()), "gemm_4wave_128x64") == 0, "the last row: %s", chosen(problem()));
}

// Another grid order changes no bit of the result.
static void test_results(void) {
  enum { M = 300, N = 200, K = 512 };
  static uint16_t a[M * K], b[N * K];
  static float c[2][M * N];
  for (int i = 0; i < M * K; ++i) a[i] = (uint16_t)(0x3f80 + i * 7 % 64);  // from 1 to 1.5
  for (int i = 0; i < N * K; ++i) b[i] = (uint16_t)(0x3f00 + i * 13 % 64);
  void *da = device_memory(sizeof a), *db = device_memory(sizeof b), *dc = device_memory(sizeof c[0]);
  CHECK(hipMemcpy(da, a, sizeof a, hipMemcpyHostToDevice) == hipSuccess, "a");
  CHECK(hipMemcpy(db, b, sizeof b, hipMemcpyHostToDevice) == hipSuccess, "b");
  for (int i = 0; i < 2; ++i) {
    wt_gemm_desc desc = problem();
    if (!i) desc.kernel = "gemm_4wave_64x64";
    if (i) load_row("bf16,bf16,300,200,512,gemm_4wave_64x64,2,3,1,0");
    CHECK(wt_gemm(context, &desc, da, db, dc, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
    CHECK(hipMemcpy(c[i], dc, sizeof c[i], hipMemcpyDeviceToHost) == hipSuccess, "c");
    CHECK(hipMemset(dc, 0xff, sizeof c[i]) == hipSuccess, "poison");
  }
  CHECK(c[0][M * N - 1] > 200 && memcmp(c[0], c[1], sizeof c[0]) == 0, "the order changes the result");
  CHECK(hipFree(da) == hipSuccess && hipFree(db) == hipSuccess && hipFree(dc) == hipSuccess, "hipFree");
}

static void refused(const char *what, const char *text, const char *const *words) {
  if (text) write_table(text);
  const char *before = chosen(problem());
  CHECK(wt_gemm_table_load(context, path) == WT_ERROR_FILE, "%s: not refused", what);
  CHECK(strstr(wt_last_error(context), path), "%s: %s", what, wt_last_error(context));
  for (; *words; ++words)
    CHECK(strstr(wt_last_error(context), *words), "%s: no \"%s\" in: %s", what, *words,
          wt_last_error(context));
  CHECK(strcmp(chosen(problem()), before) == 0, "%s: the choice changed", what);
}
#define REFUSED(what, text, ...) refused(what, text, (const char *const[]){__VA_ARGS__, NULL})
#define ROW(row) HEADER "gfx950,bf16,bf16,1,2,3,gemm_4wave_64x64,1,1,1,1\n" row "\n"

static void test_refusals(void) {
  char longer[1024] = HEADER;
  load_row("bf16,bf16,300,200,512,gemm_8wave_128x128,3,5,1,1234.5");
  memset(longer + strlen(HEADER), 'x', 600);
  REFUSED("empty", "", "is empty", "target,type_a");
  REFUSED("comments only", "# nothing\n", "is empty");
  REFUSED("header", "m,n,k\n", ":1:", "\"m,n,k\"", "it must be");
  REFUSED("too few", ROW("gfx950,bf16"), ":3:", "11 fields");
  REFUSED("too many", ROW("gfx950,bf16,bf16,1,1,1,gemm_4wave_64x64,1,1,1,1,1"), ":3:", "11 fields");
  REFUSED("target", ROW("gfx90a,bf16,bf16,1,1,1,gemm_4wave_64x64,1,1,1,1"), ":3: target is \"gfx90a\"",
          "gfx950");
  REFUSED("type", ROW("gfx950,bf16,f64,1,1,1,gemm_4wave_64x64,1,1,1,1"), ":3: type_b is \"f64\"", "f8e4m3");
  REFUSED("m", ROW("gfx950,bf16,bf16,0,1,1,gemm_4wave_64x64,1,1,1,1"), ":3: m is \"0\"", "from 1");
  REFUSED("k", ROW("gfx950,bf16,bf16,1,1,99999999999999999999,gemm_4wave_64x64,1,1,1,1"), ":3: k is \"99");
  REFUSED("kernel", ROW("gfx950,bf16,bf16,1,1,1,gemm_fast,1,1,1,1"), ":3: kernel is \"gemm_fast\"",
          "wt_gemm_kernel_at");
  REFUSED("window", ROW("gfx950,bf16,bf16,1,1,1,gemm_4wave_64x64,-1,1,1,1"), ":3: window is \"-1\"", "0 for");
  REFUSED("chunk", ROW("gfx950,bf16,bf16,1,1,1,gemm_4wave_64x64,1,8x,1,1"), ":3: chunk is \"8x\"", "0 for");
  REFUSED("parts", ROW("gfx950,bf16,bf16,1,1,1,gemm_4wave_64x64,1,1,1025,1"), ":3: parts is \"1025\"",
          "1 to 1024");
  REFUSED("cycles", ROW("gfx950,bf16,bf16,1,1,1,gemm_4wave_64x64,1,8,1,fast"), ":3: cycles is \"fast\"");
  REFUSED("a rung", ROW("gfx950,bf16,bf16,1,1,1,gemm_01_naive,0,8,1,0"), ":3: chunk is \"8\"",
          "own order of tiles");
  REFUSED("a long line", longer, ":2:", "bytes");
  unlink(path);
  REFUSED("no file", NULL, "cannot be read");
  CHECK(wt_gemm_table_load(NULL, path) == WT_ERROR_NULL_ARGUMENT, "NULL context");
}

static void test_environment(int device) {
  wt_context *other = NULL;
  load_row("bf16,bf16,300,200,512,gemm_8wave_128x128,3,5,1,1234.5");
  setenv("WT_GEMM_TABLE", path, 1);
  CHECK(wt_context_create(device, &other) == WT_SUCCESS, "%s", wt_last_error(NULL));
  wt_gemm_desc desc = problem();
  const char *name = NULL;
  CHECK(wt_gemm_chosen(other, &desc, &name) == WT_SUCCESS && strcmp(name, "gemm_8wave_128x128") == 0,
        "the table of the environment: %s", name);
  wt_context_destroy(other);
  write_table("nonsense\n");
  CHECK(wt_context_create(device, &other) == WT_ERROR_FILE && !other, "a bad table of the environment");
  CHECK(strstr(wt_last_error(NULL), "WT_GEMM_TABLE: ") && strstr(wt_last_error(NULL), ":1:"), "%s",
        wt_last_error(NULL));
  setenv("WT_GEMM_TABLE", "", 1);
  CHECK(wt_context_create(device, &other) == WT_SUCCESS, "an empty variable: %s", wt_last_error(NULL));
  wt_context_destroy(other);
  unsetenv("WT_GEMM_TABLE");
}

int main(void) {
  int count = 0;
  snprintf(path, sizeof path, "/tmp/wt-gemm-table-%ld.csv", (long)getpid());
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  for (int device = 0; device < count; ++device) {
    CHECK(wt_context_create(device, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
    CHECK(hipSetDevice(device) == hipSuccess, "device %d", device);
    test_matches();
    test_parts();
    test_stream();
    test_last_row_counts();
    test_results();
    test_refusals();
    test_environment(device);
    wt_context_destroy(context);
  }
  unlink(path);
  return test_result();
}
