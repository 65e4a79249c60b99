/** Estimated code size of a body: instructions for one register of each value. */
import {
  axesOfLoop,
  bodyOfLoop,
  type Expression,
  type Integer,
  type Loop,
  type PointwiseOp,
  pointwiseOps,
  type Statement,
  type Test,
} from "@fuseau/ir";

/** The most instructions of an unrolled loop, and of the rows of an unroll-and-jam. */
export const UNROLLED_SIZE = 800;

/** A comparison, and its conjunction with the others. */
const BOUND = 3;
/** A quotient, a remainder or a minimum, in each lane. */
const UNEVEN = 8;
/** Instructions of a guarded load in each lane: selecting an address, and inserting the lane. */
const GUARDED = 12;
/** Ops of at least this cost are lane functions, of more instructions than their cost in additions. */
const LANE_FUNCTION = 8;
const PER_COST = 2;

/** The size of a body in which all loops are unrolled. */
export function sizeOf(body: readonly Statement[]): number {
  let size = 0;
  for (const statement of body) {
    switch (statement.kind) {
      case "let":
        size += sizeOfExpression(statement.value);
        break;
      case "integer":
        size += unevenIn(statement.value);
        break;
      case "store":
        size += 1 + unevenIn(statement.at);
        break;
      case "for":
      case "reduce":
        size += unrolledSizeOf(statement);
        break;
      case "index":
      case "accumulate":
      case "sort":
        size++;
        break;
      default:
        statement satisfies never;
    }
  }
  return size;
}

/** The size of a loop that is unrolled, where its extents are literals. */
export const unrolledSizeOf = (loop: Loop): number => (timesOf(loop) ?? 1) * sizeOf(bodyOfLoop(loop));

/** How often the body runs, where the extents are literals. */
export function timesOf(loop: Loop): number | undefined {
  let times = 1;
  for (const { extent } of axesOfLoop(loop)) {
    if (extent.kind !== "literal") return undefined;
    times *= extent.value;
  }
  return times;
}

function sizeOfExpression(expression: Expression): number {
  switch (expression.kind) {
    case "pointwise":
      return sizeOfOp(expression.fn);
    case "load":
      return (
        1 +
        unevenIn(expression.at) +
        (expression.tests.every(isOfNumerals) ? 0 : GUARDED + boundsOf(expression.tests))
      );
    case "select":
      return expression.cases.reduce((size, { tests }) => size + 1 + boundsOf(tests), 0);
    case "index":
      return 2 + unevenIn(expression.at);
    case "result":
      return 1;
    default:
      return expression satisfies never;
  }
}

export function sizeOfOp(fn: PointwiseOp): number {
  const { cost, instructions } = pointwiseOps[fn];
  return instructions ?? (cost < LANE_FUNCTION ? cost : PER_COST * cost);
}

function boundsOf(tests: readonly Test[]): number {
  let size = 0;
  for (const { at, low, high } of tests.filter((test) => !isOfNumerals(test)))
    size += unevenIn(at) + (low === null ? 0 : BOUND) + (high === null ? 0 : BOUND);
  return size;
}

/** True of a test whose numbers are in the text: where its loops are unrolled it is decided as the text is made. */
const isOfNumerals = ({ at, low, high }: Test): boolean =>
  [at, low, high].every((part) => part === null || isNumeral(part));

const isNumeral = (integer: Integer): boolean =>
  integer.kind === "literal" ||
  integer.kind === "axis" ||
  ((integer.kind === "add" || integer.kind === "mul") && isNumeral(integer.left) && isNumeral(integer.right));

function unevenIn(integer: Integer): number {
  switch (integer.kind) {
    case "literal":
    case "size":
    case "axis":
    case "local":
      return 0;
    case "add":
    case "mul":
      return unevenIn(integer.left) + unevenIn(integer.right);
    default:
      return UNEVEN + unevenIn(integer.left) + unevenIn(integer.right);
  }
}
