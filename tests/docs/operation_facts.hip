// SPDX-License-Identifier: MIT
// Has one kernel per operation whose facts operation_facts.py compares with the compiled code. Each kernel is
// named after the header and the operation; marks in the code enclose the operation, and what it returns is
// used after the second mark, where the compiler must then wait for it if it waits at all.
#include <wavetile_device.h>

using namespace wt;

namespace {

template <class T>
using a16 = rt_a<T, 16, 16 * 8 / kBits<T> * 4>;
using sums = rt_ct<f32, 16, 16>;
using lds = st<bf16, 64, 64, swizzle_for_row<128>>;
using plain = st<bf16, 64, 64>;
using operands = rt_a<bf16, 16, 64>;

// Hides how a value came to be, so that the operation cannot begin before the first mark.
template <class V>
WT_DEVICE void unknown(V &value) {
  forget(value);
}

WT_DEVICE void begin() {
  sched_barrier();
  asm volatile("; operation begins" ::: "memory");
  sched_barrier();
}
WT_DEVICE void end() {
  sched_barrier();
  asm volatile("; operation ends" ::: "memory");
  sched_barrier();
}

}  // namespace

#define FACTS(name) WT_KERNEL(64) facts_##name

FACTS(tiles_rt__zero)() {
  sums c;
  begin();
  zero(c);
  end();
  unknown(c);
}

FACTS(ops_isa_buffer__buffer_load)(const float *p, int at) {
  const buffer b = make_buffer(p, 4096);
  unknown(at);
  begin();
  f32 v = buffer_load<f32>(b, at);
  end();
  unknown(v);
}
FACTS(ops_isa_buffer__buffer_store)(float *p, float v, int at) {
  const buffer b = make_buffer(p, 4096);
  unknown(v), unknown(at);
  begin();
  buffer_store(b, at, v);
  end();
}
FACTS(ops_isa_buffer__buffer_load_to_lds)(const float *p, int at) {
  WT_SHARED static plain tile;
  const buffer b = make_buffer(p, 4096);
  unknown(at);
  begin();
  buffer_load_to_lds<4>(b, at, 0, lds_address(&tile));
  end();
}
FACTS(ops_isa_buffer__buffer_atomic_add)(float *p, float v, int at) {
  const buffer b = make_buffer(p, 4096);
  unknown(v), unknown(at);
  begin();
  buffer_atomic_add(b, at, v);
  end();
}
FACTS(ops_isa_buffer__global_atomic_add)(float *p, float v) {
  float *to = p + thread_id();
  unknown(v), unknown(to);
  to = as_global<float>(reinterpret_cast<__UINTPTR_TYPE__>(to));
  begin();
  global_atomic_add(to, v);
  end();
}
FACTS(ops_isa_global__global_load)(const float *p) {
  const float *from = p + thread_id();
  begin();
  f32 v = global_load<f32>(from);
  end();
  unknown(v);
}
FACTS(ops_isa_global__global_store)(float *p, float v) {
  unknown(v);
  begin();
  global_store(p + thread_id(), v);
  end();
}
FACTS(ops_isa_lds__ds_read)(u32 at) {
  WT_SHARED static plain tile;
  ds_write(lds_address(&tile), at);
  unknown(at);
  begin();
  u32 v = ds_read<u32>(at);
  end();
  unknown(v);
}
FACTS(ops_isa_lds__ds_write)(u32 at, u32 v) {
  unknown(at), unknown(v);
  begin();
  ds_write(at, v);
  end();
}
#if defined(__gfx950__)
FACTS(ops_isa_lds__ds_read_tr)(u32 at) {
  WT_SHARED static plain tile;
  ds_write(lds_address(&tile), at);
  unknown(at);
  begin();
  auto v = ds_read_tr<bf16>(at);
  end();
  unknown(v);
}
FACTS(ops_isa_crosslane__permlane32_swap)(u32 a, u32 b) {
  unknown(a), unknown(b);
  begin();
  permlane32_swap(a, b);
  end();
  unknown(a), unknown(b);
}
#endif
FACTS(ops_isa_crosslane__ds_bpermute)(u32 v, int from) {
  unknown(v), unknown(from);
  begin();
  v = ds_bpermute(from, v);
  end();
  unknown(v);
}
FACTS(ops_isa_crosslane__ds_permute)(u32 v, int to) {
  unknown(v), unknown(to);
  begin();
  v = ds_permute(to, v);
  end();
  unknown(v);
}
FACTS(ops_isa_crosslane__ds_swizzle)(u32 v) {
  unknown(v);
  begin();
  v = ds_swizzle<swizzle_bits(31, 0, 16)>(v);
  end();
  unknown(v);
}
FACTS(ops_isa_crosslane__readlane)(u32 v) {
  unknown(v);
  begin();
  v = readlane(v, 5);
  end();
  unknown(v);
}
FACTS(ops_isa_dpp__mov_dpp)(u32 v) {
  unknown(v);
  begin();
  v = mov_dpp<dpp::kRowMirror>(v);
  end();
  unknown(v);
}
FACTS(ops_isa_permute__permute_bytes)(u32 v, u32 w) {
  unknown(v), unknown(w);
  begin();
  v = permute_bytes<0x05010400u>(v, w);
  end();
  unknown(v);
}
FACTS(ops_isa_mfma__mfma)() {
  mfma_operand<bf16, 16, 16> a, b;
  mfma_result<bf16, 16, 16> c;
  unknown(a), unknown(b), unknown(c);
  begin();
  c = mfma<bf16, bf16, 16, 16, 16>(a, b, c);
  end();
  unknown(c);
}

