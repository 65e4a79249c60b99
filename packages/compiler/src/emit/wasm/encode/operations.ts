/** Every operation of WebAssembly that takes its operands from the stack, by its name in the specification. */
import { atomicOperations } from "./tables/atomic-operations.ts";
import { laneOperations } from "./tables/lane-operations.ts";
import { memoryOperations } from "./tables/memory-operations.ts";
import { relaxedOperations } from "./tables/relaxed-operations.ts";
import { scalarOperations } from "./tables/scalar-operations.ts";

export type ValueType = "i32" | "i64" | "f32" | "f64" | "v128";

export interface OperationFacts {
  /** One byte, or a prefix byte and, below it in three hexadecimal digits, the number that follows the prefix. */
  readonly code: number;
  /** `operands -> result`. */
  readonly type: string;
  /** An access to memory, of this many bytes: the immediate holds an alignment and an offset. */
  readonly access?: number;
  /** The immediate names one of this many lanes; after that of the access if there is one. */
  readonly lanes?: number;
  /** The immediate is this many bytes. */
  readonly bytes?: number;
  /** The immediate is this many bytes, all 0. */
  readonly zeros?: number;
}

/** They are looked through one by one: as one object of 500 names they would take 3 ms whenever the package is loaded. */
const tables: readonly Readonly<Partial<Record<Operation, OperationFacts>>>[] = [
  scalarOperations,
  memoryOperations,
  laneOperations,
  relaxedOperations,
  atomicOperations,
];

export type Operation =
  | keyof typeof scalarOperations
  | keyof typeof memoryOperations
  | keyof typeof laneOperations
  | keyof typeof relaxedOperations
  | keyof typeof atomicOperations;

export const isOperation = (name: string): name is Operation =>
  tables.some((table) => Object.hasOwn(table, name));

export const operationNames = (): readonly Operation[] =>
  tables.flatMap((table) => Object.keys(table) as Operation[]);

export function factsOf(op: Operation): OperationFacts {
  for (const table of tables) {
    const facts = table[op];
    if (facts !== undefined) return facts;
  }
  throw new Error(`there is no operation ${op}`);
}

/** What is asked of an operation wherever it is written: instructions hold it, since tables of names are slow to look into. */
export interface Traits {
  /** A number of the operation's own, counted up from 0 as operations are first asked for. */
  readonly number: number;
  /** The prefix, 0 for none, and the byte or the number behind it. */
  readonly prefix: number;
  readonly code: number;
  /** What it leaves on the stack; null for stores. */
  readonly result: ValueType | null;
  /** Whether its result is decided by its operands alone. */
  readonly pure: boolean;
  /** The base-2 logarithm of the bytes of an access to memory; −1 for other operations. */
  readonly alignment: number;
  /** What the immediate holds besides. */
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

/** What an operation takes from the stack, the uppermost last. */
export function operandTypes(op: Operation): ValueType[] {
  const operands = factsOf(op).type.split("->")[0]!.trim();
  return operands === "" ? [] : (operands.split(" ") as ValueType[]);
}

export const resultType = (op: Operation): ValueType | null => traitsOf(op).result;
