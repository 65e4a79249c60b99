/** The JavaScript emitter: loop IR to a function, through `new Function`. */
import type { LoopKernel } from "@fuseau/ir";
import { compensated } from "../shared/compensated.ts";
import type { KernelFunction } from "../shared/kernel-function.ts";
import { LoopWriter } from "./loops.ts";
import { jsNames, jsRuntime } from "./pointwise.ts";
import { Writer } from "./writer.ts";

/** The kernel's text: a function of its buffers, sizes and scalars. Nothing a user wrote is in it but printed constants. */
export function jsSource(kernel: LoopKernel, name: string): string {
  const writer = new Writer();
  writer.block(`function ${name}(buffers, sizes, scalars)`, () => {
    declare(writer, "b", kernel.buffers.length, "buffers");
    declare(writer, "n", kernel.sizes, "sizes");
    declare(writer, "c", kernel.scalars.length, "scalars");
    const loops = new LoopWriter(kernel, writer);
    loops.views();
    loops.body(kernel.body);
  });
  return writer.toString();
}

/** @throws EvalError, or what else the host throws, where code generation from strings is forbidden. */
export function compileJs(source: string): KernelFunction {
  const names = jsNames(source);
  const bound = names.map((name) => jsRuntime[name]);
  const factory = new Function("compensated", ...names, `"use strict";\nreturn ${source};`);
  return factory(compensated, ...bound) as KernelFunction;
}

function declare(writer: Writer, prefix: string, count: number, from: string): void {
  if (count === 0) return;
  // Not a destructuring: that would go through the array's iterator.
  const names = Array.from({ length: count }, (_, k) => `${prefix}${k} = ${from}[${k}]`);
  writer.line(`const ${names.join(", ")};`);
}
