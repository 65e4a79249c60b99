/** The instructions of a function as a list: what the function builder appends, and what is encoded or printed. */
import type { ByteWriter } from "./bytes.ts";
import { type Operation, operations, type ValueType } from "./operations.ts";

/** A function of a module; what is imported counts down from −1, so that either kind may be added at any time. */
export type FunctionIndex = number;

export type WasmInstruction =
  | { readonly kind: "operation"; readonly op: Operation; readonly immediate: Immediate }
  | { readonly kind: "local"; readonly access: "get" | "set" | "tee"; readonly index: number }
  | { readonly kind: "number"; readonly type: "i32" | "f32" | "f64"; readonly value: number }
  | { readonly kind: "int64"; readonly value: bigint }
  | { readonly kind: "bits"; readonly low: bigint; readonly high: bigint }
  | { readonly kind: "open"; readonly op: "block" | "loop" | "if"; readonly result: ValueType | null }
  /** A jump to the end (of a loop: the start) of the construct that is `depth` constructs further out. */
  | { readonly kind: "jump"; readonly op: "br" | "br_if"; readonly depth: number }
  | { readonly kind: "call"; readonly callee: FunctionIndex }
  | { readonly kind: "plain"; readonly op: keyof typeof plainCodes };

/**
 * The byte offset of an access, or the lane of an extract or replace; an access to a lane lists offset and lane, a
 * shuffle 16 lanes. An access without an immediate has the offset 0.
 */
export type Immediate = number | readonly number[] | null;

export const valueTypeCodes: Readonly<Record<ValueType, number>> = {
  i32: 0x7f,
  i64: 0x7e,
  f32: 0x7d,
  f64: 0x7c,
  v128: 0x7b,
};

const plainCodes = { unreachable: 0x00, else: 0x05, end: 0x0b, return: 0x0f, drop: 0x1a, select: 0x1b };
const openCodes = { block: 0x02, loop: 0x03, if: 0x04 };
const jumpCodes = { br: 0x0c, br_if: 0x0d };
const localCodes = { get: 0x20, set: 0x21, tee: 0x22 };
const emptyType = 0x40;

/** Appends an instruction's bytes, in a module that imports so many functions. */
export function encodeInstruction(
  instruction: WasmInstruction,
  importedFunctions: number,
  out: ByteWriter,
): void {
  switch (instruction.kind) {
    case "operation":
      encodeOperation(instruction.op, instruction.immediate, out);
      return;
    case "local":
      out.byte(localCodes[instruction.access]);
      out.unsigned(instruction.index);
      return;
    case "number":
      encodeNumber(instruction.type, instruction.value, out);
      return;
    case "int64":
      out.byte(0x42);
      out.signed64(instruction.value);
      return;
    case "bits":
      out.byte(0xfd);
      out.unsigned(0x0c);
      out.uint64(instruction.low);
      out.uint64(instruction.high);
      return;
    case "open":
      out.byte(openCodes[instruction.op]);
      out.byte(instruction.result === null ? emptyType : valueTypeCodes[instruction.result]);
      return;
    case "jump":
      out.byte(jumpCodes[instruction.op]);
      out.unsigned(instruction.depth);
      return;
    case "call":
      out.byte(0x10);
      out.unsigned(encodedIndex(instruction.callee, importedFunctions));
      return;
    case "plain":
      out.byte(plainCodes[instruction.op]);
      return;
    default:
      instruction satisfies never;
  }
}

/** Imported functions come first in a module's numbering. */
export function encodedIndex(index: FunctionIndex, importedFunctions: number): number {
  return index < 0 ? -1 - index : importedFunctions + index;
}

function encodeNumber(numberType: "i32" | "f32" | "f64", value: number, out: ByteWriter): void {
  switch (numberType) {
    case "i32":
      out.byte(0x41);
      out.signed(value);
      return;
    case "f32":
      out.byte(0x43);
      out.float32(value);
      return;
    case "f64":
      out.byte(0x44);
      out.float64(value);
      return;
    default: {
      numberType satisfies never;
    }
  }
}

function encodeOperation(op: Operation, immediate: Immediate, out: ByteWriter): void {
  const { code, access, lanes, bytes, zeros } = operations[op];
  if (code <= 0xff) {
    out.byte(code);
  } else {
    out.byte(code >>> 12);
    out.unsigned(code & 0xfff);
  }
  const values = immediate === null ? [] : typeof immediate === "number" ? [immediate] : immediate;
  let next = 0;
  if (access !== undefined) {
    out.unsigned(Math.log2(access));
    out.unsigned(values[next++] ?? 0);
  }
  if (lanes !== undefined) out.byte(values[next++]!);
  if (bytes !== undefined) out.bytes(values);
  if (zeros !== undefined) out.bytes(new Uint8Array(zeros));
}
