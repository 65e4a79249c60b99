/** Every contest of the WebAssembly report, in its order. */
import type { Contest } from "../wasm/contest.ts";
import { convolutionContests } from "./convolutions.ts";
import { dataContests, movementContests } from "./native-movement.ts";
import { pointwiseContests } from "./native-pointwise.ts";
import { productContests } from "./native-products.ts";
import { reductionContests } from "./native-reductions.ts";
import { smallContests } from "./native-small.ts";

export const contests: readonly Contest[] = [
  ...pointwiseContests,
  ...reductionContests,
  ...movementContests,
  ...productContests,
  ...convolutionContests,
  ...dataContests,
  ...smallContests,
];
