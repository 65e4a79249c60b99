/**
 * Sizes of one structure that depend on two or three of them, which change independently: polynomials of those, and products of them and
 * polynomials.
 */
import {
  dividedBy,
  numbersAt,
  type Point,
  type Polynomials,
  samplesAround,
  termsAt,
  throughProducts,
  type Varying,
} from "@fuseau/compiler";
import { isNeeded, type Room, roomIn, wholeWith } from "./rooms.ts";
import { differentSizes, isOn, pointOn, type Surface } from "./surfaces.ts";

/** With each free size there are more points at which the graph must be compiled. */
const MOST_FREE = 3;
const ALL = Number.POSITIVE_INFINITY;

/** How many lists must be on a plane, beside those that any plane could be put through. */
const SPARE = 3;

/**
 * The plane on which all these lists of sizes are; null if there is none, or if they are too few or all on one line. Where there are views
 * with steps, the sizes of what they view are made of rooms if they can be.
 */
export function planeAmong(
  sizes: readonly number[],
  known: readonly (readonly number[])[],
  refused: readonly Surface[],
  rooms: readonly Room[],
  mostFree: number = MOST_FREE,
): Surface | null {
  const mayVary = (k: number, size: number): boolean =>
    size === sizes[k] || Math.min(size, sizes[k] as number) >= 2;
  const lists = [sizes, ...known.filter((other) => other.every((size, k) => mayVary(k, size)))];
  if (lists.length < SPARE + 2) return null;
  const changing = rooms.filter((room) => isNeeded(room, lists));
  const ofRooms = changing.length === 0 ? null : planeThrough(lists, refused, changing, mostFree);
  return ofRooms ?? planeThrough(lists, refused, [], mostFree);
}

function planeThrough(
  all: readonly (readonly number[])[],
  refused: readonly Surface[],
  rooms: readonly Room[],
  mostFree: number,
): Surface | null {
  const count = (all[0] as readonly number[]).length;
  /** Each with its rooms behind its sizes. */
  let lists = all.map((list) => [...list, ...rooms.map((room) => roomIn(room, list))]);
  const sizes = lists[0] as readonly number[];
  /** True if the lists are those of one remainder of several. */
  let isPart = false;
  const rangeAt = (place: number): number => {
    const own = lists.map((list) => list[place] as number);
    return Math.max(...own) - Math.min(...own);
  };
  const isWhole = (group: readonly number[]): boolean => rooms.some(({ whole }) => group.includes(whole));
  const isRoom = (group: readonly number[]): boolean => group.some((place) => place >= count);
  // Those that change least are free: others are sums and multiples of them.
  const different = differentSizes(lists)
    .filter((group) => !isWhole(group))
    .sort((a, b) => Number(isRoom(b)) - Number(isRoom(a)) || rangeAt(a[0]) - rangeAt(b[0]));
  const places: number[] = [];
  const at = (list: readonly number[]): Point => places.map((place) => list[place] as number);
  const onThem = (place: number): Varying | null => {
    const points = lists.map(at);
    const terms = points.map((point) => termsAt(at(sizes), point));
    // Where few of the lists are left, it is enough that they are linear.
    for (const count of isPart ? [places.length, ALL] : [ALL])
      for (const times of productsOf(places.length)) {
        let values: readonly number[] | null = lists.map((list) => list[place] as number);
        for (const axis of times) values = values && dividedBy(points, values, axis);
        if (values === null) continue;
        const base = values[0] as number;
        const factors = wholeFactors(
          terms.map((own) => own.map((term, k) => (k < count ? term : 0))),
          values.map((value) => value - base),
        );
        if (factors !== null) return { place, base, factors, times };
      }
    return null;
  };
  /** The lists of which a size is as much more than a multiple of a free one: what is left of it when it is divided by a stride. */
  const withSameRemainder = (place: number): number[][] | null => {
    for (const free of places) {
      const sorted = [...lists].sort((a, b) => (a[free] as number) - (b[free] as number));
      const [low, high] = [sorted[0], sorted.at(-1)] as [readonly number[], readonly number[]];
      const stride = Math.round(
        ((high[place] as number) - (low[place] as number)) / ((high[free] as number) - (low[free] as number)),
      );
      const remainderOf = (list: readonly number[]): number =>
        (list[place] as number) - stride * (list[free] as number);
      const remainders = lists.map(remainderOf);
      if (stride >= 2 && Math.max(...remainders) - Math.min(...remainders) < stride)
        return lists.filter((_, k) => remainders[k] === remainders[0]);
    }
    return null;
  };
  for (const [place] of different) {
    if (places.length > 0 && onThem(place) !== null) continue;
    // A size of two values, as where the host takes one column or another, has too few to be free: each has a plane of its own.
    if (rangeAt(place) < 2) {
      lists = lists.filter((list) => list[place] === sizes[place]);
      continue;
    }
    const others = withSameRemainder(place);
    if (others !== null) {
      lists = others;
      isPart = true;
      continue;
    }
    if (places.length === mostFree) return null;
    places.push(place);
  }
  if (places.length < 2) return null;
  const varying: Varying[] = [];
  for (const group of different) {
    if (lists.every((list) => list[group[0]] === sizes[group[0]])) continue;
    const found = onThem(group[0]);
    if (found === null) return null;
    for (const place of group) varying.push({ ...found, place });
  }
  const origin = at(sizes);
  const polynomials: Polynomials = { origin, first: sizes, varying };
  const whole = rooms.length === 0 ? polynomials : withWholes(polynomials, rooms, all);
  if (whole === null) return null;
  const plane: Surface = {
    places,
    derived: rooms,
    sizes: whole,
    varying: new Set(whole.varying.map(({ place }) => place)),
  };
  const own = lists.map((list) => list.slice(0, count));
  return pointOn(plane, own[0] as readonly number[]) === null ||
    (rooms.length > 0 && !own.every((list) => isOn(plane, list))) ||
    refused.some((other) => isOfRooms(other) === isOfRooms(plane) && own.every((list) => isOn(other, list)))
    ? null
    : plane;
}

