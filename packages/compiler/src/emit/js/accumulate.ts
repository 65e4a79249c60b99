/**
 * The accumulation order as JavaScript text: the initial values of a fold, how an element joins it, how lanes and blocks are
 * joined. ../closure/accumulate.ts is the same over columns. docs/accumulation-order.md has the order itself.
 */
import { type Accumulator, type DType, isFloat } from "@fuseau/ir";
import { accumulatorKind, identity } from "../../lower/accumulators.ts";
import { jsConstant, jsPointwise } from "./pointwise.ts";

/** The variables of one lane of an accumulator. */
export interface Registers {
  readonly value: string;
  readonly compensation: string;
  readonly position: string;
}

export const identityText = (accumulator: Accumulator): string =>
  jsConstant(identity(accumulator), accumulatorKind(accumulator.fn, accumulator.from).partial);

/** The statement that folds one element, or one product, into a lane. */
export function foldText(
  { fn, from }: Accumulator,
  { value, compensation, position }: Registers,
  values: readonly string[],
  at: string,
): string {
  const [x, y] = values as [string, string];
  const { partial } = accumulatorKind(fn, from);
  switch (fn) {
    case "sum":
      if (from === "int64") return `${value} = asIntN(64, ${value} + ${x});`;
      return from === "float64" ? neumaier(value, compensation, x) : `${value} += ${x};`;
    case "prod":
      if (partial !== "int64") return `${value} *= ${x};`;
      return `${value} = asIntN(64, ${value} * ${from === "int64" ? x : `BigInt(${x})`});`;
    case "dot":
      if (isFloat(from)) return `${value} += ${x} * ${y};`;
      if (from === "bool") return `${value} |= ${x} & ${y};`;
      if (from === "int64") return `${value} = asIntN(64, ${value} + ${x} * ${y});`;
      return `${value} = ${jsPointwise.cast([`(${value} + imul(${x}, ${y}) | 0)`], "int32", partial)};`;
    case "any":
      return `${value} |= ${truth(from, x)};`;
    case "all":
      return `${value} &= ${truth(from, x)};`;
    case "max":
    case "min":
      if (isFloat(from)) return `${value} = ${fn}(${value}, ${x});`;
      return `${value} = ${x} ${fn === "max" ? ">" : "<"} ${value} ? ${x} : ${value};`;
    case "argmax":
    case "argmin": {
      const better = `${x} ${fn === "argmax" ? ">" : "<"} ${value}`;
      const take = `${value} = ${x}; ${position} = ${at};`;
      if (!isFloat(from)) return `if (${better}) { ${take} }`;
      // The first NaN wins: it compares neither worse nor equal, and nothing replaces it.
      const worse = `${x} ${fn === "argmax" ? "<=" : ">="} ${value}`;
      return `if (!(${worse}) && ${value} === ${value}) { ${take} }`;
    }
    case "lastArgmax":
    case "lastArgmin": {
      // The last of equal elements wins, and the last NaN.
      const asGood = `${x} ${fn === "lastArgmax" ? ">=" : "<="} ${value}`;
      const test = isFloat(from) ? `${asGood} || ${x} !== ${x}` : asGood;
      return `if (${test}) { ${value} = ${x}; ${position} = ${at}; }`;
    }
    case "lastMax":
    case "lastMin": {
      const asGood = `${x} ${fn === "lastMax" ? ">=" : "<="} ${value}`;
      return `if (${isFloat(from) ? `${asGood} || ${x} !== ${x}` : asGood}) ${value} = ${x};`;
    }
    case "logaddexp":
      return `${value} = logaddexp(${value}, ${x});`;
    default:
      return fn satisfies never;
  }
}

const truth = (from: DType, x: string): string =>
  from === "bool" ? x : from === "int64" ? `(${x} !== 0n ? 1 : 0)` : `(${x} !== 0 ? 1 : 0)`;

/** Neumaier's sum: keeps what each addition lost, whichever operand is larger. */
function neumaier(sum: string, lost: string, x: string): string {
  const loss = `abs(${sum}) >= abs(${x}) ? (${sum} - t) + ${x} : (${x} - t) + ${sum}`;
  return `{ const t = ${sum} + ${x}; ${lost} += ${loss}; ${sum} = t; }`;
}

/** Joins all lanes of a block by a fixed tree. */
export function lanesText({ fn, from }: Accumulator, lanes: readonly Registers[]): string {
  const kind = accumulatorKind(fn, from);
  const values = lanes.map(({ value, compensation }) =>
    // The compensation of a sum that overflowed is NaN: then the plain sum is right.
    kind.compensated ? `compensated(${value}, ${compensation})` : value,
  );
  const join = (a: string, b: string): string => {
    if (fn === "sum") return from === "int64" ? `asIntN(64, ${a} + ${b})` : `(${a} + ${b})`;
    if (fn === "prod") return kind.partial === "int64" ? `asIntN(64, ${a} * ${b})` : `(${a} * ${b})`;
    if (isFloat(from)) return `${fn}(${a}, ${b})`;
    return `(${a} ${fn === "max" ? ">" : "<"} ${b} ? ${a} : ${b})`;
  };
  let level = values;
  while (level.length > 1) {
    const next: string[] = [];
    for (let k = 0; k < level.length; k += 2) next.push(join(level[k] as string, level[k + 1] as string));
    level = next;
  }
  return level[0] as string;
}

/** The statement that adds a finished block to the total. */
export function blockText({ fn, from }: Accumulator, total: string, block: string): string {
  if (isFloat(from)) return `${total} ${fn === "prod" ? "*=" : "+="} ${block};`;
  return `${total} = asIntN(64, ${total} + BigInt(${block}));`;
}

/** The initial total. */
export const totalIdentityText = ({ fn, from }: Accumulator): string =>
  isFloat(from) ? (fn === "prod" ? "1" : "0") : "0n";

/** Converts a finished fold to the result's dtype; `whole` is the total of blocks, or of the lanes if there is only one block. */
export function resultText(
  { fn, from, to, row }: Accumulator,
  whole: string,
  position: string,
  blocked: boolean,
): string {
  switch (fn) {
    case "sum":
      if (isFloat(from)) return roundText(to, whole);
      return from === "int64" || (blocked && (row === null || row.total !== null))
        ? whole
        : `BigInt(${whole})`;
    case "prod":
    case "dot":
      return isFloat(from) ? roundText(to, whole) : whole;
    case "argmax":
    case "argmin":
    case "lastArgmax":
    case "lastArgmin":
      return `BigInt(${position})`;
    case "logaddexp":
      return roundText(to, whole);
    default:
      return whole;
  }
}

/** The only rounding of a fold. */
const roundText = (to: DType, value: string): string =>
  to === "float32" ? `fround(${value})` : to === "float16" ? `roundToFloat16(${value})` : value;
