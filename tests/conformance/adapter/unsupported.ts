/** The library has no such op, or the op no such parameter. A case that needs it fails. */
export class Unsupported extends Error {
  override readonly name = "Unsupported";

  constructor(what: string) {
    super(`not supported: ${what}`);
  }
}
