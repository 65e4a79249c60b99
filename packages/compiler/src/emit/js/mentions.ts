/** What a statement without a loop depends on. */
import type {
  Expression,
  ForStatement,
  Integer,
  Operand,
  ReduceStatement,
  Statement,
  Test,
} from "@fuseau/ir";

export interface Mentions {
  readonly axes: ReadonlySet<number>;
  /** Integers and values alike: their numbers do not meet. */
  readonly locals: ReadonlySet<number>;
}

export function mentions(statement: Exclude<Statement, ForStatement | ReduceStatement>): Mentions {
  const axes = new Set<number>();
  const locals = new Set<number>();
  const integer = (value: Integer): void => {
    if (value.kind === "axis") axes.add(value.axis);
    else if (value.kind === "local") locals.add(value.local);
    else if (value.kind !== "literal" && value.kind !== "size") {
      integer(value.left);
      integer(value.right);
    }
  };
  const operand = (value: Operand): void => {
    if (value.kind === "local") locals.add(value.local);
  };
  const tests = (list: readonly Test[]): void => {
    for (const { at, low, high } of list)
      for (const part of [at, low, high]) if (part !== null) integer(part);
  };
  const expression = (value: Expression): void => {
    switch (value.kind) {
      case "pointwise":
        for (const arg of value.args) operand(arg);
        break;
      case "load":
        integer(value.at);
        tests(value.tests);
        break;
      case "select":
        for (const choice of value.cases) {
          tests(choice.tests);
          operand(choice.value);
        }
        operand(value.otherwise);
        break;
      case "index":
        integer(value.at);
        break;
      case "result":
        integer(value.cell);
        break;
      default:
        value satisfies never;
    }
  };
  switch (statement.kind) {
    case "integer":
      integer(statement.value);
      break;
    case "let":
      expression(statement.value);
      break;
    case "store":
      integer(statement.at);
      operand(statement.value);
      break;
    case "index":
      operand(statement.value);
      integer(statement.place);
      break;
    case "sort":
      break;
    case "accumulate":
      integer(statement.cell);
      integer(statement.position);
      for (const value of statement.values) operand(value);
      break;
    default:
      statement satisfies never;
  }
  return { axes, locals };
}
