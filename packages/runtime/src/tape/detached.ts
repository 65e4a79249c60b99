import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { withRecording } from "./step.ts";

/** The same elements, through which no derivative flows. */
export const detached = (x: Value): Value =>
  x.step === null ? x : withRecording(false, () => record.reshape(x, x.node.shape));
