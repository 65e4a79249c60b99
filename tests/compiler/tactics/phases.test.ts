import { parseLoopKernel } from "@fuseau/ir";
import { expect, it } from "vitest";
import { planPhases } from "../../../packages/compiler/src/tactics/phases.ts";

const kinds = (body: string): string[] => {
  const header = "kernel(b0: read float32, b1: scratch float32, b2: write float32; sizes 1; )";
  const kernel = parseLoopKernel(`${header}\n${body}`);
  return planPhases(kernel).map(({ statements }) => statements.map(({ kind }) => kind).join(" "));
};

it("what stores at the top comes last, in one phase", () => {
  const body = `
  v0: float32 = b0[0]
  b2[0] = v0
  for x0 < n0
    v1: float32 = b0[0]
    b1[x0] = v1`;
  expect(kinds(body)).toEqual(["for", "let store"]);
});

it("but in front of loops that need what it stores, in their bodies or by what is computed anew for them", () => {
  const within = `
  v0: float32 = b0[0]
  b1[0] = v0
  for x0 < n0
    v1: float32 = b1[0]
    b2[x0] = v1`;
  expect(kinds(within)).toEqual(["let store", "for"]);
  const before = `
  v0: float32 = b0[0]
  b1[0] = v0
  v1: float32 = b1[0]
  for x0 < n0
    b2[x0] = v1`;
  expect(kinds(before)).toEqual(["let store", "for"]);
});
