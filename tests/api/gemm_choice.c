// SPDX-License-Identifier: MIT
// The choice among kernels follows the shape: large tiles for large matrices, small ones where they occupy
// more compute units, split K where few tiles have a long K and there is a workspace; and wt_gemm_explain
// says so.
#include "gemm_device.h"

static wt_context *context;

static wt_gemm_desc shape(int64_t m, int64_t n, int64_t k) {
  wt_gemm_desc desc = small_desc(context);
  desc.m = m, desc.n = n, desc.k = k;
  return desc;
}

static const char *chosen(const wt_gemm_desc *desc) {
  const char *name = NULL;
  CHECK(wt_gemm_chosen(context, desc, &name) == WT_SUCCESS, "%s", wt_last_error(context));
  return name ? name : "";
}

static size_t workspace_of(const wt_gemm_desc *desc) {
  size_t bytes = 1;
  CHECK(wt_gemm_workspace_size(context, desc, &bytes) == WT_SUCCESS, "%s", wt_last_error(context));
  return bytes;
}

static void test_shapes(void) {
  const wt_gemm_desc large = shape(16384, 16384, 8192), small = shape(200, 300, 512);
  CHECK(strstr(chosen(&large), "256x256"), "a large matrix: %s", chosen(&large));
  CHECK(strstr(chosen(&small), "64x64"), "a small matrix: %s", chosen(&small));
  CHECK(workspace_of(&large) == 0, "a large matrix needs no workspace");
}

static void test_workspace(void) {
  wt_gemm_desc desc = shape(64, 60, 1 << 20);
  const size_t automatic = workspace_of(&desc), part = 64 * 60 * 4;
  CHECK(automatic >= 8 * part && automatic % part == 0, "a long K is split: %zu bytes", automatic);
  desc.split_k = 1;
  CHECK(workspace_of(&desc) == 0, "no split asked for");
  desc.split_k = 7;
  CHECK(workspace_of(&desc) == 7 * part, "7 parts: %zu bytes", workspace_of(&desc));
  desc.n = 59;  // rows of the sums stay aligned
  CHECK(workspace_of(&desc) == 7 * part, "7 parts of 59 columns: %zu bytes", workspace_of(&desc));
  desc.batch = 3, desc.stride_c = 64 * 59;
  CHECK(workspace_of(&desc) == 3 * 7 * part, "a batch: %zu bytes", workspace_of(&desc));
  desc = shape(64, 60, 768);
  desc.split_k = 1000;  // parts are multiples of 256, and hold a K step for each of the kernel's 2 stages
  desc.kernel = "gemm_8wave_128x128";
  CHECK(workspace_of(&desc) == 3 * part, "a short K: %zu bytes", workspace_of(&desc));
  desc.lda = desc.ldb = 784;
  desc.k = 769;  // whose last part would be one element: too short for a tile to be copied
  CHECK(workspace_of(&desc) == 2 * part, "a short last part: %zu bytes", workspace_of(&desc));
  // There are 3 stages of 128 or 64 elements: one part of 769, or two of 512 and 257.
  const bool large_steps = strcmp(wt_context_target(context), "gfx950") == 0;
  desc.kernel = "gemm_4wave_64x64";
  CHECK(workspace_of(&desc) == (large_steps ? 0 : 2 * part), "3 stages: %zu bytes", workspace_of(&desc));
  size_t bytes = 1;
  CHECK(wt_gemm_workspace_size(context, &desc, NULL) == WT_ERROR_NULL_ARGUMENT, "NULL bytes");
  desc.m = 0;
  CHECK(wt_gemm_workspace_size(context, &desc, &bytes) == WT_ERROR_SIZE && bytes == 0, "m is 0");
}

// The persistent kernel is chosen for more tiles than compute units, if it exists for the chip and only alpha
// is applied to C.
static void test_persistent(void) {
  const bool persistent = is_gfx950(context);
  wt_gemm_desc desc = shape(8192, 8192, 8192);
  desc.type_c = WT_TYPE_BF16;
  CHECK(!strstr(chosen(&desc), "persistent") == !persistent, "many tiles: %s", chosen(&desc));
  desc.bias = (const float *)16;
  CHECK(!strstr(chosen(&desc), "persistent"), "a bias: %s", chosen(&desc));
  desc = shape(4096, 4096, 8192);
  desc.type_c = WT_TYPE_BF16;
  CHECK(!strstr(chosen(&desc), "persistent"), "a tile for each compute unit: %s", chosen(&desc));
}

