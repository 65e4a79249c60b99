/**
 * Recordings for sizes that a function declares dynamic. When it has been recorded at some of them, and everything that was kept lies on a
 * line, calls at sizes in between are not recorded. docs/jit.md says what is promised.
 */
import { isWithin, numbersAt } from "@fuseau/compiler";
import { build, type Node, showArgument } from "@fuseau/ir";
import type { Recorded } from "../execute/extract/extract.ts";
import { isSameStructure } from "../execute/extract/structure.ts";
import { executableAt, noteSmallCall } from "../execute/late/bound.ts";
import type { Executable } from "../execute/programs/executable.ts";
import type { Late } from "../execute/programs/family.ts";
import { lineThrough } from "../execute/sizes/lines.ts";
import { isOn, type Surface } from "../execute/sizes/surfaces.ts";
import type { Options } from "../options.ts";
import type { Entry } from "./entry.ts";
import { ANY_SIZE, areAlike, type Given, isPlain, type Place } from "./signature.ts";

/** The axes of an argument that vary: for a tensor a list of axes, for arrays and plain objects of tensors the same form. */
export type Dynamic = null | undefined | readonly (number | Dynamic)[] | { readonly [name: string]: Dynamic };

/**
 * The places with their dynamic axes marked as open.
 * @throws TypeError if `dynamic` names axes of what is no tensor, RangeError for an axis that a tensor does not have.
 */
function opened(places: readonly Place[], dynamic: readonly Dynamic[]): readonly Place[] {
  if (dynamic.length > places.length)
    throw new RangeError(
      `jit: dynamic speaks of ${dynamic.length} arguments, but the function was called with ${places.length}`,
    );
  return places.map((place, k) => open(place, dynamic[k], `dynamic[${k}]`));
}

function open(place: Place, dynamic: Dynamic, name: string): Place {
  if (dynamic === null || dynamic === undefined) return place;
  if (place.is === "tensor" && Array.isArray(dynamic)) {
    const shape = [...place.shape];
    for (const axis of dynamic as readonly unknown[]) {
      const rank = shape.length;
      if (!Number.isInteger(axis) || (axis as number) < -rank || (axis as number) >= rank)
        throw new RangeError(
          `jit: ${name} names axis ${showArgument(axis)} of a tensor of ${rank} dimensions (axes are whole numbers from ${-rank} to ${rank - 1})`,
        );
      shape[((axis as number) + rank) % rank] = ANY_SIZE;
    }
    return { ...place, shape };
  }
  if (place.is === "list" && Array.isArray(dynamic)) {
    if (dynamic.length > place.items.length)
      throw new RangeError(
        `jit: ${name} has ${dynamic.length} parts, but the argument ${place.items.length}`,
      );
    const items = place.items.map((item, k) => open(item, dynamic[k] as Dynamic, `${name}[${k}]`));
    return { ...place, items };
  }
  if (place.is === "object" && !Array.isArray(dynamic) && typeof dynamic === "object") {
    const unknown = Object.keys(dynamic).find((key) => !place.names.includes(key));
    if (unknown !== undefined)
      throw new TypeError(
        `jit: ${name} names ${showArgument(unknown)}, which the argument has not (it has ${place.names.join(", ")})`,
      );
    const own = dynamic as { readonly [key: string]: Dynamic };
    const items = place.items.map((item, k) => {
      const key = place.names[k] as string;
      return open(item, own[key], `${name}.${key}`);
    });
    return { ...place, items };
  }
  throw new TypeError(
    `jit: ${name} does not go with its argument: of a tensor it is a list of axes, of an array or plain object one of the same form, and null elsewhere`,
  );
}

/** What is kept of calls that differ only in their dynamic sizes. */
interface Form {
  readonly places: readonly Place[];
  readonly isGradOn: boolean;
  readonly options: Options;
  /** The first recording, and its sizes; replaced by one at more than a few, if such a call comes. */
  recorded: Recorded;
  sizes: readonly number[];
  /** Small sizes (as text) at which a count is a constant and no bound number. They have recordings of their own. */
  readonly ownSizes: Set<string>;
  /** By the program of many sizes that the recordings run. */
  readonly sized: Map<Late, Sized>;
  /** True if the function did something else at another size, whatever it declares. Then calls are recorded at each size. */
  isRefuted: boolean;
}

interface Sized {
  readonly late: Late;
  /** The numbers of each recording: the dynamic sizes, the free sizes of the program, and all that was kept. */
  readonly samples: (readonly number[])[];
  /** Everything that is no number, and must be equal in all recordings. */
  readonly rest: readonly unknown[];
  newest: Entry;
  /** Makes the newest recording for other sizes; null until it is needed. */
  remake: Remake | null;
  line: Surface | null;
  low: number;
  high: number;
  /** True if a recording was not on the line: calls are recorded at each size. */
  isClosed: boolean;
  readonly made: Map<number, Entry>;
}

/** How many samples make a line, with those that are to lie on it; and how many may fail to. */
const SAMPLES = 4;
const MOST_SAMPLES = 8;

