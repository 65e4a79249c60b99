/** A listing of WebAssembly for people to read: what an instruction takes from the stack is written as its operands. */
import {
  type Operation,
  operandTypes,
  operationNames,
  resultType,
} from "../../packages/compiler/src/emit/wasm/encode/operations.ts";

const operations: ReadonlySet<string> = new Set(operationNames());
const isOperation = (word: string): word is Operation => operations.has(word);

/** The functions of a listing that `disassemble` wrote, one instruction on a line, with expressions in place of stack code. */
export function folded(listing: string): string {
  const functions = listing.split("\n\n").map((text) => text.split("\n"));
  const types = new Map(functions.map(([head = ""]) => [head.split(" ")[1] ?? "", typeOf(head)]));
  return functions.map((lines) => foldedFunction(lines, types)).join("\n\n");
}

interface FunctionType {
  readonly operands: number;
  readonly hasResult: boolean;
}

const typeOf = (head: string): FunctionType => ({
  operands: [...head.matchAll(/\$\d+:/g)].length,
  hasResult: head.includes("->"),
});

function foldedFunction(
  [head = "", ...lines]: readonly string[],
  types: ReadonlyMap<string, FunctionType>,
): string {
  const out = [head];
  let stack: string[] = [];
  /** The stacks of the constructs around, and whether each of them gives something. */
  const around: { readonly stack: string[]; readonly gives: boolean }[] = [];
  let indent = "  ";
  const take = (count: number): string[] => {
    if (stack.length < count) throw new Error(`${head}: ${count} operands of ${stack.length}`);
    return stack.splice(stack.length - count);
  };
  /** A line of its own. What waits on the stack has been computed before it, and is said to be. */
  const line = (text: string): void => {
    for (const waiting of stack) if (waiting !== WAITING) out.push(`${indent}push ${waiting}`);
    stack = stack.map(() => WAITING);
    out.push(indent + text);
  };
  const values = (count: number): string => take(count).join(", ");
  for (const text of lines) {
    const [word = "", ...immediates] = text.trim().split(" ");
    const [first = ""] = immediates;
    if (word === "local") line(`local ${countedTypes(text)}`);
    else if (word === "local.get") stack.push(first);
    else if (word === "local.set") line(`${first} = ${values(1)}`);
    else if (word === "local.tee") stack.push(`(${first} = ${values(1)})`);
    else if (/^\w+\.const$/.test(word)) stack.push(constantText(word, immediates));
    else if (word === "select") {
      const [yes = "", no = "", test = ""] = take(3);
      stack.push(`select(${yes}, ${no}, ${test})`);
    } else if (word === "drop") line(`drop ${values(1)}`);
    else if (word === "br_if") line(`br_if ${first} ${values(1)}`);
    else if (word === "br" || word === "unreachable") line(text.trim());
    else if (word === "return") line(stack.length === 0 ? word : `return ${values(1)}`);
    else if (word === "block" || word === "loop" || word === "if") {
      line([word, ...immediates, ...(word === "if" ? [values(1)] : [])].join(" "));
      around.push({ stack, gives: immediates.length > 0 });
      stack = [];
      indent += "  ";
    } else if (word === "else" || word === "end") {
      if (stack.length > 0) out.push(`${indent}give ${values(stack.length)}`);
      indent = indent.slice(2);
      out.push(indent + word);
      if (word === "else") {
        indent += "  ";
        continue;
      }
      const outer = around.pop() ?? fail(`${head}: ends nothing`);
      stack = outer.gives ? [...outer.stack, WAITING] : outer.stack;
    } else if (word === "call") {
      const { operands, hasResult } = types.get(first) ?? fail(`${head}: calls ${first}`);
      const call = `${first}(${values(operands)})`;
      if (hasResult) stack.push(call);
      else line(call);
    } else if (isOperation(word)) {
      const operation = [word, ...immediates].join(" ");
      const applied = `${operation}(${values(operandTypes(word).length)})`;
      if (resultType(word) === null) line(applied);
      else stack.push(applied);
    } else fail(`${head}: ${text}`);
  }
  if (stack.length > 0) out.push(`${indent}give ${values(stack.length)}`);
  return out.join("\n");
}

/** What was computed before, and is on the stack still. */
const WAITING = "pop";

function fail(message: string): never {
  throw new Error(message);
}

/** `12 i32, 3 v128`. */
function countedTypes(text: string): string {
  const counts = new Map<string, number>();
  for (const [, type = ""] of text.matchAll(/: (\w+)/g)) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].map(([type, count]) => `${count} ${type}`).join(", ");
}

/** Numbers as they are; lanes that are all alike as one number of 64 bits. */
function constantText(word: string, immediates: readonly string[]): string {
  if (word !== "v128.const") return `${immediates.join(" ")}:${word.slice(0, 3)}`;
  const [, low = "", high = ""] = immediates;
  return low === high ? `v128(${low})` : `v128(${low}, ${high})`;
}
