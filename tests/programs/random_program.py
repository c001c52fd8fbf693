# SPDX-License-Identifier: MIT
"""Writes a random HIP program, the same for the same seed, that checks itself:

    python3 tests/programs/random_program.py SEED random.hip

CMakeLists.txt shows how it is compiled (its host half always without optimisation: clang 22 fails on f16 for x86 otherwise).

Its functions are compiled for host and device. Each thread of a kernel evaluates them from its index, random input and memory
of its own, and what it returns and has written must have the host's bits. In the kernels of waves and work-groups, such
functions are phases on a state per thread, and between them threads exchange values (shuffles, votes, LDS, atomics); the
host does so for one work-group after the other. No program has undefined behaviour or depends on the order of threads.
random_program.h, which is copied to the head of the program, holds the operations.

A seed may meet a mistake of the compiler: LLVM 22 takes the carry of a 64-bit sum whose first term is a product for that of
another sum. So read the machine code before the simulator's.
"""
import os
import random
import sys

from random_program_kernels import Kernels, tables

UNSIGNED = ["u8", "u16", "u32", "u64"]
SIGNED = ["i8", "i16", "i32", "i64"]
INTEGERS = UNSIGNED + SIGNED
FLOATS = ["f16", "f32", "f64"]
SCALARS = INTEGERS + FLOATS
COMMON = SCALARS + ["u32", "u32", "i32", "u64", "f32"]
VECTORS = [(t, n) for t in ("u8", "u16", "u32", "i8", "i16", "i32", "f16", "f32") for n in (2, 4)] + [
    ("u64", 2), ("f64", 2), ("u32", 3), ("f32", 3), ("u8", 8), ("f16", 8)]
THREAD = "u32 g, const u64 *in, u8 *mem, u8 *lds"  # what every function gets of its thread
PASSED = "g, in, mem, lds"
MEMORY, LDS, INPUTS, STEPS = 256, 64, 1024, 30000  # bytes per thread, words, and a function's steps at most


def size(t):
    return int(t[1:]) // 8


