import {
  type AnyTensor,
  autograd,
  checkpoint,
  func,
  GradientError,
  noGrad,
  ShapeError,
  tensor,
} from "fuseau";
import { assertClose } from "fuseau/testing";
import { describe, expect, it } from "vitest";

class Exp extends autograd.Function {
  static forward(ctx: autograd.FunctionContext, x: AnyTensor): AnyTensor {
    const y = x.exp();
    ctx.saveForBackward(y);
    return y;
  }
  static backward(ctx: autograd.FunctionContext, gradient: AnyTensor): unknown {
    const [y] = ctx.savedTensors as [AnyTensor];
    return gradient.mul(y);
  }
}

/** [k·x, x + k], both from one call of backward. */
class Two extends autograd.Function {
  static calls = 0;
  static forward(_ctx: autograd.FunctionContext, x: AnyTensor, k: number): AnyTensor[] {
    return [x.mul(k), x.add(k)];
  }
  static backward(_ctx: autograd.FunctionContext, first: AnyTensor, second: AnyTensor): unknown {
    Two.calls++;
    return [first.mul(3).add(second), null];
  }
}

const leaf = (): AnyTensor => tensor([1, 2], { dtype: "float64" }).requiresGrad_();

/** [x·y, sin x]. */
class Both extends autograd.Function {
  static forward(ctx: autograd.FunctionContext, x: AnyTensor, y: AnyTensor): AnyTensor[] {
    ctx.saveForBackward(x, y);
    return [x.mul(y) as AnyTensor, x.sin()];
  }
  static backward(ctx: autograd.FunctionContext, first: AnyTensor, second: AnyTensor): unknown {
    const [x, y] = ctx.savedTensors as [AnyTensor, AnyTensor];
    return [(first.mul(y) as AnyTensor).add(second.mul(x.cos()) as AnyTensor), first.mul(x)];
  }
}

it("an argument that is handed on as it came is saved as the argument", () => {
  class Square extends autograd.Function {
    static forward(ctx: autograd.FunctionContext, x: AnyTensor): AnyTensor[] {
      ctx.saveForBackward(x);
      return [x, x.square()];
    }
    static backward(ctx: autograd.FunctionContext, first: AnyTensor, second: AnyTensor): unknown {
      const [x] = ctx.savedTensors as [AnyTensor];
      return first.add(second.mul(x).mul(2) as never);
    }
  }
  const x = leaf();
  const [, y] = Square.apply(x) as [AnyTensor, AnyTensor];
  const [slope] = autograd.grad(y.sum(), [x], { createGraph: true }) as [AnyTensor];
  assertClose(slope, x.detach().mul(2));
  const [second] = autograd.grad(slope.sum(), [x]) as [AnyTensor];
  assertClose(second, x.detach().mul(0).add(2));
});

it.each(["recorded", "computed", "read"])("a result that was saved is differentiated again, %s", (how) => {
  const x = leaf();
  const y = Exp.apply(x) as AnyTensor;
  if (how === "computed") y.compute();
  if (how === "read") y.toArray();
  const [first] = autograd.grad(y.sum(), [x], { createGraph: true }) as [AnyTensor];
  if (how === "read") first.toArray();
  const [second] = autograd.grad(first.sum(), [x]) as [AnyTensor];
  assertClose(second, x.detach().exp());
});

describe("forward mode", () => {
  const custom = (x: AnyTensor, y: AnyTensor): AnyTensor => {
    const [p, q] = Both.apply(x, y) as [AnyTensor, AnyTensor];
    return (p.mul(q) as AnyTensor).sum();
  };
  const plain = (x: AnyTensor, y: AnyTensor): AnyTensor =>
    ((x.mul(y) as AnyTensor).mul(x.sin()) as AnyTensor).sum();
  const x = tensor([1, 0.5], { dtype: "float64" });
  const y = tensor([2, -1], { dtype: "float64" });
  const numbers = (tensors: unknown): number[] =>
    [tensors].flat(3).flatMap((one) => (one as AnyTensor).flatten().toArray() as number[]);
  const derivatives: Readonly<Record<string, (f: typeof plain) => unknown>> = {
    jvp: (f) => func.jvp(f, [x, y], [y, x])[1],
    jacfwd: (f) => func.jacfwd(f, { argnums: [0, 1] })(x, y),
    hessian: (f) => func.hessian(f, { argnums: [0, 1] })(x, y),
    hvp: (f) => func.hvp(f, [x, y], [y, x])[1],
    "forward of forward": (f) => func.jacfwd(func.jacfwd(f))(x, y),
    "a mapped one": (f) => func.vmap((a: AnyTensor) => func.jacfwd((b: AnyTensor) => f(b, b))(a))(y),
  };
  it.each(Object.entries(derivatives))("%s", (_, derivative) => {
    const [found, expected] = [numbers(derivative(custom)), numbers(derivative(plain))];
    expect(found.length).toBe(expected.length);
    found.forEach((value, k) => {
      expect(value).toBeCloseTo(expected[k] as number, 12);
    });
  });
});

