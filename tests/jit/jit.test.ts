import {
  float,
  full as fullOf,
  jit,
  manualSeed,
  noGrad,
  ones,
  rand,
  stats,
  type Tensor,
  tensor,
  zeros,
} from "fuseau";
import { describe, expect, it } from "vitest";

const full = (shape: readonly number[], value: number): Tensor => fullOf(shape, value, { dtype: "float32" });

/** `fn`, and how often it has been called. */
function counted<A extends readonly unknown[], R>(fn: (...args: A) => R) {
  const made = (...args: A): R => {
    made.calls++;
    return fn(...args);
  };
  made.calls = 0;
  return made;
}

describe("a jitted function is recorded once for each signature", () => {
  it("runs without being called, on other tensors of the same shapes", () => {
    const fn = counted((a: Tensor, b: Tensor) => a.mul(b).add(1.5));
    const jitted = jit(fn);
    for (let k = 1; k < 5; k++) {
      const x = tensor([k, k + 1, k + 2]);
      expect(jitted(x, ones([3])).toArray()).toEqual([k + 1.5, k + 2.5, k + 3.5]);
    }
    expect(fn.calls).toBe(1);
    expect(jitted.cacheSize).toBe(1);
  });

  it("is recorded anew for another shape, dtype, form or number", () => {
    const fn = counted((x: { a: Tensor; b?: Tensor }, n: number) => x.a.mul(n));
    const jitted = jit(fn);
    const a = ones([2]);
    for (let round = 0; round < 3; round++) {
      expect(jitted({ a }, 2).toArray()).toEqual([2, 2]);
      expect(jitted({ a }, 3).toArray()).toEqual([3, 3]);
      expect(jitted({ a: ones([3]) }, 3).toArray()).toEqual([3, 3, 3]);
      expect(jitted({ a: ones([3], { dtype: "int32" }) }, 3).dtype).toBe("int32");
      expect(jitted({ a, b: a }, 3).toArray()).toEqual([3, 3]);
    }
    expect(fn.calls).toBe(5);
    expect(jitted.cacheSize).toBe(5);
    jitted.clear();
    expect(jitted.cacheSize).toBe(0);
    expect(jitted({ a }, 2).toArray()).toEqual([2, 2]);
  });

  it("gives nested arrays and objects, and the tensors that it was given themselves", () => {
    const jitted = jit((x: Tensor, y: Tensor) => ({ sum: x.add(y), list: [x, x.mul(2), y] }));
    for (let k = 0; k < 3; k++) {
      const x = full([2], k);
      const y = ones([2]);
      const { sum, list } = jitted(x, y);
      expect(sum.toArray()).toEqual([k + 1, k + 1]);
      expect(list[0]).toBe(x);
      expect(list[2]).toBe(y);
      expect(list[1]?.toArray()).toEqual([2 * k, 2 * k]);
    }
  });

  it("reads float(x) at each call, and records anew where the host has looked at it", () => {
    const fn = counted((x: Tensor, factor: { readonly float: number }) => x.mul(factor).add(factor));
    const jitted = jit(fn);
    for (const factor of [0, 1, 2, 0.3, -1])
      expect(jitted(tensor([1, 2], { dtype: "float64" }), float(factor)).toArray()).toEqual([
        2 * factor,
        3 * factor,
      ]);
    expect(fn.calls).toBe(1);
    const looking = counted((x: Tensor, factor: { readonly float: number }) =>
      factor.float > 1 ? x.mul(factor) : x,
    );
    const other = jit(looking);
    expect(other(ones([1]), float(3)).toArray()).toEqual([3]);
    expect(other(ones([1]), float(1)).toArray()).toEqual([1]);
    expect(other(ones([1]), float(3)).toArray()).toEqual([3]);
    expect(looking.calls).toBe(2);
  });

  it("keeps no more recordings than it may", () => {
    const jitted = jit((x: Tensor) => x.add(1), { cacheLimit: 3 });
    for (let n = 1; n < 9; n++) jitted(zeros([n]));
    expect(jitted.cacheSize).toBe(3);
  });

  it("takes anything at a static place, each for itself", () => {
    const fn = counted((x: Tensor, map: (x: Tensor) => Tensor) => map(x));
    const jitted = jit(fn, { static: [1] });
    const twice = (x: Tensor) => x.mul(2);
    expect(jitted(ones([1]), twice).toArray()).toEqual([2]);
    expect(jitted(ones([1]), (x) => x.mul(3)).toArray()).toEqual([3]);
    expect(jitted(full([1], 4), twice).toArray()).toEqual([8]);
    expect(fn.calls).toBe(2);
  });
});