/** Counts of 2 and 3 are constants that rules use. Counts are sizes, or sizes less one, so they occur up to this size. */
const FEW = 4;
const areFew = (sizes: readonly number[]): boolean => sizes.every((size) => size <= FEW);

/** Bound kernel calls take some 8 KiB each. So many are kept, which limits for how many sizes recordings are kept. */
const MOST_CALLS = 4_096;

export class DynamicEntries {
  readonly #dynamic: readonly Dynamic[];
  readonly #limit: number;
  #forms: Form[] = [];

  constructor(dynamic: readonly Dynamic[], limit: number) {
    this.#dynamic = dynamic;
    this.#limit = limit;
  }

  clear(): void {
    this.#forms = [];
  }

  /** @throws TypeError or RangeError if `dynamic` does not fit the arguments. */
  check(places: readonly Place[]): void {
    opened(places, this.#dynamic);
  }

  /** The recording for such arguments, made from those at other sizes; null if the call must be recorded. */
  find(args: readonly unknown[], isGradOn: boolean, options: Options, given: Given): Entry | null {
    const found = this.#formOf(args, isGradOn, options, given);
    if (found === null) return null;
    const { sizes } = given;
    if (found.ownSizes.size > 0 && found.ownSizes.has(String(sizes))) return null;
    for (const sized of found.sized.values()) {
      const { line, low, high, made } = sized;
      if (line === null) continue;
      const size = sizes?.[line.places[0] as number] as number;
      if (size < low || size > high || !isAlong(line, size, sizes as readonly number[])) continue;
      const known = made.get(size) ?? entryAt(sized, line, size, sizes!.length);
      if (known === null || noteSmallCall(known.executable as Executable)) continue;
      // A map keeps insertion order, so the one used last comes last.
      made.delete(size);
      made.set(size, known);
      const most = Math.max(this.#limit, Math.floor(MOST_CALLS / Math.max(1, sized.late.calls.length)));
      for (const oldest of made.keys()) {
        if (made.size <= most) break;
        made.delete(oldest);
      }
      return known;
    }
    return null;
  }

  #formOf(args: readonly unknown[], isGradOn: boolean, options: Options, given: Given): Form | null {
    for (const form of this.#forms) {
      given.tensors.length = given.numbers.length = 0;
      if (given.sizes !== undefined) given.sizes.length = 0;
      if (form.isGradOn === isGradOn && form.options === options && areAlike(form.places, args, given))
        return form;
    }
    return null;
  }

  /** Adds a recording. */
  note(entry: Entry, args: readonly unknown[]): void {
    const { executable } = entry;
    // Drawing random numbers at a size advances the generator by that many words.
    if (entry.thunks.some(({ isOfSizes }) => isOfSizes)) return;
    if (entry.refusal !== null || executable === null) return;
    const places = opened(entry.places, this.#dynamic);
    const given = { tensors: [], numbers: [], sizes: [] as number[] };
    areAlike(places, args, given);
    // A copy, since `given` is filled anew for each comparison.
    const sizes = [...given.sizes];
    // Only sizes from 2 on are dynamic: at 1 a tensor broadcasts and at 0 it is empty, which are other programs.
    if (sizes.some((size) => size < 2)) return;
    const { isGradOn, options } = entry;
    const form =
      this.#formOf(args, isGradOn, options, given) ?? this.#found(places, entry, executable, sizes);
    const { late, recorded } = executable;
    if (!isSameStructure(recorded, form.recorded, true)) {
      const own = areFew(sizes);
      form.isRefuted ||= !(own || areFew(form.sizes)) || !isSameStructure(recorded, form.recorded, false);
      form.ownSizes.add(String(own ? sizes : form.sizes));
      if (!own) {
        form.recorded = recorded;
        form.sizes = sizes;
      }
    }
    if (form.isRefuted) form.sized.clear();
    if (form.isRefuted || late === null || form.ownSizes.has(String(sizes))) return;
    const numbers = [...sizes, ...late.point];
    const rest: unknown[] = [];
    take(keptOf(entry), numbers, rest);
    const sized = form.sized.get(late.of);
    if (sized === undefined) {
      const made = new Map<number, Entry>();
      const first = { late: late.of, samples: [numbers], rest, newest: entry, remake: null, made };
      form.sized.set(late.of, { ...first, line: null, low: 0, high: -1, isClosed: false });
    } else if (!sized.isClosed) addSample(sized, numbers, rest, entry, sizes.length);
  }

  #found(
    places: readonly Place[],
    { isGradOn, options }: Entry,
    { recorded }: Executable,
    sizes: readonly number[],
  ): Form {
    const form: Form = {
      places,
      isGradOn,
      options,
      recorded,
      sizes,
      ownSizes: new Set(),
      sized: new Map(),
      isRefuted: false,
    };
    this.#forms.unshift(form);
    if (this.#forms.length > this.#limit) this.#forms.pop();
    return form;
  }
}

function addSample(
  sized: Sized,
  numbers: readonly number[],
  rest: readonly unknown[],
  entry: Entry,
  count: number,
): void {
  const isSame = rest.length === sized.rest.length && rest.every((part, k) => Object.is(part, sized.rest[k]));
  const { samples, line } = sized;
  sized.isClosed = !isSame || (line !== null && !isOn(line, numbers));
  if (!sized.isClosed && line === null) {
    samples.push(numbers);
    if (samples.length >= SAMPLES) sized.line = lineOf(samples, count);
    sized.isClosed = sized.line === null && samples.length >= MOST_SAMPLES;
  }
  if (sized.isClosed) {
    sized.line = null;
    sized.made.clear();
    return;
  }
  sized.newest = entry;
  sized.remake = null;
  const { line: found } = sized;
  if (found === null) return;
  const sizes = [...samples, numbers].map((own) => own[found.places[0] as number] as number);
  sized.low = Math.min(sized.high < 0 ? Number.POSITIVE_INFINITY : sized.low, ...sizes);
  sized.high = Math.max(sized.high, ...sizes);
}

/** The line through three samples, if all of them lie on it. One of the dynamic sizes is the number that the others depend on. */
function lineOf(samples: readonly (readonly number[])[], count: number): Surface | null {
  const [first, second, third] = samples;
  if (!first || !second || !third) return null;
  const line = lineThrough([first, second, third], count);
  return line !== null && samples.every((numbers) => isOn(line, numbers)) ? line : null;
}

/** What was kept of a recording and may depend on sizes: all except its signature, what runs it, and what it asks the host. */
function keptOf(entry: Entry) {
  const { places, isGradOn, options, refusal, executable, direct, guards, thunks, ...kept } = entry;
  // How many there are may not depend on sizes: otherwise it is another function.
  return { ...kept, asked: `${guards.length} guards, ${thunks.length} thunks` };
}

/** True where all sizes are what the line has at one of them. A single size is always. */
function isAlong(line: Surface, size: number, sizes: readonly number[]): boolean {
  if (sizes.length === 1) return true;
  const numbers = numbersAt(line.sizes, [size]);
  return sizes.every((own, k) => own === numbers[k]);
}

/** The recording at a size of the line; null if the program is another there. */
function entryAt(sized: Sized, line: Surface, size: number, count: number): Entry | null {
  const { late, newest } = sized;
  const numbers = numbersAt(line.sizes, [size]);
  const point = numbers.slice(count, count + late.low.length);
  if (!isWithin(late, point)) return null;
  sized.remake ??= remakeOf(keptOf(newest), line, count + point.length) ?? ((_, kept) => kept);
  const kept = sized.remake(numbers, newest) as Entry;
  return { ...kept, executable: executableAt(late, point), direct: null };
}

/** A part of a recording at other sizes. What does not change is shared. */
type Remake = (numbers: readonly number[], part: unknown) => unknown;

/** How to make a part for other sizes, if its numbers begin at a position of the line; null if it is the same at all sizes. */
function remakeOf(part: unknown, { varying }: Surface, first: number): Remake | null {
  let next = first;
  const of = (value: unknown): Remake | null => {
    if (typeof value === "number") {
      const place = next++;
      return varying.has(place) ? (numbers) => numbers[place] : null;
    }
    if (typeof value !== "object" || value === null) return null;
    if (Array.isArray(value)) {
      const items = value.map(of);
      if (items.every((item) => item === null)) return null;
      return (numbers, own) =>
        (own as readonly unknown[]).map((item, k) => items[k]?.(numbers, item) ?? item);
    }
    if (isNode(value)) {
      const shape = of(value.shape);
      if (shape === null) return null;
      return (numbers, own) =>
        build.input((own as Node).dtype, shape(numbers, (own as Node).shape) as readonly number[]);
    }
    if (!isPlain(value)) return null;
    const changed = Object.entries(value).flatMap(([name, field]) => {
      const remake = of(field);
      return remake === null ? [] : [{ name, remake }];
    });
    if (changed.length === 0) return null;
    return (numbers, own) => {
      const copy: Record<string, unknown> = { ...(own as Readonly<Record<string, unknown>>) };
      for (const { name, remake } of changed) copy[name] = remake(numbers, copy[name]);
      return copy;
    };
  };
  return of(part);
}

const isNode = (value: object): value is Node => "op" in value && "dtype" in value && "shape" in value;

/** Appends the numbers of a part in a fixed order, and to `rest` everything else, with the lengths of lists. */
function take(part: unknown, numbers: number[], rest: unknown[]): void {
  if (typeof part === "number") numbers.push(part);
  else if (typeof part !== "object" || part === null) rest.push(part);
  else if (Array.isArray(part)) {
    rest.push(part.length);
    for (const item of part) take(item, numbers, rest);
  } else if (isNode(part)) {
    // The node of a stored value has only its shape and dtype.
    rest.push(part.dtype);
    take(part.shape, numbers, rest);
  } else if (isPlain(part)) {
    rest.push(Object.keys(part).join());
    for (const field of Object.values(part)) take(field, numbers, rest);
  } else rest.push(part);
}
