/** What is computed on the host while functions are mapped: of all examples at once. */
import { build, type TypedArray } from "@fuseau/ir";
import { elementsNow } from "../ops/host.ts";
import { activeMappings, type Mapping, withMappings } from "../random/mapping.ts";
import { isMadeOf } from "../tape/dependents.ts";
import { withRecording } from "../tape/step.ts";
import { Value } from "../value.ts";
import { batch } from "./batch.ts";

/** The number of the innermost mapping that one of the values differs between the examples of; −1 if there is none. */
export function innermostOf(values: readonly Value[]): number {
  const mappings = activeMappings();
  let place = mappings.length - 1;
  while (place >= 0 && !values.some((value) => isMadeOf(value, (mappings[place] as Mapping).standIns)))
    place--;
  return place;
}

/** Runs on the values of all examples of a mapping, outside of it, and gives a stand-in of one example for each result. */
export function ofBatch(
  place: number,
  values: readonly Value[],
  run: (wholes: readonly Value[]) => readonly Value[],
): Value[] {
  const mappings = activeMappings();
  const mapping = mappings[place] as Mapping;
  const wholes = batch(values, mapping);
  return withMappings(mappings.slice(0, place), () => run(wholes)).map((whole) => {
    const { dtype, shape } = whole.node;
    const standIn = new Value(build.input(dtype, shape.slice(1)), [], null);
    mapping.standIns.push(standIn);
    mapping.batches.push(whole);
    return standIn;
  });
}

/** What `run` makes of values on the host, without derivatives. It is called with those of all examples, which have more axes in front. */
export function ofAll(
  values: readonly Value[],
  run: (wholes: readonly Value[]) => readonly Value[],
): readonly Value[] {
  const place = innermostOf(values);
  return place < 0
    ? withRecording(false, () => run(values))
    : ofBatch(place, values, (wholes) => ofAll(wholes, run));
}

/** The elements of a value of all examples, computed now. */
export function elementsOfAll(op: string, x: Value): TypedArray {
  let elements: TypedArray | undefined;
  ofAll([x], ([whole]) => {
    elements = elementsNow(op, whole as Value);
    return [];
  });
  return elements as TypedArray;
}
