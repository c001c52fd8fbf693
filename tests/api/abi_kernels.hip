// SPDX-License-Identifier: MIT
// Has kernels that rely on what a launch must set up: ids and sizes in three dimensions, arguments of every
// size, scratch, calls through pointers, recursion. They are built for every code object version and with
// preloaded arguments.
#define DEVICE __attribute__((device))
#define GLOBAL extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(1, 256)))

// Every work-item writes its place in the grid, from the sizes the launch passes along.
GLOBAL void places(unsigned *out) {
  const unsigned size_x = __builtin_amdgcn_workgroup_size_x(), size_y = __builtin_amdgcn_workgroup_size_y(),
                 size_z = __builtin_amdgcn_workgroup_size_z();
  const unsigned x = __builtin_amdgcn_workgroup_id_x() * size_x + __builtin_amdgcn_workitem_id_x();
  const unsigned y = __builtin_amdgcn_workgroup_id_y() * size_y + __builtin_amdgcn_workitem_id_y();
  const unsigned z = __builtin_amdgcn_workgroup_id_z() * size_z + __builtin_amdgcn_workitem_id_z();
  const unsigned width = __builtin_amdgcn_grid_size_x(), height = __builtin_amdgcn_grid_size_y();
  out[(z * height + y) * width + x] = x | y << 8 | z << 16;
}

struct mixed {
  char c;
  double d;
  short s[3];
};

// Arguments of all sizes and alignments arrive where the metadata says.
GLOBAL void arguments(long long *out, char a, short b, int c, long long d, float e, double f, mixed g,
                      const int *h) {
  if (__builtin_amdgcn_workitem_id_x() != 0) return;
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = (long long)e;
  out[5] = (long long)f;
  out[6] = g.c;
  out[7] = (long long)g.d;
  out[8] = g.s[0] + 10 * g.s[1] + 100 * g.s[2];
  out[9] = *h;
}

// A private array with computed indices lives in scratch: each lane has its own.
GLOBAL void scratch(unsigned *out, unsigned step) {
  unsigned table[64];
  const unsigned item = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  for (unsigned i = 0; i < 64; ++i) table[(i * step) % 64] = item * 100 + i;
  unsigned sum = 0;
  for (unsigned i = 0; i < 64; i += 3) sum = sum * 31 + table[(i + item) % 64];
  out[item] = sum;
}

static DEVICE __attribute__((noinline)) unsigned twice(unsigned x) { return 2 * x; }
static DEVICE __attribute__((noinline)) unsigned plus_seven(unsigned x) { return x + 7; }
static DEVICE __attribute__((noinline)) unsigned square(unsigned x) { return x * x; }

// Calls through a table of function pointers: relocations, s_swappc, a stack.
DEVICE unsigned (*const operations[])(unsigned) = {twice, plus_seven, square};

GLOBAL void indirect_calls(unsigned *out, unsigned which) {
  const unsigned item = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  out[item] = operations[which](operations[(which + 1) % 3](item));
}

static DEVICE __attribute__((noinline)) unsigned fibonacci(unsigned n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// Lets lanes recurse to different depths.
GLOBAL void recursion(unsigned *out) {
  const unsigned item = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  out[item] = fibonacci(item % 11);
}
