/** Events as text, and the topics that `FUSEAU_DEBUG` asks for. */
import type { TraceEvent } from "./event.ts";

export const topics = ["passes", "schedule", "rules", "kernels", "cache", "memory"] as const;
export type Topic = (typeof topics)[number];

/** The topics that an event belongs to. */
function topicsOf(event: TraceEvent): readonly Topic[] {
  switch (event.kind) {
    case "pass":
      return event.makes === "schedule" ? ["passes", "schedule"] : ["passes"];
    case "rule":
      return ["rules"];
    case "schedule":
      return ["schedule"];
    case "emitter":
    case "kernel":
      return ["kernels"];
    case "cache":
      return ["cache"];
    case "memory":
      return ["memory"];
    default:
      return event satisfies never;
  }
}

export const isAbout = (event: TraceEvent, wanted: ReadonlySet<string>): boolean =>
  topicsOf(event).some((topic) => wanted.has(topic));

const indented = (text: string): string => text.replace(/^/gm, "  ");

/** The event as text for a reader. */
export function printEvent(event: TraceEvent): string {
  switch (event.kind) {
    case "pass":
      return `pass ${event.name} (${event.makes})\n${indented(event.text)}`;
    case "rule":
      return `rule ${event.name}: ${event.law}\n  ${event.before}\n  ${event.after}`;
    case "schedule":
      return `schedule: %${event.node} ${event.op} is stored: ${event.reason} (${Math.round(event.measured)}, limit ${event.limit})`;
    case "cache":
      return `cache: ${event.cache}, ${event.hit ? "hit" : "miss"}: ${event.of} (${event.why})`;
    case "emitter":
      return `emitter ${event.emitter}: ${event.reason}`;
    case "kernel":
      return `kernel ${event.name} by ${event.emitter}, ${event.ms.toFixed(3)} ms\n${indented(event.source.trimEnd())}`.trimEnd();
    case "memory":
      return `memory: inputs ${event.inputs} bytes, results ${event.results}, over inputs ${event.inPlace}, arena ${event.arena}; linear memory ${event.linear.used} of ${event.linear.reserved} in use`;
    default:
      return event satisfies never;
  }
}
