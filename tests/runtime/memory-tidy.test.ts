import {
  type AnyTensor,
  clearCaches,
  compute,
  fromTypedArray,
  ones,
  setOptions,
  stats,
  type Tensor,
  tensor,
  tidy,
  zeros,
} from "fuseau";
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from "vitest";

const COUNT = 20_000;
const BYTES = 4 * COUNT;
const numbers = (count = COUNT): Float32Array => Float32Array.from({ length: count }, (_, k) => k % 100);
const x = fromTypedArray(numbers());
const gone = /given back by dispose\(\)/;

// On the heap, where the pool counts what is given back.
beforeAll(() => setOptions({ emitter: "js" }));
afterAll(() => setOptions({ emitter: undefined }));
beforeEach(() => clearCaches());

describe("tidy gives what fn gives", () => {
  it("with its type", () => {
    const result = tidy(() => ({ total: x.sum(), count: COUNT }));
    expectTypeOf(result).toEqualTypeOf<{ total: Tensor<[], "float32">; count: number }>();
    expect(result.total.item()).toBe(990_000);
    expect(result.count).toBe(COUNT);
  });
  it("and its error", () => {
    expect(() =>
      tidy(() => {
        throw new RangeError("mine");
      }),
    ).toThrow("mine");
  });
  it("but no promise", () => {
    expect(() => tidy(async () => x.sum())).toThrow(/tidy: fn must not be async/);
  });
});

describe("tidy disposes of what was computed in fn", () => {
  it("at once", () => {
    let leaked: AnyTensor | undefined;
    const total = tidy(() => {
      const sine = x.sin().compute();
      const square = sine.mul(sine).compute();
      leaked = square;
      return square.sum().compute();
    });
    expect(stats().pool.bytes).toBe(2 * BYTES);
    expect(() => leaked?.toArray()).toThrow(gone);
    expect(total.item()).toBeGreaterThan(0);
  });
  it("when fn throws, too", () => {
    expect(() =>
      tidy(() => {
        x.sin().compute();
        throw new Error("late");
      }),
    ).toThrow("late");
    expect(stats().pool.bytes).toBe(BYTES);
  });
  it("but for tensors in nested arrays and objects, circular ones even", () => {
    interface Nested {
      readonly list: readonly { readonly tensor: AnyTensor }[];
      self?: unknown;
    }
    const result = tidy(() => {
      x.cos().compute();
      const nested: Nested = { list: [{ tensor: x.sin().compute() }, { tensor: x.exp().compute() }] };
      nested.self = nested;
      return nested;
    });
    expect(stats().pool.bytes).toBe(BYTES);
    for (const { tensor } of result.list) expect(tensor.slice(0).item()).toBeLessThan(2);
  });
  it("and in maps and sets", () => {
    const named = tidy(() => new Map([["a", x.sin().compute()]]));
    const [one] = tidy(() => new Set([x.cos().compute()]));
    expect(named.get("a")?.slice([0, 1]).toArray()).toEqual([0]);
    expect(one?.slice([0, 1]).toArray()).toEqual([1]);
  });
  it("and not of tensors from outside, though they were computed in it", () => {
    const y = x.add(1);
    tidy(() => {
      y.compute();
      y.detach().compute();
    });
    expect(stats().pool.bytes).toBe(0);
    expect(y.slice(0).item()).toBe(1);
  });
  it("in nested calls, each its own", () => {
    const outer = tidy(() => {
      const inner = tidy(() => {
        x.cos().compute();
        return x.sin().compute();
      });
      expect(stats().pool.bytes).toBe(BYTES);
      return inner.sum().compute();
    });
    expect(stats().pool.bytes).toBe(2 * BYTES);
    expect(Number.isFinite(outer.item())).toBe(true);
  });
});

