/** Finds the user's line that is being executed. */

/** The innermost line on the present stack that is not in this package; the whole stack if there is none. */
export const callSite = (): string => siteOf(new Error());

/** The same for an error that was made in this package. */
export function siteOf({ stack = "" }: Error): string {
  const places = stack.split("\n").flatMap((line) => /\(?([^\s()]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? []);
  const file = (places[0] ?? "").replace(/(:\d+){2}$/, "");
  // In a bundle the package is one file; in the sources it is the folder that contains all files.
  const own = /^(.*[\\/]runtime[\\/]src[\\/])/.exec(file)?.[1] ?? file;
  return places.find((place) => own === "" || !place.startsWith(own)) ?? stack;
}
