/** The JavaScript emitter: loop IR to the text of a function. */
import { countBound, type LoopKernel } from "@fuseau/ir";
import { withoutPieces } from "../../tactics/pieces.ts";
import { scheduleLoops } from "../../tactics/schedule-loops.ts";
import { compensated } from "../shared/compensated.ts";
import { type LaneCalls, laneImports, withLanes } from "./lanes.ts";
import { LoopWriter } from "./loops.ts";
import { jsNames, jsRuntime } from "./pointwise.ts";
import { jsTarget } from "./target.ts";
import { integerText, single } from "./text.ts";
import { Writer } from "./writer.ts";

/** The kernel's text: a function of its buffers, sizes and scalars. The only user input in it are constants, which `jsConstant` prints. */
function jsSource(given: LoopKernel, name: string, calls: LaneCalls | null): string {
  const scheduled = scheduleLoops(given, jsTarget);
  const kernel = calls === null ? scheduled : withLanes(scheduled);
  const writer = new Writer();
  writer.block(`function ${name}(buffers, sizes, scalars)`, () => {
    declare(writer, "b", countBound(kernel), "buffers");
    declare(writer, "n", kernel.sizes, "sizes");
    declare(writer, "c", kernel.scalars.length, "scalars");
    kernel.buffers.forEach((buffer, slot) => {
      if (buffer.access === "private")
        writer.line(`const b${slot} = allocate("${buffer.dtype}", ${integerText(buffer.cells, single)});`);
    });
    const loops = new LoopWriter(kernel, writer, calls);
    loops.views();
    loops.body(withoutPieces(kernel.body));
  });
  return writer.toString();
}

/** A kernel as text, and the functions that the text calls by name. */
export interface JsKernel {
  readonly source: string;
  readonly imports: Readonly<Record<string, unknown>>;
}

/** With `calls`, the text computes the bits of WebAssembly; `canBeTextInLanes` says of which kernels it can. */
export function compileJs(kernel: LoopKernel, name: string, calls: LaneCalls | null = null): JsKernel {
  const source = jsSource(kernel, name, calls);
  return { source, imports: jsImports(source, calls) };
}

/** The functions that a kernel's text calls, by name. */
export const jsImports = (source: string, calls: LaneCalls | null = null): JsKernel["imports"] => ({
  compensated,
  ...Object.fromEntries(jsNames(source).map((each) => [each, jsRuntime[each]] as const)),
  ...(calls === null ? null : laneImports(source, calls)),
});

function declare(writer: Writer, prefix: string, count: number, from: string): void {
  if (count === 0) return;
  // No destructuring, which would use the array's iterator.
  const names = Array.from({ length: count }, (_, k) => `${prefix}${k} = ${from}[${k}]`);
  writer.line(`const ${names.join(", ")};`);
}
