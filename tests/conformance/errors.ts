/** Whether an error is the one that PyTorch raised: of the same kind, with its first sentence. */
import type { ExpectedError } from "./case.ts";

/**
 * PyTorch's exceptions and the errors here that answer to them. PyTorch raises RuntimeError for most things; here an axis
 * or a place out of range is the language's RangeError, and a value of the wrong kind its TypeError.
 */
const kinds: Readonly<Record<string, readonly string[]>> = {
  RuntimeError: ["ShapeError", "DTypeError", "ViewError", "RangeError", "TypeError"],
  IndexError: ["RangeError", "ShapeError", "DTypeError"],
  TypeError: ["TypeError", "DTypeError"],
  ValueError: ["RangeError", "TypeError", "ShapeError"],
};

/** Sentences that are compared by kind alone. */
const reworded: readonly { readonly text: RegExp; readonly because: string }[] = [
  { text: / to be smaller (size )?than /, because: 'later versions say "to be no larger than"' },
  { text: /^expected scalar type \w+ but found /, because: "later versions name both matrices" },
  {
    text: /received an invalid combination of arguments|argument '\w+' \(position \d+\) must be /,
    because: "it lists Python's own signatures and types",
  },
];

/** Faults of a library that was not ready for the call, as JavaScript words them. */
const crash = /is not a function|Cannot read prop|is undefined|undefined is|not iterable|is not defined/;

/** What differs, or null. */
export function compareError(thrown: unknown, expected: ExpectedError): string | null {
  const { name, message } = thrown instanceof Error ? thrown : new Error(String(thrown));
  const wanted = `${expected.type}: ${expected.message}`;
  if (crash.test(message)) return `crashed with "${name}: ${message}", want "${wanted}"`;
  if (!kinds[expected.type]?.includes(name)) return `kind: got "${name}: ${message}", want "${wanted}"`;
  const sentence = expected.message.split("\n")[0]!;
  if (message.includes(sentence) || reworded.some(({ text }) => text.test(sentence))) return null;
  return `message: got "${name}: ${message}", want "${wanted}"`;
}
