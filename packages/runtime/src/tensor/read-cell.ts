import { elementCount, type StridedView, sameNumbers } from "@fuseau/ir";
import * as record from "../record.ts";
import { type Step, withRecording } from "../tape/step.ts";
import type { Value } from "../value.ts";
import { isWhole } from "../window/window.ts";
import type { Alias, Cell, ViewRoot } from "./cell.ts";

/** The present value of a window of a cell. */
export function readWindow({ value }: Pick<Cell, "value">, window: StridedView): Value {
  const { shape } = value.node;
  if (!isWhole(window, elementCount(shape))) return record.asStrided(value, window);
  return sameNumbers(shape, window.shape) ? value : record.reshape(value, window.shape);
}

/** The present value of an alias. Whether a derivative flows through it was decided when the alias was made. */
export function readAlias(alias: Alias): Value {
  const value = readNow(alias);
  if (value !== alias.cell.value) value.part ??= alias.part;
  return value;
}

function readNow({ cell, window, isBase, isDetached, root }: Alias): Value {
  const own = root?.own.step ?? null;
  if (root !== null && own !== null) return readRoot(cell, root, own);
  if (cell.value.step === null) return readWindow(cell, window);
  return withRecording(!isDetached, () => {
    const value = readWindow(cell, window);
    // The cell's step is that of its base alone.
    const hasOtherStep = isDetached || (value.step !== null && !isBase);
    return value === cell.value && hasOtherStep ? record.reshape(value, window.shape) : value;
  });
}

/** A root has its step anew in whatever its cell holds. A view of it has a step of its own, also where it is all of it. */
function readRoot(cell: Cell, { window, within }: ViewRoot, step: Step): Value {
  const value = withRecording(false, () => record.reshape(readWindow(cell, window), window.shape));
  value.setStep(step);
  if (within === null) return value;
  return withRecording(true, () => {
    const read = readWindow({ value }, within);
    return read === value ? record.reshape(value, within.shape) : read;
  });
}
