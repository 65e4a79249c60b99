/** Where in the user's code something happens. */

/** The innermost place on the stack of this moment that is not of this package; the whole stack when there is none. */
export const callSite = (): string => siteOf(new Error());

/** The same of an error that was made in this package. */
export function siteOf({ stack = "" }: Error): string {
  const places = stack.split("\n").flatMap((line) => /\(?([^\s()]+:\d+:\d+)\)?$/.exec(line)?.[1] ?? []);
  const file = (places[0] ?? "").replace(/(:\d+){2}$/, "");
  // A bundle is one file; in the sources it is the folder that all of them lie in.
  const own = /^(.*[\\/]runtime[\\/]src[\\/])/.exec(file)?.[1] ?? file;
  return places.find((place) => own === "" || !place.startsWith(own)) ?? stack;
}
