/** Renames the locals of statements. Copies of statements need it, since each local is defined once in a kernel. */
import type { Expression, Integer, Operand, Statement } from "./node.ts";
import { mapIntegers, mapStatements, substitute } from "./walk.ts";

/** The statements with their locals, where defined and where used, replaced by what `names` has for them. Locals that it lacks stay. */
export function renameLocals(
  body: readonly Statement[],
  names: ReadonlyMap<number, number>,
): readonly Statement[] {
  const named = (local: number): number => names.get(local) ?? local;
  const integer = (value: Integer): Integer =>
    substitute(value, (name) => (name.kind === "local" ? { ...name, local: named(name.local) } : name));
  const operand = (value: Operand): Operand =>
    value.kind === "local" ? { ...value, local: named(value.local) } : value;
  const expression = (value: Expression): Expression => {
    if (value.kind === "pointwise") return { ...value, args: value.args.map(operand) };
    if (value.kind !== "select") return value;
    const cases = value.cases.map((choice) => ({ ...choice, value: operand(choice.value) }));
    return { ...value, cases, otherwise: operand(value.otherwise) };
  };
  return mapStatements(mapIntegers(body, integer), (statement): Statement => {
    switch (statement.kind) {
      case "integer":
        return { ...statement, local: named(statement.local) };
      case "let":
        return { ...statement, local: named(statement.local), value: expression(statement.value) };
      case "index":
        return { ...statement, local: named(statement.local), value: operand(statement.value) };
      case "store":
        return { ...statement, value: operand(statement.value) };
      case "accumulate":
        return { ...statement, values: statement.values.map(operand) };
      case "for":
      case "reduce":
      case "sort":
        return statement;
      default:
        return statement satisfies never;
    }
  });
}
