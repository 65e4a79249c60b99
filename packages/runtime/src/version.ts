/** Replaced by the build with a hash of all sources. */
declare const FUSEAU_BUILD: string | undefined;

/** The version in saved programs: they are run only by the version that wrote them. */
export const version: string = `0.1.0-${typeof FUSEAU_BUILD === "string" ? FUSEAU_BUILD : "source"}`;
