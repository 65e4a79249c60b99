import { jit, ones, type Tensor } from "fuseau";
import { describe, expect, it } from "vitest";

type Row = Tensor<[3], "float32">;
const row = (): Row => ones([3]);

describe("plain values beside tensors, in jit", () => {
  const name = Symbol("name");

  it("refuses fields named by symbols, given and returned", () => {
    const taken = jit((state: { readonly x: Row }) => state.x.mul(2));
    expect(() => taken({ x: row(), [name]: 1 } as { x: Row })).toThrow(
      /arguments\[0\] has fields that are named by symbols/,
    );
    taken({ x: row() });
    expect(() => taken({ x: row(), [name]: 1 } as { x: Row })).toThrow(TypeError);
    const given = jit((x: Row) => ({ x: x.mul(2), [name]: x }) as { x: Row });
    expect(() => given(row())).toThrow(/what the function gives has fields that are named by symbols/);
  });

  it("refuses a function that writes a value into what it is given", () => {
    const counted = jit((state: { x: Row; count: number }) => {
      state.count++;
      return state.x.mul(2);
    });
    expect(() => counted({ x: row(), count: 0 })).toThrow(
      /writes into the arrays or objects that it is given/,
    );
    const added = jit((list: number[], x: Row) => {
      list.push(1);
      return x.mul(2);
    });
    expect(() => added([], row())).toThrow(/writes into the arrays or objects/);
  });

  it("lets it write into what is named static", () => {
    const counted = jit(
      (state: { count: number }, x: Row) => {
        state.count++;
        return x.mul(2);
      },
      { static: [0] },
    );
    const state = { count: 0 };
    expect(counted(state, row()).toArray()).toEqual([2, 2, 2]);
    expect(state.count).toBe(1);
  });
});
