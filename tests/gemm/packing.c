// SPDX-License-Identifier: MIT
// Rows of any length, at any addresses and distances, are packed to whole pieces with zeros behind their
// ends, for random shapes and batches, one operand or two in a launch. The last row ends with the allocation,
// behind which nothing is read. Arguments: gemm_pack for gfx950 and for gfx942.
#include "kernels/gemm/gemm_pack_args.h"
#include "tests/kernels/ops/isa/run.h"

enum { CASES = 60, GAP = 0x5a };  // GAP: what the bytes that are not written hold

static test_rng rng;

static int between(int least, int most) {
  return least + (int)(test_random(&rng) % (uint64_t)(most - least + 1));
}

// Describes an operand, and what its memory held before.
typedef struct packed {
  wt_gemm_pack_operand operand;
  void *from;  // of the device
  unsigned char *host, *to;
  int shift;  // bytes before the first row
} packed;

static packed make_operand(void) {
  const int row = between(WT_PACK_LEAST_ROW_BYTES, between(0, 3) ? 90 : 3000), rows = between(1, 9);
  const int batch = between(1, 3),
            payload = (row + between(0, 40) + WT_PACK_PIECE_BYTES - 1) / WT_PACK_PIECE_BYTES;
  const int from_row_bytes = row + between(0, 21),
            to_row_bytes = (payload + between(0, 2)) * WT_PACK_PIECE_BYTES;
  const int from_batch_bytes = (rows - 1) * from_row_bytes + row + between(0, 21),
            to_batch_bytes = rows * to_row_bytes;
  const int shift = between(0, 15),
            bytes = shift + (batch - 1) * from_batch_bytes + (rows - 1) * from_row_bytes + row;
  packed p = {
      .shift = shift, .host = malloc((size_t)bytes), .to = isa_memory((size_t)(batch * to_batch_bytes))};
  for (int i = 0; i < bytes; ++i) p.host[i] = (unsigned char)test_random(&rng);
  memset(p.to, GAP, (size_t)(batch * to_batch_bytes));
  if (!isa_ok(hipMalloc(&p.from, (size_t)bytes), "hipMalloc")) return p;
  isa_ok(hipMemcpy(p.from, p.host, (size_t)bytes, hipMemcpyHostToDevice), "hipMemcpy");
  p.operand = (wt_gemm_pack_operand){.from = (char *)p.from + shift,
                                     .to = p.to,
                                     .from_row_bytes = from_row_bytes,
                                     .to_row_bytes = to_row_bytes,
                                     .from_batch_bytes = from_batch_bytes,
                                     .to_batch_bytes = to_batch_bytes,
                                     .row_bytes = row,
                                     .rows = rows,
                                     .batch = batch,
                                     .pieces_row = wt_divisor_of((unsigned)payload)};
  return p;
}

static void check_packed(const packed *p) {
  const wt_gemm_pack_operand *o = &p->operand;
  const int payload = (int)o->pieces_row.divisor * WT_PACK_PIECE_BYTES;
  for (int b = 0; b < o->batch; ++b)
    for (int r = 0; r < o->rows; ++r)
      for (int i = 0; i < (int)o->to_row_bytes; ++i) {
        const int is = p->to[b * o->to_batch_bytes + r * o->to_row_bytes + i];
        const int should = i < o->row_bytes
                               ? p->host[p->shift + b * o->from_batch_bytes + r * o->from_row_bytes + i]
                           : i < payload ? 0
                                         : GAP;
        CHECK(is == should, "rows of %d bytes %lld apart, matrix %d, row %d: byte %d is 0x%x, not 0x%x",
              o->row_bytes, o->from_row_bytes, b, r, i, is, should);
      }
}

static unsigned larger(unsigned a, int b) { return (unsigned)b > a ? (unsigned)b : a; }

// A launch packs one operand, or two of different sizes.
static void check_case(hipFunction_t kernel) {
  const int count = between(1, WT_PACK_OPERANDS);
  packed all[WT_PACK_OPERANDS];
  wt_gemm_pack_args args = {.operand = {{.from = NULL}}};
  unsigned groups = 0, batch = 0;
  for (int i = 0; i < count; ++i) {
    all[i] = make_operand();
    const wt_gemm_pack_operand *o = &args.operand[i];
    args.operand[i] = all[i].operand;
    groups = larger(groups, (o->rows * (int)o->pieces_row.divisor - 1) / WT_PACK_PIECES + 1);
    batch = larger(batch, o->batch);
  }
  void *params[] = {&args};
  CHECK(hipModuleLaunchKernel(kernel, groups, (unsigned)count, batch, WT_PACK_THREADS, 1, 1, 0, NULL, params,
                              NULL) == hipSuccess &&
            hipDeviceSynchronize() == hipSuccess,
        "%d operands, the first of %d rows of %d bytes: it reads what is not there", count,
        args.operand[0].rows, args.operand[0].row_bytes);
  for (int i = 0; i < count; ++i) {
    check_packed(&all[i]);
    isa_ok(hipFree(all[i].from), "hipFree");
    free(all[i].host);
  }
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