class Writer:
    """Is one program."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.functions = []  # (name, type, parameter types, steps)
        self.structs = {}  # name -> [(field, type)]
        self.names = 0
        self.lines = []

    def one_in(self, n):
        return self.rng.randrange(n) == 0

    def name(self, prefix):
        self.names += 1
        return f"{prefix}_{self.names}"

    def literal(self, t):
        r = self.rng
        if t in FLOATS:
            if self.one_in(3):  # not -0: LLVM 22 at -O0 takes it for 0 in a vector
                return f"({t}){r.choice([0.0, 1.0, 0.5, -2.0, 3.0, 1e-3, 1000.0, 65504.0, 6e-8])}"
            return f"({t}){round(r.uniform(-100, 100), r.randrange(5))}"
        bits = size(t) * 8
        value = r.choice([r.randrange(17), r.getrandbits(bits), (1 << r.randrange(bits)) - 1, 1 << r.randrange(bits), -1,
                          -r.randrange(17), 1 << (bits - 1), (1 << (bits - 1)) - 1]) & ((1 << 64) - 1)
        return f"(({t})0x{value:x}u)" if value < 1 << 32 else f"(({t})0x{value:x}ull)"

    # These methods return expressions of a given type. `scope` maps types to the lvalues and values at hand.

    def leaf(self, t, scope):
        r = self.rng
        if scope.get(t) and not self.one_in(4):
            return r.choice(scope[t])
        kind = r.randrange(8)
        if kind < 2:
            return self.literal(t)
        if kind == 2:
            return f"from_bits<{t}>(in[{r.choice(scope['u32'])} & {INPUTS - 1}])"
        if kind == 3:
            return self.loaded(t, scope)
        other = r.choice([o for o in SCALARS if scope.get(o)])
        return f"cv<{t}>({r.choice(scope[other])})"

    def place(self, t, scope, way):
        """Returns a base and an index within the thread's memory or its part of LDS."""
        base, room = self.rng.choice([("mem", MEMORY), ("mem", MEMORY), ("lds", LDS)])
        slots = room // size(t) if way < 3 else room // 2
        index = self.rng.randrange(slots) if self.one_in(2) else f"({self.leaf('u32', scope)} & {slots - 1})"
        return f"{base}, {index}"

    def loaded(self, t, scope):
        way = self.rng.randrange(5)
        raw = "u" + t[1:]
        return f"from_bits<{t}>(load<{raw}>({self.place(t, scope, way)}, {way}))"

    def expression(self, t, depth, scope):
        r = self.rng
        if depth <= 0 or self.one_in(8):
            return self.leaf(t, scope)

        def sub(other=t):
            return self.expression(other, depth - 1, scope)

        kind = r.randrange(12)
        if kind == 0:
            return f"({self.condition(depth - 1, scope)} ? {sub()} : {sub()})"
        if kind == 1:
            return f"cv<{t}>({sub(r.choice(SCALARS))})"
        if kind == 2 and self.functions:
            call = self.call(depth - 1, scope)
            if call:
                return f"cv<{t}>({call})"
        if kind == 3:
            return self.vector(t, depth - 1, scope)
        if t in FLOATS:
            op = r.choice(["add", "sub", "mul", "add", "sub", "mul", "quotient", "fused", "fused", "root", "magnitude", "lesser",
                           "greater", "between", "integral", "signed_as", "scaled", "neg"])
            if op == "neg":
                return f"(-{sub()})"
            if op == "root":
                return f"root<{t}>(magnitude<{t}>({sub()}))"
            if op == "scaled" or op == "integral":
                return f"{op}<{t}>({sub()}, {r.randrange(-20, 20) if op == 'scaled' else r.randrange(4)})"
            if op == "signed_as" and t == "f32" and self.one_in(2):
                return f"as_bfloat({sub()})"
            arguments = {"fused": 3, "between": 3, "magnitude": 1}.get(op, 2)
            return f"{op}<{t}>({', '.join(sub() for _ in range(arguments))})"
        if kind == 4:
            return f"(({t})({sub()} {r.choice('&|^')} {sub()}))"
        if kind == 5:
            return f"(({t})~{sub()})"
        if kind == 6:
            op = r.choice(["shl", "shr", "rotated"])
            by = r.randrange(64) if self.one_in(2) else sub("u32")
            return f"{op}<{t}>({sub()}, {by})"
        if kind == 7:
            wide = r.choice(INTEGERS)
            return f"(({t}){r.choice(['ones', 'leading', 'trailing'])}<{wide}>({sub(wide)}))"
        if kind == 8:
            op = r.choice(["field", "field", "insert", "between", "permuted", "reversed", "bytes_reversed", "byte_differences"])
            if op == "field":
                places = [str(r.randrange(64)) if self.one_in(2) else sub("u32") for _ in range(2)]
                return f"field<{t}>({sub()}, {places[0]}, {places[1]})"
            if op == "permuted":
                selector = hex(r.getrandbits(16)) if self.one_in(2) else sub("u32")
                return f"permuted<{t}>({sub()}, {sub()}, {selector})"
            if op == "reversed":
                return f"(({t})__builtin_bitreverse{size(t) * 8}({sub()}))"
            arguments = {"insert": 3, "between": 3, "bytes_reversed": 1}.get(op, 2)
            return f"{op}<{t}>({', '.join(sub() for _ in range(arguments))})"
        if kind == 9:
            op = r.choice(["quotient", "rest", "high_product", "wide_product", "add_checked", "sub_checked", "mul_checked",
                           "magnitude", "lesser", "greater", "wide_quotient", "saturated"])
            if op == "saturated":
                return f"__builtin_elementwise_{r.choice(['add', 'sub'])}_sat(({t}){sub()}, ({t}){sub()})"
            if op == "wide_product":
                return f"{op}<{t}>({sub()}, {sub()}, {r.randrange(128)})"
            if op == "wide_quotient" and not self.one_in(4):  # long code
                op = "high_product"
            arguments = {"magnitude": 1, "wide_quotient": 3}.get(op, 2)
            if op == "quotient" and self.one_in(2):
                return f"{op}<{t}>({sub()}, {self.literal(t)})"
            return f"{op}<{t}>({', '.join(sub() for _ in range(arguments))})"
        return f"{r.choice(['add', 'sub', 'mul'])}<{t}>({sub()}, {sub()})"

    def condition(self, depth, scope):
        r = self.rng
        t = r.choice(COMMON)
        compared = (f"{self.expression(t, depth - 1, scope)} {r.choice(['<', '<=', '>', '>=', '==', '!='])} "
                    f"{self.expression(t, depth - 1, scope)}")
        kind = r.randrange(6)
        if kind == 0 and depth > 0:
            return f"({compared} {r.choice(['&&', '||', '^'])} {self.condition(depth - 1, scope)})"
        if kind == 1:
            return f"(({self.leaf('u32', scope)} & {1 << r.randrange(12)}) {r.choice(['==', '!='])} 0)"
        return f"({compared})"

    def vector(self, t, depth, scope):
        """Returns an element, or a reduction, of vector arithmetic. Signed elements are not added: they would overflow."""
        r = self.rng
        element, n = r.choice([v for v in VECTORS if v[0] == t] or VECTORS)
        whole = f"vec<{element}, {n}>"
        values = []
        for _ in range(3):
            parts = [self.expression(element, depth - 1 if self.one_in(3) else 0, scope) for _ in range(n)]
            values.append(f"{whole}{{{', '.join(parts)}}}")
        a, b, c = values
        if element in FLOATS:
            forms = [f"{a} {r.choice('+-*')} {b}", f"-{a}", f"{a} < {b} ? {a} : {c}", f"__builtin_elementwise_abs({a})"]
            if element != "f16":
                forms.append(f"__builtin_elementwise_fma({a}, {b}, {c})")
        else:
            forms = [f"{a} {r.choice('&|^')} {b}", f"~{a}", f"__builtin_elementwise_{r.choice(['min', 'max'])}({a}, {b})",
                     f"__builtin_elementwise_{r.choice(['add', 'sub'])}_sat({a}, {b})", f"{a} > {b} ? {c} : {b}",
                     f"__builtin_elementwise_popcount({a})", f"{a} >> ({b} & ({element}){size(element) * 8 - 1})"]
            if element in UNSIGNED:
                forms += [f"{a} + {b}", f"{a} - {b}", f"{a} * {b}", f"{a} * {b} + {c}",
                          f"{a} << ({b} & ({element}){size(element) * 8 - 1})"]
        form = f"({whole}({r.choice(forms)}))"
        if self.one_in(3):
            order = ", ".join(str(r.randrange(2 * n)) for _ in range(n))
            form = f"__builtin_shufflevector({form}, {b}, {order})"
        if element == t and n & (n - 1) == 0:
            at = self.leaf("u32", scope) + f" & {n - 1}" if self.one_in(2) else r.randrange(n)
            return f"({form}[{at}])"
        return f"cv<{t}>(bits<{element}, {n}>({form}))"

    def call(self, depth, scope):
        name, _, parameters, steps = self.rng.choice(self.functions)
        if self.steps + steps * self.trips > STEPS:
            return None
        self.steps += steps * self.trips
        arguments = []
        for parameter in parameters:
            if parameter in self.structs:
                made = [self.expression(t, depth - 1 if self.one_in(3) else 0, scope) for _, t in self.structs[parameter]]
                arguments.append(f"{parameter}{{{', '.join(made)}}}")
            elif parameter.endswith("*"):
                if not scope.get(parameter):
                    return None
                arguments.append(self.rng.choice(scope[parameter]))
            else:
                arguments.append(self.expression(parameter, depth - 1, scope))
        return f"{name}({', '.join([PASSED] + arguments)})"

    # These methods write statements.

    def emit(self, text):
        self.lines.append("  " * self.indent + text)

    def block(self, depth, scope, count, loop=False):
        """Statements in braces; what they declare is theirs."""
        inner = {t: list(names) for t, names in scope.items()}
        self.indent += 1
        for _ in range(count):
            self.statement(depth, inner, loop)
        self.indent -= 1

    def declare(self, scope):
        r = self.rng
        kind = r.randrange(10)
        if kind == 0:
            t, n = r.choice(SCALARS), r.choice([4, 8, 16])
            array = self.name("a")
            self.emit(f"{t} {array}[{n}];")
            self.emit(f"for (u32 i = 0; i < {n}; ++i) {array}[i] = cv<{t}>(in[(i * {r.randrange(1, 9)} + g) & {INPUTS - 1}]);")
            for _ in range(2):
                scope[t].append(f"{array}[{self.leaf('u32', scope)} & {n - 1}]")
        elif kind == 1 and self.structs:
            struct, value = r.choice(list(self.structs)), self.name("s")
            self.emit(f"{struct} {value} = {{{', '.join(self.leaf(t, scope) for _, t in self.structs[struct])}}};")
            for field, t in self.structs[struct]:
                scope[t].append(f"{value}.{field}")
            scope.setdefault(struct + " *", []).append(f"&{value}")
        elif kind == 2:
            t, n = r.choice(VECTORS)
            value = self.name("v")
            self.emit(f"vec<{t}, {n}> {value} = {{{', '.join(self.leaf(t, scope) for _ in range(n))}}};")
            at = f"{self.leaf('u32', scope)} & {n - 1}" if n != 3 else r.randrange(n)
            scope[t] += [f"{value}[{at}]", f"{value}[{r.randrange(n)}]"]
        else:
            t, value = r.choice(COMMON), self.name("x")
            self.emit(f"{'volatile ' if self.one_in(12) else ''}{t} {value} = {self.expression(t, 3, scope)};")
            scope[t].append(value)

    def statement(self, depth, scope, loop):
        r = self.rng
        self.steps += self.trips
        kind = r.randrange(24 if depth > 0 else 14)
        if kind < 3:
            self.declare(scope)
        elif kind < 9:
            t = r.choice([t for t in COMMON if any(self.assignable(v) for v in scope[t])])
            target = r.choice([v for v in scope[t] if self.assignable(v)])
            self.emit(f"{target} = {self.expression(t, 3, scope)};")
        elif kind == 9:
            t = r.choice(SCALARS)
            self.emit(f"digest = mix(digest, bits<{t}>({self.expression(t, 3, scope)}));")
        elif kind == 10:
            way, t = r.randrange(5), r.choice(SCALARS)
            self.emit(f"store<u{t[1:]}>({self.place(t, scope, way)}, bits<{t}>({self.expression(t, 2, scope)}), {way});")
        elif kind == 11:
            to, frm, count = (self.leaf("u32", scope) if self.one_in(2) else r.randrange(64) for _ in range(3))
            self.emit(r.choice([
                f"__builtin_memcpy(mem + ({to} & 63), mem + 128 + ({frm} & 63), {r.randrange(1, 65)});",
                f"__builtin_memcpy(mem + ({to} & 63), lds, {count} & 63);",
                f"__builtin_memcpy(lds + ({to} & 31), mem + ({frm} & 63), {r.randrange(1, 32)});",
                f"__builtin_memmove(mem + ({to} & 127), mem + ({frm} & 127), {count} & 127);",
                f"__builtin_memset(mem + ({to} & 127), {self.leaf('u8', scope)}, {count} & 127);",
                f"__builtin_memset(lds + ({to} & 31), {r.randrange(256)}, {r.randrange(1, 33)});"]))
        elif kind == 12:
            choices = [f"functions_of<{r.randrange(4)}>({self.leaf('u32', scope)}, {self.leaf('u32', scope)})",
                       f"chosen({', '.join(self.leaf(t, scope) for t in ('u32', 'u64', 'u32'))})",
                       f"recursive({self.leaf('u32', scope)} & 7, {self.leaf('u32', scope)}, {self.leaf('u64', scope)})",
                       f"constant_table({self.leaf('u32', scope)})", f"static_table({self.leaf('u32', scope)})"]
            self.steps += 20 * self.trips
            self.emit(f"digest = mix(digest, {r.choice(choices)});")
        elif kind == 13:
            if loop and self.one_in(2):
                self.emit(f"if ({self.condition(2, scope)}) {r.choice(['break', 'continue'])};")
            elif self.one_in(3):
                self.emit(f"if ({self.condition(2, scope)}) return {self.result(scope)};")
            else:
                self.declare(scope)
        elif kind < 18:
            self.emit(f"if ({self.condition(3, scope)}) {{")
            self.block(depth - 1, scope, r.randrange(1, 4), loop)
            if self.one_in(2):
                self.emit("} else {")
                self.block(depth - 1, scope, r.randrange(1, 4), loop)
            self.emit("}")
        elif kind < 20:
            # No case falls through: LLVM 22 loses assignments in what it makes of that for a wave.
            self.emit(f"switch ({self.expression('u32', 2, scope)} % {r.randrange(3, 9)}) {{")
            for label in sorted(r.sample(range(9), r.randrange(2, 6))) + ["default"]:
                self.emit(f"{label}: {{" if label == "default" else f"case {label}: {{")
                self.block(depth - 1, scope, r.randrange(1, 3), False)
                self.emit("} break;")
            self.emit("}")
        else:
            trips = r.randrange(2, 9)
            if self.trips * trips > 300:
                return
            i, bound = self.name("i"), self.expression("u32", 1, scope)
            inner = {t: list(names) for t, names in scope.items()}
            head, tail = r.choice([
                (f"for (u32 {i} = 0; {i} < ({bound}) % {trips}; ++{i}) {{", "}"),
                (f"for (u32 {i} = 0, n{i} = ({bound}) % {trips}; {i} < n{i}; ++{i}) {{", "}"),
                (f"for (u32 {i} = {trips}; {i}--;) {{", "}"),
                (f"for (u32 {i} = {trips}; {self.condition(2, scope)} && {i}--;) {{", "}"),
                (f"u32 {i} = {trips}; do {{", f"}} while (--{i} != 0 && {self.condition(2, scope)});")])
            inner["u32"].append(f"(u32({i}))")
            self.emit(head)
            self.trips *= trips
            self.block(depth - 1, inner, r.randrange(1, 5), True)
            self.trips //= trips
            self.emit(tail)

    @staticmethod
    def assignable(value):
        return not value.startswith("(") and value != "g"

    def result(self, scope):
        return f"cv<{self.type}>(mix(digest, {self.leaf('u64', scope)}))"

    def body(self, scope, count, depth=3, steps=0):
        self.steps, self.trips, self.indent = steps, 1, 0
        self.block(depth, scope, count)
        return self.steps

    def function(self, name, t, parameters, count):
        scope = {scalar: [] for scalar in SCALARS}
        scope["u32"].append("g")
        declared = []
        for i, parameter in enumerate(parameters):
            declared.append(f"{parameter} p{i}")
            if parameter in self.structs:
                for field, scalar in self.structs[parameter]:
                    scope[scalar].append(f"p{i}.{field}")
            elif parameter.endswith("*"):
                for field, scalar in self.structs[parameter[:-2]]:
                    scope[scalar].append(f"p{i}->{field}")
                scope.setdefault(parameter, []).append(f"p{i}")
            else:
                scope[parameter].append(f"p{i}")
        inline = self.rng.choice(["NOINLINE ", "", "inline "])
        self.type = t
        self.lines.append(f"HD {inline}static {t} {name}({', '.join([THREAD] + declared)}) {{")
        self.lines.append(f"  u64 digest = g; u32 x0 = g * {self.rng.getrandbits(32)}u;")
        scope["u32"].append("x0")
        steps = self.body(scope, count)
        self.lines.append(f"  return {self.result(scope)};\n}}")
        if not name.startswith("thread"):
            self.functions.append((name, t, parameters, steps + 5))

    # This makes the program.

    def struct(self):
        name = self.name("S")
        fields = [(f"f{i}", self.rng.choice(COMMON)) for i in range(self.rng.randrange(1, 7))]
        packed = "__attribute__((packed)) " if self.one_in(3) else ""
        self.lines.append(f"struct {packed}{name} {{ {' '.join(f'{t} {f};' for f, t in fields)} }};")
        self.structs[name] = fields

    def write(self, seed):
        r = self.rng
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "random_program.h"), encoding="utf-8") as head:
            self.lines.append(f"// random_program.py {seed}\n" + head.read())
        for _ in range(3):
            self.struct()
        self.lines.append(tables(r))
        for _ in range(r.randrange(3, 7)):
            choices = SCALARS + 2 * list(self.structs) + 2 * [s + " *" for s in self.structs]
            parameters = [r.choice(choices) for _ in range(r.choice([1, 2, 3, 3, 4, 12]))]
            self.function(self.name("f"), r.choice(COMMON), parameters, r.randrange(2, 8))
        Kernels(self).write()
        return "\n".join(self.lines) + "\n"


if __name__ == "__main__":
    with open(sys.argv[2], "w", encoding="utf-8") as program:
        program.write(Writer(int(sys.argv[1])).write(int(sys.argv[1])))
