/** Put in by the build: a hash of all sources. */
declare const FUSEAU_BUILD: string | undefined;

/** Of what version a saved program is: it is run by the very code that wrote it. */
export const version: string = `0.1.0-${typeof FUSEAU_BUILD === "string" ? FUSEAU_BUILD : "source"}`;
