/** What a program is compiled for, beside its graph. */
import type { Emitter, Limits } from "@fuseau/compiler";
import { sameNumbers } from "@fuseau/ir";
import type { Options } from "../../options.ts";
import type { Extraction } from "../extract/extract.ts";

export interface Purpose {
  /** The emitter that the user asked for. */
  readonly asked: Emitter | undefined;
  readonly fusion: "on" | "none";
  readonly limits: Partial<Limits> | undefined;
  readonly donated: readonly number[];
  /** True of a single op of a recording that runs op by op. */
  readonly isOfOp?: true;
}

export const purposeOf = ({ donated }: Extraction, { emitter, fusion = "on", limits }: Options): Purpose => ({
  asked: emitter,
  fusion,
  limits,
  donated: [...donated],
});

export const isSamePurpose = (a: Purpose, b: Purpose): boolean =>
  a.asked === b.asked &&
  a.fusion === b.fusion &&
  a.isOfOp === b.isOfOp &&
  sameNumbers(a.donated, b.donated) &&
  sameLimits(a.limits, b.limits);

export function sameLimits(a: Partial<Limits> | undefined, b: Partial<Limits> | undefined): boolean {
  if (a === b) return true;
  const names = new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})] as (keyof Limits)[]);
  return [...names].every((name) => a?.[name] === b?.[name]);
}

/** True if what was compiled so is what the options ask for. */
export const isFor = (known: Purpose, { emitter, fusion = "on", limits }: Options): boolean =>
  known.asked === emitter && known.fusion === fusion && sameLimits(known.limits, limits);
