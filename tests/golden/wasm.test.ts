/**
 * The WebAssembly that the emitter makes of representative loops, kept as files, as expressions over locals. The loops are given as
 * text, so that a change of the passes before changes none of them. `npx vitest run tests/golden -u` writes them anew.
 */
import { compileWasm } from "@fuseau/compiler";
import { parseLoopKernel, printLoopKernel, verifyLoopKernel } from "@fuseau/ir";
import { describe, expect, it } from "vitest";
import { validate } from "../compiler/wasm/instantiate.ts";
import { folded } from "./folded.ts";

const kernels: Readonly<Record<string, string>> = {
  "a chain": `
    kernel(b0: read float32, b1: write float32; sizes 1; c0: float32)
      for x0 < n0
        v0: float32 = b0[x0]
        v1: float32 = mul.float32(v0, c0)
        v2: float32 = add.float32(v1, 2:float32)
        b1[x0] = v2`,
  "a broadcast row": `
    kernel(b0: read float64, b1: read float64, b2: write float64; sizes 3; )
      for x0 < n0
        i0 = (x0 * n2)
        for x1 < n1
          v1: float64 = b0[(i0 + x1)]
          v2: float64 = b1[x1]
          v3: float64 = sub.float64(v1, v2)
          b2[(i0 + x1)] = v3`,
  "a strided load": `
    kernel(b0: read int32, b1: write int32; sizes 2; )
      for x0 < n0
        v0: int32 = b0[(x0 * n1)]
        b1[x0] = v0`,
  "a guarded load": `
    kernel(b0: read float32, b1: write float32; sizes 2; )
      for x0 < n0
        v0: float32 = b0[(x0 + -2)] if 2 <= x0 < n1
        b1[x0] = v0`,
  "bytes to floats": `
    kernel(b0: read uint8, b1: write float32; sizes 1; )
      for x0 < n0
        v0: uint8 = b0[x0]
        v1: float32 = cast.uint8(v0)
        b1[x0] = v1`,
  "halves to floats": `
    kernel(b0: read float16, b1: write float32; sizes 1; )
      for x0 < n0
        v0: float16 = b0[x0]
        v1: float32 = cast.float16(v0)
        b1[x0] = v1`,
  "a comparison and a choice": `
    kernel(b0: read int16, b1: read int16, b2: write int16, b3: write bool; sizes 1; )
      for x0 < n0
        v0: int16 = b0[x0]
        v1: int16 = b1[x0]
        v2: bool = lt.int16(v0, v1)
        b3[x0] = v2
        v3: int16 = where.int16(v2, v0, v1)
        b2[x0] = v3`,
  "a sum of float32": `
    kernel(b0: read float32, b1: write float32; sizes 2; )
      for x0 < n0
        i0 = (x0 * n1)
        reduce x1 < n1
          a0 = sum float32 -> float32 lanes 8
          v1: float32 = b0[(i0 + x1)]
          a0[0] <- v1 @ 0
        v2: float32 = result a0[0]
        b1[x0] = v2`,
  "a sum of float64 in blocks": `
    kernel(b0: read float64, b1: write float64; sizes 1; )
      reduce x0 < n0 blocked
        a0 = sum float64 -> float64 lanes 1
        v0: float64 = b0[x0]
        a0[0] <- v0 @ 0
      v1: float64 = result a0[0]
      b1[0] = v1`,
  "the greatest of columns": `
    kernel(b0: read int8, b1: write int8, b2: scratch int8; sizes 2; )
      reduce x0 < n0
        a0 = max int8 -> int8 lanes 1 row n1 in b2 - - -
        i0 = (x0 * n1)
        for x1 < n1
          v1: int8 = b0[(i0 + x1)]
          a0[x1] <- v1 @ 0
      for x2 < n1
        v2: int8 = result a0[x2]
        b1[x2] = v2`,
  "the place of the least": `
    kernel(b0: read int32, b1: write int64; sizes 1; )
      reduce x0 < n0
        a0 = argmin int32 -> int64 lanes 1
        v0: int32 = b0[x0]
        a0[0] <- v0 @ x0
      v1: int64 = result a0[0]
      b1[0] = v1`,
  "a scan": `
    kernel(b0: read float32, b1: write float32; sizes 1; )
      scan x0 < n0
        a0 = sum float32 -> float32 lanes 1
        v0: float32 = b0[x0]
        a0[0] <- v0 @ 0
        v1: float32 = result a0[0]
        b1[x0] = v1`,
  "a gather": `
    kernel(b0: read int64, b1: read float32, b2: write float32; sizes 2; )
      for x0 < n0
        v0: int64 = b0[x0]
        i1 = index.int64 v0 < n1 of axis 0 @ x0
        v2: float32 = b1[i1]
        b2[x0] = v2`,
  "a scatter that adds": `
    kernel(b0: read int64, b1: read float32, b2: write float32; sizes 2; )
      for x0 < n0 in order
        v0: int64 = b0[x0]
        i1 = index.int64 v0 < n1 of axis 0 @ x0
        v2: float32 = b1[x0]
        b2[i1] += v2`,
};

/** Lines that somebody will read. */
const MOST_LINES = 280;

describe("the WebAssembly of", () => {
  it.each(Object.keys(kernels))("%s", async (name) => {
    const loop = parseLoopKernel(kernels[name] as string);
    verifyLoopKernel(loop);
    const { source, bytes } = compileWasm(loop, "kernel", { shared: false, relaxed: false });
    expect(validate(bytes)).toBe(true);
    const text = `${printLoopKernel(loop)}\n\n${folded(source())}\n`;
    expect(text.split("\n").length).toBeLessThan(MOST_LINES);
    await expect(text).toMatchFileSnapshot(`wasm/${name.replaceAll(" ", "-")}.txt`);
  });
});

describe("a folded listing", () => {
  it("has operands in their order, and says what waits on the stack", () => {
    const listing = [
      "func f $0: i32 $1: i32 -> i32",
      "  local $2: i32 $3: v128 $4: i32",
      "  local.get $0",
      "  local.get $1",
      "  i32.const 7",
      "  i32.sub",
      "  local.set $2",
      "  local.get $2",
      "  i32.load8_u offset=4",
      "  i32.add",
      "  if (result i32)",
      "    i32.const 1",
      "  else",
      "    local.get $0",
      "    v128.const i64x2 0x01 0x01",
      "    v128.store",
      "    i32.const 2",
      "  end",
    ];
    expect(folded(listing.join("\n"))).toBe(
      [
        "func f $0: i32 $1: i32 -> i32",
        "  local 2 i32, 1 v128",
        "  push $0",
        "  $2 = i32.sub($1, 7:i32)",
        "  if (result i32) i32.add(pop, i32.load8_u offset=4($2))",
        "    give 1:i32",
        "  else",
        "    v128.store($0, v128(0x01))",
        "    give 2:i32",
        "  end",
        "  give pop",
      ].join("\n"),
    );
  });
  it("refuses what it does not know", () => {
    expect(() => folded("func f\n  i32.wibble")).toThrow("func f:   i32.wibble");
    expect(() => folded("func f\n  i32.add")).toThrow("2 operands of 0");
    expect(() => folded("func f\n  call g")).toThrow("calls g");
  });
});