describe("what it captures", () => {
  it("is read as it is at each call", () => {
    const w = ones([2]);
    const fn = counted((x: Tensor) => x.mul(w));
    const jitted = jit(fn);
    expect(jitted(full([2], 3)).toArray()).toEqual([3, 3]);
    w.mul_(2);
    expect(jitted(full([2], 3)).toArray()).toEqual([6, 6]);
    expect(jitted(w).toArray()).toEqual([4, 4]);
    expect(jitted(full([2], 3)).toArray()).toEqual([6, 6]);
    expect(fn.calls).toBeLessThanOrEqual(2);
  });

  it("and written through a detached tensor still requires no gradient", () => {
    const w = tensor([1, 2, 3]).requiresGrad_();
    const fill = jit((x: Tensor) => {
      x.fill_(7);
      return x.add(1);
    });
    for (let k = 0; k < 3; k++) {
      const view = w.detach() as Tensor;
      fill(view);
      expect([view.requiresGrad, w.requiresGrad]).toEqual([false, true]);
    }
    expect(w.toArray()).toEqual([7, 7, 7]);
  });

  it("is not taken for an argument, though it was one at the first call", () => {
    const w = full([2], 5);
    const jitted = jit((x: Tensor) => x.sub(w));
    expect(jitted(w).toArray()).toEqual([0, 0]);
    expect(jitted(full([2], 7)).toArray()).toEqual([2, 2]);
    expect(jitted(w).toArray()).toEqual([0, 0]);
  });

  it("is what it gives, though no operation uses it", () => {
    const c = tensor([1, 2]);
    const state = zeros([2]);
    const view = c.slice([0, 1]);
    const all = jit((x: Tensor) => [x.add(1), c, state, view] as const);
    all(c as Tensor);
    state.add_(1);
    const [, sameC, sameState, sameView] = all(tensor([8, 9]) as Tensor);
    expect([sameC === c, sameState === state, sameView === view]).toEqual([true, true, true]);
    expect([sameC.toArray(), sameState.toArray(), sameView.toArray()]).toEqual([[1, 2], [1, 1], [1]]);
  });

  it("is not written over where a view of it is read, computed apart at the first call and not at later ones", () => {
    for (const emitter of ["js", "wasm", "closure"] as const) {
      const [c, plain] = [zeros([4]).reshape([2, 2]).compute(), zeros([4]).reshape([2, 2]).compute()];
      const step = (x: typeof c) => {
        const old = x.select(0, 1).mul(2);
        x.select(1, 0).add_(10);
        x.select(0, 1).zero_();
        return old;
      };
      const jitted = jit(() => step(c), { emitter });
      const given = jit(
        (x: typeof c) => {
          const old = x.clone();
          x.select(1, 0).add_(10);
          return old;
        },
        { emitter },
      );
      for (let k = 0; k < 4; k++) {
        expect(jitted().toArray()).toEqual(step(plain).toArray());
        c.add_(1);
        plain.add_(1);
        expect(c.toArray()).toEqual(plain.toArray());
        const before = plain.toArray();
        expect(given(c).toArray()).toEqual(before);
        plain.select(1, 0).add_(10);
        expect(c.toArray()).toEqual(plain.toArray());
      }
    }
  });

  it("is written in place, in the same memory", () => {
    const state = zeros([4]).compute();
    const fn = counted((x: Tensor) => {
      state.add_(x);
      return state.sum();
    });
    const jitted = jit(fn);
    for (let k = 1; k < 6; k++) expect(jitted(ones([4])).item()).toBe(4 * k);
    expect(state.toArray()).toEqual([5, 5, 5, 5]);
    expect(fn.calls).toBe(1);
  });

  it("may be read by what was recorded before a call", () => {
    const state = zeros([2]).compute();
    const jitted = jit((x: Tensor) => void state.add_(x));
    jitted(ones([2]));
    jitted(ones([2]));
    const earlier = state.mul(10);
    jitted(ones([2]));
    expect(earlier.toArray()).toEqual([20, 20]);
    jitted(ones([2]));
    expect(state.toArray()).toEqual([4, 4]);
  });

  it("may be a view, of which the base is seen to change", () => {
    const base = zeros([2, 3]);
    const row = base.select(0, 1);
    const fn = counted((x: Tensor) => {
      row.add_(x);
      return base.sum();
    });
    const jitted = jit(fn);
    for (let k = 1; k < 4; k++) expect(jitted(ones([3])).item()).toBe(3 * k);
    expect(base.toArray()).toEqual([
      [0, 0, 0],
      [3, 3, 3],
    ]);
    expect(fn.calls).toBe(1);
  });
});

