/** Prints a function in a text form close to the specification's. */
import {
  callCode,
  constantCodes,
  emptyType,
  jumpCodes,
  laneConstant,
  lanePrefix,
  localCodes,
  openCodes,
  plainCodes,
  valueTypeCodes,
} from "./instruction.ts";
import type { ModuleBuilder } from "./module.ts";
import { factsOf, type Operation, operationNames } from "./operations.ts";
import { ByteReader } from "./read-bytes.ts";
import type { ModuleFunction } from "./shared-function.ts";

/** One instruction per line, indented by constructs. */
export function disassemble(given: ModuleFunction): string {
  const { name, type, locals, module } = given;
  const parameters = type.parameters.map((parameter, i) => ` $${i}: ${parameter}`).join("");
  const results = type.results.length === 0 ? "" : ` -> ${type.results.join(" ")}`;
  const lines = [`func ${name}${parameters}${results}`];
  const declared = locals.map((local, i) => `$${type.parameters.length + i}: ${local}`);
  if (declared.length > 0) lines.push(`  local ${declared.join(" ")}`);
  const reader = new ByteReader(given.encode().toBytes());
  for (let groups = reader.unsigned(); groups > 0; groups--) {
    reader.unsigned();
    reader.byte();
  }
  let indent = "  ";
  while (!reader.done) {
    const text = instructionText(reader, module);
    const [word] = text.split(" ", 1);
    if (word === "end" || word === "else") indent = indent.slice(2);
    // The last `end` is that of the function itself.
    if (indent !== "") lines.push(indent + text);
    if (word! in openCodes || word === "else") indent += "  ";
  }
  return lines.join("\n");
}

type Read = (reader: ByteReader, module: ModuleBuilder) => string;

/** Instructions that are no operations, by code. */
const others = new Map<number, Read>();
const all = (codes: Readonly<Record<string, number>>, read: (name: string) => Read): void => {
  for (const [name, code] of Object.entries(codes)) others.set(code, read(name));
};

function nameOthers(): void {
  all(plainCodes, (name) => () => name);
  all(openCodes, (name) => (reader) => name + resultText(reader.byte()));
  all(jumpCodes, (name) => (reader) => `${name} ${reader.unsigned()}`);
  all(localCodes, (name) => (reader) => `local.${name} $${reader.unsigned()}`);
  others.set(callCode, (reader, module) => {
    const index = reader.unsigned();
    return `call ${module.nameOf(index)}`;
  });
  others.set(constantCodes.i32, (reader) => `i32.const ${reader.signed()}`);
  others.set(constantCodes.i64, (reader) => `i64.const ${reader.signed64()}`);
  others.set(constantCodes.f32, (reader) => `f32.const ${numberText(reader.float32())}`);
  others.set(constantCodes.f64, (reader) => `f64.const ${numberText(reader.float64())}`);
}

const named = new Map<number, Operation>();

function nameOperations(): void {
  for (const op of operationNames()) named.set(factsOf(op).code, op);
}

function instructionText(reader: ByteReader, module: ModuleBuilder): string {
  if (others.size === 0) {
    nameOthers();
    nameOperations();
  }
  const code = reader.byte();
  const read = others.get(code);
  if (read !== undefined) return read(reader, module);
  const op = named.get(code);
  if (op !== undefined) return operationText(reader, op);
  const number = reader.unsigned();
  if (code === lanePrefix && number === laneConstant)
    return `v128.const i64x2 ${hexadecimal(reader.uint64())} ${hexadecimal(reader.uint64())}`;
  return operationText(reader, named.get((code << 12) | number)!);
}

function operationText(reader: ByteReader, op: Operation): string {
  const { access, lanes, bytes = 0, zeros = 0 } = factsOf(op);
  const words: (string | number)[] = [op];
  if (access !== undefined) {
    reader.unsigned();
    const offset = reader.unsigned();
    if (offset !== 0) words.push(`offset=${offset}`);
  }
  if (lanes !== undefined) words.push(reader.byte());
  for (let k = 0; k < bytes; k++) words.push(reader.byte());
  for (let k = 0; k < zeros; k++) reader.byte();
  return words.join(" ");
}

function resultText(code: number): string {
  if (code === emptyType) return "";
  const [type] = Object.entries(valueTypeCodes).find(([, each]) => each === code)!;
  return ` (result ${type})`;
}

const numberText = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));

const hexadecimal = (half: bigint): string => `0x${half.toString(16).padStart(16, "0")}`;
