/** The listener of events. There is usually none: then `watching` is null, and the test of that is all that watching costs. */
import type { TraceEvent } from "./event.ts";
import { isAbout, printEvent, topics } from "./print.ts";

export type Listener = (event: TraceEvent) => void;

interface Host {
  readonly process?: { readonly env?: { readonly FUSEAU_DEBUG?: string | undefined } };
  readonly FUSEAU_DEBUG?: unknown;
  readonly console?: { error(message: string): void };
}

const host = globalThis as unknown as Host;

/** Deno throws if it is not permitted to read the environment. */
function askedFor(): unknown {
  try {
    return host.FUSEAU_DEBUG ?? host.process?.env?.FUSEAU_DEBUG;
  } catch {
    return undefined;
  }
}

/** A listener that prints the topics in FUSEAU_DEBUG; null if there are none. */
function debugListener(): Listener | null {
  const asked = askedFor();
  if (typeof asked !== "string" || asked.trim() === "") return null;
  const wanted = new Set(asked.split(",").map((topic) => topic.trim()));
  const print = (text: string): void => host.console?.error(`fuseau: ${text}`);
  for (const topic of wanted)
    if (!(topics as readonly string[]).includes(topic))
      print(`FUSEAU_DEBUG has no topic "${topic}"; the topics are ${topics.join(", ")}`);
  return (event) => {
    if (isAbout(event, wanted)) print(printEvent(event));
  };
}

const printing = debugListener();
const listeners = new Set<Listener>(printing === null ? [] : [printing]);

/** Called with every event; null if nobody watches. */
export let watching: Listener | null = printing;

const toAll: Listener = (event) => {
  for (const listener of listeners) listener(event);
};

/** Calls the listener with every event until the returned function is called. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  watching = toAll;
  return () => {
    listeners.delete(listener);
    watching = listeners.size === 0 ? null : toAll;
  };
}