describe("arguments", () => {
  it("are written in place", () => {
    const fn = counted((x: Tensor, y: Tensor) => {
      x.add_(y);
      return x.mul(2);
    });
    const jitted = jit(fn);
    for (let k = 0; k < 3; k++) {
      const x = full([2], k + 2);
      expect(jitted(x, ones([2])).toArray()).toEqual([2 * k + 6, 2 * k + 6]);
      expect(x.toArray()).toEqual([k + 3, k + 3]);
    }
    expect(fn.calls).toBe(1);
    const both = ones([2]);
    expect(jitted(both, both).toArray()).toEqual([4, 4]);
    expect(both.toArray()).toEqual([2, 2]);
    expect(fn.calls).toBe(2);
  });

  it("give views that share their elements", () => {
    const jitted = jit((x: Tensor<[2, 2]>) => x.t());
    for (let k = 0; k < 3; k++) {
      const x = tensor([
        [1, 2],
        [3, k],
      ]);
      const y = jitted(x);
      x.add_(1);
      expect(y.toArray()).toEqual([
        [2, 4],
        [3, k + 1],
      ]);
    }
  });

  it("may be lazy", () => {
    const fn = counted((x: Tensor) => x.add(1));
    const jitted = jit(fn);
    for (let k = 0; k < 3; k++) expect(jitted(ones([2]).mul(k)).toArray()).toEqual([k + 1, k + 1]);
    expect(fn.calls).toBe(1);
  });
});

describe("random numbers", () => {
  it("go on as they would", () => {
    const fn = counted((x: Tensor) => x.add(rand([3])));
    const jitted = jit(fn);
    manualSeed(5);
    const expected = [0, 1, 2, 3].map((k) =>
      full([3], k)
        .add(rand([3]))
        .toArray(),
    );
    manualSeed(5);
    expect([0, 1, 2, 3].map((k) => jitted(full([3], k)).toArray())).toEqual(expected);
    manualSeed(2 ** 40);
    const other = ones([3])
      .add(rand([3]))
      .toArray();
    manualSeed(2 ** 40);
    expect(jitted(ones([3])).toArray()).toEqual(other);
    expect(fn.calls).toBe(1);
  });

  it("begin anew where it seeds them", () => {
    const jitted = jit(() => {
      manualSeed(3);
      return rand([2]);
    });
    const first = jitted().toArray();
    for (let k = 0; k < 3; k++) {
      rand([5]);
      expect(jitted().toArray()).toEqual(first);
    }
  });
});

