/** WebAssembly functions on columns. The module of each is made at its first use. */
import { COLUMN, COLUMN_BYTES, compileColumnFunction, type LaneFunctions } from "@fuseau/compiler";
import { pointwiseOps } from "@fuseau/ir";

type Loop = ReturnType<LaneFunctions>;

interface HostWebAssembly {
  readonly Memory: new (limits: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (
    module: object,
    imports: { readonly env: { readonly memory: object } },
  ) => { readonly exports: { readonly run: (elements: number) => void } };
}

const made = new Map<string, Loop>();

/** @throws what the host throws where WebAssembly is forbidden. */
export const laneFunction: LaneFunctions = (op, from, to) => {
  const name = `${op} ${from} ${to}`;
  let loop = made.get(name);
  if (loop === undefined) {
    loop = make(op, from, to);
    made.set(name, loop);
  }
  return loop;
};

/** All share one memory, since none of them keeps anything in it. */
let memory: InstanceType<HostWebAssembly["Memory"]> | undefined;

const make: LaneFunctions = (op, from, to) => {
  const { arity } = pointwiseOps[op];
  const bytes = compileColumnFunction(op, from, to, arity);
  if (bytes === null) return null;
  const { WebAssembly } = globalThis as unknown as { readonly WebAssembly: HostWebAssembly };
  memory ??= new WebAssembly.Memory({ initial: 1 });
  const { run } = new WebAssembly.Instance(new WebAssembly.Module(bytes), { env: { memory } }).exports;
  const { buffer } = memory;
  const column = (dtype: "float32" | "float64", k: number): Float32Array =>
    new (dtype === "float32" ? Float32Array : Float64Array)(buffer, k * COLUMN_BYTES, COLUMN) as Float32Array;
  const [first, second, third] = [column(from, 0), column(from, 1), column(from, 2)];
  const result = column(to, 3);
  return (out, a, b, c, n) => {
    put(first, a as Float64Array, n);
    if (arity > 1) put(second, b as Float64Array, n);
    if (arity > 2) put(third, c as Float64Array, n);
    run(n);
    put(out as Float64Array, result, n);
  };
};

function put(column: Float32Array | Float64Array, given: Float32Array | Float64Array, n: number): void {
  if (n === COLUMN) column.set(given);
  else for (let i = 0; i < n; i++) column[i] = given[i] as number;
}
