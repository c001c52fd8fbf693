# SPDX-License-Identifier: MIT
"""The kernels of a random program (random_program.py) and the host's model of them."""

STATE = [("a", "u32"), ("b", "u32"), ("c", "i32"), ("d", "u64"), ("e", "i64"), ("f", "f32"), ("h", "u16"), ("q", "f64")]
WORDS = [field for field, t in STATE if t in ("u32", "i32", "u64", "i64")]
CONDITIONS = ["(s.a & 4) != 0", "s.c > 0", "s.d < s.b", "s.f < 1.0f", "s.q > s.f", "s.h & 1", "t % 3 == 1", "(s.e & 24) == 8",
              "true", "t & 32"]
ATOMICS = [("add", "+"), ("and", "&"), ("or", "|"), ("xor", "^"), ("min", "lesser"), ("max", "greater")]
CELLS = 8  # global cells per atomic operation


def dpp(rng):
    """A DPP control and the lane it reads, or -1 for none, as C++ in t."""
    kind, by = rng.randrange(6), rng.randrange(1, 16)
    if kind == 0:
        lanes = [rng.randrange(4) for _ in range(4)]
        control = sum(lane << 2 * i for i, lane in enumerate(lanes))
        return control, f"int(t & 60) + ({control} >> (t & 3) * 2 & 3)"
    if kind == 1:
        return 0x100 + by, f"((t & 15) + {by} < 16 ? int(t & 63) + {by} : -1)"
    if kind == 2:
        return 0x110 + by, f"(int(t & 15) >= {by} ? int(t & 63) - {by} : -1)"
    if kind == 3:
        return 0x120 + by, f"int(t & 48) + int((t - {by}) & 15)"
    return (0x140, "int((t & 63) ^ 15)") if kind == 4 else (0x141, "int((t & 63) ^ 7)")


def tables(r):
    """Makes tables in constant memory and in the code object, with random numbers."""
    words = ", ".join(hex(r.getrandbits(32)) + "u" for _ in range(32))
    return f"""__constant__ const u32 table_device[32] = {{{words}}};
static const u32 table_host[32] = {{{words}}};
HD inline u32 constant_table(u32 i) {{
#ifdef __HIP_DEVICE_COMPILE__
  return table_device[i & 31];
#else
  return table_host[i & 31];
#endif
}}
HD inline u64 static_table(u32 i) {{
  static constexpr u16 numbers[8] = {{{', '.join(str(r.getrandbits(16)) for _ in range(8))}}};
  constexpr f32 parts[4] = {{{', '.join(f'{r.randrange(1000)}.5f' for _ in range(4))}}};
  return numbers[i & 7] + static_cast<u64>(parts[i >> 3 & 3]);
}}"""


