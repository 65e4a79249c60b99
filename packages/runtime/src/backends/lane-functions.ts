/** WebAssembly's functions on columns and on single elements. The module of each is made at its first use. */
import {
  COLUMN,
  COLUMN_BYTES,
  compileColumnFunction,
  compileMultiplyAdd,
  type LaneCalls,
  type LaneFunctions,
  type Scalar,
} from "@fuseau/compiler";
import { pointwiseOps } from "@fuseau/ir";
import { hasRelaxedLanes } from "./host-lanes.ts";

type Loop = ReturnType<LaneFunctions>;
type Held = Parameters<LaneFunctions>[1];

interface Exports {
  readonly run: (elements: number) => void;
  readonly at: Scalar;
}

interface HostWebAssembly {
  readonly Memory: new (limits: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env?: { readonly memory: object } },
  ) => { readonly exports: Exports };
}

interface Made {
  readonly loop: Loop;
  readonly at: Scalar;
}

const made = new Map<string, Made>();

/** @throws what the host throws where WebAssembly is forbidden. */
export const laneFunction: LaneFunctions = (op, from, to) => functionOf(op, from, to).loop;

/** What text calls. */
export const laneCalls: LaneCalls = {
  pointwise: (op, from, to) => functionOf(op, from, to).at,
  multiplyAdd: (dtype) => (hasRelaxedLanes() ? multiplyAdd(dtype) : null),
};

function functionOf(...[op, from, to]: Parameters<LaneFunctions>): Made {
  const name = `${op} ${from} ${to}`;
  let known = made.get(name);
  if (known === undefined) {
    known = make(op, from, to);
    made.set(name, known);
  }
  return known;
}

const adding: { [dtype in Held]?: Scalar } = {};

function multiplyAdd(dtype: Held): Scalar {
  adding[dtype] ??= instanceOf(compileMultiplyAdd(dtype), {}).at;
  return adding[dtype];
}

const host = (): HostWebAssembly =>
  (globalThis as unknown as { readonly WebAssembly: HostWebAssembly }).WebAssembly;

function instanceOf(
  bytes: Uint8Array<ArrayBuffer>,
  imports: { readonly env?: { readonly memory: object } },
): Exports {
  const { Instance, Module } = host();
  return new Instance(new Module(bytes), imports).exports;
}

/** All share one memory, since none of them keeps anything in it; null where the host refuses it. */
let memory: InstanceType<HostWebAssembly["Memory"]> | null | undefined;

function grantedMemory(): InstanceType<HostWebAssembly["Memory"]> | null {
  try {
    return new (host().Memory)({ initial: 1 });
  } catch {
    return null;
  }
}

function make(...[op, from, to]: Parameters<LaneFunctions>): Made {
  const { arity } = pointwiseOps[op];
  if (memory === undefined) memory = grantedMemory();
  const bytes = compileColumnFunction(op, from, to, arity, memory !== null);
  if (memory === null) {
    const { at } = instanceOf(bytes, {});
    return { at, loop: oneByOne(at, arity) };
  }
  const { run, at } = instanceOf(bytes, { env: { memory } });
  const { buffer } = memory;
  const column = (dtype: Held, k: number): Float32Array =>
    new (dtype === "float32" ? Float32Array : Float64Array)(buffer, k * COLUMN_BYTES, COLUMN) as Float32Array;
  const [first, second, third] = [column(from, 0), column(from, 1), column(from, 2)];
  const result = column(to, 3);
  const loop: Loop = (out, a, b, c, n) => {
    put(first, a as Float64Array, n);
    if (arity > 1) put(second, b as Float64Array, n);
    if (arity > 2) put(third, c as Float64Array, n);
    run(n);
    put(out as Float64Array, result, n);
  };
  return { loop, at };
}

const oneByOne = (at: Scalar, arity: number): Loop => {
  const loop = (out: Float64Array, a: Float64Array, b: Float64Array, c: Float64Array, n: number): void => {
    for (let i = 0; i < n; i++)
      out[i] = at(a[i] as number, arity > 1 ? (b[i] as number) : 0, arity > 2 ? (c[i] as number) : 0);
  };
  return loop as Loop;
};

function put(column: Float32Array | Float64Array, given: Float32Array | Float64Array, n: number): void {
  if (n === COLUMN) column.set(given);
  else for (let i = 0; i < n; i++) column[i] = given[i] as number;
}