// Transposed operands have a kernel that copies tiles, if it exists for the chip and the stored rows suit it.
static void test_transposed(void) {
  const bool copies = is_gfx950(context);
  for (int order = 1; order < 4; ++order) {
    wt_gemm_desc desc = shape(4096, 4096, 4096);
    desc.trans_a = order % 2, desc.trans_b = order / 2;
    CHECK(!strstr(chosen(&desc), "transposed") == !copies, "order %d: %s", order, chosen(&desc));
    desc.m = desc.n = 4001;  // rows need not be a multiple of what a copy moves
    desc.lda = desc.ldb = 4096 + 16;
    CHECK(!strstr(chosen(&desc), "transposed") == !copies, "order %d, 4001: %s", order, chosen(&desc));
    desc.lda = desc.ldb = 4097;  // rows are packed first, where there is memory for that
    CHECK(!strstr(chosen(&desc), "transposed") == !copies, "order %d, unaligned: %s", order, chosen(&desc));
    desc.workspace = &desc;
    CHECK(strstr(chosen(&desc), "general"), "order %d, unaligned: %s", order, chosen(&desc));
  }
  wt_gemm_desc desc = shape(4096, 1 << 20, 4096);
  desc.trans_b = 1;
  CHECK(strstr(chosen(&desc), "general"), "4 GB from the first to the last k: %s", chosen(&desc));
  desc = shape(4096, 4096, 4096);
  desc.trans_a = 1;
  desc.type_a = desc.type_b = WT_TYPE_I8, desc.type_c = WT_TYPE_I32;
  CHECK(strstr(chosen(&desc), "general"), "integers: %s", chosen(&desc));
}

static wt_gemm_piece_info piece_of(const wt_gemm_desc *desc, size_t index) {
  wt_gemm_piece_info piece = {.struct_size = sizeof piece};
  CHECK(wt_gemm_piece_at(context, desc, index, &piece) == WT_SUCCESS, "%s", wt_last_error(context));
  return piece;
}

