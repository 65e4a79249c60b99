import { counting } from "./counting.ts";
import { heat } from "./heat.ts";
import { kMeans } from "./k-means.ts";
import { life } from "./life.ts";
import { logistic } from "./logistic.ts";
import { monteCarlo } from "./monte-carlo.ts";
import type { NaiveProgram } from "./program.ts";
import { sobel } from "./sobel.ts";

export const programs: Readonly<Record<string, NaiveProgram>> = {
  "k-means": kMeans,
  life,
  heat,
  sobel,
  "monte-carlo": monteCarlo,
  logistic,
  counting,
};
