/** UTF-8 in pages and in Node. */
interface TextCoding {
  readonly TextEncoder: new () => { encode(text: string): Uint8Array };
  readonly TextDecoder: new (
    encoding: string,
    options: { readonly fatal: boolean; readonly ignoreBOM: boolean },
  ) => { decode(bytes: Uint8Array): string };
}
const { TextEncoder, TextDecoder } = globalThis as unknown as TextCoding;

export const encodeText = (text: string): Uint8Array => new TextEncoder().encode(text);

/** @throws TypeError for bytes that are not UTF-8. */
export const decodeText = (bytes: Uint8Array): string =>
  new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
