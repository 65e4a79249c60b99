/** Finds the user's line that is being executed. */

/** The innermost line on the present stack that is not in this package; the whole stack if there is none. */
export const callSite = (): string => siteOf(new Error());

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

/** How places in this package begin. In a bundle it is one file; in the sources it is the folder that contains all files. */
function ownPlaces(place: string): string {
  const file = place.replace(/(:\d+){2}$/, "");
  return /^(.*[\\/]runtime[\\/]src[\\/])/.exec(file)?.[1] ?? file;
}

/** True for a frame, a line of a stack, of this package. */
export function isOwnFrame(frame: string): boolean {
  own ??= ownPlaces((new Error().stack ?? "").split("\n").flatMap(placeIn)[0] ?? "");
  return own !== "" && placeIn(frame).some((place) => place.startsWith(own as string));
}

let own: string | undefined;
