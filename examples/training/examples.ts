/** All examples that train, by name. */
import type { Outcome } from "../shared/train.ts";
import { convolution } from "./convolution.ts";
import { flights } from "./flights.ts";
import { licences } from "./licences.ts";
import { perceptron } from "./perceptron.ts";
import { photograph } from "./photograph.ts";

export const examples: ReadonlyMap<string, (quick: boolean, folder: string) => Promise<Outcome>> = new Map(
  Object.entries({ perceptron, convolution, flights, licences, photograph }),
);
