import { counting } from "./counting.ts";
import { halving } from "./halving.ts";
import { heat } from "./heat.ts";
import { heatInPlace } from "./heat-in-place.ts";
import { kMeans } from "./k-means.ts";
import { life } from "./life.ts";
import { logistic } from "./logistic.ts";
import { monteCarlo } from "./monte-carlo.ts";
import { movingAverage } from "./moving-average.ts";
import type { NaiveProgram } from "./program.ts";
import { sobel } from "./sobel.ts";

export const programs: Readonly<Record<string, NaiveProgram>> = {
  "k-means": kMeans,
  life,
  heat,
  "heat in place": heatInPlace,
  sobel,
  "monte-carlo": monteCarlo,
  logistic,
  "moving average": movingAverage,
  counting,
  halving,
};
