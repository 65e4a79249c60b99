/** WebAssembly's operations and their properties. */
import type { Words } from "./expression.ts";
import { operationRows } from "./operation-rows.ts";

export type ValueType = "i32" | "i64" | "f32" | "f64" | "v128";

interface OperationFacts {
  /** One byte; or a prefix byte followed by a number, which is in the lower three hexadecimal digits. */
  readonly code: number;
  /** `operands -> result`. */
  readonly type: string;
  /** The bytes that a load or store accesses. Its immediate has an alignment and an offset. */
  readonly access?: number;
  /** The number of lanes of which the immediate names one; it follows the alignment and offset of a load or store. */
  readonly lanes?: number;
  /** The immediate has this many bytes. */
  readonly bytes?: number;
  /** The immediate has this many bytes, which are all 0. */
  readonly zeros?: number;
}

export type Operation = Exclude<Words<(typeof operationRows)[number][2]>, "-">;

const rowOf = new Map<Operation, Pick<OperationFacts, "code" | "type">>();

/** Operations by name. The table is built when the first operation is used, not when the package is loaded. */
function allRows(): typeof rowOf {
  if (rowOf.size === 0)
    for (const [first, type, names] of operationRows) {
      let code: number = first;
      for (const name of names.split(" ") as (Operation | "-")[]) {
        if (name !== "-") rowOf.set(name, { code, type });
        code++;
      }
    }
  return rowOf;
}

const zeros: { readonly [Op in Operation]?: number } = {
  "memory.size": 1,
  "memory.grow": 1,
  "memory.copy": 2,
  "memory.fill": 1,
};

const widths: { readonly [Type in ValueType]: number } = { i32: 32, i64: 64, f32: 32, f64: 64, v128: 128 };

export function factsOf(op: Operation): OperationFacts {
  const row = allRows().get(op);
  if (row === undefined) throw new Error(`there is no operation ${op}`);
  if (op === "i8x16.shuffle") return { ...row, bytes: 16 };
  const skipped = zeros[op];
  if (skipped !== undefined) return { ...row, zeros: skipped };
  const [shape, name] = [op.slice(0, op.indexOf(".")), op.slice(op.indexOf(".") + 1)];
  const isLane = /_lane(_|$)/.test(name);
  if (row.type !== "") return isLane ? { ...row, lanes: Number(shape.split("x")[1]) } : row;
  const stack = shape as ValueType;
  const [, kind, bits = widths[stack], times = 1] = /(load|store|rmw)(\d+)?(?:x(\d))?/.exec(name)!;
  const access = (Number(bits) * Number(times)) / 8;
  const lanes = isLane ? { lanes: 16 / access } : {};
  const operands = kind === "load" && !isLane ? "i32" : `i32 ${stack}`;
  const type = `${operands} ->${kind === "store" ? "" : ` ${stack}`}`;
  return { code: row.code, type, access, ...lanes };
}

export const operationNames = (): readonly Operation[] => [...allRows().keys()];

/** The properties of an operation. Instructions hold them, since lookups by name are slow. */
export interface Traits {
  /** A number for each operation, counted from 0 in the order of first use. */
  readonly number: number;
  /** The prefix, or 0; the byte, or the number behind the prefix. */
  readonly prefix: number;
  readonly code: number;
  /** The type of the result; null for stores. */
  readonly result: ValueType | null;
  /** True if the result depends on the operands alone. */
  readonly pure: boolean;
  /** The base-2 logarithm of the bytes that a load or store accesses; −1 for other operations. */
  readonly alignment: number;
  /** What the immediate has beside alignment and offset. */
  readonly immediate: "none" | "lane" | "bytes" | "zeros";
  readonly zeros: number;
}

const traits = new Map<Operation, Traits>();

export function traitsOf(op: Operation): Traits {
  let known = traits.get(op);
  if (known === undefined) {
    const { code, type, access, lanes, bytes, zeros } = factsOf(op);
    const result = type.slice(type.indexOf("->") + 2).trim();
    known = {
      number: traits.size,
      prefix: code > 0xff ? code >>> 12 : 0,
      code: code > 0xff ? code & 0xfff : code,
      result: result === "" ? null : (result as ValueType),
      pure: access === undefined && zeros === undefined,
      alignment: access === undefined ? -1 : 31 - Math.clz32(access),
      immediate:
        lanes !== undefined ? "lane" : bytes !== undefined ? "bytes" : zeros !== undefined ? "zeros" : "none",
      zeros: zeros ?? 0,
    };
    traits.set(op, known);
  }
  return known;
}

/** The types of an operation's operands; the last is on top of the stack. */
export function operandTypes(op: Operation): ValueType[] {
  const operands = factsOf(op).type.split("->")[0]!.trim();
  return operands === "" ? [] : (operands.split(" ") as ValueType[]);
}

export const resultType = (op: Operation): ValueType | null => traitsOf(op).result;
