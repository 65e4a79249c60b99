/** Warnings on the console. */

/** Says it where the host has a console. */
export function warn(message: string): void {
  const { console } = globalThis as { readonly console?: { warn(message: string): void } };
  console?.warn(message);
}

const said = new Set<string>();

/** Says it once for each line of the user's, or whatever else `site` names. */
export function warnOnce(site: string, message: string): void {
  if (said.has(site)) return;
  said.add(site);
  warn(message);
}
