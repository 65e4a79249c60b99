/** Checks of arguments, for callers without types. */

/** A value as messages show it. */
export function showArgument(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "bigint":
      return `${value}n`;
    case "function":
      return "a function";
    case "object":
      return value === null
        ? "null"
        : Array.isArray(value)
          ? `[${value.map(showArgument).join(", ")}]`
          : showObject(value);
    default:
      return String(value);
  }
}

/** An object is shown by its class and not by its own text: a tensor would have to be computed for that. */
function showObject(value: object): string {
  const name = (Object.getPrototypeOf(value) as object | null)?.constructor.name ?? "Object";
  if (name === "Promise") return "a Promise (await it first)";
  return name === "Object" ? "an object" : `${/^[AEIO]/.test(name) ? "an" : "a"} ${name}`;
}

/** @throws TypeError unless the value is a number. */
export function checkNumber(name: string, value: unknown): void {
  if (typeof value !== "number")
    throw new TypeError(`${name} must be a number, but got ${showArgument(value)}`);
}

/** @throws TypeError unless the value is an integer. */
export function checkInteger(name: string, value: number): void {
  if (!Number.isInteger(value))
    throw new TypeError(`${name} must be an integer, but got ${showArgument(value)}`);
}

/** @throws TypeError unless the value is an array of integers. `name` is a plural. */
export function checkIntegers(name: string, list: readonly number[]): void {
  if (!Array.isArray(list))
    throw new TypeError(`${name} must be an array of integers, e.g. [2, 3], but got ${showArgument(list)}`);
  for (let i = 0; i < list.length; i++) {
    if (!Number.isInteger(list[i])) {
      throw new TypeError(
        `${name} must be integers, but one of ${showArgument(list)} is ${showArgument(list[i])}`,
      );
    }
  }
}

/** @throws TypeError unless the value is one of the choices. */
export function checkChoice(name: string, value: string, choices: readonly string[]): void {
  if (choices.includes(value)) return;
  const known = choices.map((choice) => `"${choice}"`).join(", ");
  throw new TypeError(`${name} must be one of ${known}, but got ${showArgument(value)}`);
}