describe("a function with a derivative of its own", () => {
  it("has gradients through what vmap maps", () => {
    const rows = (): AnyTensor =>
      tensor(
        [
          [0.1, 0.2],
          [1, 2],
        ],
        { dtype: "float64" },
      );
    const each = func.vmap((x: AnyTensor) => Exp.apply(x).sum());
    const pair = func.vmap((x: AnyTensor) => {
      const [p, q] = Both.apply(x, x.add(1)) as [AnyTensor, AnyTensor];
      return (p.mul(q) as AnyTensor).sum();
    });
    const plain = (x: AnyTensor): AnyTensor =>
      ((x.mul(x.add(1)) as AnyTensor).mul(x.sin()) as AnyTensor).sum();
    const expected = rows().exp().toArray();
    expect(
      func
        .grad((x: AnyTensor) => each(x).sum())(rows())
        .toArray(),
    ).toEqual(expected);
    expect(
      func
        .jacfwd((x: AnyTensor) => each(x).sum())(rows())
        .toArray(),
    ).toEqual(expected);
    const x = rows().requiresGrad_();
    each(x).sum().backward();
    expect(x.grad?.toArray()).toEqual(expected);
    const w = tensor([1, 1], { dtype: "float64" }).requiresGrad_();
    func
      .vmap((row: AnyTensor) => Exp.apply(row.mul(w) as AnyTensor).sum())(rows())
      .sum()
      .backward();
    assertClose(w.grad as AnyTensor, (rows().exp().mul(rows()) as AnyTensor).sum(0));
    assertClose(func.grad((m: AnyTensor) => pair(m).sum())(rows()), func.grad(plain)(rows()));
  });

  it("is refused in forward mode if its backward records nothing", () => {
    class Once extends autograd.Function {
      static forward(_: autograd.FunctionContext, x: AnyTensor): AnyTensor {
        return x.mul(2);
      }
      static backward(_: autograd.FunctionContext, gradient: AnyTensor): unknown {
        return noGrad(() => gradient.mul(2));
      }
    }
    const x = leaf().detach();
    const once = (y: AnyTensor): AnyTensor => Once.apply(y);
    expect(() => func.jvp(once, [x], [x])).toThrow(/must implement the jvp function/);
    expect(
      func
        .grad((y: AnyTensor) => once(y).sum())(x)
        .toArray(),
    ).toEqual([2, 2]);
  });

  it("may give nulls beyond its arguments", () => {
    class More extends autograd.Function {
      static forward(_: autograd.FunctionContext, x: AnyTensor): AnyTensor {
        return x.mul(2);
      }
      static backward(_: autograd.FunctionContext, gradient: AnyTensor): unknown {
        return [gradient.mul(2), null, undefined];
      }
    }
    const x = leaf();
    More.apply(x).sum().backward();
    expect(x.grad?.toArray()).toEqual([2, 2]);
  });

  it("writes to arguments that it marks, and returns them", () => {
    class Twice extends autograd.Function {
      static forward(ctx: autograd.FunctionContext, x: AnyTensor, isGiven = true): AnyTensor {
        x.mul_(2);
        ctx.markDirty(x);
        return isGiven ? x : x.clone();
      }
      static backward(_: autograd.FunctionContext, gradient: AnyTensor): unknown {
        return [gradient.mul(2), null];
      }
    }
    const x = leaf();
    const y = x.mul(3) as AnyTensor;
    const row = y.slice([1, 2]) as AnyTensor;
    expect(Twice.apply(y)).toBe(y);
    expect(row.toArray()).toEqual([12]);
    y.square().sum().backward();
    expect(x.grad?.toArray()).toEqual([72, 144]);
    expect(() => Twice.apply(leaf().mul(3) as AnyTensor, false)).toThrow(/were not returned as output/);
  });

  it("has the gradient that its backward gives", () => {
    const x = leaf();
    Exp.apply(x).sum().backward();
    expect(x.grad?.toArray()).toEqual([Math.exp(1), Math.exp(2)]);
  });

  it("has its backward called once for all results", () => {
    const x = leaf();
    const [a, b] = Two.apply(x, 3) as [AnyTensor, AnyTensor];
    Two.calls = 0;
    a.mul(b).sum().backward();
    expect(x.grad?.toArray()).toEqual([15, 21]);
    expect(Two.calls).toBe(1);
  });

  it("gets zeros for a result without a gradient, or null where it asks for that", () => {
    const seen: unknown[] = [];
    const made = (materializes: boolean): typeof Two =>
      class extends Two {
        static override forward(ctx: autograd.FunctionContext, x: AnyTensor, k: number): AnyTensor[] {
          ctx.setMaterializeGrads(materializes);
          return Two.forward(ctx, x, k);
        }
        static override backward(_: autograd.FunctionContext, first: AnyTensor, second: AnyTensor | null) {
          seen.push(second?.toArray() ?? null);
          return [first, null];
        }
      };
    for (const materializes of [true, false]) made(materializes).apply(leaf(), 3)[0]!.sum().backward();
    expect(seen).toEqual([[0, 0], null]);
  });

  it("is differentiated again through what it saved", () => {
    const x = leaf();
    expect(autograd.gradcheck((own) => Exp.apply(own), x)).toBe(true);
    expect(autograd.gradgradcheck((own) => Exp.apply(own), x)).toBe(true);
  });

  it("is refused when its backward gives too few gradients, or one of another shape", () => {
    class Few extends Two {
      static override backward(_ctx: autograd.FunctionContext, first: AnyTensor): unknown {
        return [first];
      }
    }
    class Wide extends Exp {
      static override backward(_ctx: autograd.FunctionContext, gradient: AnyTensor): unknown {
        return gradient.sum().expand([3]);
      }
    }
    const x = leaf();
    expect(() => Few.apply(x, 3)[0]!.sum().backward()).toThrow(
      new GradientError(
        "backward: function FewBackward returned an incorrect number of gradients (expected 2, got 1; one for each argument of forward, null for what needs none)",
      ),
    );
    expect(() => Wide.apply(x).sum().backward()).toThrow(ShapeError);
    expect(x.grad).toBeNull();
  });
});

