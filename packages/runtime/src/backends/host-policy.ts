/** Finds out what the host's policy forbids, by trying, and warns once where it costs time. */
import { watchOptions } from "../options.ts";

/** What is forbidden, with the directive's name; null where it is allowed, missing, or not yet tried. */
export interface Forbidden {
  readonly webAssembly: string | null;
  readonly codeFromStrings: string | null;
}

let webAssembly: string | null = null;
let codeFromStrings: string | null = null;
export const forbiddenHere = (): Forbidden => ({ webAssembly, codeFromStrings });

type Kind = "node" | "workerd" | "page";

interface Host {
  readonly process?: { readonly versions?: { readonly node?: string } };
  readonly navigator?: { readonly userAgent?: string };
  readonly console?: { warn(message: string): void };
}
const host = globalThis as unknown as Host;

function kind(): Kind {
  if (host.navigator?.userAgent === "Cloudflare-Workers") return "workerd";
  return host.process?.versions?.node === undefined ? "page" : "node";
}

const webAssemblySentence: { readonly [K in Kind]: string } = {
  node: "WebAssembly is forbidden here (a vm context with codeGeneration: { wasm: false })",
  workerd: "WebAssembly is forbidden here: Workers compile no module at run time",
  page: "WebAssembly is forbidden here: the Content-Security-Policy has no 'wasm-unsafe-eval' in script-src",
};

const stringsSentence: { readonly [K in Kind]: string } = {
  node: "code from strings is forbidden (--disallow-code-generation-from-strings, or a vm context with codeGeneration: { strings: false })",
  workerd: "code from strings is forbidden: Workers have no eval",
  page: "code from strings is forbidden (the Content-Security-Policy has no 'unsafe-eval' in script-src)",
};

const TRUSTED_TYPES =
  "code from strings is forbidden (Trusted Types: require-trusted-types-for 'script' in the Content-Security-Policy)";

/** Notes that valid modules are refused. */
export function noteNoWebAssembly(): void {
  webAssembly = webAssemblySentence[kind()];
}

/** Notes why `new Function` threw, and warns about it. */
export function noteNoStrings(error: unknown): string {
  const isTrustedTypes = error instanceof Error && /trusted ?type/i.test(error.message);
  codeFromStrings = isTrustedTypes ? TRUSTED_TYPES : stringsSentence[kind()];
  return codeFromStrings;
}

let isSaid = false;
let isSilent = false;
watchOptions(({ onForbidden }) => {
  isSilent = onForbidden === "silent";
});

/** Warns, once in a process or page, that programs run slower than they would if WebAssembly were allowed. */
export function warnOfPolicy(): void {
  if (isSaid || isSilent || webAssembly === null) return;
  isSaid = true;
  const also = codeFromStrings === null ? "" : `, and ${codeFromStrings}`;
  const slower = codeFromStrings === null ? "several times" : "tens of times";
  host.console?.warn(
    `fuseau: ${webAssembly}${also}. Large programs run ${slower} slower than they could; allow WebAssembly, or silence this with setOptions({ onForbidden: "silent" }).`,
  );
}
