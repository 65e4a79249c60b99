/** Finds where a NaN comes from. Source: torch.autograd.detect_anomaly on pytorch.org/docs/stable. */
import { computeValues } from "../execute/compute.ts";
import { optionsOf } from "../options.ts";
import { fallible, recordedAt } from "../origin.ts";
import { GradientError } from "../tape/errors.ts";
import { type Value, watchValues } from "../value.ts";

let isOn = false;

/** Calls `fn`. The line of every value is recorded, and every backward pass is searched for NaN. */
export function withAnomalies<R>(fn: () => R): R {
  const before = isOn;
  isOn = true;
  const unwatch = watchValues((value) => {
    if (value.inputs.length > 0) fallible(value);
  });
  try {
    return fn();
  } finally {
    unwatch();
    isOn = before;
  }
}

/** The gradient that a step of a backward pass gave to one of its inputs. */
export interface Share {
  readonly from: Value;
  readonly gradient: Value;
}

/** True while backward passes are searched. */
export const looksForAnomalies = (): boolean => isOn;

/**
 * @throws GradientError that names the first op that made a NaN: in the forward pass, by `order`, else in the backward pass, by the order
 * of `shares`.
 */
export function refuseNaN(order: readonly Value[], shares: readonly Share[]): void {
  // A value forgets where it was recorded when it is computed.
  const origins = new Map(order.map((value) => [value, value.origin]));
  const named = (value: Value): string => origins.get(value)?.op ?? nameOf(value);
  const place = (value: Value): string => {
    const origin = origins.get(value) ?? null;
    return origin === null ? "" : recordedAt(origin);
  };
  computeValues([...order, ...shares.map(({ gradient }) => gradient)], optionsOf("detectAnomaly", undefined));
  for (const value of order) {
    if (!hasNaN(value)) continue;
    const given =
      value.step?.inputs.every((input) => !hasNaN(input)) === true ? "" : " (an operand had one before)";
    throw new GradientError(`detectAnomaly: ${named(value)} gave NaN${given}${place(value)}`);
  }
  for (const { from, gradient } of shares)
    if (hasNaN(gradient))
      throw new GradientError(
        `detectAnomaly: Function '${named(from)}Backward' returned nan values in its 0th output.${place(from)}`,
      );
}

const nameOf = ({ step }: Value): string => {
  const node = step?.node;
  return step?.rule?.name ?? (node?.op === "pointwise" ? node.attributes.fn : (node?.op ?? "an input"));
};

function hasNaN({ storage, node: { dtype } }: Value): boolean {
  if (storage === null) return false;
  const { array } = storage;
  // float16 elements are their bits: a NaN has all bits of the exponent set, and some of the fraction.
  if (dtype === "float16") return (array as Uint16Array).some((bits) => (bits & 0x7fff) > 0x7c00);
  return (array as Float32Array).some(Number.isNaN);
}
