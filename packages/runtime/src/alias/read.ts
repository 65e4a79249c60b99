import { elementCount, type StridedView, sameNumbers } from "@fuseau/ir";
import * as record from "../record.ts";
import type { Value } from "../value.ts";
import { isWhole } from "../window/window.ts";
import type { Cell } from "./cell.ts";

/** What a window shows of a cell now. */
export function readWindow({ value }: Cell, window: StridedView): Value {
  const { shape } = value.node;
  if (!isWhole(window, elementCount(shape))) return record.asStrided(value, window);
  return sameNumbers(shape, window.shape) ? value : record.reshape(value, window.shape);
}
