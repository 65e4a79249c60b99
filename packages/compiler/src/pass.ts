/**
 * Passes as data. A pass has a name and makes one kind of IR from another; each kind has a printer and a verifier. So whoever runs passes
 * can verify and show each IR before the next pass reads it.
 */
import { atOnce, type Steps } from "./steps.ts";
import type { CompilerEvent, Watch } from "./watch.ts";

/** A kind of IR. */
export interface Kind<IR> {
  readonly name: string;
  readonly print: (ir: IR) => string;
  /** @throws InternalError with the IR printed. */
  readonly verify: (ir: IR) => void;
}

/** The options of every pass. */
export interface Setting {
  /** Each IR is verified when it is made. */
  readonly verify: boolean;
  /** Receives events; null where nobody watches. */
  readonly watch: Watch | null;
}

/** Passes, each of which reads the IR that the previous one makes. */
export interface Passes<From, To, Context extends Setting> {
  /** Their names and what they make, in order. */
  readonly names: readonly PassName[];
  readonly run: (ir: From, context: Context) => Steps<To>;
  readonly and: <Next>(next: Passes<To, Next, Context>) => Passes<From, Next, Context>;
}

export interface PassName {
  readonly name: string;
  readonly from: string;
  readonly to: string;
}

export function pass<From, To, Context extends Setting>(
  name: string,
  from: Kind<From>,
  to: Kind<To>,
  make: (ir: From, context: Context) => To,
): Passes<From, To, Context> {
  return passes(
    [{ name, from: from.name, to: to.name }],
    atOnce((ir, context) => made(name, to, make(ir, context), context)),
  );
}

export function passes<From, To, Context extends Setting>(
  names: readonly PassName[],
  run: (ir: From, context: Context) => Steps<To>,
): Passes<From, To, Context> {
  return {
    names,
    run,
    and: (next) =>
      passes([...names, ...next.names], function* (ir, context: Context) {
        const between = yield* run(ir, context);
        yield;
        return yield* next.run(between, context);
      }),
  };
}

/** Verifies and shows the IR, and gives it. */
export function made<IR>(name: string, kind: Kind<IR>, ir: IR, { verify, watch }: Setting): IR {
  watch?.(passEvent(name, kind, ir));
  if (verify) kind.verify(ir);
  return ir;
}

function passEvent<IR>(name: string, kind: Kind<IR>, ir: IR): CompilerEvent {
  let text: string | undefined;
  return {
    kind: "pass",
    name,
    makes: kind.name,
    get text() {
      text ??= kind.print(ir);
      return text;
    },
  };
}
