// SPDX-License-Identifier: MIT
// Writes out every layout of the headers while compiling: the maps of all MFMA operands and accumulators (one
// for each row of kMfmaTable and type that it multiplies), the LDS rules, and the named swizzles.
#include "tools/layout/layout_catalogue.h"
#include "wavetile_device.h"

namespace {

using namespace wt;

constexpr target::chip kChips[] = {target::chip::gfx942, target::chip::gfx950};  // chip i is bit i of `chips`

template <int N>
constexpr void set_name(char (&to)[N], const char *from) {
  for (int i = 0; from[i] != 0; ++i) to[i] = from[i];
}

// ---- element types by number
template <class T>
struct named {
  using type = T;
  const char *name;
};
template <int Type>
constexpr auto type_at() {
  if constexpr (Type == 0) return named<f64>{"f64"};
  if constexpr (Type == 1) return named<f32>{"f32"};
  if constexpr (Type == 2) return named<xf32>{"xf32"};
  if constexpr (Type == 3) return named<f16>{"f16"};
  if constexpr (Type == 4) return named<bf16>{"bf16"};
  if constexpr (Type == 5) return named<i8>{"i8"};
  if constexpr (Type == 6) return named<fp8e4m3>{"fp8e4m3"};
  if constexpr (Type == 7) return named<fp8e5m2>{"fp8e5m2"};
  if constexpr (Type == 8) return named<fp6e2m3>{"fp6e2m3"};
  if constexpr (Type == 9) return named<fp6e3m2>{"fp6e3m2"};
  if constexpr (Type == 10) return named<fp4e2m1>{"fp4e2m1"};
  if constexpr (Type == 11) return named<i32>{"i32"};
}
constexpr int kOperandTypes = 11;

// Returns whether a row's instructions multiply an operand of the type. In the rows of narrow8 one operand
// has 8 bits, and the other is laid out as in the rows of narrow.
constexpr bool multiplies(mfma_inputs inputs, int type) {
  switch (inputs) {
    case mfma_inputs::f64: return type == 0;
    case mfma_inputs::f32: return type == 1;
    case mfma_inputs::xf32: return type == 2;
    case mfma_inputs::f16: return type == 3;
    case mfma_inputs::bf16: return type == 4;
    case mfma_inputs::i8: return type == 5;
    case mfma_inputs::fp8:
    case mfma_inputs::narrow8: return type == 6 || type == 7;
    case mfma_inputs::narrow: return type >= 8 && type < kOperandTypes;
    default: return false;
  }
}
constexpr int sum_type(mfma_inputs inputs) {
  return inputs == mfma_inputs::f64 ? 0 : inputs == mfma_inputs::i8 ? 11 : 1;
}

constexpr unsigned char chips_of(const mfma_row &row) {
  return static_cast<unsigned char>((row.passes_gfx942 > 0 ? LAYOUT_GFX942 : 0) |
                                    (row.passes_gfx950 > 0 ? LAYOUT_GFX950 : 0));
}

// ---- maps
template <class Layout, int Type>
constexpr layout_map map_of(unsigned char kind, unsigned char chips) {
  constexpr auto kType = type_at<Type>();
  layout_map map = {};
  set_name(map.type, kType.name);
  map.kind = kind, map.chips = chips, map.blocks = 1;
  map.bits = kBits<typename decltype(type_at<Type>())::type>;
  map.rows = Layout::kRows, map.columns = Layout::kColumns, map.elements = Layout::kElements;
  if constexpr (requires { Layout::kBlocks; }) map.blocks = Layout::kBlocks;
  static_assert(Layout::kElements <= LAYOUT_ELEMENTS);
  for (int lane = 0; lane < LAYOUT_LANES; ++lane) {
    for (int e = 0; e < Layout::kElements; ++e) {
      layout_place &place = map.place[lane][e];
      if constexpr (requires { Layout::kBlocks; })
        place.block = static_cast<unsigned char>(Layout::block(lane, e));
      place.row = static_cast<unsigned char>(Layout::row(lane, e));
      place.column = static_cast<unsigned char>(Layout::column(lane, e));
    }
  }
  return map;
}

// Returns the layouts of a row of the table, as kernels name them.
template <int Row>
constexpr auto operand_of_row() {
  constexpr mfma_row kRow = kMfmaTable[Row];
  if constexpr (kRow.blocks > 1) {
    return operand_blocks<kRow.m, kRow.k, kRow.blocks>{};
  } else if constexpr (kRow.inputs == mfma_inputs::narrow8) {
    return operand<kRow.m, kRow.k, 16>{};
  } else {
    return operand<kRow.m, kRow.k>{};
  }
}
template <int Row>
constexpr auto accumulator_of_row() {
  constexpr mfma_row kRow = kMfmaTable[Row];
  if constexpr (kRow.inputs == mfma_inputs::f64) {
    return accumulator_blocks<kRow.m, kRow.n, kRow.blocks, 1>{};
  } else if constexpr (kRow.blocks > 1) {
    return accumulator_blocks<kRow.m, kRow.n, kRow.blocks>{};
  } else {
    return accumulator<kRow.m, kRow.n>{};
  }
}

struct choice {
  int row, type;
};
constexpr int kRows = sizeof kMfmaTable / sizeof kMfmaTable[0];

// Returns operand number `index` of all, or their count as the `row` past the last.
constexpr choice operand_at(int index) {
  int count = 0;
  for (int row = 0; row < kRows; ++row) {
    for (int type = 0; type < kOperandTypes; ++type) {
      if (multiplies(kMfmaTable[row].inputs, type) && count++ == index) return {row, type};
    }
  }
  return {count, -1};
}
// Returns the same of accumulators, each listed at the first row that has it.
constexpr bool same_sums(const mfma_row &a, const mfma_row &b) {
  return a.m == b.m && a.blocks == b.blocks && sum_type(a.inputs) == sum_type(b.inputs);
}
constexpr choice accumulator_at(int index) {
  int count = 0;
  for (int row = 0; row < kRows; ++row) {
    bool known = false;
    for (int before = 0; before < row; ++before)
      known = known || same_sums(kMfmaTable[before], kMfmaTable[row]);
    if (!known && count++ == index) return {row, sum_type(kMfmaTable[row].inputs)};
  }
  return {count, -1};
}
constexpr int kOperands = operand_at(-1).row, kAccumulators = accumulator_at(-1).row;

template <int Index>
constexpr layout_map operand_map() {
  constexpr choice kAt = operand_at(Index);
  return map_of<decltype(operand_of_row<kAt.row>()), kAt.type>(LAYOUT_OPERAND, chips_of(kMfmaTable[kAt.row]));
}
template <int Index>
constexpr layout_map accumulator_map() {
  constexpr choice kAt = accumulator_at(Index);
  unsigned char chips = 0;
  for (const mfma_row &row : kMfmaTable) chips |= same_sums(row, kMfmaTable[kAt.row]) ? chips_of(row) : 0;
  return map_of<decltype(accumulator_of_row<kAt.row>()), kAt.type>(LAYOUT_ACCUMULATOR, chips);
}

// This is natural_operand of the types that have one: by number, by rows and by chip.
constexpr int kNaturalTypes[] = {1, 3, 4, 5, 6, 7, 10};
constexpr int kNaturals = sizeof kNaturalTypes / sizeof kNaturalTypes[0] * 4 - 2;  // no 4 bits on gfx942
template <int Index>
constexpr layout_map natural_map() {
  constexpr int kType = kNaturalTypes[Index / 4], kTall = Index % 2 == 0 ? 16 : 32;
  constexpr int kChip = kType == 10 ? 1 : Index / 2 % 2;
  using element = typename decltype(type_at<kType>())::type;
  return map_of<natural_operand<element, kTall, kChips[kChip]>, kType>(LAYOUT_NATURAL, 1 << kChip);
}

// ---- LDS
constexpr const char *kLdsOpNames[] = {"read_b32",    "read_b64",    "read_b96",  "read_b128",
                                       "read_b64_tr", "read_b96_tr", "write_b32", "write_b64",
                                       "write_b96",   "write_b128",  "copy_b32",  "copy_b128"};
constexpr int kLdsOps = sizeof kLdsOpNames / sizeof kLdsOpNames[0];
static_assert(static_cast<int>(lds_op::copy_b128) == kLdsOps - 1);

constexpr layout_lds_op lds_op_at(int index) {
  const target::chip chip = kChips[index % 2];
  const lds_op op = static_cast<lds_op>(index / 2);
  layout_lds_op result = {};
  set_name(result.name, kLdsOpNames[index / 2]);
  result.chips = static_cast<unsigned char>(lds_op_exists(chip, op) << index % 2);
  result.bytes = static_cast<unsigned char>(lds_bytes(op));
  result.banks = static_cast<unsigned char>(lds_banks(chip, op));
  result.phases = static_cast<unsigned char>(lds_phases(chip, op));
  for (int lane = 0; lane < LAYOUT_LANES; ++lane)
    result.phase[lane] = static_cast<unsigned char>(lds_phase(chip, op, lane));
  return result;
}

constexpr layout_swizzle swizzle_of(const char *name, int chips, int row_bytes, const swizzle &s) {
  layout_swizzle result = {};
  set_name(result.name, name);
  result.chips = static_cast<unsigned char>(chips), result.row_bytes = row_bytes;
  result.granule = s.granule(), result.period = s.period();
  static_assert(swizzle::kBits == LAYOUT_OFFSET_BITS);
  for (int j = 0; j < LAYOUT_OFFSET_BITS; ++j) result.target[j] = s.target[j];
  return result;
}
template <int RowBytes, int Chip>
constexpr layout_swizzle for_row =
    swizzle_of("for_row", 1 << Chip, RowBytes, swizzle_for_row<RowBytes, kChips[Chip]>);

// ---- the constants themselves, which C finds by name
template <class T, T... I>
struct numbers {};
template <int N>
using up_to = __make_integer_seq<numbers, int, N>;

template <int I>
constexpr layout_map kOperandMap = operand_map<I>();
template <int I>
constexpr layout_map kAccumulatorMap = accumulator_map<I>();
template <int I>
constexpr layout_map kNaturalMap = natural_map<I>();

struct map_table {
  layout_map map[kOperands + kAccumulators + kNaturals];
};
template <int... O, int... A, int... N>
constexpr map_table all_maps(numbers<int, O...>, numbers<int, A...>, numbers<int, N...>) {
  return {{kOperandMap<O>..., kAccumulatorMap<A>..., kNaturalMap<N>...}};
}
struct op_table {
  layout_lds_op op[2 * kLdsOps];
};
template <int... I>
constexpr op_table all_ops(numbers<int, I...>) {
  return {{lds_op_at(I)...}};
}

constexpr int kAnyChip = LAYOUT_GFX942 | LAYOUT_GFX950;

}  // namespace

