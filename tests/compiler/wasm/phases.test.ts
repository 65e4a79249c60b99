import type { Integer, LoopKernel, Operand, Statement } from "@fuseau/ir";
import { expect, it } from "vitest";
import { planPhases } from "../../../packages/compiler/src/emit/wasm/plan/phases.ts";

const first: Integer = { kind: "literal", value: 0 };
const axis: Integer = { kind: "axis", axis: 0 };
const load = (local: number, buffer: number): Statement => ({
  kind: "let",
  local,
  dtype: "float32",
  value: { kind: "load", buffer, at: first, tests: [] },
});
const store = (buffer: number, at: Integer, local: number): Statement => {
  const value: Operand = { kind: "local", local };
  return { kind: "store", buffer, at, value, combine: "set" };
};
const loop = (...body: Statement[]): Statement => ({
  kind: "for",
  axis: { axis: 0, extent: { kind: "size", slot: 0 } },
  ordered: false,
  body,
});
const kernel = (...body: Statement[]): LoopKernel => ({
  buffers: (["read", "scratch", "write"] as const).map((access) => ({ dtype: "float32", access })),
  sizes: 1,
  scalars: [],
  body,
});
const kinds = (body: LoopKernel): string[] =>
  planPhases(body).map(({ statements }) => statements.map(({ kind }) => kind).join(" "));

it("what stores at the top comes last, in one phase", () => {
  const body = kernel(load(0, 0), store(2, first, 0), loop(load(1, 0), store(1, axis, 1)));
  expect(kinds(body)).toEqual(["for", "let store"]);
});

it("but in front of loops that need what it stores, in their bodies or by what is computed anew for them", () => {
  const within = kernel(load(0, 0), store(1, first, 0), loop(load(1, 1), store(2, axis, 1)));
  expect(kinds(within)).toEqual(["let store", "for"]);
  const before = kernel(load(0, 0), store(1, first, 0), load(1, 1), loop(store(2, axis, 1)));
  expect(kinds(before)).toEqual(["let store", "for"]);
});
