/** Python's positional and keyword arguments as ours: positional ones, then an object of options. */
import { numberOf, operandOf } from "./argument.ts";
import { camelCase } from "./names.ts";
import type { Parameter } from "./signature.ts";
import { Unsupported } from "./unsupported.ts";

/** Keywords that say nothing of the result. */
const ignored = new Set(["device", "requires_grad", "inplace", "_stacklevel", "implicit_index"]);

/** `parameters` is null for an op without a signature: its keywords are options of the same names. */
export function bindArguments(
  op: string,
  parameters: readonly Parameter[] | null,
  given: readonly unknown[],
  keywords: Readonly<Record<string, unknown>>,
): unknown[] {
  const positional: unknown[] = [];
  const options: Record<string, unknown> = {};
  if (parameters === null) {
    positional.push(...given.map(operandOf));
    for (const [keyword, value] of Object.entries(keywords)) {
      if (!ignored.has(keyword)) options[camelCase(keyword)] = numberOf(value);
    }
  } else {
    const values = matchArguments(op, parameters, given, keywords);
    for (const parameter of parameters) {
      if (parameter.foreign) continue;
      const value = (parameter.operand ? operandOf : numberOf)(values.get(parameter.name) ?? undefined);
      if (!parameter.option) {
        if (value !== undefined || !parameter.omissible) positional.push(value);
      } else if (value !== undefined) options[parameter.name] = value;
    }
  }
  if (Object.keys(options).length > 0) return [...positional, options];
  while (positional.length > 0 && positional.at(-1) === undefined) positional.pop();
  return positional;
}

/** The first place at which more arguments stand than parameters do: those of a list. */
const lastPlace = (parameters: readonly Parameter[]): number => {
  const rest = parameters.findIndex((parameter) => parameter.rest);
  return rest === -1 ? Number.POSITIVE_INFINITY : rest;
};

/** What was given for each parameter, by our name for it. */
function matchArguments(
  op: string,
  parameters: readonly Parameter[],
  given: readonly unknown[],
  keywords: Readonly<Record<string, unknown>>,
): Map<string, unknown> {
  const values = new Map<string, unknown>();
  given.forEach((value, place) => {
    const parameter = parameters[Math.min(place, lastPlace(parameters))];
    if (parameter === undefined) throw new Unsupported(`argument ${place} of ${op}`);
    if (
      !parameter.rest ||
      (place === given.length - 1 && Array.isArray(value) && !values.has(parameter.name))
    ) {
      values.set(parameter.name, value);
    } else values.set(parameter.name, [...((values.get(parameter.name) as unknown[]) ?? []), value]);
  });
  for (const [keyword, value] of Object.entries(keywords)) {
    if (ignored.has(keyword)) continue;
    const parameter = parameters.find((candidate) => candidate.keywords.includes(keyword));
    if (parameter === undefined) {
      // Left out, or switched off.
      if (value === null || value === false) continue;
      throw new Unsupported(`keyword ${keyword} of ${op}`);
    }
    values.set(parameter.name, value);
  }
  return values;
}
