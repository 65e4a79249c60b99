import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteWriter } from "../../../packages/compiler/src/emit/wasm/encode/bytes.ts";
import { disassemble } from "../../../packages/compiler/src/emit/wasm/encode/disassemble.ts";
import type { FunctionBuilder } from "../../../packages/compiler/src/emit/wasm/encode/function.ts";
import { ModuleBuilder } from "../../../packages/compiler/src/emit/wasm/encode/module.ts";
import {
  factsOf,
  type Operation,
  operandTypes,
  operationNames,
  resultType,
  type ValueType,
} from "../../../packages/compiler/src/emit/wasm/encode/operations.ts";
import { StraightCode } from "../../../packages/compiler/src/emit/wasm/lanes/code.ts";
import {
  emitConstants,
  emitStraight,
  Placement,
} from "../../../packages/compiler/src/emit/wasm/lanes/emit-straight.ts";
import type {
  Callee,
  Helper,
  LaneType,
  Register,
  Straight,
} from "../../../packages/compiler/src/emit/wasm/lanes/straight.ts";
import { interleaved } from "../../../packages/compiler/src/emit/wasm/values/interleave.ts";
import { instantiate, type Memory, newMemory, validate } from "./instantiate.ts";
import { runLanes } from "./lane-harness.ts";

const allOperations = operationNames();

/** `toEqual` for many short lists: Vitest is asked only where an element differs. */
function expectEach<T extends number | bigint>(actual: readonly T[], expected: readonly T[]): void {
  if (actual.length === expected.length && actual.every((x, k) => Object.is(x, expected[k]))) return;
  expect(actual).toEqual(expected);
}

describe("integers in LEB128", () => {
  const written = (write: (out: ByteWriter) => void): number[] => {
    const out = new ByteWriter();
    write(out);
    return [...out.toBytes()];
  };

  test.each<[number, number[]]>([
    [0, [0x00]],
    [127, [0x7f]],
    [128, [0x80, 0x01]],
    [624485, [0xe5, 0x8e, 0x26]],
    [2 ** 31, [0x80, 0x80, 0x80, 0x80, 0x08]],
    [2 ** 32 - 1, [0xff, 0xff, 0xff, 0xff, 0x0f]],
  ])("unsigned %d", (value, bytes) => {
    expect(written((out) => out.unsigned(value))).toEqual(bytes);
  });

  test.each<[number, number[]]>([
    [0, [0x00]],
    [-1, [0x7f]],
    [63, [0x3f]],
    [64, [0xc0, 0x00]],
    [-64, [0x40]],
    [-65, [0xbf, 0x7f]],
    [-123456, [0xc0, 0xbb, 0x78]],
    [2 ** 31 - 1, [0xff, 0xff, 0xff, 0xff, 0x07]],
    [-(2 ** 31), [0x80, 0x80, 0x80, 0x80, 0x78]],
  ])("signed %d", (value, bytes) => {
    expect(written((out) => out.signed(value))).toEqual(bytes);
    expect(written((out) => out.signed64(BigInt(value)))).toEqual(bytes);
  });

  test.each<[bigint, number[]]>([
    [2n ** 63n - 1n, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00]],
    [-(2n ** 63n), [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f]],
  ])("signed %d", (value, bytes) => {
    expect(written((out) => out.signed64(value))).toEqual(bytes);
  });

  /** What the specification says a run of groups of seven bits means. */
  function decode(bytes: readonly number[], signed: boolean): bigint {
    const groups = bytes.reduceRight((high, byte) => (high << 7n) | BigInt(byte & 0x7f), 0n);
    return signed ? BigInt.asIntN(7 * bytes.length, groups) : groups;
  }

  test("every integer comes back, in as few bytes as can be", () => {
    const shorter = (bytes: number[]): number[] => [...bytes.slice(0, -2), bytes.at(-2)! & 0x7f];
    void fc.assert(
      fc.property(
        fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(-300n, 300n)),
        fc.nat(2 ** 32 - 1),
        (wide, natural) => {
          const signed = written((out) => out.signed64(wide));
          expect(decode(signed, true)).toBe(wide);
          if (signed.length > 1) expect(decode(shorter(signed), true)).not.toBe(wide);
          const narrow = Number(BigInt.asIntN(32, wide));
          expect(
            decode(
              written((out) => out.signed(narrow)),
              true,
            ),
          ).toBe(BigInt(narrow));
          const unsigned = written((out) => out.unsigned(natural));
          expect(decode(unsigned, false)).toBe(BigInt(natural));
          if (unsigned.length > 1) expect(decode(shorter(unsigned), false)).not.toBe(BigInt(natural));
        },
      ),
    );
  });

  test("names are UTF-8 behind their length in bytes", () => {
    const text = "aé–𝄞%";
    const utf8 = new TextEncoder().encode(text);
    expect(written((out) => out.name(text))).toEqual([utf8.length, ...utf8]);
  });

  test("floats are little-endian", () => {
    const bytes = written((out) => {
      out.float32(-1.5);
      out.float64(Math.PI);
    });
    const view = new DataView(new Uint8Array(bytes).buffer);
    expect([view.getFloat32(0, true), view.getFloat64(4, true)]).toEqual([-1.5, Math.PI]);
  });
});

