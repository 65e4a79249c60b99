/** Cases in which we differ from PyTorch 1.13 on purpose, each with the reason: differences.json. */
import { readFileSync } from "node:fs";
import type { Case } from "./case.ts";

export interface Difference {
  /** The ids of the cases. */
  readonly cases: readonly string[];
  readonly reason: string;
}

export const differences: readonly Difference[] = JSON.parse(
  readFileSync(new URL("differences.json", import.meta.url), "utf8"),
);

const listed = new Set(differences.flatMap(({ cases }) => cases));

export const isListed = ({ id }: Case): boolean => listed.has(id);
