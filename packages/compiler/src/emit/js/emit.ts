/** The JavaScript emitter: loop IR to the text of a function. */
import { countBound, type LoopKernel } from "@fuseau/ir";
import { withoutPieces } from "../../tactics/pieces.ts";
import { scheduleLoops } from "../../tactics/schedule-loops.ts";
import { compensated } from "../shared/compensated.ts";
import { LoopWriter } from "./loops.ts";
import { jsNames, jsRuntime } from "./pointwise.ts";
import { jsTarget } from "./target.ts";
import { integerText, single } from "./text.ts";
import { Writer } from "./writer.ts";

/** The kernel's text: a function of its buffers, sizes and scalars. Nothing a user wrote is in it but printed constants. */
export function jsSource(given: LoopKernel, name: string): string {
  const kernel = scheduleLoops(given, jsTarget);
  const writer = new Writer();
  writer.block(`function ${name}(buffers, sizes, scalars)`, () => {
    declare(writer, "b", countBound(kernel), "buffers");
    declare(writer, "n", kernel.sizes, "sizes");
    declare(writer, "c", kernel.scalars.length, "scalars");
    kernel.buffers.forEach((buffer, slot) => {
      if (buffer.access === "private")
        writer.line(`const b${slot} = allocate("${buffer.dtype}", ${integerText(buffer.cells, single)});`);
    });
    const loops = new LoopWriter(kernel, writer);
    loops.views();
    loops.body(withoutPieces(kernel.body));
  });
  return writer.toString();
}

/** A kernel as text, and what stands for the names in it that JavaScript does not have. */
export interface JsKernel {
  readonly source: string;
  readonly imports: Readonly<Record<string, unknown>>;
}

export function compileJs(kernel: LoopKernel, name: string): JsKernel {
  const source = jsSource(kernel, name);
  return { source, imports: jsImports(source) };
}

/** What stands for the names in a kernel's text. */
export const jsImports = (source: string): JsKernel["imports"] => ({
  compensated,
  ...Object.fromEntries(jsNames(source).map((each) => [each, jsRuntime[each]] as const)),
});

function declare(writer: Writer, prefix: string, count: number, from: string): void {
  if (count === 0) return;
  // Not a destructuring: that would go through the array's iterator.
  const names = Array.from({ length: count }, (_, k) => `${prefix}${k} = ${from}[${k}]`);
  writer.line(`const ${names.join(", ")};`);
}
