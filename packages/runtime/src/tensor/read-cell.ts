import { elementCount, type StridedView, sameNumbers } from "@fuseau/ir";
import * as record from "../record.ts";
import { withRecording } from "../tape/step.ts";
import type { Value } from "../value.ts";
import { isWhole } from "../window/window.ts";
import type { Alias, Cell } from "./cell.ts";

/** The present value of a window of a cell. */
export function readWindow({ value }: Cell, window: StridedView): Value {
  const { shape } = value.node;
  if (!isWhole(window, elementCount(shape))) return record.asStrided(value, window);
  return sameNumbers(shape, window.shape) ? value : record.reshape(value, window.shape);
}

/** The present value of an alias. Whether a derivative flows through it was decided when the alias was made. */
export function readAlias({ cell, window, isDetached }: Alias): Value {
  if (cell.value.step === null) return readWindow(cell, window);
  return withRecording(!isDetached, () => {
    const value = readWindow(cell, window);
    return isDetached && value === cell.value ? record.reshape(value, window.shape) : value;
  });
}
