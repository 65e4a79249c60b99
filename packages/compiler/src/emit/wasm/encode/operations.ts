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

export type Operation =
  | keyof typeof scalarOperations
  | keyof typeof memoryOperations
  | keyof typeof laneOperations
  | keyof typeof relaxedOperations
  | keyof typeof atomicOperations;

export const operations: Readonly<Record<Operation, OperationFacts>> = {
  ...scalarOperations,
  ...memoryOperations,
  ...laneOperations,
  ...relaxedOperations,
  ...atomicOperations,
};

/** What an operation takes from the stack, the uppermost last. */
export function operandTypes(op: Operation): ValueType[] {
  const operands = operations[op].type.split("->")[0]!.trim();
  return operands === "" ? [] : (operands.split(" ") as ValueType[]);
}

/** What an operation leaves on the stack; null for stores. */
export function resultType(op: Operation): ValueType | null {
  const result = operations[op].type.split("->")[1]!.trim();
  return result === "" ? null : (result as ValueType);
}

/** Whether an operation's result is decided by its operands alone. */
export function isPure(op: Operation): boolean {
  const { access, zeros } = operations[op];
  return access === undefined && zeros === undefined;
}