extern "C" {
extern const __attribute__((device)) map_table layout_maps;
const map_table layout_maps = all_maps(up_to<kOperands>{}, up_to<kAccumulators>{}, up_to<kNaturals>{});
extern const __attribute__((device)) op_table layout_lds_ops;
const op_table layout_lds_ops = all_ops(up_to<2 * kLdsOps>{});
extern const __attribute__((device)) layout_swizzle layout_swizzles[];
const layout_swizzle layout_swizzles[] = {
    swizzle_of("none", kAnyChip, 0, no_swizzle),
    swizzle_of("row128_pairs", kAnyChip, 128, swizzle_row128_pairs),
    swizzle_of("row128_pairs_8wave", kAnyChip, 128, swizzle_row128_pairs_8wave),
    swizzle_of("bf16_16x16_write_b64", kAnyChip, 32, swizzle_bf16_16x16_write_b64),
    swizzle_of("bf16_16x32_read_b128", kAnyChip, 64, swizzle_bf16_16x32_read_b128),
    for_row<64, 0>,
    for_row<128, 0>,
    for_row<256, 0>,
    for_row<512, 0>,
    for_row<1024, 0>,
    for_row<64, 1>,
    for_row<128, 1>,
    for_row<256, 1>,
    for_row<512, 1>,
    for_row<1024, 1>,
};
}

// A code object without kernels is not what the build checks.
WT_KERNEL(64) layout_catalogue() {}