describe("derivatives", () => {
  it("a step of training writes parameters and gradients", () => {
    const w = tensor([1, 2, 3]).requiresGrad_();
    const v = tensor([1, 2, 3]).requiresGrad_();
    const step = (p: Tensor) => (x: Tensor) => {
      p.grad = null;
      const loss = p.mul(x).square().sum();
      loss.backward();
      noGrad(() => p.sub_((p.grad as Tensor).mul(0.01)));
      return loss;
    };
    const fn = counted(step(w));
    const jitted = jit(fn);
    for (let k = 1; k < 6; k++) {
      const x = full([3], k / 3);
      const loss = jitted(x);
      const plain = step(v)(x);
      expect(loss.item()).toBe(plain.item());
      expect(loss.requiresGrad).toBe(true);
      expect(w.toArray()).toEqual(v.toArray());
      expect(w.grad?.toArray()).toEqual(v.grad?.toArray());
    }
    expect(fn.calls).toBe(1);
  });

  it("may be asked for inside, each time", () => {
    const jitted = jit((x: Tensor) => {
      x.requiresGrad_();
      const loss = x.square().sum();
      loss.backward();
      return loss.detach();
    });
    for (let k = 1; k < 4; k++) {
      const x = full([2], k);
      expect(jitted(x).item()).toBe(2 * k * k);
      expect(x.requiresGrad).toBe(true);
      expect(x.grad?.toArray()).toEqual([2 * k, 2 * k]);
    }
  });

  it("of a copy that is made inside do not make the argument, or what is captured, a leaf", () => {
    const gradient = (x: Tensor): Tensor => {
      const [w, v] = [x.clone().requiresGrad_(), x.clone().requiresGrad_()];
      w.mul(v).square().sum().backward();
      return (w.grad as Tensor).add((v.grad as Tensor).mul(10));
    };
    const captured = tensor([1, 2, 3]).compute();
    const calls = [jit(gradient), jit(() => gradient(captured as Tensor))] as const;
    const given = tensor([1, 2, 3]).compute();
    for (let k = 0; k < 3; k++) {
      for (const call of calls) expect(call(given).toArray()).toEqual([22, 176, 594]);
      for (const x of [given, captured]) {
        expect([x.requiresGrad, x.isLeaf, x.grad, x.mul(2).requiresGrad]).toEqual([false, true, null, false]);
        expect(gradient(x as Tensor).toArray()).toEqual([22, 176, 594]);
      }
    }
  });

  it("flow through its results, which are recorded then", () => {
    const jitted = jit((x: Tensor) => x.square());
    for (let k = 1; k < 4; k++) {
      const x = full([2], k).requiresGrad_();
      jitted(x).sum().backward();
      expect(x.grad?.toArray()).toEqual([2 * k, 2 * k]);
    }
    expect(jitted(ones([2])).requiresGrad).toBe(false);
  });
});

const errorOf = (call: () => unknown): Error => {
  try {
    call();
  } catch (error) {
    return error as Error;
  }
  throw new Error("nothing was thrown");
};

