/**
 * How PyTorch's parameters become ours. A signature lists PyTorch's parameters in its order, apart by spaces:
 *   dim       is positional here too
 *   keepdim?  is a field of the options object, which comes last
 *   other*    takes an operand, in which `float(2)` is not 2; all else takes plain numbers
 *   mode!     is PyTorch's alone, changes nothing, and is left out
 *   end-      is left out where it is not given, so that options may stand in its place
 *   ...sizes  takes the rest as a list
 *   dim|axis  goes by two names; the first is ours
 */
import { camelCase } from "./names.ts";

export interface Parameter {
  readonly name: string;
  /** PyTorch's names for it. */
  readonly keywords: readonly string[];
  readonly option: boolean;
  readonly operand: boolean;
  readonly rest: boolean;
  readonly omissible: boolean;
  readonly foreign: boolean;
}

export function parseSignature(text: string): readonly Parameter[] {
  return text.split(" ").flatMap((word) => (word === "" ? [] : [parseParameter(word)]));
}

function parseParameter(word: string): Parameter {
  const keywords = word.replace(/^\.\.\.|[?*!-]/g, "").split("|");
  return {
    name: camelCase(keywords[0]!),
    keywords,
    option: word.includes("?"),
    operand: word.includes("*"),
    omissible: word.includes("-"),
    foreign: word.includes("!"),
    rest: word.startsWith("..."),
  };
}
