/** Warns, once for each line of the user's, when a recording grows from one computation to the next. */
import { presentStack, siteOf } from "../../compat/call-site.ts";
import { warnOnce } from "../../messages/warning.ts";
import { type Value, watchValues } from "../../value.ts";

/** Where values were recorded, while that is being watched. */
const sites = new WeakMap<Value, Error>();

/** How many growing computations and recorded values a watch lasts at most, and how many pass before the next: twice as many each time. */
const LONGEST_WATCH = 16;
const MOST_WATCHED = 10_000;
/** Ends the watch; null while there is none. */
let unwatch: (() => void) | null = null;
let watched = 0;
let pause = 1;
let waiting = 0;

/** Watches which lines record from now on. That takes a stack trace for each value, so only growing recordings are watched. */
export function watchForGrowth(): void {
  if (unwatch === null) {
    if (waiting-- > 0) return;
    watched = 0;
    let left = MOST_WATCHED;
    // What stops growing calls this function no more, so that the watch ends by itself.
    unwatch = watchValues((value) => {
      sites.set(value, presentStack());
      if (--left === 0) rest();
    });
  } else if (++watched > LONGEST_WATCH) rest();
}

function rest(): void {
  unwatch?.();
  unwatch = null;
  waiting = pause;
  pause *= 2;
}

/** The recording beneath `order` has grown over this many computations, and is now cut. */
export function sayThatItGrows(order: readonly Value[], computations: number): void {
  const fresh = order.find(
    ({ storage, trace, inputs }) =>
      storage === null &&
      trace === null &&
      inputs.some((input) => input.storage === null && input.trace !== null),
  );
  const stack = fresh && sites.get(fresh);
  const site = stack && siteOf(stack);
  rest();
  // No warning yet if the line was not watched: it will grow again.
  if (site === undefined) return;
  warnOnce(
    `grows ${site}`,
    `compute: what is recorded at ${site} reads what was recorded and never computed before the last ${computations} computations, so that each of them computed more than the one before. It is cut here: the value is kept. Call compute() on it in each round.`,
  );
}
