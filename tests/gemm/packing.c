// SPDX-License-Identifier: MIT
// Rows of any length, at any addresses and distances, are packed to whole pieces with zeros behind their
// ends, for random shapes and batches. The last row ends with the allocation, behind which nothing is read.
// Arguments: gemm_pack for gfx950 and for gfx942.
#include "kernels/gemm/gemm_pack_args.h"
#include "tests/kernels/ops/isa/run.h"

enum { CASES = 60, GAP = 0x5a };  // GAP: what the bytes that are not written hold

static test_rng rng;

static int between(int least, int most) {
  return least + (int)(test_random(&rng) % (uint64_t)(most - least + 1));
}

// Checks what the kernel has made of `from`.
static void check_packed(const wt_gemm_pack_args *args, const unsigned char *from, const unsigned char *to) {
  const int payload = (int)args->pieces_row.divisor * WT_PACK_PIECE_BYTES;
  for (int b = 0; b < args->batch; ++b)
    for (int r = 0; r < args->rows; ++r)
      for (int i = 0; i < (int)args->to_row_bytes; ++i) {
        const int is = to[b * args->to_batch_bytes + r * args->to_row_bytes + i];
        const int should = i < args->row_bytes
                               ? from[b * args->from_batch_bytes + r * args->from_row_bytes + i]
                           : i < payload ? 0
                                         : GAP;
        CHECK(is == should, "rows of %d bytes %lld apart, matrix %d, row %d: byte %d is 0x%x, not 0x%x",
              args->row_bytes, args->from_row_bytes, b, r, i, is, should);
      }
}

static void check_case(hipFunction_t kernel) {
  const int row = between(WT_PACK_LEAST_ROW_BYTES, between(0, 3) ? 90 : 3000), rows = between(1, 9);
  const int batch = between(1, 3),
            payload = (row + between(0, 40) + WT_PACK_PIECE_BYTES - 1) / WT_PACK_PIECE_BYTES;
  const int from_row_bytes = row + between(0, 21),
            to_row_bytes = (payload + between(0, 2)) * WT_PACK_PIECE_BYTES;
  const int from_batch_bytes = (rows - 1) * from_row_bytes + row + between(0, 21),
            to_batch_bytes = rows * to_row_bytes;
  const int shift = between(0, 15),
            bytes = shift + (batch - 1) * from_batch_bytes + (rows - 1) * from_row_bytes + row;
  void *from = NULL;
  if (!isa_ok(hipMalloc(&from, (size_t)bytes), "hipMalloc")) return;
  unsigned char *host = malloc((size_t)bytes), *to = isa_memory((size_t)(batch * to_batch_bytes));
  for (int i = 0; i < bytes; ++i) host[i] = (unsigned char)test_random(&rng);
  memset(to, GAP, (size_t)(batch * to_batch_bytes));
  isa_ok(hipMemcpy(from, host, (size_t)bytes, hipMemcpyHostToDevice), "hipMemcpy");
  wt_gemm_pack_args args = {.from = (char *)from + shift,
                            .to = to,
                            .from_row_bytes = from_row_bytes,
                            .to_row_bytes = to_row_bytes,
                            .from_batch_bytes = from_batch_bytes,
                            .to_batch_bytes = to_batch_bytes,
                            .row_bytes = row,
                            .rows = rows,
                            .batch = batch,
                            .pieces_row = wt_divisor_of((unsigned)payload)};
  void *params[] = {&args};
  const unsigned groups = (unsigned)((rows * payload - 1) / WT_PACK_PIECES + 1);
  CHECK(hipModuleLaunchKernel(kernel, groups, 1, (unsigned)batch, WT_PACK_THREADS, 1, 1, 0, NULL, params,
                              NULL) == hipSuccess &&
            hipDeviceSynchronize() == hipSuccess,
        "%d rows of %d bytes, batch of %d: it reads what is not there", rows, row, batch);
  check_packed(&args, host + shift, to);
  isa_ok(hipFree(from), "hipFree");
  free(host);
}

static void check_device(hipModule_t module, bool gfx950) {
  (void)gfx950;
  hipFunction_t kernel;
  if (!isa_ok(hipModuleGetFunction(&kernel, module, "gemm_pack"), "gemm_pack")) return;
  for (int i = 0; i < CASES; ++i) check_case(kernel);
}

int main(int argc, char **argv) {
  rng = test_seed(31);
  return isa_main(argc, argv, check_device);
}