/** Where one of sizes is refused, or cut to narrow boxes, there may be one of rooms. */
const isOfRooms = ({ derived }: Surface): boolean => derived.length > 0;

/**
 * Sizes alone, from sizes and rooms: the size of what is viewed is made of the room and where the last element is, even where it was the same
 * in all lists. Null where two views of one tensor contradict each other.
 */
function withWholes(
  polynomials: Polynomials,
  rooms: readonly Room[],
  lists: readonly (readonly number[])[],
): Polynomials | null {
  const count = (lists[0] as readonly number[]).length;
  const tied = rooms.map(({ whole }) =>
    Array.from({ length: count }, (_, place) => place).filter((place) =>
      lists.every((list) => list[place] === list[whole]),
    ),
  );
  const samples: number[][] = [];
  for (const point of samplesAround(polynomials.origin)) {
    const numbers = numbersAt(polynomials, point);
    const made = new Map<number, number>();
    // A view of a view has a whole that the first one's is made of.
    for (let k = rooms.length - 1; k >= 0; k--) {
      const size = wholeWith(rooms[k] as Room, numbers[count + k] as number, numbers);
      for (const place of tied[k] as readonly number[]) {
        if ((made.get(place) ?? size) !== size) return null;
        made.set(place, size);
        numbers[place] = size;
      }
    }
    samples.push(numbers.slice(0, count));
  }
  return throughProducts(polynomials.origin, samples);
}

/** The products of none, one and two of so many free sizes, by which a polynomial may be multiplied. */
const productsOf = (count: number): readonly (readonly number[])[] => {
  const single = Array.from({ length: count }, (_, k) => [k]);
  return [[], ...single, ...single.flatMap(([k]) => single.slice(k).map(([other]) => [k!, other!]))];
};

/**
 * The whole numbers by which terms are multiplied so that their sums are the values; null if there are none, or if there are too few values
 * to tell. Terms that depend on those before them get 0.
 */
function wholeFactors(
  terms: readonly (readonly number[])[],
  values: readonly number[],
): readonly number[] | null {
  const count = (terms[0] as readonly number[]).length;
  // Gauss's elimination of each term from all rows but one.
  const rows = terms.map((own, k) => [...own, values[k] as number]);
  const found: number[] = [];
  for (let term = 0; term < count; term++) {
    const row = found.length;
    const sizeIn = (k: number): number => Math.abs(rows[k]?.[term] as number);
    let pivot = row;
    for (let k = row; k < rows.length; k++) if (sizeIn(k) > sizeIn(pivot)) pivot = k;
    if (row === rows.length || sizeIn(pivot) < NOTHING) continue;
    const own = rows[pivot] as number[];
    [rows[row], rows[pivot]] = [own, rows[row] as number[]];
    found.push(term);
    for (const other of rows) {
      if (other === own) continue;
      const share = (other[term] as number) / (own[term] as number);
      if (share !== 0)
        for (let k = term; k <= count; k++) other[k] = (other[k] as number) - share * (own[k] as number);
    }
  }
  if (values.length - 1 - found.length < SPARE) return null;
  const factors = new Array<number>(count).fill(0);
  for (const [k, term] of found.entries()) {
    const row = rows[k] as number[];
    factors[term] = Math.round((row[count] as number) / (row[term] as number));
  }
  const isExact = terms.every(
    (own, k) => own.reduce((sum, term, i) => sum + term * (factors[i] as number), 0) === values[k],
  );
  return isExact ? factors : null;
}

/** What is left of a whole number that was eliminated. */
const NOTHING = 1e-6;
