/** A function as text, much as the specification writes it, for people to read. */
import type { FunctionBuilder, Local } from "./function.ts";
import type { WasmInstruction } from "./instruction.ts";
import { operations } from "./operations.ts";

/** One instruction on each line, indented by the constructs around it; locals by their number in the builder. */
export function disassemble(builder: FunctionBuilder): string {
  const { name, type, locals, instructions } = builder;
  const parameters = type.parameters.map((parameter, i) => ` $${i}: ${parameter}`).join("");
  const results = type.results.length === 0 ? "" : ` -> ${type.results.join(" ")}`;
  const lines = [`func ${name}${parameters}${results}`];
  const declared = locals.map((local, i) => `$${type.parameters.length + i}: ${local}`);
  if (declared.length > 0) lines.push(`  local ${declared.join(" ")}`);
  let indent = "  ";
  for (const instruction of instructions) {
    const closes = instruction.kind === "plain" && (instruction.op === "end" || instruction.op === "else");
    const opens = instruction.kind === "open" || (instruction.kind === "plain" && instruction.op === "else");
    if (closes) indent = indent.slice(2);
    lines.push(indent + instructionText(instruction, builder));
    if (opens) indent += "  ";
  }
  return lines.join("\n");
}

function instructionText(instruction: WasmInstruction, { module }: FunctionBuilder): string {
  switch (instruction.kind) {
    case "operation":
      return operationText(instruction);
    case "local":
      return `local.${instruction.access} ${localText(instruction.index)}`;
    case "number":
      return `${instruction.type}.const ${Object.is(instruction.value, -0) ? "-0" : instruction.value}`;
    case "int64":
      return `i64.const ${instruction.value}`;
    case "bits":
      return `v128.const i64x2 ${hexadecimal(instruction.low)} ${hexadecimal(instruction.high)}`;
    case "open":
      return instruction.op + (instruction.result === null ? "" : ` (result ${instruction.result})`);
    case "jump":
      return `${instruction.op} ${instruction.depth}`;
    case "call":
      return `call ${module.nameOf(instruction.callee)}`;
    case "plain":
      return instruction.op;
    default:
      return instruction satisfies never;
  }
}

function operationText({ op, immediate }: WasmInstruction & { kind: "operation" }): string {
  if (immediate === null) return op;
  const values = typeof immediate === "number" ? [immediate] : immediate;
  if (operations[op].access === undefined) return `${op} ${values.join(" ")}`;
  const [offset, ...lane] = values;
  return [op, ...(offset === 0 ? [] : [`offset=${offset}`]), ...lane].join(" ");
}

const localText = (local: Local): string => `$${local}`;

const hexadecimal = (half: bigint): string => `0x${BigInt.asUintN(64, half).toString(16).padStart(16, "0")}`;