describe("what stays after tidy", () => {
  it("is lazy when it reads nothing that went", () => {
    const runs = stats().runs.programs;
    const y = tidy(() => x.mul(2).add(1));
    expect(stats().runs.programs).toBe(runs);
    expect(y.slice([0, 3]).toArray()).toEqual([1, 3, 5]);
  });
  it("is computed first when it does", () => {
    const y = tidy(() => x.mul(2).compute().add(1));
    expect(stats().pool.bytes).toBe(BYTES);
    expect(y.slice([0, 3]).toArray()).toEqual([1, 3, 5]);
  });
  it("keeps its base when it is a view, for later writes", () => {
    const [base, view] = tidy(() => {
      const whole = x.mul(2).compute();
      return [whole.add(0).compute(), whole.slice([0, 3])];
    });
    view.add_(1);
    const again = view.slice([1, 3]);
    again.mul_(10);
    expect(view.toArray()).toEqual([1, 30, 50]);
    expect(base.slice([0, 3]).toArray()).toEqual([0, 2, 4]);
  });
  it("is what was written into tensors from outside", () => {
    const weights = zeros([COUNT]).add(1).compute();
    const first = weights.slice([0, 2]);
    tidy(() => {
      const gradient = x.mul(0.5).compute();
      weights.sub_(gradient);
    });
    tidy(() => {
      const step = fromTypedArray(numbers(3)).add(1).compute();
      const part = weights.slice([0, 3]);
      part.mul_(step);
      part.add_(step);
    });
    expect(first.toArray()).toEqual([2, 3]);
    expect(weights.slice([0, 4]).toArray()).toEqual([2, 3, 3, -0.5]);
  });
  it("is what an inner tidy wrote, of the outer one's results", () => {
    const weights = zeros([3]);
    tidy(() => {
      const step = fromTypedArray(numbers(3)).add(1).compute();
      tidy(() => weights.add_(step));
    });
    expect(weights.toArray()).toEqual([1, 2, 3]);
  });
  it("gives its memory back by dispose() as ever", () => {
    const weights = x.mul(2).compute();
    tidy(() => {
      const step = x.slice([0, 3]).add(1).compute();
      weights.slice([0, 3]).add_(step);
    });
    clearCaches();
    weights.dispose();
    expect(stats().pool.bytes).toBe(BYTES);
  });
  it("is the tensor as it was where a write fails, with every other write", () => {
    const target = fromTypedArray(Int32Array.of(4, 6));
    const other = zeros([3]);
    const third = zeros([3]);
    expect(() =>
      tidy(() => {
        const zero = fromTypedArray(Int32Array.of(1, 1)).sub(1).compute();
        other.add_(fromTypedArray(numbers(3)).add(1).compute());
        target.floorDivide_(zero);
        third.copy_(x.sum().compute());
      }),
    ).toThrow(/ZeroDivisionError/);
    expect(target.toArray()).toEqual([4, 6]);
    expect(other.toArray()).toEqual([1, 2, 3]);
    expect(third.toArray()).toEqual([990_000, 990_000, 990_000]);
  });
  it("is seen to by the outer tidy", () => {
    let kept: AnyTensor | undefined;
    tidy(() => {
      kept = tidy(() => x.sin().compute());
      compute(kept.sum());
    });
    expect(() => kept?.toArray()).toThrow(gone);
  });
});