describe("errors", () => {
  it("begin at the line that calls, whatever is wrong with arguments and results", () => {
    const x = tensor([1]);
    const untyped = (fn: (...args: never[]) => unknown, options = {}): ((...args: unknown[]) => unknown) =>
      jit(fn as never, options) as never;
    const calls: readonly (() => unknown)[] = [
      () => untyped(() => 3)(x),
      () => untyped(() => ({ total: 3 }))(x),
      () => untyped(async () => x)(x),
      () => untyped(() => x)(() => 3),
      () => untyped((own: typeof x) => own.mul(2), { dynamic: [[3]] })(x),
      () => (untyped(() => x) as ReturnType<typeof jit>).explain(),
    ];
    for (const call of calls) {
      const [, first] = (errorOf(call).stack ?? "").split(/\n\s+at /);
      expect(first).toContain("jit.test.ts");
    }
  });
  it("of the function itself keep their own lines", () => {
    function fails(): never {
      throw new Error("mine");
    }
    const { stack = "" } = errorOf(() => jit(fails)());
    expect(stack.split(/\n\s+at /)[1]).toContain("fails");
  });
  it("says what reads, and what to do", () => {
    const jitted = jit((x: Tensor) => x.mul(x.sum().item() as number));
    expect(() => jitted(ones([2]))).toThrow(/item: reads elements .* inside a jitted function/);
    expect(() => jitted(ones([2]))).toThrow(/return the tensor/);
    expect(jit((x: Tensor) => x.mul(2))(ones([2])).toArray()).toEqual([2, 2]);
  });

  it("names what failed in the elements, and leaves what was written", () => {
    const state = zeros([2]).compute();
    const jitted = jit((x: Tensor, index: Tensor) => {
      state.add_(x);
      return x.gather(0, index as Tensor<[1], "int64">);
    });
    const index = (k: number) => tensor([k], { dtype: "int64" });
    jitted(ones([2]), index(0));
    jitted(ones([2]), index(1));
    expect(() => jitted(ones([2]), index(5))).toThrow(/gather: .*index 5 is out of bounds.*jit\.test/);
    expect(state.toArray()).toEqual([3, 3]);
    expect(jitted(ones([2]), index(1)).toArray()).toEqual([1]);
    expect(state.toArray()).toEqual([4, 4]);
  });

  it("refuses results that are no tensors", () => {
    expect(() => jit((x: Tensor) => [x, 3] as never)(ones([1]))).toThrow(/\[1\] must be a tensor/);
  });

  it("refuses tensors that were made inside and not returned", () => {
    const kept: Tensor[] = [];
    const jitted = jit((x: Tensor) => {
      kept.push(x.mul(2));
      return x.add(1);
    });
    jitted(ones([2]));
    expect(() => kept[0]?.toArray()).toThrow(/inside a jitted function/);
  });

  it("explain computes nothing, and the order of recordings stays", () => {
    const fn = jit((x: Tensor) => x.mul(2).sum());
    fn(ones([3])).item();
    fn(ones([4])).item();
    const before = stats();
    const pending = ones([3]).add(1);
    expect(fn.explain(pending).kernels.length).toBe(1);
    expect(stats().programs).toEqual(before.programs);
    expect(pending.explain().kernels.length).toBe(1);
  });
  it("explain says that the next call is recorded, where it is", () => {
    const b = zeros([4]).compute();
    const fn = jit(() => {
      const old = b.mul(2);
      b.add_(1);
      return old;
    });
    expect(() => fn.explain()).toThrow("was not called with such arguments yet");
    fn();
    const kept = b.clone();
    expect(() => fn.explain()).toThrow("the next call with such arguments is recorded anew");
    fn();
    expect(fn.explain().kernels.length).toBeGreaterThan(0);
    expect(kept.toArray()).toEqual([1, 1, 1, 1]);
  });

  it("refuses captured tensors that were disposed of", () => {
    const w = ones([2]);
    const jitted = jit((x: Tensor) => x.mul(w));
    jitted(ones([2]));
    w.dispose();
    expect(() => jitted(ones([2]))).toThrow(/dispose\(\)/);
  });
});

describe("jit in jit", () => {
  it("is inlined", () => {
    const inner = jit((x: Tensor) => x.mul(2));
    const outer = jit((x: Tensor) => inner(inner(x)).add(1));
    for (let k = 0; k < 3; k++) expect(outer(full([2], k)).toArray()).toEqual([4 * k + 1, 4 * k + 1]);
    expect(inner.cacheSize).toBe(0);
    expect(outer.explain(ones([2])).kernels.length).toBe(1);
  });
});

it("keeps no memory of 200,000 calls", () => {
  const jitted = jit((a: Tensor, b: Tensor) => a.mul(b).add(a));
  const a = ones([16]);
  const b = ones([16]);
  jitted(a, b);
  jitted(a, b);
  const before = stats();
  for (let k = 0; k < 200_000; k++) jitted(a, b);
  const after = stats();
  expect(after.programs).toEqual(before.programs);
  expect(jitted.cacheSize).toBe(1);
}, 60_000);
