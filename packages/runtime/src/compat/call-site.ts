/** Finds the user's line that is being executed. */

/** Modules in modules, and a backward pass, are many frames of ours, of which V8 keeps ten unless it is asked for more. */
const DEEPEST = 200;

/** The present stack, for {@link siteOf}. V8 makes text of it only when it is read, which takes longer than all else. */
export function presentStack(): Error {
  const limited = Error as { stackTraceLimit?: number };
  const { stackTraceLimit } = limited;
  if (stackTraceLimit === undefined) return new Error();
  limited.stackTraceLimit = DEEPEST;
  try {
    return new Error();
  } finally {
    limited.stackTraceLimit = stackTraceLimit;
  }
}

/** The innermost line on the present stack that is not in this package; the whole stack if there is none. */
export const callSite = (): string => siteOf(presentStack());

/** The same for an error that was made in this package. */
export function siteOf({ stack = "" }: Error): string {
  const places = stack.split("\n").flatMap(placeIn);
  const own = ownPlaces(places[0] ?? "");
  return places.find((place) => own === "" || !place.startsWith(own)) ?? stack;
}

const placeIn = (line: string): readonly string[] => {
  const place = /\(?([^\s()]+:\d+:\d+)\)?$/.exec(line)?.[1];
  return place === undefined ? [] : [place];
};

/**
 * How places in this package begin. In a bundle it is one file; in the sources, and as published, where each entry point is a file, it is
 * the folder that contains all files.
 */
function ownPlaces(place: string): string {
  const file = place.replace(/(:\d+){2}$/, "");
  return /^(.*[\\/](?:runtime[\\/]src|(?:runtime|fuseau)[\\/]dist)[\\/])/.exec(file)?.[1] ?? file;
}

/** True for a frame, a line of a stack, of this package. */
export function isOwnFrame(frame: string): boolean {
  own ??= ownPlaces((new Error().stack ?? "").split("\n").flatMap(placeIn)[0] ?? "");
  return own !== "" && placeIn(frame).some((place) => place.startsWith(own as string));
}

let own: string | undefined;
