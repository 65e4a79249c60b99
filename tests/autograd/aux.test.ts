/** What a function gives beside its result. */
import { type AnyTensor, func, tensor } from "fuseau";
import { expect, it } from "vitest";

const x = tensor([1, 2], { dtype: "float64" });
const withAux = (v: AnyTensor) => {
  const squares = v.square();
  return [squares.sum(), { squares, name: "squares", count: 2, nested: [squares.add(1), null] }] as const;
};

it("keeps what is no tensor, and no derivative with respect to what was opened", () => {
  const [gradient, aux] = func.grad(withAux, { hasAux: true })(x);
  expect(gradient.toArray()).toEqual([2, 4]);
  expect([aux.name, aux.count, aux.nested[1]]).toEqual(["squares", 2, null]);
  for (const held of [aux.squares, aux.nested[0] as AnyTensor]) expect(held.requiresGrad).toBe(false);
  expect(aux.squares.toArray()).toEqual([1, 4]);
});

it("is differentiated by what stands around", () => {
  const outer = func.grad((v: AnyTensor) => {
    const [gradient, aux] = func.grad(withAux, { hasAux: true })(v);
    return gradient.sum().add((aux.nested[0] as AnyTensor).sum());
  });
  expect(outer(x).toArray()).toEqual([2 + 2, 2 + 4]);
});