/** A module whose one function, exported as `run`, `build` writes. */
function moduleOf(
  parameters: readonly ValueType[],
  results: readonly ValueType[],
  build: (run: FunctionBuilder) => void,
): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder({ module: "env", name: "memory", shared: false, initial: 1 });
  const run = module.function("run", parameters, results);
  module.exportFunction("run", run.index);
  build(run);
  return module.toBytes();
}

describe("operations", () => {
  const probe = (op: Operation): Uint8Array<ArrayBuffer> => {
    const operands = operandTypes(op);
    const result = resultType(op);
    const { access, lanes, bytes } = factsOf(op);
    const immediate = [
      ...(access === undefined ? [] : [access]),
      ...(lanes === undefined ? [] : [lanes - 1]),
      ...(bytes === undefined ? [] : new Array<number>(bytes).fill(31)),
    ];
    return moduleOf(operands, result === null ? [] : [result], (run) => {
      for (const i of operands.keys()) run.get(i);
      run.op(op, immediate.length === 0 ? null : immediate);
    });
  };
  const relaxed = allOperations.filter((op) => op.includes("relaxed_"));
  const host = validate(probe("f32x4.relaxed_madd"));

  test.each(allOperations.filter((op) => host || !relaxed.includes(op)))("%s is as its row says", (op) => {
    expect(validate(probe(op))).toBe(true);
  });

  test("no two have one code", () => {
    expect(new Set(allOperations.map((op) => factsOf(op).code)).size).toBe(allOperations.length);
  });

  /** `op` as a function of operands, given and returned as bytes. */
  function evaluator(op: Operation): (...operands: Uint8Array[]) => Uint8Array<ArrayBuffer> {
    const bytes = moduleOf([], [], (run) => {
      run.i32(0);
      operandTypes(op).forEach((type, i) => {
        run.i32(16 * (i + 1)).op(`${type}.load`);
      });
      run.op(op).op(`${resultType(op)!}.store`);
    });
    const memory = newMemory(1);
    const { run } = instantiate(bytes, { memory });
    const view = new Uint8Array(memory.buffer);
    return (...operands) => {
      operands.forEach((operand, i) => {
        view.set(operand, 16 * (i + 1));
      });
      run!();
      return view.slice(0, 16);
    };
  }

  const laneBytes = { i8x16: 1, i16x8: 2, i32x4: 4, i64x2: 8, i32: 4, i64: 8 };
  type IntegerLanes = keyof typeof laneBytes;

  function integers(bytes: Uint8Array, size: number): bigint[] {
    return Array.from({ length: 16 / size }, (_, lane) =>
      bytes
        .subarray(lane * size, (lane + 1) * size)
        .reduceRight((high, byte) => (high << 8n) | BigInt(byte), 0n),
    );
  }

  /** Of unsigned operands, signed ones, and bits per lane; the result is taken modulo 2^bits. */
  const integerOperations: Readonly<
    Record<string, (a: bigint, b: bigint, signedA: bigint, signedB: bigint, bits: bigint) => bigint | boolean>
  > = {
    add: (a, b) => a + b,
    sub: (a, b) => a - b,
    mul: (a, b) => a * b,
    neg: (a) => -a,
    abs: (_a, _b, a) => (a < 0n ? -a : a),
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
    eq: (a, b) => a === b,
    ne: (a, b) => a !== b,
    lt_s: (_a, _b, a, b) => a < b,
    lt_u: (a, b) => a < b,
    gt_s: (_a, _b, a, b) => a > b,
    gt_u: (a, b) => a > b,
    le_s: (_a, _b, a, b) => a <= b,
    le_u: (a, b) => a <= b,
    ge_s: (_a, _b, a, b) => a >= b,
    ge_u: (a, b) => a >= b,
    min_s: (_a, _b, a, b) => (a < b ? a : b),
    min_u: (a, b) => (a < b ? a : b),
    max_s: (_a, _b, a, b) => (a > b ? a : b),
    max_u: (a, b) => (a > b ? a : b),
    avgr_u: (a, b) => (a + b + 1n) / 2n,
    div_s: (_a, _b, a, b) => a / b,
    div_u: (a, b) => a / b,
    rem_s: (_a, _b, a, b) => a % b,
    rem_u: (a, b) => a % b,
    rotl: (a, b, _a, _b, bits) => (a << (b % bits)) | (a >> (bits - (b % bits))),
  };
  const families = allOperations.flatMap((op) => {
    const [lanes, name] = op.split(".") as [IntegerLanes, string];
    const meaning = integerOperations[name];
    return meaning === undefined || !(lanes in laneBytes) ? [] : [{ op, lanes, meaning }];
  });

  test.each(families)("$op computes what its name says", ({ op, lanes, meaning }) => {
    const evaluate = evaluator(op);
    const size = laneBytes[lanes];
    const bits = 8 * size;
    const scalar = lanes === "i32" || lanes === "i64";
    const register = fc.uint8Array({ minLength: 16, maxLength: 16 });
    void fc.assert(
      fc.property(register, register, (a, b) => {
        const [xs, ys] = [integers(a, size), integers(b, size)].map((all) =>
          scalar ? all.slice(0, 1) : all,
        );
        fc.pre(
          xs!.every((x, lane) => ys![lane] !== 0n && BigInt.asIntN(bits, x) !== -(1n << BigInt(bits - 1))),
        );
        const expected = xs!.map((x, lane) => {
          const y = ys![lane]!;
          const value = meaning(x, y, BigInt.asIntN(bits, x), BigInt.asIntN(bits, y), BigInt(bits));
          const truth = scalar ? 1n : -1n;
          return BigInt.asUintN(bits, typeof value === "boolean" ? (value ? truth : 0n) : value);
        });
        expectEach(integers(evaluate(a, b), size).slice(0, xs!.length), expected);
      }),
      { numRuns: 20 },
    );
  });

  const floatOperations: Readonly<Record<string, (a: number, b: number) => number>> = {
    add: (a, b) => a + b,
    sub: (a, b) => a - b,
    mul: (a, b) => a * b,
    div: (a, b) => a / b,
    min: Math.min,
    max: Math.max,
    pmin: (a, b) => (b < a ? b : a),
    pmax: (a, b) => (a < b ? b : a),
    neg: (a) => -a,
    abs: Math.abs,
    ceil: Math.ceil,
    floor: Math.floor,
    trunc: Math.trunc,
    sqrt: Math.sqrt,
  };
  const floatFamilies = allOperations.flatMap((op) => {
    const [lanes, name] = op.split(".") as [string, string];
    const meaning = floatOperations[name];
    if (meaning === undefined || !lanes.startsWith("f")) return [];
    return [{ op, meaning, array: lanes.startsWith("f32") ? Float32Array : Float64Array, lanes }];
  });

  test.each(floatFamilies)("$op computes what its name says", ({ op, meaning, array, lanes }) => {
    const evaluate = evaluator(op);
    const special = [0, -0, 1.5, -2.5, Infinity, -Infinity, NaN, 2 ** 100];
    for (const x of special) {
      for (const y of special) {
        const bytes = (value: number): Uint8Array =>
          new Uint8Array(new array(16 / array.BYTES_PER_ELEMENT).fill(value).buffer);
        const result = new array(evaluate(bytes(x), bytes(y)).buffer);
        const expected = new array([meaning(x, y)])[0]!;
        const count = lanes.includes("x") ? result.length : 1;
        expectEach([...result.slice(0, count)], new Array<number>(count).fill(expected));
      }
    }
  });
});

