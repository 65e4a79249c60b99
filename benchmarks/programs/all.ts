import { derivatives } from "./derivatives.ts";
import { images } from "./images.ts";
import { indexing } from "./indexing.ts";
import { linear } from "./linear.ts";
import { networks } from "./networks.ts";
import type { Program } from "./program.ts";
import { signals } from "./signals.ts";
import { simulation } from "./simulation.ts";
import { sorting } from "./sorting.ts";
import { statistics } from "./statistics.ts";

export const areas: Readonly<Record<string, readonly Program[]>> = {
  images,
  statistics,
  networks,
  derivatives,
  indexing,
  sorting,
  "linear algebra": linear,
  signals,
  simulation,
};