describe("gradcheck", () => {
  it("tells the element that differs", () => {
    class Wrong extends Exp {
      static override backward(_ctx: autograd.FunctionContext, gradient: AnyTensor): unknown {
        return gradient.mul(2);
      }
    }
    expect(autograd.gradcheck((own) => Wrong.apply(own), leaf(), { raiseException: false })).toBe(false);
    expect(() => autograd.gradcheck((own) => Wrong.apply(own), leaf())).toThrow(
      /^gradcheck: Jacobian mismatch for output 0 with respect to input 0: at element 0 .* analytical 2$/,
    );
  });
});

describe("detectAnomaly", () => {
  it("names the op that made the first NaN forward, and its line", () => {
    const x = tensor([-1, 4]).requiresGrad_();
    expect(() => autograd.detectAnomaly(() => x.sqrt().mul(2).sum().backward())).toThrow(
      /sqrt gave NaN; recorded at .*custom\.test\.ts/,
    );
  });

  it("sees it in halves too", () => {
    const x = tensor([-1, 4], { dtype: "float16" }).requiresGrad_();
    expect(() => autograd.detectAnomaly(() => x.sqrt().sum().backward())).toThrow(/sqrt gave NaN/);
  });

  it("names the op whose derivative made it", () => {
    const x = tensor([0, 4]).requiresGrad_();
    expect(() => autograd.detectAnomaly(() => x.sqrt().mul(0).sum().backward())).toThrow(
      /Function 'sqrtBackward' returned nan values in its 0th output.; recorded at/,
    );
    expect(x.grad).toBeNull();
  });
});

describe("checkpoint", () => {
  it("gives the same gradients", () => {
    const [x, y] = [leaf(), leaf()];
    const curve = (own: AnyTensor): AnyTensor => own.sin().exp().sum();
    curve(x).backward();
    const loss = checkpoint(curve, y);
    loss.compute();
    loss.backward();
    expect(y.grad?.toArray()).toEqual(x.grad?.toArray());
  });
});