// One row or column more than a round of large tiles is computed by itself, unless the descriptor says how C
// is to be computed. Pieces cover C. (tests/gemm/several_kernels.c runs some.)
static void test_pieces(void) {
  const bool is_large = is_gfx950(context);  // 256 compute units, or 304
  const int64_t tall = is_large ? 4096 : 4864;
  wt_gemm_desc desc = shape(tall, 4096, 4096);
  CHECK(piece_of(&desc, 0).count == 1 && piece_of(&desc, 0).m == tall, "a round of large tiles is one piece");
  desc.m = tall + 1;
  const wt_gemm_piece_info first = piece_of(&desc, 0), second = piece_of(&desc, 1);
  CHECK(first.count == 2 && first.row == 0 && first.column == 0 && first.m == tall && first.n == 4096 &&
            strstr(first.kernel, "256x256") && first.parts == 1,
        "%lld rows from %lld on by %s, %lld pieces", (long long)first.m, (long long)first.row, first.kernel,
        (long long)first.count);
  CHECK(second.count == 2 && second.row == tall && second.column == 0 && second.m == 1 && second.n == 4096 &&
            strstr(second.kernel, "skinny"),
        "%lld rows from %lld on by %s", (long long)second.m, (long long)second.row, second.kernel);
  CHECK(strcmp(chosen(&desc), first.kernel) == 0, "the first of the pieces: %s", chosen(&desc));
  const wt_gemm_desc wide = shape(tall, 4097, 4096);
  const wt_gemm_piece_info left = piece_of(&wide, 0), right = piece_of(&wide, 1);
  CHECK(left.column == 0 && left.n == 4096 && left.m == tall && strstr(left.kernel, "256x256"),
        "%lld columns from %lld on by %s", (long long)left.n, (long long)left.column, left.kernel);
  CHECK(right.column == 4096 && right.n == 1 && right.m == tall && strstr(right.kernel, "skinny") &&
            right.parts == 1,
        "%lld columns from %lld on by %s", (long long)right.n, (long long)right.column, right.kernel);
  const size_t both = workspace_of(&desc);
  CHECK(both == (size_t)(second.parts == 1 ? 0 : second.parts * 4096 * 4), "%zu bytes of workspace", both);

  desc.batch_invariant = 1;
  const wt_gemm_piece_info rest = piece_of(&desc, (size_t)piece_of(&desc, 0).count - 1);
  CHECK(rest.parts == 1 && !strstr(rest.kernel, "skinny"), "the same bits for every m: %s", rest.kernel);
  desc.batch_invariant = 0;
  desc.grid_window = 4;
  CHECK(piece_of(&desc, 0).count == 1, "an order of tiles");
  desc.grid_window = 0, desc.split_k = 2;
  desc.workspace = &desc, desc.workspace_bytes = (size_t)1 << 30;  // not looked into
  CHECK(piece_of(&desc, 0).count == 1 && piece_of(&desc, 0).parts == 2, "a split of K");
  desc.split_k = 1;
  CHECK(piece_of(&desc, 0).count == 2 && piece_of(&desc, 1).parts == 1, "no split of K");
  desc.split_k = 0, desc.kernel = "gemm_4wave_256x256";
  CHECK(piece_of(&desc, 0).count == 1 && piece_of(&desc, 0).m == tall + 1, "a kernel by its name");

  desc.kernel = NULL;
  wt_gemm_piece_info piece = {.struct_size = sizeof piece};
  CHECK(wt_gemm_piece_at(context, &desc, 2, &piece) == WT_ERROR_VALUE, "a third piece");
  CHECK(wt_gemm_piece_at(context, &desc, 0, NULL) == WT_ERROR_NULL_ARGUMENT, "NULL info");
  piece.struct_size = 3;
  CHECK(wt_gemm_piece_at(context, &desc, 0, &piece) == WT_ERROR_STRUCT_SIZE, "struct_size 3");
}

// With a long K, what lies behind the last whole tile is a piece even where the tiles are less than a round.
static void test_pieces_behind_whole_tiles(void) {
  static const struct {
    bool gfx950;
    int64_t m, n, k, row, column;
  } cases[] = {{true, 2176, 3900, 24576, 2048, 0},
               {true, 2048, 4097, 22528, 0, 4096},
               {false, 2112, 4609, 23360, 2048, 0},
               {false, 2560, 3853, 23488, 0, 3840}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const wt_gemm_desc desc = shape(cases[i].m, cases[i].n, cases[i].k);
    if (cases[i].gfx950 != is_gfx950(context)) continue;
    const wt_gemm_piece_info last = piece_of(&desc, (size_t)piece_of(&desc, 0).count - 1);
    CHECK(last.count == 2 && last.row == cases[i].row && last.column == cases[i].column,
          "%lld x %lld x %lld: the last of %lld pieces begins at row %lld, column %lld", (long long)desc.m,
          (long long)desc.n, (long long)desc.k, (long long)last.count, (long long)last.row,
          (long long)last.column);
  }
}

// A cut that is right for operands as they are may need more workspace than packed ones leave.
static void test_packed_operands_have_a_cut_of_their_own(void) {
  static const int64_t shapes[][3] = {
      {2496, 3457, 21952}, {1664, 5125, 17856}, {3520, 1537, 15936}, {1792, 3081, 15168}};
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
    const wt_gemm_desc desc = shape(shapes[i][0], shapes[i][1], shapes[i][2]);
    const wt_gemm_piece_info piece = piece_of(&desc, 0);
    CHECK(piece.count == 1 && piece.packs_b == is_gfx950(context), "%lld x %lld x %lld: %lld pieces, %s",
          (long long)desc.m, (long long)desc.n, (long long)desc.k, (long long)piece.count,
          piece.packs_b ? "packed" : "not packed");
  }
}

