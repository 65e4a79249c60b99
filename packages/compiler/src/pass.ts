/**
 * Passes as data. A pass has a name and makes one kind of IR of another; each kind has a printer and a verifier. Whoever runs
 * passes needs nothing else to check what they make before the next one reads it, and to show it.
 */
import type { CompilerEvent, Watch } from "./watch.ts";

/** A kind of IR. */
export interface Kind<IR> {
  readonly name: string;
  readonly print: (ir: IR) => string;
  /** @throws InternalError with the IR printed. */
  readonly verify: (ir: IR) => void;
}

/** What every pass is told. */
export interface Setting {
  /** Each IR is verified when it is made. */
  readonly verify: boolean;
  /** Who is told of it; null where nobody watches. */
  readonly watch: Watch | null;
}

/** Passes, each of which reads what the one before it makes. */
export interface Passes<From, To, Context extends Setting> {
  /** Their names and what they make, in order. */
  readonly names: readonly PassName[];
  readonly run: (ir: From, context: Context) => To;
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
  return passes([{ name, from: from.name, to: to.name }], (ir, context) =>
    made(name, to, make(ir, context), context),
  );
}

export function passes<From, To, Context extends Setting>(
  names: readonly PassName[],
  run: (ir: From, context: Context) => To,
): Passes<From, To, Context> {
  return {
    names,
    run,
    and: (next) =>
      passes([...names, ...next.names], (ir, context: Context) => next.run(run(ir, context), context)),
  };
}

/** The IR, verified and shown. */
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