describe("functions", () => {
  const run = (bytes: Uint8Array<ArrayBuffer>, ...args: (number | bigint)[]): number =>
    instantiate(bytes, { memory: newMemory(1) }).run!(...args);

  test("constants reach the host unchanged", () => {
    void fc.assert(
      fc.property(
        fc.integer(),
        fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
        fc.double(),
        (narrow, wide, double) => {
          const constant = (type: ValueType, write: (f: FunctionBuilder) => void): unknown =>
            run(moduleOf([], [type], write));
          expect(constant("i32", (f) => f.i32(narrow))).toBe(narrow);
          expect(constant("i64", (f) => f.i64(wide))).toBe(wide);
          expect(constant("f64", (f) => f.f64(double))).toBe(double);
          expect(constant("f32", (f) => f.f32(double))).toBe(Math.fround(double));
          expect(constant("i64", (f) => f.v128(0n, wide).op("i64x2.extract_lane", 1))).toBe(wide);
        },
      ),
      { numRuns: 20 },
    );
  });

  test("a range runs as often as its for loop would", () => {
    const bytes = moduleOf(["i32", "i32"], ["i32"], (f) => {
      const count = f.local("i32");
      f.forRange(0, 1, 3, () => {
        f.get(count).i32(1).op("i32.add").set(count);
      });
      f.get(count);
    });
    const { run: count } = instantiate(bytes, { memory: newMemory(1) });
    for (const [begin, end] of [
      [0, 0],
      [0, 1],
      [0, 3],
      [0, 4],
      [5, 2],
      [-7, 3],
    ] as const) {
      expect(count!(begin, end)).toBe(Math.max(0, Math.ceil((end - begin) / 3)));
    }
  });

  test("jumps leave the constructs that their labels name", () => {
    // The number of halvings until x is odd, or −1 for 0.
    const bytes = moduleOf(["i32"], ["i32"], (f) => {
      const count = f.local("i32");
      f.get(0)
        .op("i32.eqz")
        .ifThen(() => f.i32(-1).return());
      f.block((done) => {
        f.loop((again) => {
          f.get(0).i32(1).op("i32.and").brIf(done);
          f.get(0).i32(1).op("i32.shr_u").set(0);
          f.get(count).i32(1).op("i32.add").set(count);
          f.br(again);
        });
      });
      f.get(count);
    });
    expect([0, 1, 2, 12, -(2 ** 31)].map((x) => run(bytes, x))).toEqual([-1, 0, 1, 2, 31]);
  });

  test("branches leave a value, select takes one", () => {
    const bytes = moduleOf(["i32"], ["f64"], (f) => {
      f.get(0).ifElse(
        "f64",
        () => f.f64(0.5),
        () => f.f64(-0),
      );
      f.f64(2).f64(4).get(0).select().op("f64.mul");
    });
    expect([0, 1].map((x) => run(bytes, x))).toEqual([-0, 1]);
  });

  test("locals of all types are kept apart, in whatever order they are made", () => {
    const types: readonly ValueType[] = ["f64", "i32", "v128", "i64", "f32", "i32", "v128", "f64"];
    const bytes = moduleOf(["i32"], ["f64"], (f) => {
      const locals = types.map((type) => f.local(type));
      types.forEach((type, i) => {
        if (type === "i64") f.i64(BigInt(1 << i));
        else if (type === "v128") f.f64(1 << i).op("f64x2.splat");
        else f[type](1 << i);
        f.set(locals[i]!);
      });
      f.f64(0);
      types.forEach((type, i) => {
        f.get(locals[i]!);
        if (type === "v128") f.op("f64x2.extract_lane", 1);
        else if (type === "f32") f.op("f64.promote_f32");
        else if (type !== "f64") f.op(`f64.convert_${type}_s`);
        f.op("f64.add");
      });
    });
    expect(run(bytes, 0)).toBe(255);
  });

  test("shared functions are written once, and are the same bytes in every module that has them", () => {
    let times = 0;
    const shared = (name: string, write: (target: FunctionBuilder) => void) => (module: ModuleBuilder) =>
      module.shared(`test ${name}`, name, { parameters: ["f64"], results: ["f64"] }, (target) => {
        times++;
        write(target);
      });
    const square = shared("square", (target) => target.get(0).get(0).op("f64.mul"));
    const increase = shared("increase", (target) => target.get(0).f64(1).op("f64.add"));
    const both = shared("both", (target) => {
      const [second, first] = [increase(target.module), square(target.module)];
      target.get(0).call(first).call(second);
    });
    const made = Array.from({ length: 2 }, () => {
      const module = new ModuleBuilder(null);
      module.exportFunction("run", both(module));
      return module;
    });
    expect(times).toBe(3);
    const [first, second] = made.map((module) => module.toBytes());
    expect(second).toEqual(first);
    expect(instantiate(second!).run!(3)).toBe(10);
    const [listed, listedAgain] = made.map((module) => module.functions.map(disassemble));
    expect(listedAgain).toEqual(listed);
  });

  test("a shared function may call shared functions alone", () => {
    const module = new ModuleBuilder(null);
    const own = module.function("own", []);
    const type = { parameters: [], results: [] };
    expect(() => module.shared("test calls own", "caller", type, (caller) => caller.call(own.index))).toThrow(
      "caller calls what not every module has",
    );
  });

  test("functions call each other, whichever was named first", () => {
    const module = new ModuleBuilder(null);
    const entry = module.function("run", ["f64"], ["f64"]);
    module.exportFunction("run", entry.index);
    const squaring = module.function("square", ["f64"], ["f64"]);
    entry.get(0).call(squaring.index);
    const increase = module.function("increase", ["f64"], ["f64"]);
    entry.call(increase.index);
    squaring.get(0).get(0).op("f64.mul");
    increase.get(0).f64(1).op("f64.add");
    expect(instantiate(module.toBytes()).run!(3)).toBe(10);
  });

  test("shared memory is declared as such", () => {
    const limits = { module: "env", name: "memory", initial: 1 };
    expect(validate(new ModuleBuilder({ ...limits, shared: true, maximum: 2 }).toBytes())).toBe(true);
    expect(validate(new ModuleBuilder({ ...limits, shared: true }).toBytes())).toBe(false);
    expect(validate(new ModuleBuilder({ ...limits, shared: false, maximum: 65536 }).toBytes())).toBe(true);
  });

  test("a listing shows what was built", () => {
    const module = new ModuleBuilder(null);
    const f = module.function("clamp", ["i32", "f32"], ["f32"]);
    const sum = f.local("v128");
    f.v128(1n, -1n).set(sum);
    f.get(0).op("v128.load", 32).get(sum).op("f32x4.add").op("f32x4.extract_lane", 3);
    f.get(0).ifElse(
      "f32",
      () => f.f32(-0),
      () => f.get(1),
    );
    f.op("f32.max");
    expect(disassemble(f)).toMatchInlineSnapshot(`
      "func clamp $0: i32 $1: f32 -> f32
        local $2: v128
        v128.const i64x2 0x0000000000000001 0xffffffffffffffff
        local.set $2
        local.get $0
        v128.load offset=32
        local.get $2
        f32x4.add
        f32x4.extract_lane 3
        local.get $0
        if (result f32)
          f32.const -0
        else
          local.get $1
        end
        f32.max"
    `);
  });
});

