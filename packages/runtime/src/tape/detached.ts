import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { withRecording } from "./step.ts";

/** A value with the same elements that no derivative flows through. */
export const detached = (x: Value): Value =>
  x.step === null ? x : withRecording(false, () => record.reshape(x, x.node.shape));