describe("tidy with a state", () => {
  const gift = (): Tensor<[number], "float32"> => x.mul(2).compute();

  it("has its type and that of the result", () => {
    const state = { weights: gift(), step: 0 };
    const next = tidy(({ weights, step }) => ({ weights: weights.add(1).compute(), step: step + 1 }), state);
    expectTypeOf(next).toEqualTypeOf<{ weights: Tensor<[number], "float32">; step: number }>();
    expect(next.step).toBe(1);
    expect(next.weights.slice([0, 2]).toArray()).toEqual([1, 3]);
  });
  it("gives the old one back at once, step by step", () => {
    let state = gift();
    for (let step = 0; step < 5; step++) {
      const old = state;
      state = tidy((s) => s.sin().compute().add(s).compute(), state);
      expect(() => old.toArray()).toThrow(gone);
    }
    // The old state and the sine: both are written over in the next step.
    expect(stats().pool.bytes).toBeLessThanOrEqual(2 * BYTES);
    expect(Number.isFinite(state.sum().item())).toBe(true);
  });
  it("computes a lazy result first, since it reads what goes", () => {
    const old = gift();
    const next = tidy((s) => s.add(1), old);
    expect(() => old.toArray()).toThrow(gone);
    expect(next.slice([0, 3]).toArray()).toEqual([1, 3, 5]);
  });
  it("keeps what is returned: the tensor, a view of it, another handle of it", () => {
    const [one, two, three, four] = [gift(), gift(), gift(), gift()];
    const kept = tidy(
      ([a, b, c]) => ({ a, view: b!.slice([0, 3]), same: c!.detach() }),
      [one, two, three, four],
    );
    kept.view.add_(1);
    expect(kept.a!.slice([0, 2]).toArray()).toEqual([0, 2]);
    expect(kept.view.toArray()).toEqual([1, 3, 5]);
    expect(two.slice([0, 3]).toArray()).toEqual([1, 3, 5]);
    expect(kept.same.slice([0, 2]).toArray()).toEqual([0, 2]);
    expect(() => four.toArray()).toThrow(gone);
  });
  it("is written in place for the result, and goes all the same", () => {
    const old = gift();
    const total = tidy((s) => s.add_(1).slice([0, 3]).sum(), old);
    expect(total.item()).toBe(9);
    expect(() => old.toArray()).toThrow(gone);
  });
  it("that is a view of something outside goes without its base, and leaves what was written", () => {
    const base = gift();
    tidy((s) => s.add_(10), base.slice([0, 2]));
    expect(base.slice([0, 3]).toArray()).toEqual([10, 12, 4]);
  });
  it("stays when fn throws", () => {
    const old = gift();
    expect(() =>
      tidy((s) => {
        s.sin().compute();
        throw new Error("late");
      }, old),
    ).toThrow("late");
    expect(stats().pool.bytes).toBe(BYTES);
    expect(old.slice([0, 2]).toArray()).toEqual([0, 2]);
  });
  it("stays when the result cannot be computed", () => {
    const old = { x: gift() };
    const far = tensor([9_999_999], { dtype: "int64" });
    for (const reason of ["out of bounds", "out of bounds"])
      expect(() => tidy(({ x }) => ({ x: x.add(1).indexSelect(0, far) }), old)).toThrow(reason);
    expect(old.x.slice([0, 2]).toArray()).toEqual([0, 2]);
    expect(
      tidy(({ x }) => x.add(1), old)
        .slice([0, 2])
        .toArray(),
    ).toEqual([1, 3]);
  });
  it("that was never computed is let go of, and what reads it stays lazy", () => {
    const old = x.mul(2);
    const runs = stats().runs.programs;
    const next = tidy((s) => s.add(1), old);
    expect(stats().runs.programs).toBe(runs);
    expect(next.slice([0, 3]).toArray()).toEqual([1, 3, 5]);
  });
  it("in nested calls goes once", () => {
    const next = tidy(() => {
      const inner = gift();
      return tidy((s) => s.add(1), inner);
    });
    expect(next.slice([0, 2]).toArray()).toEqual([1, 3]);
  });
});

describe("tidy beside derivatives", () => {
  it("leaves what a later backward pass reads", () => {
    const x = ones([4, 4]).requiresGrad_();
    const squared = tidy(() => {
      const doubled = x.mul(2).compute();
      return doubled.mul(doubled);
    });
    squared.sum().backward();
    expect(x.grad!.sum().item()).toBe(128);
  });
  it("and what that is computed from", () => {
    const x = ones([100, 100]).requiresGrad_();
    const made = tidy(() => {
      const shifted = x.add(1).compute();
      return shifted.mul(2).exp().add(shifted.sigmoid()).compute();
    });
    made.sum().backward();
    expect(Number(x.grad!.select(0, 0).select(0, 0).item())).toBeCloseTo(2 * Math.exp(4) + 0.104994, 3);
  });
  it("and gives the rest back", () => {
    const x = ones([100, 100]).requiresGrad_();
    clearCaches();
    tidy(() => {
      x.mul(3).compute();
      return x.mul(2).compute();
    });
    expect(stats().pool.bytes).toBe(40_000);
  });
});