describe("what is written late", () => {
  test("stands in front of the code, calls included", () => {
    const module = new ModuleBuilder(null);
    const f = module.function("run", ["f64"], ["f64"]);
    module.exportFunction("run", f.index);
    const double = module.function("double", ["f64"], ["f64"]);
    double.get(0).get(0).op("f64.add");
    const increase = module.function("increase", ["f64"], ["f64"]);
    increase.get(0).f64(1).op("f64.add");
    f.get(0).call(double.index);
    f.begin(() => f.get(0).call(increase.index).set(0));
    f.call(increase.index);
    f.begin(() => f.get(0).f64(10).op("f64.mul").set(0));
    expect(instantiate(module.toBytes()).run!(3)).toBe(2 * 40 + 1);
    expect(disassemble(f).split("\n")).toEqual([
      "func run $0: f64 -> f64",
      ...["local.get $0", "call increase", "local.set $0"].map((line) => `  ${line}`),
      ...["local.get $0", "f64.const 10", "f64.mul", "local.set $0"].map((line) => `  ${line}`),
      ...["local.get $0", "call double", "call increase"].map((line) => `  ${line}`),
    ]);
  });
});

describe("straight-line code", () => {
  const arrayOf = (memory: Memory): Float32Array => new Float32Array(memory.buffer);

  test("copies are written op by op, with their own offsets and shared constants", () => {
    const module = new ModuleBuilder({ module: "env", name: "memory", shared: false, initial: 1 });
    const f = module.function("run", ["i32"]);
    module.exportFunction("run", f.index);
    const code = new StraightCode();
    const address = code.input("i32");
    const doubled = code.op("f32x4.mul", code.with("v128.load", 64, address), code.splat("f32x4", 2));
    code.store("v128.store", 0, address, code.op("f32x4.add", doubled, code.splat("f32x4", 1)));
    const placement = new Placement(code, f);
    placement.share(address, 0);
    emitConstants(placement);
    emitStraight(placement, { count: 3, offset: (_, copy) => 16 * copy });

    const lines = disassemble(f).matchAll(/^ {2}(\S+\.\S+)(?: offset=(\d+))?/gm);
    const written = [...lines].map(([, op, offset]) => [op!, Number(offset ?? 0)] as const);
    const ops = written.filter(([op]) => !op.startsWith("local."));
    expect(ops).toEqual([
      ...[0, 0].map((offset) => ["v128.const", offset]),
      ...[64, 80, 96].map((offset) => ["v128.load", offset]),
      ...["f32x4.mul", "f32x4.add"].flatMap((op) => [0, 0, 0].map((offset) => [op, offset])),
      ...[0, 16, 32].map((offset) => ["v128.store", offset]),
    ]);

    const memory = newMemory(1);
    const elements = arrayOf(memory);
    for (let i = 0; i < 12; i++) elements[16 + i] = i;
    instantiate(module.toBytes(), { memory }).run!(0);
    expect([...elements.slice(0, 12)]).toEqual(Array.from({ length: 12 }, (_, i) => 2 * i + 1));
  });

  test("equal pure operations and constants are one register, accesses are not", () => {
    const code = new StraightCode();
    const [x, y] = [code.input("v128"), code.input("v128")];
    expect(code.op("f32x4.add", x, y)).toBe(code.op("f32x4.add", x, y));
    expect(code.op("f32x4.add", x, y)).not.toBe(code.op("f32x4.add", y, x));
    expect(code.with("f32x4.extract_lane", 0, x)).not.toBe(code.with("f32x4.extract_lane", 1, x));
    expect(code.splat("f32x4", 1)).toBe(code.bits(0x3f8000003f800000n, 0x3f8000003f800000n));
    expect(code.splat("f32x4", 0)).not.toBe(code.splat("f32x4", -0));
    expect(code.scalar("i32", 5)).not.toBe(code.scalar("i64", 5));
    const address = code.input("i32");
    expect(code.op("v128.load", address)).not.toBe(code.op("v128.load", address));
    expect(code.typeOf(code.op("f32x4.eq", x, y))).toBe("v128");
    expect(code.typeOf(code.op("v128.any_true", x))).toBe("i32");
  });

  test.each<[LaneType, number | bigint, bigint]>([
    ["i8x16", -1, 0xffffffffffffffffn],
    ["i8x16", 1, 0x0101010101010101n],
    ["i16x8", -2, 0xfffefffefffefffen],
    ["i32x4", 2 ** 31, 0x8000000080000000n],
    ["i64x2", -5n, 0xfffffffffffffffbn],
    ["f32x4", -1.5, 0xbfc00000bfc00000n],
    ["f64x2", -0, 0x8000000000000000n],
  ])("a constant of %s lanes with %d", (lanes, value, half) => {
    const code = new StraightCode();
    const words = new BigInt64Array([half, half]).buffer;
    expect(code.constants.get(code.splat(lanes, value))).toEqual([...new Int32Array(words)]);
  });

  test("what is rarely needed is a function, called where a lane asks for it and written once", () => {
    let built = 0;
    const negateAbove: Helper = {
      name: "negate above a bound",
      build: (code, x, bound) => {
        built++;
        const negative = code.op("f32x4.neg", x!);
        return code.op("v128.bitselect", negative, x!, code.op("f32x4.gt", x!, bound!));
      },
    };
    const above = (code: Straight, x: Register, bound: number): Register => {
      const constant = code.splat("f32x4", bound);
      return code.rarely(code.op("f32x4.gt", x, constant), x, negateAbove, x, constant);
    };
    // The second asks about the result of the first.
    const f = (code: Straight, x: Register): Register => above(code, above(code, x, 3), 2);
    const x = new Float32Array([1, 2, 3, 3, 1, 2, 3, 4, 0, 1, 1, 1, 2, 2]);
    expect([...runLanes("f32x4", 1, f, [x])]).toEqual([1, 2, -3, -3, 1, 2, -3, -4, 0, 1, 1, 1, 2, 2]);
    expect(built).toBe(1);
  });

  test("several registers that ask one helper in a row share a branch", () => {
    const halve: Helper = {
      name: "halve what is large",
      build: (code, x, mask) =>
        code.op("v128.bitselect", code.op("f32x4.mul", x!, code.splat("f32x4", 0.5)), x!, mask!),
    };
    const module = new ModuleBuilder({ module: "env", name: "memory", shared: false, initial: 1 });
    const f = module.function("run", ["i32"]);
    module.exportFunction("run", f.index);
    const code = new StraightCode();
    const address = code.input("i32");
    const halved = interleaved(code, 2, (k) => {
      const x = code.with("v128.load", 64 + 16 * k, address);
      const mask = code.op("f32x4.gt", x, code.splat("f32x4", 10));
      return code.rarely(mask, x, halve, x, mask);
    });
    halved.forEach((register, k) => {
      code.store("v128.store", 16 * k, address, register);
    });
    const placement = new Placement(code, f);
    placement.share(address, 0);
    emitConstants(placement);
    emitStraight(placement, { count: 2, offset: (_, copy) => 32 * copy });
    const ops = disassemble(f)
      .split("\n")
      .map((line) => line.trim().split(" ")[0]);
    expect(ops.filter((op) => op === "if")).toHaveLength(1);
    expect(ops.filter((op) => op === "call")).toHaveLength(4);

    const memory = newMemory(1);
    const elements = arrayOf(memory);
    const { run } = instantiate(module.toBytes(), { memory });
    for (const largest of [9, 15]) {
      for (let i = 0; i < 16; i++) elements[16 + i] = Math.min(i, largest);
      run!(0);
      const wanted = Array.from({ length: 16 }, (_, i) =>
        largest > 10 && i > 10 ? i / 2 : Math.min(i, largest),
      );
      expect([...elements.slice(0, 16)]).toEqual(wanted);
    }
  });

  test("a function is called with scalars", () => {
    const module = new ModuleBuilder(null);
    const f = module.function("run", ["f64"], ["f64"]);
    module.exportFunction("run", f.index);
    const code = new StraightCode();
    const x = code.input("f64");
    const scaled: Callee = {
      name: "scaled",
      parameters: ["f64", "f64"],
      result: "f64",
      write: (target) => target.get(0).get(1).op("f64.mul"),
    };
    const result = code.call(scaled, code.call(scaled, x, code.scalar("f64", 2)), x);
    const placement = new Placement(code, f);
    placement.share(x, 0);
    emitStraight(placement);
    f.get(placement.local(result, 0));
    expect(instantiate(module.toBytes()).run!(3)).toBe(18);
  });
});

describe("lane functions over arrays", () => {
  test.each([0, 1, 3, 4, 8, 9, 31, 262_143, 262_145, 600_001])("%d elements", (length) => {
    const x = Float64Array.from({ length }, (_, i) => i / 2);
    const y = Float64Array.from({ length }, (_, i) => i + 1);
    expect(runLanes("f64x2", 2, difference, [x, y])).toEqual(x.map((value, i) => value - y[i]!));
  });
  const difference = (code: Straight, x: Register, y: Register): Register => code.op("f64x2.sub", x, y);
});