static bool is_packed(const wt_gemm_desc *desc) {
  static char text[16384];
  CHECK(wt_gemm_explain(context, desc, text, sizeof text, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  return strncmp(text, "packed ", 7) == 0;
}

// Operands whose rows begin in the middle of lines are packed where the product is large and there is memory
// for them: to rows of whole steps at multiples of 128 bytes. (tests/gemm/several_kernels.c runs some.)
static void test_packing(void) {
  const size_t row = (4097 + 127) / 128 * 128, both = 2 * 4096 * row;
  wt_gemm_desc desc = shape(4096, 4096, 4096);
  CHECK(!is_packed(&desc), "aligned rows");
  desc.k = 4097;
  CHECK(is_packed(&desc) && workspace_of(&desc) == both, "rows of 4097 bytes: %zu bytes, not %zu",
        workspace_of(&desc), both);
  CHECK(strstr(chosen(&desc), "256x256") && piece_of(&desc, 0).packs_a && piece_of(&desc, 0).packs_b,
        "packed: %s", chosen(&desc));
  desc.lda = desc.ldb = 4224;
  CHECK(!is_packed(&desc) && workspace_of(&desc) == 0, "rows at multiples of 128 bytes");
  desc.ldb = 4101;
  CHECK(is_packed(&desc) && workspace_of(&desc) == 4096 * row, "B alone: %zu bytes", workspace_of(&desc));
  CHECK(!piece_of(&desc, 0).packs_a && piece_of(&desc, 0).packs_b, "B alone");
  desc.kernel = "gemm_general_128x128";
  CHECK(!is_packed(&desc), "a kernel by its name");
  desc.kernel = NULL, desc.workspace = &desc, desc.workspace_bytes = workspace_of(&desc) - 1;
  CHECK(!is_packed(&desc) && strstr(chosen(&desc), "general"), "a byte too little: %s", chosen(&desc));
  desc = shape(64, 64, 65);
  CHECK(!is_packed(&desc), "a small product");
}

static void expect_words(const wt_gemm_desc *desc, const char *what, const char *const *words, int count) {
  char text[8192];
  size_t length = 0;
  CHECK(wt_gemm_explain(context, desc, text, sizeof text, &length) == WT_SUCCESS, "%s: %s", what,
        wt_last_error(context));
  CHECK(length == strlen(text), "%s: %zu characters, said to be %zu", what, strlen(text), length);
  for (int i = 0; i < count; ++i) CHECK(strstr(text, words[i]), "%s: no \"%s\" in\n%s", what, words[i], text);
}
#define EXPLAINED(desc, what, ...)                             \
  expect_words(desc, what, (const char *const[]){__VA_ARGS__}, \
               (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)))

static void test_explained(void) {
  wt_gemm_desc desc = shape(4096, 4096, 4096);
  EXPLAINED(&desc, "4096", "kernel      gemm_", "loop        a declared schedule", "256x256",
            "16 x 16 of 256 x 256", "work-groups 256 of", "1 round", "8 dies", "split K     none",
            "gemm_05_direct_to_lds", "gemm_4wave_64x64", "thousand cycles");
  wt_gemm_desc few = shape(16, 4096, 4096);
  few.kernel = "gemm_skinny_16x32";
  EXPLAINED(&few, "few rows", "loop        written by hand");
  desc.m = is_gfx950(context) ? 4097 : 4865;
  EXPLAINED(&desc, "pieces", "pieces      2, computed one after the other", "piece 1     rows 0 to",
            "piece 2     rows 4", "columns 0 to 4095", "* gemm_4wave_256x256", "* gemm_skinny");
  desc.m = 4096, desc.k = 4097;
  EXPLAINED(&desc, "packed", "packed      A and B, whose rows do not begin with lines of memory",
            "by gemm_pack");
  desc.k = 4096;
  wt_gemm_desc many = shape(8192, 8192, 8192);
  many.type_c = WT_TYPE_BF16;
  if (is_gfx950(context))
    EXPLAINED(&many, "8192", "persistent work-groups", "work-groups 256 of", "up to 4 tiles");
  // A run is a die's share of a round, and its block of C nearly square: 12 panels, the fewest there are.
  desc.kernel = "gemm_8wave_256x256";
  EXPLAINED(&desc, "square tiles", "runs of 32 tiles each, in windows of 4 tile rows");
  desc.kernel = "gemm_8wave_128x256", desc.m = 2048;
  EXPLAINED(&desc, "wide tiles", "runs of 32 tiles each, in windows of 8 tile rows");
  desc.kernel = "gemm_8wave_256x128", desc.m = 4096, desc.n = 2048;
  EXPLAINED(&desc, "high tiles", "runs of 32 tiles each, in windows of 4 tile rows");
  desc.kernel = "gemm_4wave_256x256", desc.m = 10000, desc.n = 12000;  // 40 x 47 tiles
  if (is_gfx950(context))
    EXPLAINED(&desc, "many tiles", "runs of 32 tiles each, in windows of 4 tile rows");
  else
    EXPLAINED(&desc, "many tiles", "runs of 38 tiles each, in windows of 6 tile rows");
  desc.kernel = "gemm_8wave_256x128", desc.m = 512, desc.n = 1024;
  EXPLAINED(&desc, "few tiles", "runs of 2 tiles each, in windows of 1 tile row\n");
  desc = shape(4096, 4096, 4096);
  desc.grid_window = 7, desc.grid_chunk = 216;
  EXPLAINED(&desc, "an order", "runs of 216 tiles", "windows of 7 tile rows", "has its own order of tiles");
  desc.kernel = "gemm_pc_4p12c", desc.type_a = desc.type_b = WT_TYPE_BF16;
  if (is_gfx950(context))
    EXPLAINED(&desc, "an order for a rung", "runs of 216 tiles", "windows of 7 tile rows");
  desc = shape(64, 60, 1 << 20);
  CHECK(wt_context_set_workspace_limit(context, 0) == WT_SUCCESS, "%s", wt_last_error(context));
  EXPLAINED(&desc, "without a workspace", "split K     none", "with a workspace of");
  desc.workspace_bytes = workspace_of(&desc);
  desc.workspace = &desc;  // not looked into
  EXPLAINED(&desc, "with a workspace", "parts of", "gemm_reduce");
  desc = shape(20, 20, 20);
  EXPLAINED(&desc, "a short K", "needs k of at least");
  if (is_gfx950(context))
    EXPLAINED(&desc, "plain operands", "needs A, B or both transposed, but trans_a and trans_b are 0");
  desc.kernel = "gemm_02_lds_tiled";
  EXPLAINED(&desc, "asked for", "* gemm_02_lds_tiled", "asked for by name", "row by row");

  char text[16];
  size_t length = 0, whole = 0;
  CHECK(wt_gemm_explain(context, &desc, NULL, 0, &whole) == WT_SUCCESS && whole > 100, "the length alone");
  memset(text, 'x', sizeof text);
  CHECK(wt_gemm_explain(context, &desc, text, 10, &length) == WT_SUCCESS && length == whole, "cut off");
  CHECK(strlen(text) == 9 && text[10] == 'x', "cut off: \"%.15s\"", text);
  CHECK(wt_gemm_explain(context, &desc, text, 10, NULL) == WT_SUCCESS, "no length wanted");
  CHECK(wt_gemm_explain(context, &desc, NULL, 10, NULL) == WT_ERROR_NULL_ARGUMENT, "NULL text");
  desc.kernel = "gemm_99";
  CHECK(wt_gemm_explain(context, &desc, text, sizeof text, NULL) == WT_ERROR_UNKNOWN_KERNEL,
        "unknown kernel");
}

int main(void) {
  int count = 0;
  CHECK(hipGetDeviceCount(&count) == hipSuccess && count > 0, "devices");
  for (int device = 0; device < count; ++device) {
    CHECK(wt_context_create(device, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
    test_shapes();
    test_workspace();
    test_persistent();
    test_transposed();
    test_pieces();
    test_pieces_behind_whole_tiles();
    test_packed_operands_have_a_cut_of_their_own();
    test_packing();
    test_explained();
    wt_context_destroy(context);
  }
  return test_result();
}