FACTS(ops_atomic_tile__atomic_add)(float *p) {
  const buffer b = make_buffer(p, 4096);
  sums c;
  unknown(c);
  begin();
  atomic_add<64>(b, c, 0);
  end();
}
FACTS(ops_convert_layout__transposed_view)() {
  sums c;
  unknown(c);
  begin();
  auto turned = transposed_view(c);
  end();
  unknown(turned);
}
FACTS(ops_convert_layout__exchange_lane_bit)(u32 a, u32 b) {
  unknown(a), unknown(b);
  begin();
  exchange_lane_bit<16>(a, b);
  a += b;  // what comes after the exchange belongs to it
  unknown(a);
  end();
}
FACTS(ops_convert_tile__convert)() {
  sums c;
  rt_ct<bf16, 16, 16> out;
  unknown(c);
  begin();
  convert(out, c);
  end();
  unknown(out);
}
FACTS(ops_elementwise__exp2)() {
  sums c;
  unknown(c);
  begin();
  exp2(c, c);
  end();
  unknown(c);
}
FACTS(ops_elementwise__add)() {
  sums c, d;
  unknown(c), unknown(d);
  begin();
  add(c, c, d);
  end();
  unknown(c);
}
FACTS(ops_functions__gelu)(float x) {
  unknown(x);
  begin();
  x = gelu(x);
  end();
  unknown(x);
}
FACTS(ops_global_tile__load)(const bf16 *p, int rows) {
  const auto m = row_major(p, rows, 64);
  operands a;
  begin();
  load(a, m, 0, 0);
  end();
  unknown(a);
}
FACTS(ops_global_tile__store)(bf16 *p, int rows) {
  const auto m = row_major(p, rows, 64);
  operands a;
  unknown(a);
  begin();
  store(m, a, 0, 0);
  end();
}
FACTS(ops_lds_copier__wave_copies)(const float *p) {
  WT_SHARED static plain tile;
  const buffer b = make_buffer(p, 4096);
  begin();
  issue_all(wave_copies(b, lds_parts<float[256]>(tile), lane_id()));
  end();
}
FACTS(ops_lds_copier__lds_copier__copies)(const float *p) {
  WT_SHARED static lds tile;
  const buffer b = make_buffer(p, 65536);
  const lds_copier<lds, 1> copier(128, 0, 64);
  begin();
  issue_all(copier.copies(b, 0, tile));
  end();
}
FACTS(ops_lds_copier__lds_copier__copies_at)(const float *p) {
  WT_SHARED static lds tile;
  const buffer b = make_buffer(p, 65536);
  const lds_copier<lds, 1> copier(128, 0, 64);
  begin();
  issue_all(copier.copies_at(b, 128, tile));
  end();
}
FACTS(ops_lds_load__load)() {
  WT_SHARED static plain tile;
  ds_write(lds_address(&tile), 1u);
  operands a;
  begin();
  load(a, tile);
  end();
  unknown(a);
}
FACTS(ops_lds_reader__lds_reader__reads)() {
  WT_SHARED static lds tile;
  ds_write(lds_address(&tile), 1u);
  operands a;
  const auto reader = lds_reader<lds, operands::layout>(0).at(tile);
  begin();
  issue_all(reader.reads(a));
  end();
  unknown(a);
}
FACTS(ops_lds_reader__load)() {
  WT_SHARED static lds tile;
  ds_write(lds_address(&tile), 1u);
  operands a;
  const auto reader = lds_reader<lds, operands::layout>(0).at(tile);
  begin();
  load(a, reader);
  end();
  unknown(a);
}
FACTS(ops_lds_store__store)() {
  WT_SHARED static plain tile;
  operands a;
  unknown(a);
  begin();
  store<bank_conflicts::allowed>(tile, a, 0, 0);
  end();
}
FACTS(ops_lds_vector__store)() {
  WT_SHARED static sv<f32, 16> shared;
  col_vec<f32, sums> v;
  unknown(v.values);
  begin();
  store(shared, v);
  end();
}
FACTS(ops_lds_vector__load)() {
  WT_SHARED static sv<f32, 16> shared;
  ds_write(lds_address(&shared), 1u);
  col_vec<f32, sums> v;
  begin();
  load(v, shared);
  end();
  unknown(v.values);
}
FACTS(ops_mask__make_causal)(int row) {
  sums c;
  unknown(c);
  begin();
  make_causal(c, c, row, 0, -1.0f);
  end();
  unknown(c);
}
FACTS(ops_mma__mma_ABt)() {
  operands a, b;
  sums c;
  unknown(a), unknown(b), unknown(c);
  begin();
  mma_ABt(c, a, b);
  end();
  unknown(c);
}
FACTS(ops_part__part)() {
  rt_ct<f32, 32, 32> c;
  unknown(c);
  begin();
  auto one = part<16, 0, 16, 16>(c);
  end();
  unknown(one);
}
FACTS(ops_random__random_words)(unsigned long long seed, int row) {
  unknown(row);
  begin();
  auto words = random_words<4>(seed, static_cast<unsigned>(row), 0);
  end();
  unknown(words);
}
FACTS(ops_reduce__row_sum)() {
  sums c;
  col_vec<f32, sums> v;
  unknown(c);
  begin();
  row_sum(v, c);
  end();
  unknown(v.values);
}
FACTS(ops_register_copier__register_copier__fetches)(const bf16 *p) {
  const buffer b = make_buffer(p, 65536);
  register_copier<lds, 1> copier(row_major(p, 64, 64), 0);
  begin();
  issue_all(copier.fetches(b, 0));
  end();
  unrolled<decltype(copier)::kCopies>([&](auto i) WT_INLINE { unknown(copier.held[0][i]); });
}
FACTS(ops_register_copier__register_copier__puts)(const bf16 *p) {
  WT_SHARED static lds tile;
  register_copier<lds, 1> copier(row_major(p, 64, 64), 0);
  unrolled<decltype(copier)::kCopies>([&](auto i) WT_INLINE { unknown(copier.held[0][i]); });
  begin();
  issue_all(copier.puts<0>(tile));
  end();
}
FACTS(ops_row_reader__row_reader__reads)(const bf16 *p) {
  const auto m = row_major(p, 64, 64);
  operands a;
  const row_reader<operands> reader(m);
  begin();
  issue_all(reader.reads(a));
  end();
  unknown(a);
}
FACTS(ops_row_writer__row_writer__stores)(bf16 *p) {
  const auto m = row_major(p, 64, 64);
  rt_ct<f32, 16, 32> c;
  unknown(c);
  const row_writer<bf16, rt_ct<f32, 16, 32>> writer(m);
  begin();
  issue_all(writer.stores(c, 1.0f));
  end();
}
FACTS(ops_stagers__row_stager__fetches)(const bf16 *p) {
  const auto m = row_major(p, 64, 64);
  row_stager<plain, 64> stager(m);
  begin();
  issue_all(stager.fetches(128));
  end();
  unrolled<decltype(stager)::kLoads>([&](auto i) WT_INLINE { unknown(stager.held[i]); });
}
FACTS(ops_stagers__row_stager__puts)(const bf16 *p) {
  WT_SHARED static plain tile;
  const auto m = row_major(p, 64, 64);
  row_stager<plain, 64> stager(m);
  unrolled<decltype(stager)::kLoads>([&](auto i) WT_INLINE { unknown(stager.held[i]); });
  begin();
  issue_all(stager.puts(tile));
  end();
}
FACTS(ops_team__team__reduce)(float x) {
  using two_waves = team<128>;
  WT_SHARED static two_waves::memory memory;
  two_waves all(memory);
  unknown(x);
  begin();
  x = all.reduce(x, [](f32 a, f32 b) WT_INLINE { return a + b; });
  unknown(x);
  end();
}
FACTS(ops_team_row__load)(const bf16 *p) {
  using row = team_row<64, 16, 8>;
  const row_slice<row> slice(thread_id(), 1024);
  team_bits<bf16, row> bits;
  begin();
  load(bits, p, slice);
  end();
  unknown(bits.chunk[0]), unknown(bits.chunk[1]);
}
FACTS(ops_arg_reduce__row_argmax)() {
  sums c;
  col_vec<f32, sums> v;
  col_vec<i32, sums> at;
  unknown(c);
  begin();
  row_argmax(v, at, c);
  unknown(v.values), unknown(at.values);
  end();
}
FACTS(ops_map_at__iota)() {
  sums c;
  begin();
  iota(c, 16, 1);
  end();
  unknown(c);
}
FACTS(ops_map_at__map_at)(int row) {
  sums c;
  unknown(c);
  begin();
  map_at(c, origin{row, 0}, [](f32 x, int r, int column) WT_INLINE { return r > column ? x : 0.0f; });
  end();
  unknown(c);
}
FACTS(ops_erf__erf)(float x) {
  unknown(x);
  begin();
  x = erf(x);
  end();
  unknown(x);
}
FACTS(ops_rounding__floor)() {
  sums c;
  unknown(c);
  begin();
  floor(c, c);
  end();
  unknown(c);
}
FACTS(ops_pow__pow)(float x, float y) {
  unknown(x), unknown(y);
  begin();
  x = pow(x, y);
  end();
  unknown(x);
}
FACTS(ops_dynamic_lds__dynamic_lds_bytes)(int *p) {
  begin();
  int bytes = dynamic_lds_bytes();
  end();
  p[thread_id()] = bytes + dynamic_tile<plain>(0).bytes[thread_id()];
}