class Kernels:
    """Appends kernels, the host's model and main() to a Writer."""

    def __init__(self, writer):
        self.writer, self.rng = writer, writer.rng
        self.device, self.host, self.main = [], [], []

    def exchange(self, n):
        """Makes one step between phases: `device` runs for a thread with state s, `host` for the n states b of a
        work-group."""
        r = self.rng
        field, t = r.choice(STATE)
        word = r.choice(WORDS)
        word_type = dict(STATE)[word]
        c1, c2 = r.choice(CONDITIONS), r.choice(CONDITIONS)
        each = f"for (u32 t = 0; t < {n}; ++t) {{ state &s = b[t]; (void)s;"
        wave = "const u32 w = t & ~63u; u64 v = 0; for (u32 k = 0; k < 64; ++k) {{ const u32 t = w + k; const state &s = old[t]; (void)s; if ({}) v |= 1ull << k; }}"
        kind = r.randrange(13)
        if kind == 0:
            to, start = f"(t * {r.randrange(1, 64, 2)} + {r.randrange(n)}) & {n - 1}", r.choice(["s.a", "s.b", "(s.h + t)"])
            return (f"__shared__ {t} cells[{n}]; cells[{to}] = s.{field}; synchronize(); s.{field} = cells[{start} & {n - 1}];",
                    f"{t} cells[{n}]; {each} cells[{to}] = s.{field}; }} {each} s.{field} = cells[{start} & {n - 1}]; }}")
        if kind == 1:
            lane = r.choice(["s.a & 63", "s.b & 63", f"(t ^ {r.randrange(64)}) & 63", f"(t + {r.randrange(64)}) & 63"])
            return (f"s.{field} = shuffle(s.{field}, {lane});",
                    f"{each} const u32 from = {lane}; s.{field} = old[(t & ~63u) | from].{field}; }}")
        if kind == 2:
            return (f"if ({c1}) s.d ^= ballot({c2});",
                    f"{each} if (!({c1})) continue; {wave.format(f'({c1}) && ({c2})')} s.d ^= v; }}")
        if kind == 3:
            return (f"if ({c1}) {{ s.a += ballot({c2}) != 0; s.b ^= ballot(!({c2})) == 0; }}",
                    f"u64 votes[{n}], nays[{n}]; {each} {wave.format(f'({c1}) && ({c2})')} votes[t] = v; }}"
                    f"{each} const u32 turn = s.a; (void)turn; {{ {wave.format(f'({c1}) && !({c2})')} nays[t] = v; }} }}"
                    f"{each} if ({c1}) {{ s.a += votes[t] != 0; s.b ^= nays[t] == 0; }} }}") if "s.a" not in c1 + c2 and (
                        "s.b" not in c1 + c2) else self.exchange(n)
        if kind == 4:
            return (f"if ({c1}) s.{field} = first_lane(s.{field});",
                    f"{each} if (!({c1})) continue; {wave.format(c1)} s.{field} = old[w + __builtin_ctzll(v)].{field}; }}")
        if kind == 5:
            lane = r.randrange(64)
            if self.writer.one_in(2):
                return (f"s.{field} = lane_of(s.{field}, {lane});", f"{each} s.{field} = old[(t & ~63u) + {lane}].{field}; }}")
            return (f"s.{field} = lane_of(s.{field}, first_lane(s.a) & 63);",
                    f"{each} s.{field} = old[(t & ~63u) + (old[t & ~63u].a & 63)].{field}; }}")
        if kind == 6:
            control, lane = dpp(r)
            rows, banks, bound = r.choice([15, r.randrange(16)]), r.choice([15, r.randrange(16)]), r.randrange(2)
            old = "(((u64)77 << 32) | 77)" if word_type[1:] == "64" else "77"
            return (f"s.{word} = dpp<{control}, {rows}, {banks}, {bound}>(s.{word});",
                    f"{each} const int from = {lane}; const bool on = {rows} >> (t >> 4 & 3) & 1 && {banks} >> (t >> 2 & 3) & 1;"
                    f"s.{word} = !on ? ({word_type}){old} : from >= 0 ? old[(t & ~63u) + from].{word} :"
                    f" {bound} ? 0 : ({word_type}){old}; }}")
        if kind == 7:
            keep, put, flip = r.randrange(32), r.randrange(32), r.randrange(32)
            return (f"s.{field} = swizzle<{keep | put << 5 | flip << 10}>(s.{field});",
                    f"{each} s.{field} = old[(t & ~31u) | ((((t & 31) & {keep}) | {put}) ^ {flip})].{field}; }}")
        if kind == 8:
            op, sign = r.choice(ATOMICS)
            then = f"x = {sign}<{word_type}>(x, s.{word});" if sign.isalpha() else (
                f"x = ({word_type})((u64)x {sign} (u64)s.{word});")
            return (f"__shared__ {word_type} cells[16]; if (t < 16) cells[t] = t * 5; synchronize(); if ({c1}) "
                    f"__hip_atomic_fetch_{op}(&cells[s.h & 15], s.{word}, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP); "
                    f"synchronize(); s.{word} = cells[t * 7 & 15];",
                    f"{word_type} cells[16]; for (u32 t = 0; t < 16; ++t) cells[t] = t * 5; {each} {word_type} &x = cells[s.h & 15];"
                    f" if ({c1}) {then} }} {each} s.{word} = cells[t * 7 & 15]; }}")
        if kind == 9:
            return self.global_atomic(word, word_type, c1, each)
        if kind == 10:
            word = r.choice("abd")
            word_type = dict(STATE)[word]
            return (f"__shared__ u32 count; __shared__ {word_type} list[{n}]; if (t == 0) count = 0; synchronize(); if ({c1}) "
                    f"list[__hip_atomic_fetch_add(&count, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP)] = s.{word}; "
                    f"synchronize(); {word_type} sum = count; for (u32 i = 0; i < count; ++i) sum += list[i] * 3; s.{word} += sum;",
                    f"{word_type} sum = 0; {each} if ({c1}) sum += s.{word} * 3 + 1; }} {each} s.{word} += sum; }}")
        if kind == 11:
            return (f"s.b += rank_in(ballot({c1}));",
                    f"{each} {wave.format(c1)} s.b += __builtin_popcountll(v & ((1ull << (t & 63)) - 1)); }}")
        op = r.choice(["add", "greater", "lesser"])
        return (f"for (u32 by = 32; by; by >>= 1) s.{word} = {op}<{word_type}>(s.{word}, shuffle(s.{word}, (t ^ by) & 63));",
                f"{each} {word_type} x = old[t & ~63u].{word}; for (u32 k = 1; k < 64; ++k) "
                f"x = {op}<{word_type}>(x, old[(t & ~63u) + k].{word}); s.{word} = x; }}")

    def global_atomic(self, word, t, condition, each):
        r = self.rng
        if self.writer.one_in(3):  # sums of small integers are exact in any order
            array, t = r.choice([("f32s", "f32"), ("f64s", "f64")])
            return (f"if ({condition}) __hip_atomic_fetch_add(&{array}[s.b & {CELLS - 1}], ({t})(s.h & 63), __ATOMIC_RELAXED, "
                    "__HIP_MEMORY_SCOPE_AGENT);", f"{each} if ({condition}) {array}[s.b & {CELLS - 1}] += s.h & 63; }}")
        at = r.randrange(len(ATOMICS) + 1)
        array = f"(({t} *){'words' if t[1:] == '32' else 'longs'})"
        if t[0] == "i":  # signed minima have cells of their own
            at = r.randrange(4)
        cell = f"{array}[{at * CELLS} + (s.b & {CELLS - 1})]"
        if at == len(ATOMICS):  # products by compare and swap
            return (f"if ({condition}) {{ {t} seen = __hip_atomic_load(&{cell}, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); "
                    f"while (!__hip_atomic_compare_exchange_strong(&{cell}, &seen, seen * (s.{word} | 1), __ATOMIC_RELAXED, "
                    "__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {} }", f"{each} if ({condition}) {cell} *= s.{word} | 1; }}")
        op, sign = ATOMICS[at]
        then = f"{cell} = {sign}<{t}>({cell}, s.{word});" if sign.isalpha() else f"{cell} = ({t})((u64){cell} {sign} (u64)s.{word});"
        return (f"if ({condition}) __hip_atomic_fetch_{op}(&{cell}, s.{word}, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);",
                f"{each} if ({condition}) {then} }}")

    def independent(self, index):
        threads, count = self.rng.choice([(64, 200), (100, 250), (256, 300)])
        name = f"thread{index}"
        self.writer.function(name, "u64", [], self.rng.randrange(8, 20))
        self.writer.lines.append(f"""__global__ __attribute__((amdgpu_flat_work_group_size(1, {threads})))
void kernel_{name}(const u64 *in, u8 *mem, u64 *out, u32 count) {{
  __shared__ __attribute__((aligned(16))) u8 lds[{threads} * 64];
  const u32 t = __builtin_amdgcn_workitem_id_x(), g = __builtin_amdgcn_workgroup_id_x() * {threads} + t;
  if (g >= count) return;
  for (int i = 0; i < 64; ++i) lds[t * 64 + i] = i * 3;
  out[g] = {name}(g, in, mem + g * 256, lds + t * 64);
}}""")
        self.launch(name, count, f"kernel_{name}<<<{-(-count // threads)}, {threads}>>>(in_device, mem_device, out_device, {count});",
                    f"""for (u32 g = 0; g < {count}; ++g) {{
      u8 lds[64] __attribute__((aligned(16)));
      for (int i = 0; i < 64; ++i) lds[i] = i * 3;
      want[g] = {name}(g, in.data(), mem.data() + g * 256, lds);
    }}""")

    def together(self, index):
        n, groups = self.rng.choice([64, 128, 256]), self.rng.randrange(1, 4)
        device, host = [], []
        for step in range(self.rng.randrange(3, 6)):
            phase = f"thread_phase{index}_{step}"
            self.writer.function(phase, "u64", ["state *"], self.rng.randrange(1, 5))
            device.append(f"  digest = mix(digest, {phase}(g, in, mine, part, &s));")
            host.append(f"      for (u32 t = 0; t < {n}; ++t) {{ const u32 g = w * {n} + t; want[g] = mix(want[g], {phase}(g, in.data(), "
                        f"mem.data() + g * 256, &lds[t * 64], &b[t])); }}")
            for _ in range(self.rng.randrange(1, 4)):
                here, there = self.exchange(n)
                device.append(f"  {{ {here} }} synchronize();")
                host.append(f"      {{ const std::vector<state> old(b); {there} }}")
        arguments = "const u64 *in, u8 *mem, u64 *out, u32 *words, u64 *longs, f32 *f32s, f64 *f64s"
        fields = ", ".join(f"cv<{t}>(in[(g * 3 + {i}) & 1023])" for i, (_, t) in enumerate(STATE))
        fold = " ".join(f"digest = mix(digest, bits<{t}>(s.{f}));" for f, t in STATE)
        newline = "\n"
        self.writer.lines.append(f"""__global__ __attribute__((amdgpu_flat_work_group_size({n}, {n})))
void kernel_together{index}({arguments}) {{
  __shared__ __attribute__((aligned(16))) u8 lds[{n} * 64];
  const u32 t = __builtin_amdgcn_workitem_id_x(), g = __builtin_amdgcn_workgroup_id_x() * {n} + t;
  u8 *mine = mem + g * 256, *part = lds + t * 64;
  for (int i = 0; i < 64; ++i) part[i] = i * 5;
  u64 digest = 0;
  state s{{{fields}}};
{newline.join(device)}
  {fold}
  out[g] = digest;
}}""")
        self.launch(f"together{index}", n * groups,
                    f"kernel_together{index}<<<{groups}, {n}>>>(in_device, mem_device, out_device, words_device, longs_device, "
                    "f32s_device, f64s_device);",
                    f"""for (u32 w = 0; w < {groups}; ++w) {{
      std::vector<state> b;
      std::vector<u8> lds({n} * 64);
      for (u32 i = 0; i < {n} * 64; ++i) lds[i] = i % 64 * 5;
      for (u32 t = 0; t < {n}; ++t) {{ const u32 g = w * {n} + t; b.push_back(state{{{fields}}}); }}
{newline.join(host)}
      for (u32 t = 0; t < {n}; ++t) {{ state &s = b[t]; u64 &digest = want[w * {n} + t]; {fold} }}
    }}""")

    def launch(self, name, count, launch, expect):
        self.main.append(f"""  {{
    std::vector<u64> want({count});
    std::vector<u8> mem({count} * 256);
    for (size_t i = 0; i < mem.size(); ++i) mem[i] = static_cast<u8>(in[i & 1023] >> (i >> 10 & 7));
    u64 *out_device = to_device(want);
    u8 *mem_device = to_device(mem);
    {launch}
    hip(hipDeviceSynchronize());
    {expect}
    compare("{name}: thread", to_host(out_device, {count}), want);
    compare("{name}: memory", to_host(mem_device, mem.size()), mem);
  }}""")

    def write(self):
        w = self.writer
        w.structs["state"] = STATE
        w.lines.append(f"struct state {{ {' '.join(f'{t} {f};' for f, t in STATE)} }};")
        for index in range(2):
            self.independent(index)
        for index in range(2):
            self.together(index)
        newline = "\n"
        cells = (len(ATOMICS) + 1) * CELLS
        w.lines.append(f"""int main(int argc, char **argv) {{
  hip(hipSetDevice(argc > 1 ? std::atoi(argv[1]) : 0));
  std::vector<u64> in(1024), expected_longs({cells}, 1);
  std::vector<u32> expected_words({cells}, 1);
  std::vector<f32> expected_f32s({CELLS});
  std::vector<f64> expected_f64s({CELLS});
  u64 random = {self.rng.getrandbits(63)}u;
  for (u64 &word : in) {{  // every magnitude
    for (int i = 0; i < 3; ++i) random = mix(random, i + 1), word = i == 0 ? random : i == 1 ? word >> (random & 63) : word << (random & 7);
    if (random >> 40 & 1) word = ~word;
  }}
  u64 *in_device = to_device(in), *longs_device = to_device(expected_longs), *longs = expected_longs.data();
  u32 *words_device = to_device(expected_words), *words = expected_words.data();
  f32 *f32s_device = to_device(expected_f32s), *f32s = expected_f32s.data();
  f64 *f64s_device = to_device(expected_f64s), *f64s = expected_f64s.data();
{newline.join(self.main)}
  compare("atomics of 32 bits", to_host(words_device, expected_words.size()), expected_words);
  compare("atomics of 64 bits", to_host(longs_device, expected_longs.size()), expected_longs);
  compare("sums in f32", to_host(f32s_device, expected_f32s.size()), expected_f32s);
  compare("sums in f64", to_host(f64s_device, expected_f64s.size()), expected_f64s);
  std::printf("%d values are wrong\\n", failures);
  return failures != 0;
}}""")
