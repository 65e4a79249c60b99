/** Steps of a simulation in which all pairs of points meet: the points of the next step are sums over the pairs of this one. */
import { type AnyTensor, compute, rand, setOptions, zeros } from "fuseau";
import { afterEach, describe, expect, it } from "vitest";

const COUNT = 96;

function moved(steps: number): AnyTensor {
  let x: AnyTensor = points;
  let v: AnyTensor = zeros([COUNT, 3]);
  for (let k = 0; k < steps; k++) {
    const apart = x.unsqueeze(0).sub(x.unsqueeze(1));
    const squared = apart.square().sum(2).add(0.01);
    v = v.add(apart.mul(squared.pow(1.5).reciprocal().unsqueeze(2)).sum(1).mul(0.001));
    x = x.add(v.mul(0.001));
  }
  return x;
}

const bitsOf = (x: AnyTensor): Uint32Array => new Uint32Array((x.toTypedArray() as Float32Array).buffer);

const points = rand([COUNT, 3]).compute();

afterEach(() => setOptions({ fusion: undefined, emitter: undefined }));

describe("pairs of points that are sums themselves", () => {
  it("are stored in the order of memory: what is read at two indexes is in memory, and asks for no loop order", () => {
    const { kernels } = moved(3).explain({ emitter: "wasm" });
    const stored = kernels.flatMap(({ strideMaps }) =>
      strideMaps.filter(({ access, strides }) => access === "write" && Object.keys(strides ?? {}).length > 1),
    );
    expect(stored.length).toBeGreaterThan(2);
    for (const { strides } of stored) expect(Object.values(strides ?? {}).at(-1)).toBe(1);
  });

  it("are not kept for a reader of the points, which are", () => {
    for (let k = 0; k < 4; k++) moved(3).compute();
    const { bytes } = moved(3).explain();
    expect(bytes.outputs).toBeLessThanOrEqual(8 * 4 * COUNT * 3);
  });

  it.each(["js", "wasm", "closure"] as const)("give the same bits fused and op by op, by %s", (emitter) => {
    setOptions({ emitter });
    const fused = moved(3);
    compute(fused);
    setOptions({ fusion: "none" });
    const unfused = moved(3);
    compute(unfused);
    expect(bitsOf(fused)).toEqual(bitsOf(unfused));
  });
});
